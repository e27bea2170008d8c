"""Bounding a table in regions: what all regions charge their records, lowered for classes across their borders."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shoal.classes.tally import QuasiColumn, Tally
from shoal.kernels.local.closures import Forms
from shoal.measures.measure import CellMeasure
from shoal.search.bounds.bounds import proven
from shoal.search.bounds.crossing import ChargedGroups, overcharged
from shoal.search.local.forms import forms_of, offset_of
from shoal.search.problem import PointCharges, Problem
from shoal.search.regions.border_grid import BorderGrid, ChargedCells
from shoal.search.regions.box import LeafBox, places_of

_MOST_CELLS = 200_000  # of all regions together; what is done with them takes some seconds, and 100 MB
_LEAST_CELLS = 1_000  # of a region, however many there are


@dataclass(frozen=True, slots=True, eq=False)
class RegionCharges:
    """What the records of a region are charged.

    Args:
        cells: The charges, by cells.
        excess: By how much classes inside of the region are charged too much, at most, all together.
    """

    cells: ChargedCells
    excess: float


@dataclass(frozen=True, slots=True, eq=False)
class RegionalBound:
    """Makes one bound of those of all regions.

    Args:
        columns: The quasi columns, with the leaves of the whole table.
        forms: What a class may be published as, and its price.
        grid: The cells by which charges are put together.
        most: The largest number of cells of a region.
    """

    columns: tuple[QuasiColumn, ...]
    forms: Forms
    grid: BorderGrid
    most: int

    @classmethod
    def of(cls, whole: Problem, measure: CellMeasure, boxes: Sequence[LeafBox]) -> "RegionalBound | None":
        """Return what makes the bound; None where nothing can be said of classes across a border."""
        columns = whole.tally.quasi
        forms = forms_of(columns, measure)
        grid = BorderGrid.of(columns, forms, boxes)
        if grid is None:
            return None
        return cls(columns, forms, grid, max(_MOST_CELLS // len(boxes), _LEAST_CELLS))

    def charges(self, tally: Tally, found: PointCharges) -> RegionCharges:
        """Put the charges of a region together by cells: so much of it is kept until all regions are solved."""
        positions = [places_of(column)[tally.codes[:, j]] for j, column in enumerate(self.columns)]
        cells = self.grid.charged(positions, tally.counts, found.own, found.ceilings, self.most)
        return RegionCharges(cells, found.excess)

    def total(self, found: Sequence[RegionCharges], measure: CellMeasure, k: int) -> float:
        """Return a lower bound on the loss of every release of the whole table.

        No class inside of a region is charged more than it costs, but for the excesses, and no class across borders
        after charges were lowered for it (`overcharged`).
        """
        step = min(one.cells.step for one in found)
        cells = [self.grid.coarser(step, one.cells) for one in found]
        groups = ChargedGroups(
            self.grid.leaves(step, self.columns, np.concatenate([one.cells for one in cells])),
            np.repeat(np.arange(len(cells), dtype=np.int32), [len(one.cells) for one in cells]),
            np.concatenate([one.counts for one in cells]),
            np.concatenate([one.low for one in cells]),
            np.concatenate([one.high for one in cells]),
            np.concatenate([one.sums for one in cells]),
        )
        n_leaves = [column.hierarchy.n_leaves for column in self.columns]
        lost = overcharged(groups, self.grid.forms(step, self.columns, self.forms), n_leaves, k)
        excess = sum(one.excess for one in found)
        return proven(self.forms, offset_of(self.columns, measure), float(groups.sums.sum()), -excess, -lost)
