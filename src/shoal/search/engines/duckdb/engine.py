"""DuckDb: records that DuckDB has counted."""

from typing import ClassVar

from shoal.search.engines.counted import CountedEngine


class DuckDb(CountedEngine):
    """A table in files, whose records were counted by DuckDB."""

    name: ClassVar[str] = "duckdb"
