"""The DuckDB engine: records are counted where they lie, and what does not fit into memory is spilled to disk."""

from shoal.search.engines.duckdb.apart import DuckDbApart, JoinedRecords, counted_apart
from shoal.search.engines.duckdb.counting import counted_relation, counted_rows
from shoal.search.engines.duckdb.engine import DuckDb
from shoal.search.engines.duckdb.spilled_records import SpilledRecords
from shoal.search.engines.duckdb.spilling import SpilledRows, counted_or_spilled

__all__ = [
    "DuckDb",
    "DuckDbApart",
    "JoinedRecords",
    "SpilledRecords",
    "SpilledRows",
    "counted_apart",
    "counted_or_spilled",
    "counted_relation",
    "counted_rows",
]
