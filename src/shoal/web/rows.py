"""Rows: any part of a large table at once, from a copy in parts that is made when the table is opened."""

import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from shoal.jobs.given_table import names_of, parts_of

FOLDER = "rows"
PART = 20_000  # rows of a part of the copy: what is read to show some of them

_INDEX = "index.json"


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


def keep_rows(data: Any, folder: Path) -> int:
    """Write a copy of a table of which any part can be read at once, one part after the other; return its rows."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700)
    names, total, number = names_of(data), 0, 0
    rest = pl.DataFrame(schema=dict.fromkeys(names, pl.String))
    for part in parts_of(data, names):
        for some in part.iter_slices(PART):
            rest = pl.concat([rest, some.select(pl.col(names).cast(pl.String))], how="vertical")
            while rest.height >= PART:
                _write(rest.head(PART), folder, number)
                rest, number = rest.slice(PART), number + 1
        total += part.height
    _write(rest, folder, number)
    (folder / _INDEX).write_text(json.dumps({"columns": names, "total": total}), encoding="utf-8")
    return total


def _write(part: pl.DataFrame, folder: Path, number: int) -> None:
    path = folder / f"{number:06}.arrow"
    part.rechunk().write_ipc(path, compression="uncompressed")
    path.chmod(0o600)


def kept(folder: Path) -> bool:
    """Tell whether there is a copy."""
    return (folder / _INDEX).is_file()


def window(folder: Path, first: int, count: int, columns: Sequence[str] | None = None) -> RowWindow:
    """Return some rows of the copy."""
    index = json.loads((folder / _INDEX).read_text(encoding="utf-8"))
    names, total = list(index["columns"] if columns is None else columns), index["total"]
    first = max(0, min(first, max(total - 1, 0)))
    rows: list[tuple[str | None, ...]] = []
    while len(rows) < count and first + len(rows) < total:
        number, start = divmod(first + len(rows), PART)
        part = pl.scan_ipc(folder / f"{number:06}.arrow").select(names).slice(start, count - len(rows)).collect()
        rows += part.rows()
    return RowWindow(names, rows, first, total)
