"""Any rows of a table, from a copy in parts."""

from pathlib import Path

import polars as pl
import pytest

from shoal.jobs.given_table import table
from shoal.web import rows
from shoal.web.rows import keep_rows, kept, window


def test_any_rows_are_found_also_across_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "PART", 7)
    path = tmp_path / "table.csv"
    path.write_text("a,b\n" + "".join(f"{i},x{i}\n" for i in range(30)))
    assert not kept(tmp_path / "rows")
    assert keep_rows(table(path), tmp_path / "rows") == 30
    assert kept(tmp_path / "rows")
    for first in (0, 5, 6, 7, 20, 28, 29):
        found = window(tmp_path / "rows", first, 10)
        assert (found.first, found.total, found.columns) == (first, 30, ["a", "b"])
        assert list(found.rows) == [(str(i), f"x{i}") for i in range(first, min(first + 10, 30))]
    assert window(tmp_path / "rows", 99, 3, ["b"]).rows == [("x29",)]
    assert all(one.stat().st_mode & 0o077 == 0 for one in (tmp_path / "rows").glob("*.arrow"))


def test_a_table_without_rows_and_one_with_missing_values(tmp_path: Path) -> None:
    assert keep_rows(pl.DataFrame({"a": pl.Series([], dtype=pl.Int64)}), tmp_path / "rows") == 0
    assert window(tmp_path / "rows", 0, 5).rows == []
    keep_rows(pl.DataFrame({"a": [None, 1.5]}), tmp_path / "rows")
    assert window(tmp_path / "rows", 0, 5).rows == [(None,), ("1.5",)]
