"""Alike: a folder whose files are not all read alike is counted as several tables, each with its own types."""

from collections.abc import Callable, Sequence

import polars as pl

from shoal.foundation.budgets import budget
from shoal.foundation.errors import EmptyTableError, SpecError
from shoal.search.engines.files import Keep, kept_names
from shoal.tables.folder import FolderLocation
from shoal.tables.location import Location
from shoal.tables.rows import Rows, joined


def parts_alike(location: Location, keep: Keep) -> Sequence[Location]:
    """Return a table as tables that an engine reads as one.

    An engine gives all files the types of the first, and so would round numbers and cut timestamps of others.
    """
    if not isinstance(location, FolderLocation):
        return [location]
    location.check_columns()
    return location.alike(kept_names(location.columns(), keep))


def counted_together(
    location: Location, parts: Sequence[Location], keep: Keep, count: Callable[[Location, list[str]], Rows]
) -> Rows:
    """Count the parts of a table, and put together what is found.

    Args:
        location: The table.
        parts: What `parts_alike` makes of it.
        keep: The columns to count by, or who tells them.
        count: Counts a part by these.
    """
    names, found = kept_names(location.columns(), keep), []
    stamps, clock = location.stamps() if isinstance(location, FolderLocation) else (set(), None)
    for part in parts:
        try:
            rows = count(part, names).select(names)
        except EmptyTableError:
            continue
        texts = [clock(one) if clock and one.name in stamps else one for one in rows.frame]
        found.append(Rows(pl.DataFrame(texts), rows.counts))
    if not found:
        raise EmptyTableError(f"{location} has no records.")
    whole = joined(found)
    budget().check_records(whole.n_records, str(location))
    return whole


def check_few(rows: Rows, location: Location, most: int) -> Rows:
    """Return the rows of such a table; a SpecError tells that they are too many to be held in memory."""
    if rows.frame.height > most:
        raise SpecError(
            f"{location} has more than {most:,} different rows, and is solved in regions only if all of its files have "
            "the same columns, in the same order and of the same types. Write it anew with one type for each column."
        )
    return rows
