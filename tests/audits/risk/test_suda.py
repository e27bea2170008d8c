from collections.abc import Sequence

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.audits.risk.person_classes import PersonClasses
from shoal.audits.risk.suda import dis, dis_suda, scores_by_size, suda
from shoal.tables.rows import Rows
from tests.audits import plain_risk as plain

CELL = st.one_of(st.none(), st.sampled_from(["a", "b", "*"]))
RECORDS = st.lists(st.tuples(CELL, CELL, CELL, CELL), min_size=1, max_size=12)


def frame_of(records: Sequence[plain.Record], names: list[str]) -> pl.DataFrame:
    return pl.DataFrame([record[: len(names)] for record in records], dict.fromkeys(names, pl.String), orient="row")


@settings(max_examples=80)
@given(RECORDS, st.data(), st.integers(1, 5))
def test_msus_are_those_of_plain_python(records: list[plain.Record], data: st.DataObject, largest: int) -> None:
    who = data.draw(st.lists(st.sampled_from("ABCDEFGH"), min_size=len(records), max_size=len(records)))
    persons = who if data.draw(st.booleans()) else [str(number) for number in range(len(records))]
    names = ["p", "q", "r", "s"]
    classes = PersonClasses.of(Rows.each(frame_of(records, names).with_columns(pl.Series("id", persons))), names, "id")
    wildcard = data.draw(st.booleans())
    found = suda(classes, names, largest, wildcard=wildcard)
    weights = scores_by_size(4, found.largest)
    wanted = [plain.msus(records, persons, number, found.largest, wildcard=wildcard) for number in range(len(records))]
    assert found.of_rows(classes, found.scores).tolist() == [
        sum(weights[len(one) - 1] for one in msus) for msus in wanted
    ]
    by_class = dict(zip(records, wanted, strict=True))
    for size in range(1, found.largest + 1):
        assert found.describe()["msus"][str(size)] == sum(len(m) == size for msus in by_class.values() for m in msus)
    for chosen, count in found.sets.items():
        assert count == sum(chosen in msus for msus in by_class.values())
    total = sum(weights[len(one) - 1] for msus in by_class.values() for one in msus)
    for j, name in enumerate(names):
        part = sum(weights[len(one) - 1] for msus in by_class.values() for one in msus if j in one)
        assert found.contributions[name] == pytest.approx(part / total if total else 0)


def test_the_scores_of_the_guide() -> None:
    classes = PersonClasses.of(Rows.each(frame_of(plain.GUIDE, plain.GUIDE_COLUMNS)), plain.GUIDE_COLUMNS)
    found = suda(classes, plain.GUIDE_COLUMNS, 3)
    assert found.of_rows(classes, found.scores).tolist() == plain.GUIDE_SUDA
    assert suda(classes, plain.GUIDE_COLUMNS).scores.tolist() == found.scores.tolist()  # there is no MSU of size 4


def test_dis_suda_of_the_guide() -> None:
    """The guide spreads the risk by other scores: (2^(4 - size) - 1) size! (4 - size)! / 4! for each MSU."""
    classes = PersonClasses.of(Rows.each(frame_of(plain.GUIDE, plain.GUIDE_COLUMNS)), plain.GUIDE_COLUMNS)
    probability = dis(classes.sizes, 0.01)
    assert probability == pytest.approx(0.04 / (0.04 + 6 * 0.99))
    scores = np.array([1.75, 1.75 + 3 * 0.5, 1.75, 1.75 + 2 * 0.5])
    assert dis_suda(scores, probability, 4).round(4).tolist() == plain.GUIDE_DIS_SUDA


@given(st.floats(0.01, 0.99), st.integers(1, 40), st.integers(1, 20))
def test_equal_scores_share_the_risk_alike(probability: float, n_columns: int, n: int) -> None:
    assert dis_suda(np.full(n, 7.0), probability, n_columns) == pytest.approx(probability)


def test_a_table_without_uniques_has_no_scores() -> None:
    classes = PersonClasses.of(Rows.of(pl.DataFrame({"q": ["a", "a"]}), ["q"]), ["q"])
    found = suda(classes, ["q"])
    assert found.contributions == {"q": 0.0}
    assert found.describe()["sets"] == []
    assert dis(classes.sizes, 0.1) == 0.0
    assert dis_suda(found.scores, 0.0, 1).tolist() == []
