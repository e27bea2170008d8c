"""Sets: any values together, with no order and no tree."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

from shoal.tables.hierarchies.hierarchy import Hierarchy
from shoal.tables.hierarchies.numeric import natural_order
from shoal.tables.hierarchies.spec import HierarchySpec


@dataclass(frozen=True, slots=True, kw_only=True)
class Sets(HierarchySpec):
    """Publish the set of the values of a class, `{flu, gout}`: the collection of all subsets (003 s.3).

    For algorithms that recode each class for itself. Those that take one level for all records keep the value
    or replace it by a star. The collection is not proper (two sets may overlap), so that the factors of 003 do
    not hold for it.
    """

    name: ClassVar[str] = "sets"
    public: ClassVar[bool] = True

    def build(self, values: Sequence[str], column: str, folder: Path = Path()) -> Hierarchy:
        """Put every value straight below the star, free to join any others."""
        return replace(Hierarchy.below_star(natural_order(values), []), form="sets")
