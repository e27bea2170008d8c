"""DuckDb: records that DuckDB has counted."""

from typing import ClassVar

from shoal.search.engines.counted import CountedEngine
from shoal.search.engines.duckdb.spilled_records import SpilledRecords
from shoal.tables.folder import PART_RECORDS
from shoal.tables.location import Location, Target
from shoal.tables.published import PublishedRows


class DuckDb(CountedEngine):
    """A table in files, whose records were counted by DuckDB."""

    name: ClassVar[str] = "duckdb"

    def write(self, released: PublishedRows | SpilledRecords, target: Target) -> Location:
        """Write some millions of records at a time, from memory or from where DuckDB keeps them."""
        target.put(released.parts(PART_RECORDS))
        return target.location
