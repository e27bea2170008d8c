"""The normalized certainty penalty."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.classes.tally import QuasiColumn
from shoal.measures.lm import subset_rule, width_shares
from shoal.measures.measure import CellCosts, CellMeasure


@dataclass(frozen=True, slots=True)
class Ncp(CellMeasure):
    """A cell costs the share of the values that it may stand for: leaves / domain, and 0 for a value itself.

    For numeric intervals it costs the interval's width divided by the domain's, as `lm` does. Monotone: a
    coarser node covers more, and all are above 0. A column with one value costs nothing to publish.
    """

    name: ClassVar[str] = "ncp"
    reference: ClassVar[str] = "Xu et al. 2006"
    words: ClassVar[str] = "how many of the values of its column each cell may stand for"
    monotone: ClassVar[bool] = True
    weighable: ClassVar[bool] = True

    def costs(self, column: QuasiColumn) -> CellCosts:
        """Price every node by what it covers."""
        hierarchy = column.hierarchy
        domain = max(hierarchy.n_leaves, 1)
        rule = subset_rule(hierarchy, 1 / domain, 0.0)
        if hierarchy.spans is not None:
            return CellCosts(width_shares(hierarchy.spans), 1.0, rule=rule)
        covered = [hierarchy.leaves(level) for level in range(hierarchy.height + 1)]
        prices = tuple(np.where(leaves > 1, leaves / domain, 0.0) for leaves in covered)
        return CellCosts(prices, 1.0, rule=rule)
