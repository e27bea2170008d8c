"""Counting: the records of files by their values, in DuckDB."""

from collections.abc import Collection, Mapping, Sequence

import numpy as np
import polars as pl

from shoal.foundation.budgets import budget
from shoal.foundation.errors import SpecError
from shoal.search.engines.duckdb.coding import dictionaries, keys_of, packed, unpacked
from shoal.search.engines.duckdb.session import SpillingSession, opened, quoted_name, quoted_text
from shoal.search.engines.files import Files, as_files, check_types, header_of, is_delimited, paths_of, texts, types_of
from shoal.tables.folder import FolderLocation
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
    files = as_files(location, "duckdb")
    names = [name for name in files.columns() if name in keep]
    types = {name: kind for name, kind in types_of(files).items() if name in names}
    check_types(types, str(location), "duckdb")
    with opened(memory) as session:
        found = _counted(session, files, names, types)
    budget().check_records(found.n_records, str(location))
    if not len(found.counts):
        raise SpecError(f"{location} has no records.")
    return Rows(without_values(found.frame, files.blanks), found.counts)


def _counted(session: SpillingSession, location: Files, names: Sequence[str], types: Mapping[str, pl.DataType]) -> Rows:
    """Count by codes where the file knows its values; delimited text would have to be parsed again for that."""
    table, where = _table(location), str(location)
    coded = [] if is_delimited(location) else keys_of(dictionaries(session, table, names, types, where))
    known = {one.name for key in coded for one in key}
    plain = [name for name in names if name not in known]
    by = [*map(packed, coded), *map(quoted_name, plain)]
    asked = ", ".join(f"{one} AS c{number}" for number, one in enumerate(by))
    found = session.frame(f"SELECT {asked}, count(*) AS n FROM {table} GROUP BY ALL", where)  # noqa: S608
    made = {
        column.name: column
        for number, key in enumerate(coded)
        for column in unpacked(key, found.get_column(f"c{number}").to_numpy())
    }
    for number, name in enumerate(plain, len(coded)):
        made[name] = texts(found.get_column(f"c{number}"), types.get(name), where).cast(pl.Categorical).alias(name)
    return Rows(pl.DataFrame([made[name] for name in names]), found.get_column("n").to_numpy().astype(np.int64))


def _table(location: Files) -> str:
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
