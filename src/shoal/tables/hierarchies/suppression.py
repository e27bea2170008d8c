"""Suppression only: a value or a star."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from shoal.tables.hierarchies.hierarchy import Hierarchy
from shoal.tables.hierarchies.numeric import natural_order
from shoal.tables.hierarchies.spec import HierarchySpec


@dataclass(frozen=True, slots=True, kw_only=True)
class Suppression(HierarchySpec):
    """Keep the value or replace it by a star: the smallest hierarchy, with one step."""

    name: ClassVar[str] = "suppression"
    public: ClassVar[bool] = True

    def build(self, values: Sequence[str], column: str, folder: Path = Path()) -> Hierarchy:
        """Put every value directly below the star."""
        return Hierarchy.below_star(natural_order(values), [])
