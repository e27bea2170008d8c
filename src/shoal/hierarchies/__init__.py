"""The kinds of hierarchies, by name."""

from shoal.hierarchies.spec import HierarchySpec
from shoal.hierarchies.suppression import Suppression
from shoal.shelf import Shelf

HIERARCHIES: Shelf[HierarchySpec] = Shelf(
    "type of hierarchy",
    "hierarchies",
    [
        Suppression,
    ],
)
