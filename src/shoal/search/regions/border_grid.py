"""Border grid: cells that no border of regions runs through, for what has to be known of all records at once."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

import numpy as np
from numpy.typing import NDArray

from shoal.classes.tally import QuasiColumn
from shoal.kernels.local.closures import RANGES, TREE, Forms
from shoal.kernels.prices import ENTROPY
from shoal.search.local.cuts import leaf_order
from shoal.search.regions.box import LeafBox, Positions
from shoal.search.regions.coarse import leaf_bins

_LARGEST = 2**62  # cells have numbers below this
_EVERY = 16  # one of so many points is looked at first


@dataclass(frozen=True, slots=True, eq=False)
class ChargedCells:
    """What records are charged, by cells of a step of the grid; those above their ceiling apart from the others.

    Args:
        step: The step of the grid.
        cells: The cell, ascending.
        above: Whether the records are charged more than their ceiling; those that are not come first.
        counts: The number of records.
        low: The least charge.
        high: The largest charge.
        sums: The sum of all charges.
    """

    step: int
    cells: NDArray[np.int64]
    above: NDArray[np.bool_]
    counts: NDArray[np.int64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    sums: NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class BorderGrid:
    """Bins of the leaves of each column, coarse at the first step, and divided in one column at each further step.

    A bin does not reach across a border. In a tree it has some adjacent children of one node, and all that is below
    them: it is cut not only at a border, but at both ends of every node that the border runs through. So two leaves of
    different bins have the same lowest common ancestor as any two others of these bins.

    Args:
        chains: For each column, the first place of each bin, from coarse to fine.
        steps: How far each column is divided at each step.
    """

    chains: tuple[tuple[NDArray[np.int64], ...], ...]
    steps: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, columns: Sequence[QuasiColumn], forms: Forms, boxes: Sequence[LeafBox]) -> "BorderGrid | None":
        """Return the grid of some boxes; None where a class across a border may cost nothing in the cut column.

        That is so for the entropy of a range or set of values, which may have less than a part of it.
        """
        chains = []
        for number, column in enumerate(columns):
            cuts = np.unique([place for box in boxes for place in (box.low[number], box.high[number])])[1:-1]
            chain = [np.zeros(1, dtype=np.int64)]
            if forms.kinds[number] != TREE and forms.rules[number] == ENTROPY:
                if len(cuts):
                    return None
            elif column.weight > 0:
                chain = _chain(column, forms.kinds[number] == TREE, cuts)
            chains.append(tuple(chain))
        return cls(tuple(chains), tuple(_steps(chains)))

    def starts(self, step: int) -> list[NDArray[np.int64]]:
        """Return the first place of each bin, column by column."""
        return [chain[own] for chain, own in zip(self.chains, self.steps[step], strict=True)]

    def cells(self, step: int, positions: Positions) -> NDArray[np.int64]:
        """Return the number of the cell of each point."""
        found = np.zeros(len(positions[0]), dtype=np.int64)
        for starts, places in zip(self.starts(step), positions, strict=True):
            if len(starts) > 1:
                bins = np.searchsorted(starts, np.arange(places.max() + 1), side="right") - 1
                found = found * len(starts) + bins[places]
        return found

    def firsts(self, step: int, cells: NDArray[np.int64]) -> list[NDArray[np.int64]]:
        """Return the first place of each cell, column by column."""
        starts, left, found = self.starts(step), cells, list[NDArray[np.int64]]()
        for own in reversed(starts):
            left, numbers = np.divmod(left, len(own))
            found.insert(0, own[numbers])
        return found

    def charged(
        self,
        positions: Positions,
        counts: NDArray[np.int64],
        charges: NDArray[np.float64],
        ceilings: NDArray[np.float64],
        most: int,
    ) -> ChargedCells:
        """Put points together by the finest cells of which there are no more than `most`.

        Args:
            positions: The place of each point's leaf, for each quasi column.
            counts: The number of records of each point.
            charges: What a record of it is charged.
            ceilings: What it costs at least in a class with a record from elsewhere.
            most: The largest number of cells.
        """
        step = self._finest(positions, most)
        cells, sums = self.cells(step, positions), charges * counts
        return _summed(ChargedCells(step, cells, charges > ceilings, counts, charges, charges, sums))

    def _finest(self, positions: Positions, most: int) -> int:
        """Return the last step with no more than so many cells; each has no fewer than the one before."""

        def n_cells(step: int, positions: Positions) -> int:
            return len(np.unique(self.cells(step, positions)))

        some = [places[::_EVERY] for places in positions]
        step = bisect_right(range(1, len(self.steps)), most, key=lambda step: n_cells(step, some))
        while step > 0 and n_cells(step, positions) > most:
            step -= 1
        return step

    def coarser(self, step: int, found: ChargedCells) -> ChargedCells:
        """Return the same by the cells of a step before."""
        return _summed(replace(found, step=step, cells=self.cells(step, self.firsts(found.step, found.cells))))

    def leaves(self, step: int, columns: Sequence[QuasiColumn], cells: NDArray[np.int64]) -> NDArray[np.int32]:
        """Return the leaves that stand for each cell (`[cell, column]`)."""
        firsts = self.firsts(step, cells)
        found = [leaf_order(column.hierarchy)[places] for column, places in zip(columns, firsts, strict=True)]
        return np.column_stack(found).astype(np.int32)

    def forms(self, step: int, columns: Sequence[QuasiColumn], forms: Forms) -> Forms:
        """Return the least prices of classes with records of some cells, as prices of the leaves that stand for them.

        That of a class of one bin is the least price of its leaves. With records of two bins a class has a node above
        both, the same whichever leaves they have; a range from the last leaf of one to the first of the other, at
        least; or a set with a leaf of each, of which those with the smallest terms count.
        """
        prices, lower, adds = forms.prices.copy(), forms.lower.copy(), forms.adds.copy()
        for number, (column, starts) in enumerate(zip(columns, self.starts(step), strict=True)):
            own = int(forms.nodes[number]) + leaf_order(column.hierarchy)
            first = own[starts]
            prices[first] = np.minimum.reduceat(forms.prices[own], starts)
            if forms.kinds[number] == RANGES:
                lower[:, first] = forms.lower[:, own[np.append(starts[1:], len(own)) - 1]]
            elif forms.kinds[number] != TREE:
                for one, begin, end in zip(first, starts, np.append(starts[1:], len(own)), strict=True):
                    adds[:, one] = forms.adds[:, own[begin + np.argmin(forms.adds[0, own[begin:end]])]]
        return forms._replace(prices=prices, lower=lower, adds=adds)


def _chain(column: QuasiColumn, tree: bool, cuts: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Return finer and finer bins of a column, to single leaves, cut at some places in any case."""
    hierarchy, order = column.hierarchy, leaf_order(column.hierarchy)
    n_leaves = len(order)
    fixed = [np.zeros(1, dtype=np.int64), cuts]
    if hierarchy.missing_leaf >= 0 and not tree:
        fixed.append(np.array([hierarchy.missing_leaf]))
    for codes in hierarchy.codes if tree else ():
        own = codes[order]
        begins = np.flatnonzero(np.append(True, own[1:] != own[:-1]))
        through = np.setdiff1d(cuts, begins)
        at = np.searchsorted(begins, through) - 1
        fixed += [begins[at], np.append(begins, n_leaves)[at + 1]]
    always = np.unique(np.concatenate(fixed))
    always, chain, size = always[always < n_leaves], list[NDArray[np.int64]](), 1
    while not chain or len(chain[-1]) < n_leaves:
        finer = np.union1d(always, leaf_bins(column, 0, n_leaves, size))
        if not chain or len(finer) > len(chain[-1]):
            chain.append(finer)
        size *= 2
    return chain


