"""Iyengar's loss metric."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.classes.tally import QuasiColumn
from shoal.kernels.prices import LINEAR
from shoal.measures.measure import CellCosts, CellMeasure, SubsetRule
from shoal.tables.hierarchies.hierarchy import Hierarchy


@dataclass(frozen=True, slots=True)
class Lm(CellMeasure):
    """A cell costs the share of the other values that it may stand for: (leaves - 1) / (domain - 1).

    For numeric intervals it costs the interval's width divided by the domain's. Monotone: a coarser node covers
    more. A column with one value costs nothing to publish.
    """

    name: ClassVar[str] = "lm"
    reference: ClassVar[str] = "Iyengar 2002"
    words: ClassVar[str] = "how many of the other values of its column each cell may stand for"
    monotone: ClassVar[bool] = True
    weighable: ClassVar[bool] = True

    def costs(self, column: QuasiColumn) -> CellCosts:
        """Price every node by what it covers."""
        hierarchy = column.hierarchy
        others = max(hierarchy.n_leaves - 1, 1)
        rule = subset_rule(hierarchy, 1 / others, -1 / others)
        if hierarchy.spans is not None:
            return CellCosts(width_shares(hierarchy.spans), 1.0, rule=rule)
        covered = [hierarchy.leaves(level) for level in range(hierarchy.height + 1)]
        return CellCosts(tuple(np.maximum(leaves - 1, 0) / others for leaves in covered), 1.0, rule=rule)


def subset_rule(hierarchy: Hierarchy, each: float, constant: float) -> SubsetRule:
    """Return the rule that charges `each` per covered value plus a constant; for numbers, the width of the range."""
    zeros = np.zeros(hierarchy.n_leaves)
    if hierarchy.positions is None or hierarchy.places is None:
        return SubsetRule(LINEAR, zeros + each, zeros, constant)
    width = float(np.ptp(hierarchy.positions)) if hierarchy.n_leaves else 0.0
    low, high = (np.divide(side, width, out=zeros.copy(), where=width > 0) for side in hierarchy.places)
    return SubsetRule(LINEAR, zeros + each, zeros, 0.0, (low, high))


def width_shares(spans: tuple[NDArray[np.float64], ...]) -> tuple[NDArray[np.float64], ...]:
    """Return the width of each interval divided by that of the top; 0 if the top has width 0."""
    domain = float(spans[-1][0])
    return tuple(np.divide(span, domain, out=np.zeros_like(span), where=domain > 0) for span in spans)
