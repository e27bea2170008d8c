"""Given tables: a table as a user gives it, a frame, a path or a location, and some columns of it."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from shoal.foundation.errors import SpecError
from shoal.foundation.given import checked
from shoal.search.engines import counted_frame
from shoal.tables.folder import location_of
from shoal.tables.formats.format import columns_to_load
from shoal.tables.formats.frames import FrameKind, frame_kind_of, named_apart, to_polars
from shoal.tables.location import Location, TableLocation
from shoal.tables.published import Published
from shoal.tables.rows import Rows, joined
from shoal.tables.table import select_columns

SINGLE = 10_000_000
"""The most records that are looked at one by one."""


@checked
def table(
    where: str | Path, *, table: str | None = None, sheet: str | None = None, delimiter: str | None = None
) -> Location:
    """Say where a table lies; every verb takes it in place of a frame or a path.

    Args:
        where: The path of a file, of a folder of CSV or Parquet files or of a pattern, or the URL of a database or of
            files in an object store.
        table: The table of the database, as `table` or `schema.table`.
        sheet: The sheet of an Excel workbook; the first if not given.
        delimiter: What separates the fields of a CSV file; found out if not given.
    """
    return location_of(where, table=table, sheet=sheet, delimiter=delimiter)


def frame_or_location(data: Any, delimiter: str | None = None) -> Any:
    """Return the location of a table, if it is not in memory.

    Args:
        data: A frame, the path of a file, or a location.
        delimiter: What separates the fields of a CSV file; None is to find out.
    """
    return table(data, delimiter=delimiter) if isinstance(data, str | Path) else data


def names_of(data: Any, delimiter: str | None = None) -> list[str]:
    """Return the names of the columns of a frame, a file or a table of a database; see `frame_or_location`."""
    location = frame_or_location(data, delimiter)
    if isinstance(location, Location):
        return location.columns()
    if isinstance(location, Rows):
        return location.frame.columns
    if isinstance(location, Published):
        return location.columns
    if frame_kind_of(location) in (FrameKind.SPARK, FrameKind.DUCKDB):
        return list(named_apart(location).columns)
    return to_polars(location)[0].columns


def count_columns(data: Any, names: Sequence[str], delimiter: str | None = None) -> Rows:
    """Count the records of a frame, a file or a table of a database by some columns; see `frame_or_location`.

    A table may also be one that is counted already, as `Rows` or as `Published`.
    """
    location = frame_or_location(data, delimiter)
    if isinstance(location, Location):
        return location.rows(names)
    if isinstance(location, Rows):
        return Rows.of(location.frame, columns_to_load(location.frame.columns, names, "the table"), location.counts)
    if isinstance(location, Published):
        return location.rows(columns_to_load(location.columns, names, "the release"))
    if frame_kind_of(data) in (FrameKind.SPARK, FrameKind.DUCKDB):
        return counted_frame(data, columns_to_load(named_apart(data).columns, names, "the frame"))
    frame = read_columns(data, names)
    return Rows.of(frame, frame.columns)


def read_columns(data: Any, names: Sequence[str], delimiter: str | None = None) -> pl.DataFrame:
    """Return some columns of a frame, a file or a table of a database as text; see `count_columns`."""
    location = frame_or_location(data, delimiter)
    return location.read(keep=names) if isinstance(location, Location) else next(parts_of(location, names))


def single_records(data: Any, names: Sequence[str], what: str, reason: str) -> pl.DataFrame:
    """Return some columns of a table whose records are looked at one by one; refuse one with too many of them.

    Args:
        data: The table; see `count_columns`.
        names: The columns.
        what: What the table is, for the message.
        reason: Why single records are needed.
    """
    return pl.concat(list(_checked(parts_of(data, names), what, reason)), how="vertical")


def count_single(data: Any, names: Sequence[str], what: str, reason: str) -> Rows:
    """Count the records of a table with not too many of them by some columns; see `single_records`."""
    location = frame_or_location(data)
    if isinstance(location, Location) and not isinstance(location, TableLocation):
        parts = _checked(location.parts(names), what, reason)  # so that too large a table is not read to its end
        return joined(Rows.of(part, part.columns) for part in parts)
    rows = count_columns(location, names)
    check_single(rows.n_records, what, reason)
    return rows


def _checked(parts: Iterator[pl.DataFrame], what: str, reason: str) -> Iterator[pl.DataFrame]:
    n_records = 0
    for part in parts:
        n_records += part.height
        check_single(n_records, what, reason)
        yield part


def check_single(n_records: int, what: str, reason: str) -> None:
    """Raise a SpecError if a table has more records than are looked at one by one."""
    if n_records > SINGLE:
        raise SpecError(f"{what} has more than {SINGLE:,} records, and {reason}. Take a part of it.")


def parts_of(data: Any, names: Sequence[str], delimiter: str | None = None) -> Iterator[pl.DataFrame]:
    """Yield the records with some columns, in their order; those of a large file a part at a time."""
    location = frame_or_location(data, delimiter)
    if isinstance(location, Location):
        yield from location.parts(names)
        return
    if isinstance(location, Published):
        frame = location.frame()
    elif isinstance(location, Rows):
        frame = location.single()
    else:
        frame, _ = to_polars(location)
    yield select_columns(frame, columns_to_load(frame.columns, names, "the frame"))
