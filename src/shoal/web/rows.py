"""Rows: any part of a large table at once, from a copy that is made when the table is opened."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from shoal.jobs.given_table import names_of, parts_of

FILE = "rows.arrow"


@dataclass(frozen=True, slots=True)
class RowWindow:
    """Some rows of a table.

    Args:
        columns: The names of the columns.
        rows: The rows, as text; None is a missing value.
        first: The number of the first of them, from 0.
        total: How many rows the table has.
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[str | None]]
    first: int
    total: int


def keep_rows(data: Any, path: Path) -> int:
    """Write a copy of a table of which any part can be read at once; return the number of its rows."""
    names = names_of(data)
    frames = [part.with_columns(pl.all().cast(pl.String)) for part in parts_of(data, names)]
    whole = pl.concat(frames, how="vertical").rechunk()
    whole.write_ipc(path, compression="uncompressed")
    path.chmod(0o600)
    return whole.height


def window(path: Path, first: int, count: int, columns: Sequence[str] | None = None) -> RowWindow:
    """Return some rows of the copy."""
    table = pl.scan_ipc(path)
    names = table.collect_schema().names() if columns is None else list(columns)
    total = int(pl.scan_ipc(path).select(pl.len()).collect().item())
    first = max(0, min(first, max(total - 1, 0)))
    part = table.select(pl.col(names)).slice(first, count).collect()
    return RowWindow(names, part.rows(), first, total)
