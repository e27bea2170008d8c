"""The kinds of hierarchies, by name."""

from shoal.hierarchies.dates import Dates
from shoal.hierarchies.hierarchy import Hierarchy
from shoal.hierarchies.intervals import Intervals
from shoal.hierarchies.levels import Levels
from shoal.hierarchies.masking import Masking
from shoal.hierarchies.order import Order
from shoal.hierarchies.ranges import Ranges
from shoal.hierarchies.sets import Sets
from shoal.hierarchies.spec import HierarchySpec
from shoal.hierarchies.suppression import Suppression
from shoal.hierarchies.taxonomy import Taxonomy
from shoal.shelf import Shelf

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
