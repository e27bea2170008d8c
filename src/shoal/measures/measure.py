"""Measure: how much information a release loses, in total and for each column."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
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
        share: The loss relative to that of suppressing every record, from 0 to 1; 0 if there is nothing to lose. It is
            capped at 1, since a measure that is not monotone may exceed it.
        columns: The loss of each quasi column, in the measure's own unit.
    """

    measure: str
    total: float
    share: float
    columns: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Measure(ABC):
    """A measure of information loss, with the algebra that a search may rely on.

    `monotone`: generalizing never lowers the loss while nothing is suppressed. So the loss of a release is
    a lower bound for all coarser ones, and a search may prune by it.

    `words`: what it counts, in half a line, for where its name stands.
    """

    name: ClassVar[str]
    reference: ClassVar[str]
    words: ClassVar[str] = ""
    monotone: ClassVar[bool]

    def __post_init__(self) -> None:
        """Check the parameters when the measure is made."""
        check_fields(self)

    @abstractmethod
    def loss(self, groups: Grouping, recoding: Recoding, released: NDArray[np.bool_]) -> Loss:
        """Return the loss of publishing the released classes as recoded and suppressing all others.

        Args:
            groups: All classes, released or not.
            recoding: What each class is published as.
            released: Which classes are released; the records of the others count as fully lost.
        """

    @property
    def sensitive_columns(self) -> tuple[str, ...]:
        """The sensitive columns that the measure uses."""
        return ()

    def of_columns(self, sensitive: tuple[str, ...]) -> "Measure | None":
        """Return the measure for a table with these sensitive columns, or None if it needs one and there is none."""
        return self


@dataclass(frozen=True, slots=True, eq=False)
class SubsetRule:
    """The price of a subset of two or more values, by two sums over the values that it covers.

    Args:
        code: The formula of the sums a and b: `LINEAR` a + constant, `ENTROPY` (a log2 a - b) / a, `BITS` (a log2 a -
            b) / constant, `SHARE` log2(a / constant).
        firsts: The term of each leaf in a.
        seconds: The term of each leaf in b.
        constant: The constant.
        places: For ranges of numbers, where a range from each leaf begins, and where one up to it ends; a is then the
            distance.
    """

    code: int
    firsts: NDArray[np.float64]
    seconds: NDArray[np.float64]
    constant: float
    places: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None

    def sums(
        self, hierarchy: Hierarchy, offsets: NDArray[np.int64], members: NDArray[np.int32]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return both sums of each subset; undefined for subsets without members."""
        sums = np.zeros((2, len(offsets) - 1))
        named = np.diff(offsets) > 0
        starts = offsets[:-1][named]
        if hierarchy.form == "ranges":
            first, last = members[starts], members[offsets[1:][named] - 1]
            sums[:, named] = [upper[last] - lower[first] for lower, upper in self.ends(hierarchy)]
        else:
            sums[:, named] = [np.add.reduceat(leaf[members], starts) for leaf in (self.firsts, self.seconds)]
        return sums[0], sums[1]

    def ends(self, hierarchy: Hierarchy) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]]:
        """Return for both sums two arrays `a`, `b` such that the sum over the range from leaf i to j is `b[j] - a[i]`.

        A range covers all leaves in the cells of the grid at its ends.
        """
        first, last = hierarchy.edges
        found = []
        for leaves in (self.firsts, self.seconds):
            sums = np.cumsum(leaves)
            found.append(((sums - leaves)[first], sums[last]))
        return found if self.places is None else [self.places, found[1]]


@dataclass(frozen=True, slots=True)
class CellCosts:
    """The prices of cells in one column.

    In a monotone measure no node costs more than one above it, and none more than `full`.

    Args:
        by_level: `by_level[level][code]`, the price of publishing that node.
        full: The price of suppressing the record.
        offset: A constant that the column adds for the whole table.
        rule: The price of a range or a set that is not a node; if None, that of the lowest node above it.
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
    """A measure that adds up a price for each published cell, times the column's weight.

    Where records have sampling weights, what a record pays is multiplied by its weight over the mean weight of all. So
    the share of the loss is the sum over the records of what each pays, times its weight, over the same sum if all of
    them were suppressed; with equal weights it is that without weights.

    `weighable`: whether that is defined. It is not where a price is taken from how many records have each value.
    """

    weighable: ClassVar[bool] = False

    @abstractmethod
    def costs(self, column: QuasiColumn) -> CellCosts:
        """Return the prices of one column's nodes, before its weight."""

    def loss(self, groups: Grouping, recoding: Recoding, released: NDArray[np.bool_]) -> Loss:
        """Add up the prices of all cells, column by column."""
        totals: dict[str, float] = {}
        worst = 0.0
        weights = groups.weights
        mean = int(weights.sum()) / groups.n_records if groups.n_records else 1.0
        suppressed = int(weights[~released].sum())
        for number, column in enumerate(recoding.columns):
            costs = self.costs(column)
            prices = costs.of(column, recoding.shown[number])[recoding.cells[:, number]]
            paid = prices[released] @ weights[released]
            # an offset and negative prices may leave a rounding error below zero
            lost = max(float(costs.offset * mean + paid + suppressed * costs.full) / mean, 0.0)
            totals[column.name] = column.weight * lost
            worst += column.weight * (costs.offset + groups.n_records * costs.full)
        total = sum(totals.values())
        return Loss(self.name, total, _share(total, worst), totals)

    def together(self, losses: Sequence[Loss], columns: Sequence[QuasiColumn], n_records: int) -> Loss:
        """Return the loss of a table by those of its parts; what a column adds for the whole table counts once.

        Args:
            losses: The loss of each part, by these columns.
            columns: The quasi columns, with the leaves of the whole table.
            n_records: The number of records of the whole table.
        """
        totals: dict[str, float] = {}
        worst = 0.0
        for column in columns:
            costs = self.costs(column)
            more = (len(losses) - 1) * column.weight * costs.offset
            totals[column.name] = max(sum(loss.columns[column.name] for loss in losses) - more, 0.0)
            worst += column.weight * (costs.offset + n_records * costs.full)
        total = sum(totals.values())
        return Loss(self.name, total, _share(total, worst), totals)


@dataclass(frozen=True, slots=True)
class ClassMeasure(Measure):
    """A measure of whole classes; it ignores the weights of the columns."""

    @abstractmethod
    def total(self, groups: Grouping, recoding: Recoding, released: NDArray[np.bool_]) -> float:
        """Return the loss of publishing the released classes and suppressing all others."""

    @abstractmethod
    def floor(self, groups: Grouping, recoding: Recoding) -> float:
        """Return a lower bound on the total of every generalization of these classes, whatever is suppressed."""

    @abstractmethod
    def full(self, n_records: int, columns: tuple[QuasiColumn, ...]) -> float:
        """Return the price of suppressing one record of `n_records`; a total is at least the sum of these prices."""

    def loss(self, groups: Grouping, recoding: Recoding, released: NDArray[np.bool_]) -> Loss:
        """Return the loss of the release, and that of each column as if it were the only quasi column."""
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
    """Return the release with only one quasi column and the same records suppressed."""
    cells = np.where(released, recoding.cells[:, number], -1)
    found, target = np.unique(cells, return_inverse=True)
    merged = groups.merged(target.reshape(-1).astype(np.int32), len(found))
    shown = np.maximum(found, 0).astype(np.int32)[:, None]
    return merged, Recoding((recoding.columns[number],), (recoding.shown[number],), shown), found >= 0
