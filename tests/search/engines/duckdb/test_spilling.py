"""Rows that DuckDB keeps are the rows that it counts, in blocks and in parts, with values as a job takes them."""

from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray

from shoal.foundation.errors import SpecError
from shoal.foundation.progress import silent
from shoal.search.engines.duckdb import SpilledRecords, SpilledRows, counted_or_spilled
from shoal.search.engines.kept_rows import KeptRows, RawBlock, RawCodes, SolvedPart
from shoal.search.engines.spilled_table import Codes, RowCoding, SpilledTable
from shoal.tables.hierarchies.hierarchy import Label
from shoal.tables.location import FileLocation
from shoal.tables.rows import Rows
from shoal.tables.table import Role

FRAME = pl.DataFrame(
    {
        "n": ["1", "2", None, "2", "2", "?"] * 5,
        "added rows": ["x", "y", "y", "z", "y", "x"] * 5,
        "c0": [str(number % 7) for number in range(30)],
    }
)
ROLES = dict.fromkeys(FRAME.columns, Role.INSENSITIVE)


def spilled(folder: Path, ending: str, most: int = 3) -> SpilledRows:
    path = folder / f"data.{ending}"
    FRAME.write_csv(path) if ending == "csv" else FRAME.write_parquet(path)
    found = counted_or_spilled(FileLocation(path, blanks=("?",)), FRAME.columns, None, most)
    assert isinstance(found, SpilledRows)
    return found


def texts(columns: dict[str, list[str | None]], counts: Any) -> Counter[tuple[Label, ...]]:
    found = Counter[tuple[Label, ...]]()
    for row, count in zip(zip(*(columns[name] for name in FRAME.columns), strict=True), counts.tolist(), strict=True):
        found[row] += count
    return found


def plain() -> Counter[tuple[Label, ...]]:
    return Counter((None if n == "?" else n, other, code) for n, other, code in FRAME.rows())


def by_last(raw: RawCodes) -> NDArray[np.int64]:
    return (raw["c0"] % 3).astype(np.int64)


def unsolved(coding: RowCoding, number: int, raw: RawCodes, counts: NDArray[np.int64]) -> SolvedPart:
    """Publish the rows of a part as they are."""
    codes, _ = coding.cleaned(raw)
    rows: dict[str, tuple[list[Label], NDArray[np.int32]]] = {
        name: ([*coding.values[name], None], own.astype(np.int32)) for name, own in codes.items()
    }
    return SolvedPart(rows, counts, (number, int(counts.sum()), set((raw["c0"] % 3).tolist())))


def listed(coding: RowCoding, raw: Iterator[RawBlock]) -> list[tuple[Codes, NDArray[np.int64]]]:
    return list(coding.blocks(raw))


def check_kept(rows: KeptRows) -> None:
    """See that rows which an engine keeps are those of FRAME, as blocks and as parts."""
    assert rows.n_records == 30
    held = SpilledTable(rows, rows.values())
    values: dict[str, list[Any]] = {name: [*column.values, None] for name, column in held.columns.items()}
    found = Counter[tuple[Label, ...]]()
    for blocks in rows.gathered(partial(listed, held.coding)):
        for codes, counts in blocks:
            found += texts({name: [values[name][code] for code in own] for name, own in codes.items()}, counts)
    assert found == plain()
    known = held.table(ROLES)
    assert known.n_records == 30
    for name in FRAME.columns:
        counted = dict(zip(values[name], known.histogram(name).tolist(), strict=True))
        assert {value: count for value, count in counted.items() if count} == Counter(
            row[FRAME.columns.index(name)] for row in plain().elements()
        )
    records, told = rows.solved(by_last, 3, partial(unsolved, held.coding), FRAME.columns, 7, silent)
    assert [number for number, _, _ in told] == [0, 1, 2]
    assert sum(n_records for _, n_records, _ in told) == 30
    assert [classes for _, _, classes in told] == [{0}, {1}, {2}]
    assert Counter(records.frame().cast(pl.String).rows()) == plain()


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_blocks_and_parts_hold_every_record(tmp_path: Path, ending: str) -> None:
    check_kept(spilled(tmp_path, ending))


def check_left_out(rows: KeptRows) -> None:
    held = SpilledTable(rows, rows.values(), ["n"])
    assert held.n_records == 20
    assert held.columns["n"].values == ["1", "2"]
    assert not held.columns["n"].missing
    assert held.columns["added rows"].counts.sum() == 20


def test_records_that_lack_a_value_are_left_out(tmp_path: Path) -> None:
    check_left_out(spilled(tmp_path, "parquet"))


def test_few_rows_come_into_memory(tmp_path: Path) -> None:
    for ending in ("csv", "parquet"):
        path = tmp_path / f"data.{ending}"
        FRAME.write_csv(path) if ending == "csv" else FRAME.write_parquet(path)
        found = counted_or_spilled(FileLocation(path, blanks=("?",)), FRAME.columns, None, 30)
        assert isinstance(found, Rows)
        assert (
            Counter(
                row for row, n in zip(found.frame.cast(pl.String).rows(), found.counts, strict=True) for _ in range(n)
            )
            == plain()
        )


def test_the_rows_of_a_distant_table_are_not_there(tmp_path: Path) -> None:
    rows = spilled(tmp_path, "parquet")
    known = SpilledTable(rows, rows.values()).table(ROLES)
    assert known.columns["n"].missing
    with pytest.raises(SpecError, match="counted in regions"):
        known.columns["n"].texts("n")


def test_records_leave_in_parts_of_any_size_in_one_order(tmp_path: Path) -> None:
    rows = spilled(tmp_path, "parquet")
    records = SpilledRecords(rows.session, rows.where, ["a", "b"], 7)
    labels: list[Label] = ["x", None, "*"]
    records.add(
        {"a": (labels, np.array([0, 1, 2], dtype=np.int32)), "b": (["u"], np.zeros(3, dtype=np.int32))},
        np.array([2, 3, 1]),
    )
    records.add(
        {"a": (["q", "x"], np.array([1, 0], dtype=np.int32)), "b": (["u", "v"], np.array([0, 1], dtype=np.int32))},
        np.array([4, 1]),
    )
    wanted = Counter({("x", "u"): 6, (None, "u"): 3, ("*", "u"): 1, ("q", "v"): 1})
    whole = records.frame().cast(pl.String).rows()
    assert Counter(whole) == wanted
    for size in (1, 2, 4, 100):
        parts = list(records.parts(size))
        assert [row for part in parts for row in part.cast(pl.String).rows()] == whole
        assert [part.height for part in parts[:-1]] == [size] * (len(parts) - 1)
    assert records.head(2).cast(pl.String).rows() == whole[:2]
    found = records.rows(["b"])
    assert dict(zip(found.frame["b"].cast(pl.String), found.counts.tolist(), strict=True)) == {"u": 10, "v": 1}
    assert records.rows().counts.sum() == 11
    assert len(records.rows().counts) == 4
