"""Samarati's relative distance."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.classes.tally import QuasiColumn
from shoal.measures.measure import CellCosts, CellMeasure


@dataclass(frozen=True, slots=True)
class RelativeDistance(CellMeasure):
    """A cell costs the generalization steps taken divided by the height of its hierarchy.

    Unlike `tree` it counts steps, not nodes: a step that changes nothing but the label is charged.
    Monotone: going up adds steps. A hierarchy without steps costs nothing to publish.
    """

    name: ClassVar[str] = "relative-distance"
    reference: ClassVar[str] = "Samarati 2001, minimum relative distance"
    words: ClassVar[str] = "how many of its column's generalization steps each cell has taken"
    monotone: ClassVar[bool] = True
    weighable: ClassVar[bool] = True

    def costs(self, column: QuasiColumn) -> CellCosts:
        """Price every node by its level over the top level."""
        hierarchy = column.hierarchy
        height = max(hierarchy.height, 1)
        prices = tuple(np.full(hierarchy.size(level), level / height) for level in range(hierarchy.height + 1))
        return CellCosts(prices, 1.0)
