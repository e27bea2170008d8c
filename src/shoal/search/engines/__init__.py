"""Where records are counted, published, written and read back: one folder for each engine, with the same file names."""

from typing import Any

from shoal.search.engines.engine import Counted, Engine
from shoal.search.engines.local import Local

__all__ = ["ENGINES", "Counted", "Engine", "Local", "engine_named"]

ENGINES = ("local", "duckdb")
"""The names of the engines; the packages that one needs are loaded with it."""


def engine_named(name: str) -> Any:
    """Return an engine by its name; `auto` stands for the first."""
    if name == "duckdb":
        from shoal.search.engines.duckdb import DuckDb

        return DuckDb
    return Local
