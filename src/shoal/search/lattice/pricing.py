"""Pricing: the loss of a generalization, and lower bounds on the losses of many at once.

For a measure that adds up prices of cells, the loss of a node without suppression is a sum over its columns, and needs
no grouping. What suppression adds is the `excess`. Both give bounds for a whole box of nodes, from `low` (the most
specific) to `high` (the most general):

- every node of the box costs at least, in each column, the least `base` over the box's levels;
- the records that the models make a class of `high` forfeit are suppressed at every node below, too
  (`Problem.forfeits`). Each of them adds at least its excess at `high`: the price of suppression minus the highest
  price of any node at or below the one at `high`.

For a measure on whole classes, the `floor` of `low` is a lower bound for every generalization of it, and each record
forfeited at `high` costs the full price at every node below.
"""

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from shoal.classes.grouping import Grouping
from shoal.classes.recoding import Recoding
from shoal.classes.tally import Tally, weights_of_profiles
from shoal.foundation.errors import SpecError
from shoal.kernels.prices import price_rows
from shoal.measures.measure import CellMeasure, ClassMeasure, ClassSumMeasure, Measure
from shoal.search.lattice.cells import Cells, Node, Packing
from shoal.search.lattice.selection import SelectionPrices


class Pricing(ABC):
    """The prices of the nodes of a lattice by one measure."""

    @abstractmethod
    def total(self, cells: Cells, groups: Grouping, released: NDArray[np.bool_]) -> float:
        """Return the loss of releasing some classes of a node and suppressing the others."""

    def totals(self, cells: Cells, groups: Grouping, released: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return the losses of several choices of the classes to release, one for each row of `released`."""
        return np.array([self.total(cells, groups, choice) for choice in released])

    def without(self, cells: Cells, groups: Grouping, lost: NDArray[np.int64]) -> float:
        """Return the loss of releasing the classes of a node without `lost` records of each, which are suppressed."""
        raise SpecError(
            "suppress = 'records' needs a loss that is a sum over cells, such as 'lm', but the measure "
            "depends on whole classes. Use suppress = 'classes', or another measure."
        )

    @abstractmethod
    def selection(self, cells: Cells, groups: Grouping) -> SelectionPrices:
        """Return the losses of all choices of the classes to release."""

    @abstractmethod
    def excess(self, cells: Cells, groups: Grouping, lost: NDArray[np.int64]) -> float:
        """Return what suppressing `lost` records of each class adds at every node below, beyond `base`."""

    @abstractmethod
    def base(self, low: Node, high: Node) -> float:
        """Return a lower bound on the loss of all nodes of a box, whatever they suppress."""

    def bound(self, low: Node, high: Node, excess: float) -> float:
        """Return a lower bound on the loss of all nodes of a box, given the excess of its upper end."""
        return self.base(low, high) + excess

    def spread(self, column: int, low: int, high: int) -> float:
        """Return how much two levels of a column differ in price; used to choose where to split a box."""
        return float(high - low)


def pricing_of(measure: Measure, packing: Packing) -> Pricing:
    """Return the pricing for a measure's kind."""
    if isinstance(measure, CellMeasure):
        return CellPricing(measure, packing)
    if isinstance(measure, ClassMeasure):
        return ClassPricing(measure, packing)
    raise SpecError(f"The measure '{measure.name}' cannot be minimized over a lattice of generalizations.")


class CellPricing(Pricing):
    """Prices by cell: one number for each column and level, plus the excess of what is suppressed.

    Where records have sampling weights, prices are those of a weight of 1, and each class counts with its weight. Of a
    class that loses some of its records the lightest may be lost: a bound says that each of them has the least weight.
    """

    def __init__(self, measure: CellMeasure, packing: Packing) -> None:
        self._packing = packing
        tally = packing.tally
        each = weights_of_profiles(tally.sensitive, tally.profile_codes)
        weights = tally.weights
        self._lightest = 1 if each is None else int(each[tally.profiles[tally.counts > 0]].min())
        mean = int(weights.sum()) / tally.n_records if tally.n_records else 1.0
        self._offset = 0.0
        self._base: list[NDArray[np.float64]] = []  # [column][level], without suppression
        self._least: list[
            list[list[float]]
        ] = []  # [column][low][high - low], each cell capped at the price of suppression
        self._starts: list[NDArray[np.int64]] = []  # [column][level], where its nodes begin in the arrays below
        gaps: list[NDArray[np.float64]] = []  # price of suppression - price
        slacks: list[NDArray[np.float64]] = []  # price of suppression - highest price at or below, at least 0
        start = 0
        for number, column in enumerate(tally.quasi):
            costs = measure.costs(column)
            prices = [column.weight * level / mean for level in costs.by_level]
            full = column.weight * costs.full / mean
            self._offset += column.weight * costs.offset
            leaves = column.leaf_counts
            if each is not None:
                leaves = np.bincount(tally.codes[:, number], weights, len(leaves)).astype(np.int64)
            counts = [_per_node(column.hierarchy.codes[level], leaves) for level in range(len(prices))]
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
        """Return the price of the table plus the gaps of the suppressed records."""
        return self.without(cells, groups, np.where(released, 0, groups.sizes))

    def without(self, cells: Cells, groups: Grouping, lost: NDArray[np.int64]) -> float:
        """Return the price of the table plus the gaps of the lost records."""
        return self._whole(cells.node) + self._sum(self._gaps, cells, groups, lost)

    def totals(self, cells: Cells, groups: Grouping, released: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return the same for each choice; each class is priced once."""
        gaps = self._per_record(self._gaps, cells, groups, slice(None)) * groups.weights
        return self._whole(cells.node) + np.where(released, 0.0, gaps).sum(axis=1)

    def selection(self, cells: Cells, groups: Grouping) -> SelectionPrices:
        """Return the price of the table plus the gaps of the classes that are suppressed."""
        gaps = self._per_record(self._gaps, cells, groups, slice(None)) * groups.weights
        whole = self._whole(cells.node)
        return SelectionPrices(lambda released: whole + float(gaps[~released].sum()), gaps)

    def excess(self, cells: Cells, groups: Grouping, lost: NDArray[np.int64]) -> float:
        """Return the sum of the slacks of the lost records."""
        return self._sum(self._slacks, cells, groups, lost)

    def base(self, low: Node, high: Node) -> float:
        """Return the sum of the cheapest level of each column."""
        spans = zip(self._least, low, high, strict=True)
        return self._offset + sum(least[a][b - a] for least, a, b in spans)

    def spread(self, column: int, low: int, high: int) -> float:
        """Return the difference of the two levels without suppression."""
        return float(self._base[column][high] - self._base[column][low])

    def _whole(self, node: Node) -> float:
        return self._offset + float(sum(base[level] for base, level in zip(self._base, node, strict=True)))

    def _sum(self, prices: NDArray[np.float64], cells: Cells, groups: Grouping, records: NDArray[np.int64]) -> float:
        """Return what some records of each class cost in all columns."""
        chosen = np.flatnonzero(records)
        if not len(chosen):
            return 0.0
        weights = np.where(records < groups.sizes, self._lightest * records, groups.weights)
        return float(self._per_record(prices, cells, groups, chosen) @ weights[chosen])

    def _per_record(
        self, prices: NDArray[np.float64], cells: Cells, groups: Grouping, which: NDArray[np.int64] | slice
    ) -> NDArray[np.float64]:
        """Return what a record of each chosen class costs in all columns."""
        keys = cells.keys if len(cells) == groups.n_classes else cells.keys[:, cells.weights[:, 0] > 0]
        starts = np.array([start[level] for start, level in zip(self._starts, cells.node, strict=True)])
        return price_rows(self._packing.codes(keys[:, which]), prices, starts)


class ClassPricing(Pricing):
    """Prices by class: the floor of a node is a lower bound for all nodes above it."""

    def __init__(self, measure: ClassMeasure, packing: Packing) -> None:
        self._measure = measure
        self._packing = packing
        tally: Tally = packing.tally
        self._full = measure.full(tally.n_records, tally.quasi)
        self._floors: dict[Node, float] = {}

    def total(self, cells: Cells, groups: Grouping, released: NDArray[np.bool_]) -> float:
        """Return the measure's loss, and remember the floor for the nodes above."""
        recoding = self._packing.recoding(cells)
        self._floors[cells.node] = self._measure.floor(groups, recoding)
        return self._measure.total(groups, recoding, released)

    def selection(self, cells: Cells, groups: Grouping) -> SelectionPrices:
        """Return the measure's losses."""
        return selection_prices(self._measure, groups, self._packing.recoding(cells))

    def excess(self, cells: Cells, groups: Grouping, lost: NDArray[np.int64]) -> float:
        """Return the full price for each lost record."""
        return self._full * int(lost.sum())

    def base(self, low: Node, high: Node) -> float:
        """Return the floor of the lower end, or 0 if it was not evaluated."""
        return self._floors.get(low, 0.0)

    def bound(self, low: Node, high: Node, excess: float) -> float:
        """Return the larger of the two bounds.

        Their sum is no bound, since a suppressed record may also count in the floor.
        """
        return max(self.base(low, high), excess)


def selection_prices(measure: ClassMeasure, groups: Grouping, recoding: Recoding) -> SelectionPrices:
    """Return the losses of all choices of the classes to release, by a measure on whole classes.

    A measure that is no sum of classes never falls if one is suppressed: the average class size by the proof of its
    `floor`, and the mean over columns since no cell costs more than a suppressed one.
    """
    if isinstance(measure, ClassSumMeasure):
        prices = measure.prices(groups, recoding)
        gaps, whole = measure.full(groups.n_records, recoding.columns) * groups.sizes - prices, float(prices.sum())
        return SelectionPrices(lambda released: whole + float(gaps[~released].sum()), gaps)
    return SelectionPrices(lambda released: measure.total(groups, recoding, released), np.zeros(groups.n_classes))


def _per_node(codes: NDArray[np.int32], leaf_counts: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.bincount(codes, weights=leaf_counts).astype(np.int64)


def _peaks(prices: list[NDArray[np.float64]], codes: NDArray[np.int32]) -> list[NDArray[np.float64]]:
    """Return the highest price at or below each node, level by level."""
    peaks = [prices[0]]
    for level in range(1, len(prices)):
        peak = prices[level].copy()
        np.maximum.at(peak, codes[level], peaks[-1][codes[level - 1]])
        peaks.append(peak)
    return peaks
