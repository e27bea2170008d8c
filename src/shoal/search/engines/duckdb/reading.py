"""Reading: a table as it stands in a query of DuckDB, with the values that are in it and no guesses."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from glob import escape

import polars as pl

from shoal.search.engines.duckdb.session import SpillingSession
from shoal.search.engines.files import (
    Files,
    Keep,
    as_files,
    check_types,
    header_of,
    is_delimited,
    kept_names,
    paths_of,
    types_of,
)
from shoal.tables.databases.address import quoted_text
from shoal.tables.databases.duckdb import Duckdb, check_letters
from shoal.tables.folder import FolderLocation
from shoal.tables.location import Location, TableLocation
from shoal.tables.store_location import StoreLocation

_ATTACHED = "given_file"


@dataclass(frozen=True, slots=True)
class Scan:
    """A table that DuckDB reads.

    Args:
        table: What stands for it in a query.
        names: The columns to count by, in their order.
        types: Their types, where they are known: those of delimited text are not.
        delimited: Whether its values must be parsed at each look.
        where: Its name, for messages.
        blanks: The texts that mean a missing value.
    """

    table: str
    names: Sequence[str]
    types: Mapping[str, pl.DataType]
    delimited: bool
    where: str
    blanks: tuple[str, ...]


def scan_of(session: SpillingSession, location: Location, keep: Keep) -> Scan:
    """Return a table as a connection reads it: files, a table of a DuckDB file, or Parquet of an object store."""
    if isinstance(location, TableLocation) and isinstance(location.database, Duckdb):
        return _of_database(session, location, location.database, keep)
    if isinstance(location, StoreLocation):
        return _of_store(session, location, keep)
    files = as_files(location, "duckdb")
    columns = files.columns()
    check_letters(columns, str(location))
    names = kept_names(columns, keep)
    types = {name: kind for name, kind in types_of(files).items() if name in names}
    check_types(types, str(location), "duckdb")
    return Scan(_files(files), names, types, is_delimited(files), str(location), files.blanks)


def _of_database(session: SpillingSession, location: TableLocation, database: Duckdb, keep: Keep) -> Scan:
    """Attach the file, which is only read; a view in it may then look at no other file."""
    names = kept_names(location.columns(), keep)
    query, where = database.query(location.table, names, _ATTACHED), str(location)
    session.run(f"ATTACH {quoted_text(str(database.file))} AS {_ATTACHED} (READ_ONLY)", where)
    session.run("SET enable_external_access = false", where)
    return Scan(f"({query})", names, _types(session, f"({query})", where), False, where, location.blanks)


def _of_store(session: SpillingSession, location: StoreLocation, keep: Keep) -> Scan:
    """Find the files."""
    where, files = str(location), session.found(location)
    names = kept_names(list(files.types), keep)
    types = {name: files.types[name] for name in names}
    check_types(types, where, "duckdb")
    return Scan(files.table, names, types, False, where, location.blanks)


def _types(session: SpillingSession, table: str, where: str) -> dict[str, pl.DataType]:
    return dict(session.frame(f"SELECT * FROM {table} LIMIT 0", where).schema)  # noqa: S608  (names are quoted)


def _files(location: Files) -> str:
    """Return files as a table of a query: what is text stays text."""
    folders = _folders(told=bool(isinstance(location, FolderLocation) and location.told))
    listed = ", ".join(quoted_text(escape(str(path))) for path in paths_of(location))
    if not is_delimited(location):
        return f"read_parquet([{listed}], {folders})"
    return f"read_csv([{listed}], {_csv(location)}, {folders})"


def _folders(*, told: bool) -> str:
    return "hive_partitioning = true, hive_types_autocast = false" if told else "hive_partitioning = false"


def _csv(location: Files) -> str:
    """Return how delimited text is read: every field as text, an empty one as missing, and no guesses."""
    columns = ", ".join(f"{quoted_text(name)}: 'VARCHAR'" for name in header_of(location, "duckdb"))
    settings = {
        "columns": f"{{{columns}}}",
        "delim": quoted_text(location.delimiter or ","),
        "quote": quoted_text('"'),
        "escape": quoted_text('"'),
        "nullstr": quoted_text(""),
        **dict.fromkeys(("header", "strict_mode", "allow_quoted_nulls"), "true"),
        **dict.fromkeys(("auto_detect", "null_padding", "ignore_errors"), "false"),
    }
    return ", ".join(f"{name} = {value}" for name, value in settings.items())
