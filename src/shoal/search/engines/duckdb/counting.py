"""Counting: the records of files by their values, in DuckDB."""

from collections.abc import Collection, Sequence
from pathlib import Path

import numpy as np
import polars as pl

from shoal.foundation.budgets import budget
from shoal.foundation.errors import SpecError
from shoal.search.engines.duckdb.coding import Dictionary, dictionaries, keys_of, packed, unpacked
from shoal.search.engines.duckdb.session import SpillingSession, opened, quoted_name, quoted_text
from shoal.tables.folder import FolderLocation
from shoal.tables.formats.encoding import is_utf8
from shoal.tables.formats.parquet import Parquet
from shoal.tables.formats.text import as_text
from shoal.tables.location import FileLocation, Location
from shoal.tables.rows import Rows
from shoal.tables.table import without_values

Files = FileLocation | FolderLocation


def counted_rows(location: Location, keep: Collection[str], memory: str | None = None) -> Rows:
    """Count the records of a file, or of a folder of files, by their values in some columns, as text.

    Args:
        location: The table.
        keep: The columns.
        memory: The most memory that DuckDB takes before it spills to disk.
    """
    files, names = files_with(location, keep)
    with opened(memory) as session:
        return checked(_counted(session, files, names), files)


def files_with(location: Location, keep: Collection[str]) -> tuple[Files, list[str]]:
    """Return a table as files that DuckDB reads, and the names of the columns to count by, in their order."""
    if not isinstance(location, Files):
        raise SpecError(
            "The engine duckdb reads CSV and Parquet files, and folders of them. Leave the engine to 'auto', or take "
            "'local'."
        )
    if isinstance(location, FolderLocation):
        location.check_columns()
    return location, [name for name in location.columns() if name in keep]


def checked(found: Rows, location: Files) -> Rows:
    """Return counted rows with missing values where the location says so; a SpecError tells that there are none."""
    check_number(found.n_records, location)
    return Rows(without_values(found.frame, location.blanks), found.counts)


def check_number(n_records: int, location: Files) -> None:
    """Raise a SpecError if there are no records, or more than are allowed."""
    budget().check_records(n_records, str(location))
    if not n_records:
        raise SpecError(f"{location} has no records.")


def _counted(session: SpillingSession, location: Files, names: Sequence[str]) -> Rows:
    """Count by codes where the file knows its values; delimited text would have to be parsed again for that."""
    table, where = table_of(location), str(location)
    coded = [] if delimited(location) else keys_of(dictionaries(session, table, names, where))
    found = session.frame(counting_query(table, coded, names), where)
    return decoded(found, coded, names, where)


def counting_query(table: str, coded: Sequence[Sequence[Dictionary]], names: Sequence[str]) -> str:
    """Return the query that counts records: by keys of the columns that are coded, and by the values of the others."""
    by = [*map(packed, coded), *map(quoted_name, plain_names(coded, names))]
    asked = ", ".join(f"{one} AS c{number}" for number, one in enumerate(by))
    return f"SELECT {asked}, count(*) AS n FROM {table} GROUP BY ALL"  # noqa: S608  (names are quoted)


def plain_names(coded: Sequence[Sequence[Dictionary]], names: Sequence[str]) -> list[str]:
    """Return the columns that are not coded."""
    known = {one.name for key in coded for one in key}
    return [name for name in names if name not in known]


def decoded(found: pl.DataFrame, coded: Sequence[Sequence[Dictionary]], names: Sequence[str], where: str) -> Rows:
    """Return what `counting_query` finds as rows of text."""
    made = {
        column.name: column
        for number, key in enumerate(coded)
        for column in unpacked(key, found.get_column(f"c{number}").to_numpy())
    }
    for number, name in enumerate(plain_names(coded, names), len(coded)):
        text = as_text(f"c{number}", found.schema[f"c{number}"], where).cast(pl.Categorical)
        made[name] = found.select(text).to_series().alias(name)
    return Rows(pl.DataFrame([made[name] for name in names]), found.get_column("n").to_numpy().astype(np.int64))


def delimited(location: Files) -> bool:
    """Tell whether the files are delimited text."""
    return not _files(location)[0].suffix.lower().endswith(Parquet.suffixes)


def _files(location: Files) -> list[Path]:
    return location.files if isinstance(location, FolderLocation) else [location.path]


def table_of(location: Files) -> str:
    """Return the files as a table of a query: what is text stays text."""
    files = _files(location)
    told = isinstance(location, FolderLocation) and location.told
    folders = "hive_partitioning = true, hive_types_autocast = false" if told else "hive_partitioning = false"
    listed = ", ".join(quoted_text(str(path)) for path in files)
    if not delimited(location):
        return f"read_parquet([{listed}], {folders})"
    header = FileLocation(files[0], location.delimiter).columns()
    return f"read_csv([{listed}], {_csv(location, files, header)}, {folders})"


def _csv(location: Files, files: Sequence[Path], header: Sequence[str]) -> str:
    """Return how delimited text is read: every field as text, an empty one as missing, and no guesses."""
    for path in files:
        if not is_utf8(path):
            raise SpecError(f"'{path}' is not UTF-8, and the engine duckdb reads no other text. Save it as UTF-8.")
        if FileLocation(path, location.delimiter).columns() != list(header):
            raise SpecError(f"The columns of '{path}' are not in the order of those of '{files[0]}'.")
    columns = ", ".join(f"{quoted_text(name)}: 'VARCHAR'" for name in header)
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
