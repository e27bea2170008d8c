"""The kinds of hierarchies, by name."""

from typing import TYPE_CHECKING

from shoal.foundation.lazy_imports import offer
from shoal.foundation.shelf import Shelf

if TYPE_CHECKING:  # imported when asked for; the members in the order of the shelf
    # isort: off
    from shoal.tables.hierarchies.hierarchy import Hierarchy as Hierarchy
    from shoal.tables.hierarchies.spec import HierarchySpec as HierarchySpec
    from shoal.tables.hierarchies.levels import Levels as Levels
    from shoal.tables.hierarchies.intervals import Intervals as Intervals
    from shoal.tables.hierarchies.masking import Masking as Masking
    from shoal.tables.hierarchies.dates import Dates as Dates
    from shoal.tables.hierarchies.taxonomy import Taxonomy as Taxonomy
    from shoal.tables.hierarchies.collection import Collection as Collection
    from shoal.tables.hierarchies.order import Order as Order
    from shoal.tables.hierarchies.ranges import Ranges as Ranges
    from shoal.tables.hierarchies.sets import Sets as Sets
    from shoal.tables.hierarchies.suppression import Suppression as Suppression
else:
    __getattr__, __dir__ = offer(__name__, "HIERARCHIES")

HIERARCHIES: "Shelf[HierarchySpec]" = Shelf("type of hierarchy", __name__, "HierarchySpec", "Hierarchy")
