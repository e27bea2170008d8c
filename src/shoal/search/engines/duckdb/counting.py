"""Counting: the records of files by their values, in DuckDB."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from shoal.foundation.budgets import budget
from shoal.foundation.errors import SpecError
from shoal.search.engines.duckdb.coding import Dictionary, dictionaries, keys_of, packed, unpacked
from shoal.search.engines.duckdb.session import SpillingSession, opened, quoted_name, quoted_text, told_plainly
from shoal.search.engines.files import Files, as_files, check_types, header_of, is_delimited, paths_of, texts, types_of
from shoal.tables.folder import FolderLocation
from shoal.tables.formats.format import check_names
from shoal.tables.location import Location
from shoal.tables.rows import Rows
from shoal.tables.table import without_values


def counted_rows(location: Location, keep: Collection[str], memory: str | None = None) -> Rows:
    """Count the records of a file, or of a folder of files, by their values in some columns, as text.

    Args:
        location: The table.
        keep: The columns.
        memory: The most memory that DuckDB takes before it spills to disk.
    """
    files, names, types = files_with(location, keep)
    with opened(memory) as session:
        return checked(_counted(session, files, names, types), files)


def counted_relation(relation: Any, names: Sequence[str], blanks: tuple[str, ...] = ()) -> Rows:
    """Count the records of a relation by their values in some columns, as text, in the connection that it is of.

    Args:
        relation: The relation.
        names: The columns.
        blanks: The texts that mean a missing value, like an empty one.
    """
    where, columns = "the relation", [quoted_name(name) for name in names]
    check_names(relation.columns, where)
    asked = ", ".join(f"{column} AS c{number}" for number, column in enumerate(columns))
    with told_plainly(where):
        found = relation.aggregate(f"{asked}, count(*) AS n", ", ".join(columns)).pl()
    budget().check_records(int(found.get_column("n").sum()), where)
    if not found.height:
        raise SpecError(f"{where} has no records.")
    rows = decoded(found, [], names, {}, where)
    return Rows(without_values(rows.frame, blanks), rows.counts)


def files_with(location: Location, keep: Collection[str]) -> tuple[Files, list[str], dict[str, pl.DataType]]:
    """Return a table as files that DuckDB reads, the columns to count by, in their order, and their types if known."""
    files = as_files(location, "duckdb")
    names = [name for name in files.columns() if name in keep]
    types = {name: kind for name, kind in types_of(files).items() if name in names}
    check_types(types, str(location), "duckdb")
    return files, names, types


def checked(found: Rows, location: Files) -> Rows:
    """Return counted rows with missing values where the location says so; a SpecError tells that there are none."""
    check_number(found.n_records, location)
    return Rows(without_values(found.frame, location.blanks), found.counts)


def check_number(n_records: int, location: Files) -> None:
    """Raise a SpecError if there are no records, or more than are allowed."""
    budget().check_records(n_records, str(location))
    if not n_records:
        raise SpecError(f"{location} has no records.")


def _counted(session: SpillingSession, location: Files, names: Sequence[str], types: Mapping[str, pl.DataType]) -> Rows:
    """Count by codes where the file knows its values; delimited text would have to be parsed again for that."""
    table, where = table_of(location), str(location)
    coded = [] if is_delimited(location) else keys_of(dictionaries(session, table, names, types, where))
    found = session.frame(counting_query(table, coded, names), where)
    return decoded(found, coded, names, types, where)


def counting_query(table: str, coded: Sequence[Sequence[Dictionary]], names: Sequence[str]) -> str:
    """Return the query that counts records: by keys of the columns that are coded, and by the values of the others."""
    by = [*map(packed, coded), *map(quoted_name, plain_names(coded, names))]
    asked = ", ".join(f"{one} AS c{number}" for number, one in enumerate(by))
    return f"SELECT {asked}, count(*) AS n FROM {table} GROUP BY ALL"  # noqa: S608  (names are quoted)


def plain_names(coded: Sequence[Sequence[Dictionary]], names: Sequence[str]) -> list[str]:
    """Return the columns that are not coded."""
    known = {one.name for key in coded for one in key}
    return [name for name in names if name not in known]


def decoded(
    found: pl.DataFrame,
    coded: Sequence[Sequence[Dictionary]],
    names: Sequence[str],
    types: Mapping[str, pl.DataType],
    where: str,
) -> Rows:
    """Return what `counting_query` finds as rows of text."""
    made = {
        column.name: column
        for number, key in enumerate(coded)
        for column in unpacked(key, found.get_column(f"c{number}").to_numpy())
    }
    for number, name in enumerate(plain_names(coded, names), len(coded)):
        made[name] = texts(found.get_column(f"c{number}"), types.get(name), where).cast(pl.Categorical).alias(name)
    return Rows(pl.DataFrame([made[name] for name in names]), found.get_column("n").to_numpy().astype(np.int64))


def table_of(location: Files) -> str:
    """Return the files as a table of a query: what is text stays text."""
    told = isinstance(location, FolderLocation) and location.told
    folders = "hive_partitioning = true, hive_types_autocast = false" if told else "hive_partitioning = false"
    listed = ", ".join(quoted_text(str(path)) for path in paths_of(location))
    if not is_delimited(location):
        return f"read_parquet([{listed}], {folders})"
    return f"read_csv([{listed}], {_csv(location)}, {folders})"


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
