"""The kinds of hierarchies, by name."""

from shoal.foundation.shelf import Shelf
from shoal.tables.hierarchies.dates import Dates
from shoal.tables.hierarchies.hierarchy import Hierarchy
from shoal.tables.hierarchies.intervals import Intervals
from shoal.tables.hierarchies.levels import Levels
from shoal.tables.hierarchies.masking import Masking
from shoal.tables.hierarchies.order import Order
from shoal.tables.hierarchies.ranges import Ranges
from shoal.tables.hierarchies.sets import Sets
from shoal.tables.hierarchies.spec import HierarchySpec
from shoal.tables.hierarchies.suppression import Suppression
from shoal.tables.hierarchies.taxonomy import Taxonomy

HIERARCHIES: Shelf[HierarchySpec] = Shelf(
    "type of hierarchy",
    "hierarchies",
    [
        Levels,
        Intervals,
        Masking,
        Dates,
        Taxonomy,
        Order,
        Ranges,
        Sets,
        Suppression,
    ],
)

__all__ = [
    "HIERARCHIES",
    "Dates",
    "Hierarchy",
    "HierarchySpec",
    "Intervals",
    "Levels",
    "Masking",
    "Order",
    "Ranges",
    "Sets",
    "Suppression",
    "Taxonomy",
]
