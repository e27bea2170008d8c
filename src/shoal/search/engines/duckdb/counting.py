"""Counting: the records of a table by their values, in DuckDB."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from shoal.foundation.budgets import budget
from shoal.foundation.errors import EmptyTableError
from shoal.foundation.progress import Progress, silent
from shoal.search.engines.duckdb.coding import Dictionary, dictionaries, keys_of, packed, unpacked
from shoal.search.engines.duckdb.reading import Scan, scan_of
from shoal.search.engines.duckdb.session import SpillingSession, opened, quoted_name
from shoal.search.engines.files import Keep
from shoal.tables.databases.duckdb import check_letters, told_plainly
from shoal.tables.formats.format import check_names
from shoal.tables.formats.text import texts
from shoal.tables.location import Location
from shoal.tables.rows import Rows
from shoal.tables.table import without_values

COUNTING_STEP = "counting the records"


def counted_rows(location: Location, keep: Keep, memory: str | None = None, progress: Progress = silent) -> Rows:
    """Count the records of a table by their values in some columns, as text; see `scan_of`.

    Args:
        location: The table.
        keep: The columns, or who tells them.
        memory: The most memory that DuckDB takes before it spills to disk.
        progress: Told how far it is.
    """
    with opened(memory, progress) as session:
        scan = scan_of(session, location, keep)
        return checked(_counted(session, scan), scan)


def counted_relation(relation: Any, names: Sequence[str], blanks: tuple[str, ...] = ()) -> Rows:
    """Count the records of a relation by their values in some columns, as text, in the connection that it is of.

    Args:
        relation: The relation.
        names: The columns.
        blanks: The texts that mean a missing value, like an empty one.
    """
    where, columns = "the relation", [quoted_name(name) for name in names]
    check_names(relation.columns, where)
    check_letters(relation.columns, where)
    asked = ", ".join(f"{column} AS c{number}" for number, column in enumerate(columns))
    with told_plainly(where):
        found = relation.aggregate(f"{asked}, count(*) AS n", ", ".join(columns)).pl()
    budget().check_records(int(found.get_column("n").sum()), where)
    if not found.height:
        raise EmptyTableError(f"{where} has no records.")
    rows = decoded(found, [], names, {}, where)
    return Rows(without_values(rows.frame, blanks), rows.counts)


def checked(found: Rows, scan: Scan) -> Rows:
    """Return counted rows with missing values where the table says so; a SpecError tells that there are none."""
    check_number(found.n_records, scan.where)
    return Rows(without_values(found.frame, scan.blanks), found.counts)


def check_number(n_records: int, where: str) -> None:
    """Raise a SpecError if there are no records, or more than are allowed."""
    budget().check_records(n_records, where)
    if not n_records:
        raise EmptyTableError(f"{where} has no records.")


def _counted(session: SpillingSession, scan: Scan) -> Rows:
    """Count by codes where the table knows its values; delimited text would have to be parsed again for that."""
    table, names, types, where = scan.table, scan.names, scan.types, scan.where
    coded = [] if scan.delimited else keys_of(dictionaries(session, table, names, types, where))
    found = session.frame(counting_query(table, coded, names), where, COUNTING_STEP)
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
        made[name] = texts(found.get_column(f"c{number}").alias(name), types.get(name), where).cast(pl.Categorical)
    return Rows(pl.DataFrame([made[name] for name in names]), found.get_column("n").to_numpy().astype(np.int64))
