"""Spark: records that Spark has counted."""

from typing import ClassVar

from shoal.search.engines.counted import CountedEngine


class Spark(CountedEngine):
    """A table in files or in a Spark DataFrame, whose records were counted by Spark."""

    name: ClassVar[str] = "spark"