def _steps(chains: Sequence[Sequence[NDArray[np.int64]]]) -> list[tuple[int, ...]]:
    """Divide one column after the other, while cells have numbers."""
    now = [0] * len(chains)
    steps, n_cells = [tuple(now)], prod(len(chain[0]) for chain in chains)
    open_columns = [number for number, chain in enumerate(chains) if len(chain) > 1]
    while open_columns:
        for number in list(open_columns):
            chain, at = chains[number], now[number]
            finer = n_cells // len(chain[at]) * len(chain[at + 1])
            if finer < _LARGEST:
                now[number], n_cells = at + 1, finer
                steps.append(tuple(now))
            if finer >= _LARGEST or now[number] == len(chain) - 1:
                open_columns.remove(number)
    return steps


def _summed(found: ChargedCells) -> ChargedCells:
    """Put together what is in the same cell, and above its ceiling or not."""
    order = np.lexsort((found.above, found.cells))
    cells, above = found.cells[order], found.above[order]
    first = np.flatnonzero(np.append(True, (cells[1:] != cells[:-1]) | (above[1:] != above[:-1])))
    return ChargedCells(
        found.step,
        cells[first],
        above[first],
        np.add.reduceat(found.counts[order], first),
        np.minimum.reduceat(found.low[order], first),
        np.maximum.reduceat(found.high[order], first),
        np.add.reduceat(found.sums[order], first),
    )
