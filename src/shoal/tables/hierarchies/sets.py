"""Sets: any set of values, without an order or a tree."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

from shoal.tables.hierarchies.hierarchy import Hierarchy
from shoal.tables.hierarchies.numeric import natural_order
from shoal.tables.hierarchies.spec import HierarchySpec


@dataclass(frozen=True, slots=True, kw_only=True)
class Sets(HierarchySpec):
    """Publish the set of the values of a class, such as `{flu, gout}` (Gionis and Tassa 2009, section 3).

    It is for algorithms with local recoding. Full-domain algorithms keep the value or replace it by a star. The
    collection is not proper (two sets may overlap), so the factors of Gionis and Tassa 2009 do not hold for it.
    """

    name: ClassVar[str] = "sets"
    public: ClassVar[bool] = True

    def build(self, values: Sequence[str], column: str, folder: Path = Path()) -> Hierarchy:
        """Put every value directly below the star; any of them may form a set."""
        return replace(Hierarchy.below_star(natural_order(values), []), form="sets")
