"""Where records are counted, published, written and read back: one folder for each engine, with the same file names."""

from typing import TYPE_CHECKING, Any

from shoal.foundation.lazy_imports import offer

if TYPE_CHECKING:  # imported when asked for
    from shoal.search.engines.engine import Counted as Counted
    from shoal.search.engines.engine import Engine as Engine
    from shoal.search.engines.local import Local as Local
else:
    __getattr__, __dir__ = offer(__name__, "ENGINES", "engine_named")

ENGINES = ("local", "duckdb")
"""The names of the engines."""


def engine_named(name: str) -> Any:
    """Return an engine by its name, with the packages that it needs; `auto` stands for the first."""
    if name == "duckdb":
        from shoal.search.engines.duckdb import DuckDb

        return DuckDb
    from shoal.search.engines.local import Local

    return Local
