"""Iyengar's loss metric."""

from dataclasses import dataclass
from typing import ClassVar

from shoal.measures.measure import CellCosts, CellMeasure
from shoal.tally import QuasiColumn


@dataclass(frozen=True, slots=True)
class Lm(CellMeasure):
    """A cell pays the share of the other values that it may stand for: (leaves - 1) / (domain - 1).

    For numeric intervals it pays the interval's width over the domain's. Monotone: a coarser node covers
    more. A column with one value costs nothing to publish.
    """

    name: ClassVar[str] = "lm"
    reference: ClassVar[str] = "Iyengar 2002"

    def costs(self, column: QuasiColumn) -> CellCosts:
        """Price every node by what it covers."""
        hierarchy = column.hierarchy
        if hierarchy.spans is not None:
            width = max(float(hierarchy.spans[-1][0]), 1e-300)
            return CellCosts(tuple(span / width for span in hierarchy.spans), 1.0)
        others = max(hierarchy.n_leaves - 1, 1)
        levels = range(hierarchy.height + 1)
        return CellCosts(tuple((hierarchy.leaves(level) - 1) / others for level in levels), 1.0)
