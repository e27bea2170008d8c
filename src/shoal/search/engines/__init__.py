"""Where records are counted, published, written and read back: one folder for each engine, with the same file names."""

from typing import Any

from shoal.search.engines.engine import Counted, Engine
from shoal.search.engines.local import Local

__all__ = ["ENGINES", "Counted", "Engine", "Local"]

ENGINES: tuple[type[Engine[Any, Any]], ...] = (Local,)
