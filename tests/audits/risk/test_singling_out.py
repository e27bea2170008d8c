from itertools import combinations

import polars as pl
import pytest
from hypothesis import given, settings

import shoal
from shoal.audits.risk.singling_out import shares_of_columns, singling_out
from shoal.foundation.errors import SpecError
from shoal.tables.rows import Rows
from shoal.tables.table import Column
from tests.audits import plain_risk as plain
from tests.audits.risk.test_suda import RECORDS, frame_of

NAMES = ["p", "q", "r", "s"]


@settings(max_examples=40)
@given(RECORDS)
def test_shares_are_those_of_plain_python(records: list[plain.Record]) -> None:
    persons = [str(number) for number in range(len(records))]

    def share(columns: tuple[int, ...]) -> float:
        return sum(plain.alone(records, persons, n, columns) for n in range(len(records))) / len(records)

    found = singling_out(Rows.of(frame_of(records, NAMES), NAMES), NAMES)
    assert found["all"] == share((0, 1, 2, 3))
    for key, size in (("columns", 1), ("pairs", 2)):
        rows = {tuple(row["columns"]): (row["alone"], row["without"]) for row in found[key]}
        for chosen in combinations(range(4), size):
            others = tuple(j for j in range(4) if j not in chosen)
            assert rows.pop(tuple(NAMES[j] for j in chosen)) == (share(chosen), share(others))
        assert not rows
        assert [row["without"] for row in found[key]] == sorted(row["without"] for row in found[key])


def test_one_column_has_no_pairs() -> None:
    found = shoal.singling_out(frame_of([("a",), ("b",), ("b",)], ["p"]), quasi="p")
    assert found == {"all": 1 / 3, "columns": [{"columns": ["p"], "alone": 1 / 3, "without": 0.0}], "pairs": []}
    with pytest.raises(SpecError, match="No quasi column"):
        shoal.singling_out(frame_of([("a",)], ["p"]), quasi=[])


def test_where_work_is_short_the_most_telling_columns_are_looked_at() -> None:
    columns = [Column.of(pl.Series([str(i % size) for i in range(60)])) for size in (2, 3, 5, 7, 30)]
    names = list("abcde")
    whole = shares_of_columns(columns, names)
    short = shares_of_columns(columns, names, work=1)
    assert [len(whole[part]) for part in ("columns", "pairs")] == [5, 10]
    assert {one["columns"][0] for one in short["columns"]} == {"c", "d", "e"}
    assert len(short["pairs"]) == 3
    assert short["all"] == whole["all"]
    for part in ("columns", "pairs"):
        for one in short[part]:
            assert one in whole[part]
