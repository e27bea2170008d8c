"""Files: what an engine reads by itself, and what it must know of delimited text before."""

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

import polars as pl

from shoal.foundation.errors import SpecError
from shoal.tables.folder import SEVERAL, FolderLocation
from shoal.tables.formats import format_of
from shoal.tables.formats.encoding import is_utf8
from shoal.tables.formats.text import as_text
from shoal.tables.location import FileLocation, Location

Files = FileLocation | FolderLocation
Keep = Collection[str] | Callable[[list[str]], Collection[str]]
"""The columns of a table that are counted by; or who tells them, given all of its columns."""


def kept_names(columns: Sequence[str], keep: Keep) -> list[str]:
    """Return the columns to count by, in the order of the table."""
    wanted = keep(list(columns)) if callable(keep) else keep
    return [name for name in columns if name in wanted]


def as_files(location: Location, engine: str) -> Files:
    """Return a location if it is a CSV or Parquet file, or a folder of such with the same columns.

    Args:
        location: The table.
        engine: The name of the engine that reads it, for messages.
    """
    if isinstance(location, FolderLocation):
        location.check_columns()
        return location
    if not isinstance(location, FileLocation) or format_of(location.path).name not in SEVERAL:
        raise SpecError(
            f"The engine {engine} reads CSV and Parquet files, and folders of them; and DuckDB's engine its own files. "
            "Leave the engine to 'auto', or take 'local'."
        )
    return location


def paths_of(location: Files) -> list[Path]:
    """Return the files of a table."""
    return location.files if isinstance(location, FolderLocation) else [location.path]


def is_delimited(location: Files) -> bool:
    """Tell whether the files are delimited text, and not Parquet."""
    return format_of(paths_of(location)[0]).name == "csv"


def header_of(location: Files, engine: str) -> list[str]:
    """Return the columns of delimited files; raise a SpecError unless all are UTF-8 and have them in the same order."""
    files = paths_of(location)
    header = FileLocation(files[0], location.delimiter).columns()
    for path in files:
        if not is_utf8(path):
            raise SpecError(f"'{path}' is not UTF-8, and the engine {engine} reads no other text. Save it as UTF-8.")
        if FileLocation(path, location.delimiter).columns() != header:
            raise SpecError(f"The columns of '{path}' are not in the order of those of '{files[0]}'.")
    return header


def types_of(location: Files) -> dict[str, pl.DataType]:
    """Return the types of the columns of Parquet files; of files that cannot be read nothing: the engine tells it."""
    if is_delimited(location):
        return {}
    try:
        return dict(pl.scan_parquet(paths_of(location)[0], glob=False, hive_partitioning=False).collect_schema())
    except (pl.exceptions.PolarsError, OSError):
        return {}


def check_types(types: Mapping[str, pl.DataType], where: str, engine: str) -> None:
    """Raise a SpecError if a column has a type that an engine does not read as we do.

    Args:
        types: The types of the columns.
        where: The name of the table.
        engine: The name of the engine.
    """
    for name, kind in types.items():
        as_text(name, kind, where)  # tells bytes and nested columns
        unread = _unread(kind, engine)
        if unread:
            raise SpecError(
                f"Column '{name}' of {where} holds {unread}, which the engine {engine} does not read. Write them "
                "otherwise, or take the engine 'local'."
            )


def _unread(kind: pl.DataType, engine: str) -> str:
    """Say what a column holds that an engine does not read as we do, if it holds such."""
    if kind == pl.Duration:
        return "durations"
    if engine != "spark":
        return ""
    if kind == pl.Time:
        return "times of day"
    return "timestamps in nanoseconds" if isinstance(kind, pl.Datetime) and kind.time_unit == "ns" else ""
