"""Pricing: the loss of a generalization, and bounds on the loss of many at once.

For a measure that adds up prices of cells, the loss of a node with nothing suppressed is a sum over its
columns that needs no grouping at all. What suppression adds is the `excess`. Both bound whole boxes of
nodes, from `low` (the most specific) to `high` (the most general):

- every node of the box pays at least the least `base` of each column over the box's levels;
- what the models make a class of `high` forfeit, every node below it suppresses too (`Problem.forfeits`), and
  pays for each of those records at least its excess at `high`: what full suppression costs beyond the dearest
  node at or below the one at `high`.

For a measure on whole classes, the `floor` of `low` bounds every generalization of it, and each record
forfeited at `high` costs the full price at every node below.
"""

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from shoal.classes.grouping import Grouping
from shoal.classes.tally import Tally
from shoal.foundation.errors import SpecError
from shoal.kernels.prices import price_rows
from shoal.measures.measure import CellMeasure, ClassMeasure, Measure
from shoal.search.lattice.cells import Cells, Node, Packing


class Pricing(ABC):
    """Prices the nodes of a lattice by one measure."""

    @abstractmethod
    def total(self, cells: Cells, groups: Grouping, released: NDArray[np.bool_]) -> float:
        """Return the loss of releasing some classes of a node and suppressing the others."""

    def totals(self, cells: Cells, groups: Grouping, released: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return the losses of several choices of the classes to release, a row of `released` each."""
        return np.array([self.total(cells, groups, choice) for choice in released])

    @abstractmethod
    def excess(self, cells: Cells, groups: Grouping, lost: NDArray[np.int64]) -> float:
        """Return what suppressing `lost` records of each class costs every node below, beyond `base`."""

    @abstractmethod
    def base(self, low: Node, high: Node) -> float:
        """Return a lower bound on the loss of all nodes of a box, whatever they suppress."""

    def bound(self, low: Node, high: Node, excess: float) -> float:
        """Return a lower bound on the loss of all nodes of a box, given the excess of its upper end."""
        return self.base(low, high) + excess

    def spread(self, column: int, low: int, high: int) -> float:
        """Return how much two levels of a column differ in price, to choose where to split a box."""
        return float(high - low)


def pricing_of(measure: Measure, packing: Packing) -> Pricing:
    """Return the pricing for a measure's kind."""
    if isinstance(measure, CellMeasure):
        return CellPricing(measure, packing)
    if isinstance(measure, ClassMeasure):
        return ClassPricing(measure, packing)
    raise SpecError(f"The measure '{measure.name}' cannot be minimized over a lattice of generalizations.")


class CellPricing(Pricing):
    """Prices by the cells: one number per column and level, plus the excess of what is suppressed."""

    def __init__(self, measure: CellMeasure, packing: Packing) -> None:
        self._packing = packing
        self._offset = 0.0
        self._base: list[NDArray[np.float64]] = []  # [column][level], nothing suppressed
        self._least: list[list[list[float]]] = []  # [column][low][high], each cell at most its full price
        self._starts: list[NDArray[np.int64]] = []  # [column][level], where its nodes begin below
        gaps: list[NDArray[np.float64]] = []  # full price - price
        slacks: list[NDArray[np.float64]] = []  # full price - dearest price at or below, at least 0
        start = 0
        for column in packing.tally.quasi:
            costs = measure.costs(column)
            prices = [column.weight * level for level in costs.by_level]
            full = column.weight * costs.full
            self._offset += column.weight * costs.offset
            counts = [_per_node(column.hierarchy.codes[level], column.leaf_counts) for level in range(len(prices))]
            self._base.append(np.array([n @ price for n, price in zip(counts, prices, strict=True)]))
            capped = [np.minimum(price, full) for price in prices]
            least = np.array([n @ price for n, price in zip(counts, capped, strict=True)])
            self._least.append([list(np.minimum.accumulate(least[low:])) for low in range(len(least))])
            lengths = [len(price) for price in prices]
            self._starts.append(start + np.cumsum([0, *lengths[:-1]]))
            start += sum(lengths)
            gaps += [full - price for price in prices]
            slacks += [np.maximum(full - peak, 0.0) for peak in _peaks(prices, column.hierarchy.codes)]
        self._gaps = np.concatenate(gaps)
        self._slacks = np.concatenate(slacks)

    def total(self, cells: Cells, groups: Grouping, released: NDArray[np.bool_]) -> float:
        """Add the gaps of the suppressed records to the price of the table."""
        return self._whole(cells.node) + self._sum(self._gaps, cells, groups, np.where(released, 0, groups.sizes))

    def totals(self, cells: Cells, groups: Grouping, released: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Price each class once, whatever the number of choices."""
        gaps = self._per_record(self._gaps, cells, groups, slice(None)) * groups.sizes
        return self._whole(cells.node) + np.where(released, 0.0, gaps).sum(axis=1)

    def excess(self, cells: Cells, groups: Grouping, lost: NDArray[np.int64]) -> float:
        """Add up the slacks of the lost records."""
        return self._sum(self._slacks, cells, groups, lost)

    def base(self, low: Node, high: Node) -> float:
        """Add up the cheapest level of each column."""
        spans = zip(self._least, low, high, strict=True)
        return self._offset + sum(least[a][b - a] for least, a, b in spans)

    def spread(self, column: int, low: int, high: int) -> float:
        """Return the difference of the two levels with nothing suppressed."""
        return float(self._base[column][high] - self._base[column][low])

    def _whole(self, node: Node) -> float:
        return self._offset + float(sum(base[level] for base, level in zip(self._base, node, strict=True)))

    def _sum(self, prices: NDArray[np.float64], cells: Cells, groups: Grouping, records: NDArray[np.int64]) -> float:
        """Return what some records of each class pay in all columns."""
        chosen = np.flatnonzero(records)
        if not len(chosen):
            return 0.0
        return float(self._per_record(prices, cells, groups, chosen) @ records[chosen])

    def _per_record(
        self, prices: NDArray[np.float64], cells: Cells, groups: Grouping, which: NDArray[np.int64] | slice
    ) -> NDArray[np.float64]:
        """Return what a record of each chosen class pays in all columns."""
        keys = cells.keys if len(cells) == groups.n_classes else cells.keys[:, cells.weights[:, 0] > 0]
        starts = np.array([start[level] for start, level in zip(self._starts, cells.node, strict=True)])
        return price_rows(self._packing.codes(keys[:, which]), prices, starts)


class ClassPricing(Pricing):
    """Prices by the classes: the floor of a node holds for all nodes above it."""

    def __init__(self, measure: ClassMeasure, packing: Packing) -> None:
        self._measure = measure
        self._packing = packing
        tally: Tally = packing.tally
        self._full = measure.full(tally.n_records, tally.quasi)
        self._floors: dict[Node, float] = {}

    def total(self, cells: Cells, groups: Grouping, released: NDArray[np.bool_]) -> float:
        """Ask the measure, and remember the floor for the nodes above."""
        recoding = self._packing.recoding(cells)
        self._floors[cells.node] = self._measure.floor(groups, recoding)
        return self._measure.total(groups, recoding, released)

    def excess(self, cells: Cells, groups: Grouping, lost: NDArray[np.int64]) -> float:
        """Charge the full price for each."""
        return self._full * int(lost.sum())

    def base(self, low: Node, high: Node) -> float:
        """Return the floor of the lower end, if it was looked at."""
        return self._floors.get(low, 0.0)

    def bound(self, low: Node, high: Node, excess: float) -> float:
        """Take the better one: a record that is suppressed may have its share of the floor too."""
        return max(self.base(low, high), excess)


def _per_node(codes: NDArray[np.int32], leaf_counts: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.bincount(codes, weights=leaf_counts).astype(np.int64)


def _peaks(prices: list[NDArray[np.float64]], codes: NDArray[np.int32]) -> list[NDArray[np.float64]]:
    """Return the dearest price at or below each node, level by level."""
    peaks = [prices[0]]
    for level in range(1, len(prices)):
        peak = prices[level].copy()
        np.maximum.at(peak, codes[level], peaks[-1][codes[level - 1]])
        peaks.append(peak)
    return peaks
