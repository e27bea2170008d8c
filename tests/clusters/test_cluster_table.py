import json
from decimal import Decimal

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.clusters.cluster_table import CLUSTER, ClusterTable, ValuesOption, cell, own_names, rounded_up
from shoal.foundation.errors import CertificateError

FRAME = {
    "age": ["30", None, "30"],
    "records": ["3", "2", "1"],
    "radius": ["0.5", "0", "12"],
    "ill": ['{"flu": 2, "": 1}', '{"a,b": 2}', '{"": 1}'],
}


def _frame(**changes: list[str | None]) -> pl.DataFrame:
    return pl.DataFrame({**FRAME, **changes}, schema_overrides=dict.fromkeys(FRAME, pl.String))


def _read(frame: pl.DataFrame, kind: ValuesOption = "multiset") -> ClusterTable:
    return ClusterTable.of(frame, ["age"], ["ill"], kind)


def test_own_names_are_those_of_no_column() -> None:
    assert own_names(["age"]) == ("records", "radius")
    assert own_names(["records", "cluster_records"]) == ("cluster_cluster_records", "radius")
    assert own_names(["radius"]) == ("records", "cluster_radius")
    assert own_names(["Records", "RADIUS"]) == ("cluster_records", "cluster_radius")


@pytest.mark.parametrize(
    ("length", "text"),
    [
        (0.0, "0"),
        (3.0, "3"),
        (3.0000000000000004, "3"),
        (2 / 3, "0.666667"),
        (1 / 3, "0.333334"),
        (123456.2, "123457"),
        (1234567.0, "1234570"),
        (1e-9 / 3, "0.000000000333334"),
        (999999.5, "1000000"),
    ],
)
def test_radii_are_rounded_up_to_six_digits(length: float, text: str) -> None:
    assert rounded_up(length) == text


@given(st.floats(0, 1e12))
def test_a_rounded_radius_is_an_upper_bound_that_is_near(length: float) -> None:
    rounded = Decimal(rounded_up(length))
    assert rounded >= Decimal(length) * (1 - Decimal("1.1e-12"))
    assert rounded <= Decimal(length) * (1 + Decimal("1.1e-5"))
    assert len(rounded.as_tuple().digits) - len(str(int(rounded))) <= 400


def test_rounding_keeps_the_order() -> None:
    lengths = sorted([0.0, 1e-5, 0.3333333, 0.33333334, 2.0, 2.0000001, 99.99999, 100.0])
    assert [float(rounded_up(one)) for one in lengths] == sorted(float(rounded_up(one)) for one in lengths)


texts = st.one_of(st.none(), st.text(st.characters(codec="utf-8"), min_size=1, max_size=5))


@given(st.dictionaries(texts, st.integers(1, 9), min_size=1, max_size=5))
def test_a_multiset_is_read_as_it_was_written(told: dict[str | None, int]) -> None:
    text = cell(list(told), list(told.values()), "multiset")
    size = str(sum(told.values()))
    table = _read(pl.DataFrame({"age": ["1"], "records": [size], "radius": ["0"], "ill": [text]}))
    held = table.sensitive["ill"]
    assert dict(zip(held.values, held.counts.tolist(), strict=True)) == told
    assert json.loads(text) == {value or "": count for value, count in told.items()}


@given(st.sets(texts, min_size=1, max_size=5), st.integers(0, 3))
def test_a_set_tells_which_values_there_are_and_no_more(told: set[str | None], more: int) -> None:
    text = cell(list(told), [1] * len(told), "set")
    size = len(told) + more
    table = _read(pl.DataFrame({"age": ["1"], "records": [str(size)], "radius": ["0"], "ill": [text]}), "set")
    held = table.sensitive["ill"]
    assert set(held.values) == told
    assert held.counts.sum() == size
    assert set(json.loads(text)) == told


def test_a_table_becomes_records_again() -> None:
    table = _read(_frame())
    assert len(table) == 3
    assert table.describe() == {"count": 3, "smallest": 1, "largest": 3}
    assert table.records().height == 6
    assert sorted(table.records("ill").rows(), key=str) == sorted(
        [("0", "flu"), ("0", "flu"), ("0", None), ("1", "a,b"), ("1", "a,b"), ("2", None)], key=str
    )
    assert table.records("ill").columns == [CLUSTER, "ill"]
    assert table.radii.tolist() == [0.5, 0.0, 12.0]


WRONG: list[tuple[str, list[str | None], str]] = [
    ("records", ["3", "0", "1"], "no number in row 2 of column 'records'"),
    ("records", ["3", "2.0", "1"], "no number in row 2 of column 'records'"),
    ("records", ["3", None, "1"], "no number in row 2 of column 'records'"),
    ("records", ["4", "2", "1"], "no multiset of 4 records in row 1 of column 'ill'"),
    ("radius", ["-1", "0", "12"], "no number in row 1 of column 'radius'"),
    ("radius", ["nan", "0", "12"], "no number in row 1 of column 'radius'"),
    ("radius", ["1e3", "0", "12"], "no number in row 1 of column 'radius'"),
    ("ill", ["{}", '{"a,b": 2}', '{"": 1}'], "row 1 of column 'ill'"),
    ("ill", ['{"flu": 3}', "", '{"": 1}'], "row 2 of column 'ill'"),
    ("ill", ['{"flu": 3.0}', '{"a,b": 2}', '{"": 1}'], "row 1 of column 'ill'"),
    ("ill", ['{"flu": true, "cold": 2}', '{"a,b": 2}', '{"": 1}'], "row 1 of column 'ill'"),
    ("ill", ['{"flu": 4, "cold": -1}', '{"a,b": 2}', '{"": 1}'], "row 1 of column 'ill'"),
    ("ill", ['{"flu":3}', '{"a,b": 2}', '{"": 1}'], "row 1 of column 'ill'"),
    ("ill", ['{"flu": 1, "flu": 2}', '{"a,b": 2}', '{"": 1}'], "row 1 of column 'ill'"),
    ("ill", ['["flu"]', '{"a,b": 2}', '{"": 1}'], "row 1 of column 'ill'"),
    ("ill", ["[" * 100_000, '{"a,b": 2}', '{"": 1}'], "row 1 of column 'ill'"),
]


@pytest.mark.parametrize(("column", "cells", "words"), WRONG)
def test_what_is_not_a_table_of_clusters_is_refused(column: str, cells: list[str | None], words: str) -> None:
    with pytest.raises(CertificateError, match=words):
        _read(_frame(**{column: cells}))


def test_other_columns_and_sets_that_are_too_large_are_refused() -> None:
    with pytest.raises(CertificateError, match="does not have the required columns"):
        _read(_frame().drop("radius"))
    with pytest.raises(CertificateError, match="does not have the required columns"):
        _read(_frame(extra=["1", "2", "3"]))
    with pytest.raises(CertificateError, match="no set of 1 records in row 3"):
        _read(_frame(ill=['["a"]', '["a", "b"]', '["a", "b"]']), "set")
    with pytest.raises(CertificateError, match="no set of 3 records in row 1"):
        _read(_frame(ill=['["a", "a"]', '["a"]', '["a"]']), "set")
