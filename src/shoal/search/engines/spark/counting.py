"""Counting: the records of a DataFrame by their values, in Spark."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from shoal.foundation.budgets import budget
from shoal.foundation.errors import EmptyTableError
from shoal.foundation.progress import Progress, silent
from shoal.search.engines.files import Keep, as_files, check_types, kept_names, types_of
from shoal.search.engines.spark.reading import frame_at, frame_of
from shoal.search.engines.spark.session import opened, reading_session, stages_told, told_plainly
from shoal.tables.engine_tables import CatalogLocation
from shoal.tables.formats.format import check_names
from shoal.tables.formats.text import texts
from shoal.tables.location import Location
from shoal.tables.rows import Rows
from shoal.tables.store_location import StoreLocation
from shoal.tables.table import without_values


def counted_rows(
    location: Location,
    keep: Keep,
    memory: str | None = None,
    master: str | None = None,
    progress: Progress = silent,
) -> Rows:
    """Count the records of a table by their values in some columns, as text.

    Args:
        location: The table: files, also of an object store, or what Spark knows by a name.
        keep: The columns, or who tells them.
        memory: The memory of Spark's driver, if Spark is started for this.
        master: The master of Spark, likewise.
        progress: Told how far it is.
    """
    if isinstance(location, StoreLocation | CatalogLocation):
        with opened(master, memory) as session, told_plainly(str(location)), stages_told(session, progress):
            return counted_frame(frame_of(session, location), keep, location.blanks, str(location))
    files = as_files(location, "spark")
    names = kept_names(files.columns(), keep)
    types, where = types_of(files), str(location)
    check_types(types, where, "spark")  # of all: Spark wants to know them
    with opened(master, memory) as session, told_plainly(where), stages_told(session, progress):
        found = _counted(frame_at(reading_session(session), files), names, types, where)
    return Rows(without_values(found.frame, files.blanks), found.counts)


def counted_frame(frame: Any, keep: Keep, blanks: tuple[str, ...] = (), where: str = "the DataFrame") -> Rows:
    """Count the records of a DataFrame by their values in some columns, as text.

    Args:
        frame: The DataFrame.
        keep: The columns, in the order in which they are wanted; or who tells them.
        blanks: The texts that mean a missing value, like an empty one.
        where: Its name, for messages.
    """
    check_names(frame.columns, where)
    names = list(keep(frame.columns) if callable(keep) else keep)
    with told_plainly(where):
        found = _counted(frame, names, {}, where)
    return Rows(without_values(found.frame, blanks), found.counts)


def _counted(frame: Any, names: Sequence[str], types: Mapping[str, pl.DataType], where: str) -> Rows:
    """Count by all values as they are; columns go by their place, since Spark reads dots and backticks in names."""
    places = {name: f"c{number}" for number, name in enumerate(frame.columns)}
    asked = [places[name] for name in names]
    counted = frame.toDF(*places.values()).groupBy(*asked).count().withColumnRenamed("count", "n").toArrow()
    return rows_of(pl.DataFrame(counted), names, asked, types, where)


def rows_of(
    found: pl.DataFrame, names: Sequence[str], fields: Sequence[str], types: Mapping[str, pl.DataType], where: str
) -> Rows:
    """Return what Spark has counted as rows of text.

    Args:
        found: The different rows, and their numbers of records (`n`).
        names: The columns.
        fields: What they are called in `found`.
        types: Their types in the files, if these are known.
        where: The name of the table.
    """
    counts = found.get_column("n").to_numpy().astype(np.int64)
    budget().check_records(int(counts.sum()), where)
    if not len(counts):
        raise EmptyTableError(f"{where} has no records.")
    made = [
        texts(found.get_column(field).alias(name), types.get(name), where).cast(pl.Categorical)
        for field, name in zip(fields, names, strict=True)
    ]
    return Rows(pl.DataFrame(made), counts)
