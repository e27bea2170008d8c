"""What a measure is: how much of the table a release loses, in total and column by column."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.grouping import Grouping
from shoal.recoding import Recoding
from shoal.tally import QuasiColumn


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


@dataclass(frozen=True, slots=True)
class CellCosts:
    """What a record pays in one column.

    In a monotone measure no node costs more than one above it, and none more than `full`.

    Args:
        by_level: `by_level[level][code]`, the price of publishing that node.
        full: The price of suppressing the record.
        offset: A constant that the column adds for the whole table.
    """

    by_level: tuple[NDArray[np.float64], ...]
    full: float
    offset: float = 0.0


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
            paid = recoding.pick(number, costs.by_level)[released] @ groups.sizes[released]
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
    cells = np.column_stack([~released, recoding.levels[:, number], recoding.codes[:, number]])
    cells[~released, 1:] = 0
    found, target = np.unique(cells, axis=0, return_inverse=True)
    merged = groups.merged(target.reshape(-1).astype(np.int32), len(found))
    alone = Recoding((recoding.columns[number],), found[:, 1:2].astype(np.int32), found[:, 2:3].astype(np.int32))
    return merged, alone, found[:, 0] == 0
