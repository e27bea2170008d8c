"""What a measure is: how much of the table a release loses, in total and column by column."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.classes.grouping import Grouping
from shoal.classes.recoding import Recoding, Subsets
from shoal.classes.tally import QuasiColumn
from shoal.foundation.checked_fields import check_fields
from shoal.kernels.prices import price_subsets
from shoal.tables.hierarchies.hierarchy import Hierarchy


@dataclass(frozen=True, slots=True)
class Loss:
    """The loss of a release by one measure; lower is better.

    Args:
        measure: The measure's name.
        total: The loss in the measure's own unit.
        share: The loss as a share of the loss of suppressing every record, from 0 to 1; 0 where there is
            nothing to lose, 1 also where a measure that is not monotone prices a release above that.
        columns: The loss of each quasi column, in the measure's own unit.
    """

    measure: str
    total: float
    share: float
    columns: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Measure(ABC):
    """A way to put a number on what a release loses, with the algebra that a search may rely on.

    `monotone`: generalizing never lowers the loss while nothing is suppressed. So the loss of a release is
    a lower bound for all coarser ones, and a search may prune by it.
    """

    name: ClassVar[str]
    reference: ClassVar[str]
    monotone: ClassVar[bool]

    def __post_init__(self) -> None:
        """Check the parameters where they are written."""
        check_fields(self)

    @abstractmethod
    def loss(self, groups: Grouping, recoding: Recoding, released: NDArray[np.bool_]) -> Loss:
        """Return the loss of publishing the released classes as recoded and suppressing all others.

        Args:
            groups: All classes, released or not.
            recoding: What each class is published as.
            released: Which classes are; the records of the others are charged as fully lost.
        """

    @property
    def sensitive_columns(self) -> tuple[str, ...]:
        """The sensitive columns that the measure looks at."""
        return ()

    def of_columns(self, sensitive: tuple[str, ...]) -> "Measure | None":
        """Return the measure for a table with these sensitive columns, or None if it needs one and there is none."""
        return self


@dataclass(frozen=True, slots=True, eq=False)
class SubsetRule:
    """How a subset of two or more values is priced: by two sums over the values that it covers.

    Args:
        code: What becomes of the sums a and b: `LINEAR` a + constant, `ENTROPY` (a log2 a - b) / a, `BITS`
            (a log2 a - b) / constant, `SHARE` log2(a / constant).
        firsts: What each leaf adds to a.
        seconds: What each leaf adds to b.
        constant: The constant.
        positions: For ranges of numbers, a is the distance from the first to the last of these instead.
    """

    code: int
    firsts: NDArray[np.float64]
    seconds: NDArray[np.float64]
    constant: float
    positions: NDArray[np.float64] | None = None

    def sums(
        self, hierarchy: Hierarchy, offsets: NDArray[np.int64], members: NDArray[np.int32]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return both sums of each subset; of those without members, anything."""
        sums = np.zeros((2, len(offsets) - 1))
        named = np.diff(offsets) > 0
        starts = offsets[:-1][named]
        if hierarchy.form == "ranges":
            first, last = members[starts], members[offsets[1:][named] - 1]
            ends = self.ends(self.firsts, self.positions), self.ends(self.seconds)
            sums[:, named] = [upper[last] - lower[first] for lower, upper in ends]
        else:
            sums[:, named] = [np.add.reduceat(leaf[members], starts) for leaf in (self.firsts, self.seconds)]
        return sums[0], sums[1]

    def ends(
        self, leaves: NDArray[np.float64], positions: NDArray[np.float64] | None = None
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return two arrays: the sum over a range is the second's entry at its last less the first's at its first."""
        if positions is not None:
            return positions, positions
        sums = np.cumsum(leaves)
        return sums - leaves, sums


@dataclass(frozen=True, slots=True)
class CellCosts:
    """What a record pays in one column.

    In a monotone measure no node costs more than one above it, and none more than `full`.

    Args:
        by_level: `by_level[level][code]`, the price of publishing that node.
        full: The price of suppressing the record.
        offset: A constant that the column adds for the whole table.
        rule: How a range or a set that is no node is priced; as the lowest node above it if None.
    """

    by_level: tuple[NDArray[np.float64], ...]
    full: float
    offset: float = 0.0
    rule: SubsetRule | None = None

    def of(self, column: QuasiColumn, subsets: Subsets) -> NDArray[np.float64]:
        """Return the price of each subset of the column's values."""
        prices = subsets.pick(self.by_level)
        if self.rule is None or subsets.offsets is None or subsets.members is None:
            return prices
        named = np.diff(subsets.offsets) > 0
        firsts, seconds = self.rule.sums(column.hierarchy, subsets.offsets, subsets.members)
        prices[named] = price_subsets(self.rule.code, firsts[named], seconds[named], self.rule.constant)
        return prices


@dataclass(frozen=True, slots=True)
class CellMeasure(Measure):
    """A measure that adds up a price for each published cell, times the column's weight."""

    @abstractmethod
    def costs(self, column: QuasiColumn) -> CellCosts:
        """Return the prices of one column's nodes, before its weight."""

    def loss(self, groups: Grouping, recoding: Recoding, released: NDArray[np.bool_]) -> Loss:
        """Add up the prices of all cells, column by column."""
        totals: dict[str, float] = {}
        worst = 0.0
        n_suppressed = int(groups.sizes[~released].sum())
        for number, column in enumerate(recoding.columns):
            costs = self.costs(column)
            prices = costs.of(column, recoding.shown[number])[recoding.cells[:, number]]
            paid = prices[released] @ groups.sizes[released]
            # an offset and negative prices may leave a rounding error below zero
            lost = max(float(costs.offset + paid + n_suppressed * costs.full), 0.0)
            totals[column.name] = column.weight * lost
            worst += column.weight * (costs.offset + groups.n_records * costs.full)
        total = sum(totals.values())
        return Loss(self.name, total, _share(total, worst), totals)


@dataclass(frozen=True, slots=True)
class ClassMeasure(Measure):
    """A measure that looks at each class as a whole; the columns' weights play no part in it."""

    @abstractmethod
    def total(self, groups: Grouping, recoding: Recoding, released: NDArray[np.bool_]) -> float:
        """Return the loss of publishing the released classes and suppressing all others."""

    @abstractmethod
    def floor(self, groups: Grouping, recoding: Recoding) -> float:
        """Return a lower bound on the total of every generalization of these classes, whatever is suppressed."""

    @abstractmethod
    def full(self, n_records: int, columns: tuple[QuasiColumn, ...]) -> float:
        """Return the price of suppressing one record of a table of `n_records`; no total is below their sum."""

    def loss(self, groups: Grouping, recoding: Recoding, released: NDArray[np.bool_]) -> Loss:
        """Price the release, and each column as if it alone were published."""
        worst = groups.n_records * self.full(groups.n_records, recoding.columns)
        total = self.total(groups, recoding, released)
        totals = {
            column.name: self.total(*_alone(groups, recoding, released, number))
            for number, column in enumerate(recoding.columns)
        }
        return Loss(self.name, total, _share(total, worst), totals)


@dataclass(frozen=True, slots=True)
class ClassSumMeasure(ClassMeasure):
    """A measure that adds up a price for each class.

    Joining classes never lowers the sum of their prices, and no class costs more than suppressing it: so
    the sum over all classes of a node is a `floor` for every generalization of it, whatever is suppressed.
    """

    @abstractmethod
    def prices(self, groups: Grouping, recoding: Recoding) -> NDArray[np.float64]:
        """Return the price of publishing each class."""

    def total(self, groups: Grouping, recoding: Recoding, released: NDArray[np.bool_]) -> float:
        """Return the sum of the released classes' prices and the suppressed records' ones."""
        n_suppressed = int(groups.sizes[~released].sum())
        paid = float(self.prices(groups, recoding)[released].sum())
        return paid + n_suppressed * self.full(groups.n_records, recoding.columns)

    def floor(self, groups: Grouping, recoding: Recoding) -> float:
        """Return the sum of all prices."""
        return float(self.prices(groups, recoding).sum())


def _share(total: float, worst: float) -> float:
    return min(total / worst, 1.0) if worst > 0 else 0.0


def _alone(
    groups: Grouping, recoding: Recoding, released: NDArray[np.bool_], number: int
) -> tuple[Grouping, Recoding, NDArray[np.bool_]]:
    """Return the release as it would be with only one quasi column, the same records suppressed."""
    cells = np.where(released, recoding.cells[:, number], -1)
    found, target = np.unique(cells, return_inverse=True)
    merged = groups.merged(target.reshape(-1).astype(np.int32), len(found))
    shown = np.maximum(found, 0).astype(np.int32)[:, None]
    return merged, Recoding((recoding.columns[number],), (recoding.shown[number],), shown), found >= 0
