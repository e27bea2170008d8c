"""Spark: records that Spark has counted."""

from typing import ClassVar

from shoal.search.engines.counted import CountedEngine
from shoal.search.engines.spark.kept_records import SparkRecords
from shoal.tables.folder import PART_RECORDS
from shoal.tables.location import Location, Target
from shoal.tables.published import PublishedRows


class Spark(CountedEngine):
    """A table in files or in a Spark DataFrame, whose records were counted by Spark."""

    name: ClassVar[str] = "spark"

    def write(self, released: PublishedRows | SparkRecords, target: Target) -> Location:
        """Write some millions of records at a time, from memory or from where Spark keeps them."""
        target.put(released.parts(PART_RECORDS))
        return target.location
