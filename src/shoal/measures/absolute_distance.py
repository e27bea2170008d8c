"""Samarati's absolute distance."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.classes.tally import QuasiColumn
from shoal.measures.measure import CellCosts, CellMeasure


@dataclass(frozen=True, slots=True)
class AbsoluteDistance(CellMeasure):
    """A cell costs the number of generalization steps taken, a suppressed record all of them.

    With one level per column and nothing suppressed, the loss is the number of records times the sum of
    the distance vector, so it ranks releases as the criterion does. Monotone: going up adds steps.
    """

    name: ClassVar[str] = "absolute-distance"
    reference: ClassVar[str] = "Samarati 2001, minimum absolute distance"
    words: ClassVar[str] = "how many generalization steps were taken, cell by cell"
    monotone: ClassVar[bool] = True
    weighable: ClassVar[bool] = True

    def costs(self, column: QuasiColumn) -> CellCosts:
        """Price every node by its level."""
        hierarchy = column.hierarchy
        prices = tuple(np.full(hierarchy.size(level), float(level)) for level in range(hierarchy.height + 1))
        return CellCosts(prices, float(hierarchy.height))
