"""The number of stars."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.classes.tally import QuasiColumn
from shoal.kernels.prices import LINEAR
from shoal.measures.measure import CellCosts, CellMeasure, SubsetRule


@dataclass(frozen=True, slots=True)
class Stars(CellMeasure):
    """A cell published at the top level of its hierarchy costs 1, any other nothing.

    Counts what a reader sees: a node below the top level is no star, even if it covers every value.
    Monotone: from the top level there is no way up, and below it cells are free. A hierarchy without
    steps has no star to publish, so its cells are free. A range or a set of several values that is not a node costs as
    much as a star, since the value is not published.
    """

    name: ClassVar[str] = "stars"
    reference: ClassVar[str] = "Meyerson and Williams 2004; Aggarwal et al. 2005, section 2"
    words: ClassVar[str] = "how many cells are stars"
    monotone: ClassVar[bool] = True
    weighable: ClassVar[bool] = True

    def costs(self, column: QuasiColumn) -> CellCosts:
        """Price the top level alone."""
        hierarchy = column.hierarchy
        top = hierarchy.height
        prices = [np.zeros(hierarchy.size(level)) for level in range(top + 1)]
        if top > 0:
            prices[top] = np.ones(hierarchy.size(top))
        zeros = np.zeros(hierarchy.n_leaves)
        return CellCosts(tuple(prices), 1.0, rule=SubsetRule(LINEAR, zeros, zeros, 1.0))
