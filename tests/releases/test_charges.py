"""Charges as they are kept: by the different rows of a table, in the order of their values."""

import json
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from shoal.classes.tally import SensitiveColumn, Tally
from shoal.foundation.errors import CertificateError
from shoal.releases.charges import NAME, RowCharges, ranked, rows_in_order
from tests.search.searches import random_tally

ROWS = {"b": [1, 0, 1, 0, 1], "a": [0, 0, 1, 1, 0]}


def leaves() -> dict[str, Any]:
    return {name: np.array(own, dtype=np.int32) for name, own in ROWS.items()}


def test_rows_are_in_the_order_of_their_values_by_the_names_of_columns() -> None:
    numbers, first = rows_in_order(leaves(), {"a": 2, "b": 2}, None)
    assert numbers.tolist() == [1, 0, 3, 2, 1]  # of (a, b)
    assert [(ROWS["a"][i], ROWS["b"][i]) for i in first] == [(0, 0), (0, 1), (1, 0), (1, 1)]


def test_rows_differ_by_a_sensitive_value_too_where_groups_of_different_ones_are_charged() -> None:
    values = np.array([2, 0, 1, 0, 1], dtype=np.int32)
    numbers, first = rows_in_order(leaves(), {"a": 2, "b": 2}, values)
    assert numbers.tolist() == [2, 0, 4, 3, 1]  # of (a, b, value)
    assert [values[i] for i in first] == [0, 1, 2, 0, 1]
    assert rows_in_order(leaves(), {"a": 2, "b": 2}, np.zeros(5, dtype=np.int32))[0].tolist() == [1, 0, 3, 2, 1]


def test_values_are_ranked_by_their_texts_and_a_missing_one_is_last() -> None:
    assert ranked(["pox", "", None, "flu"]).tolist() == [2, 0, 3, 1]
    assert ranked(["b", None, "a"]).tolist() == [1, 2, 0]
    assert ranked([None, "~"]).tolist() == [1, 0]


def tally() -> Tally:
    """Return three points: two of one row with different illnesses, one that no record has, and one of another row."""
    found = random_tally(Random(1), 4, size=1)  # noqa: S311  (tables, not secrets)
    column = found.quasi[:1]
    return Tally(
        quasi=column,
        sensitive=(SensitiveColumn("ill", ("pox", "flu")),),
        codes=np.array([[1], [0], [0], [1]], dtype=np.int32),
        profiles=np.array([0, 1, 0, 1], dtype=np.int32),
        profile_codes=np.array([[0], [1]], dtype=np.int32),
        counts=np.array([2, 3, 0, 1], dtype=np.int64),
    )


def test_the_charges_of_points_are_those_of_their_rows() -> None:
    own = np.array([7, 5, 99, 7], dtype=np.int64)
    plain = RowCharges.of(tally(), own, 3, None)
    assert (plain.unit, plain.column, plain.own.tolist()) == (3, None, [5, 7])
    apart = RowCharges.of(tally(), np.array([7, 5, 99, 8]), 3, 0)
    assert (apart.unit, apart.column, apart.own.tolist()) == (3, "ill", [5, 8, 7])  # flu comes before pox


def test_what_is_written_is_read(tmp_path: Path) -> None:
    for unit, column, own in ((0, None, [1, -5]), (1_000, "ill", [2**63 - 1, -(2**63)]), (3, "", [])):
        charges = RowCharges(unit, column, np.array(own, dtype=np.int64))
        (tmp_path / NAME).write_bytes(charges.text())
        found = RowCharges.read(tmp_path)
        assert (found.unit, found.column, found.own.tolist()) == (unit, column, own)
        assert found.own.dtype == np.int64
    assert json.loads(charges.text()) == {"unit": 3, "column": "", "charges": []}


@pytest.mark.parametrize(
    "told",
    [
        {"unit": -1, "column": None, "charges": []},
        {"unit": 1_001, "column": None, "charges": []},
        {"unit": True, "column": None, "charges": []},
        {"unit": 1.0, "column": None, "charges": []},
        {"unit": 1, "column": 1, "charges": []},
        {"unit": 1, "column": None, "charges": {}},
        {"unit": 1, "column": None, "charges": [True]},
        {"unit": 1, "column": None, "charges": [2**63]},
        {"unit": 1, "charges": []},
        [],
    ],
)
def test_what_was_not_written_so_is_refused(told: Any, tmp_path: Path) -> None:
    (tmp_path / NAME).write_text(json.dumps(told), encoding="utf-8")
    with pytest.raises(CertificateError, match="is not as it was written"):
        RowCharges.read(tmp_path)
