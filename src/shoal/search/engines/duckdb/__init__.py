"""The DuckDB engine: records are counted where they lie, and what does not fit into memory is spilled to disk."""

from shoal.search.engines.duckdb.counting import counted_rows
from shoal.search.engines.duckdb.engine import DuckDb

__all__ = ["DuckDb", "counted_rows"]
