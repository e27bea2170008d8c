"""Counting: the records of a DataFrame by their values, in Spark."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from shoal.foundation.budgets import budget
from shoal.foundation.errors import SpecError
from shoal.search.engines.files import as_files, check_types, texts, types_of
from shoal.search.engines.spark.reading import frame_at
from shoal.search.engines.spark.session import opened, told_plainly
from shoal.tables.formats.format import check_names
from shoal.tables.location import Location
from shoal.tables.rows import Rows
from shoal.tables.table import without_values


def counted_rows(
    location: Location, keep: Collection[str], memory: str | None = None, master: str | None = None
) -> Rows:
    """Count the records of a file, or of a folder of files, by their values in some columns, as text.

    Args:
        location: The table.
        keep: The columns.
        memory: The memory of Spark's driver, if Spark is started for this.
        master: The master of Spark, likewise.
    """
    files = as_files(location, "spark")
    names = [name for name in files.columns() if name in keep]
    types, where = types_of(files), str(location)
    check_types(types, where, "spark")  # of all: Spark wants to know them
    with opened(master, memory) as session, told_plainly(where):
        found = _counted(frame_at(session, files), names, types, where)
    return Rows(without_values(found.frame, files.blanks), found.counts)


def counted_frame(frame: Any, names: Sequence[str], blanks: tuple[str, ...] = ()) -> Rows:
    """Count the records of a DataFrame by their values in some columns, as text.

    Args:
        frame: The DataFrame.
        names: The columns.
        blanks: The texts that mean a missing value, like an empty one.
    """
    where = "the DataFrame"
    check_names(frame.columns, where)
    with told_plainly(where):
        found = _counted(frame, names, {}, where)
    return Rows(without_values(found.frame, blanks), found.counts)


def _counted(frame: Any, names: Sequence[str], types: Mapping[str, pl.DataType], where: str) -> Rows:
    """Count by all values as they are; columns go by their place, since Spark reads dots and backticks in names."""
    places = {name: f"c{number}" for number, name in enumerate(frame.columns)}
    asked = [places[name] for name in names]
    counted = frame.toDF(*places.values()).groupBy(*asked).count().toArrow()
    found = pl.DataFrame(counted)
    counts = found.get_column("count").to_numpy().astype(np.int64)
    budget().check_records(int(counts.sum()), where)
    if not len(counts):
        raise SpecError(f"{where} has no records.")
    made = [
        texts(found.get_column(place), types.get(name), where).cast(pl.Categorical).alias(name)
        for place, name in zip(asked, names, strict=True)
    ]
    return Rows(pl.DataFrame(made), counts)
