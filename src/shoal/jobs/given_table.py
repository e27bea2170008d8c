"""Given tables: a table as a user gives it, a frame, a path or a location, and some columns of it."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl

from shoal.search.engines import counted_frame
from shoal.tables.folder import location_of
from shoal.tables.formats.format import columns_to_load
from shoal.tables.formats.frames import FrameKind, frame_kind_of, to_polars
from shoal.tables.location import Location
from shoal.tables.rows import Rows
from shoal.tables.table import select_columns


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
    return location.columns() if isinstance(location, Location) else to_polars(location)[0].columns


def count_columns(data: Any, names: Sequence[str], delimiter: str | None = None) -> Rows:
    """Count the records of a frame, a file or a table of a database by some columns; see `frame_or_location`."""
    location = frame_or_location(data, delimiter)
    if isinstance(location, Location):
        return location.rows(names)
    if frame_kind_of(data) in (FrameKind.SPARK, FrameKind.DUCKDB):
        return counted_frame(data, columns_to_load(data.columns, names, "the frame"))
    frame = read_columns(data, names)
    return Rows.of(frame, frame.columns)


def read_columns(data: Any, names: Sequence[str], delimiter: str | None = None) -> pl.DataFrame:
    """Return some columns of a frame, a file or a table of a database as text; see `frame_or_location`."""
    location = frame_or_location(data, delimiter)
    if isinstance(location, Location):
        return location.read(keep=names)
    frame, _ = to_polars(location)
    return select_columns(frame, columns_to_load(frame.columns, names, "the frame"))
