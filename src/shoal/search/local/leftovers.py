"""Leftovers: the records that cannot be published unchanged, ways to place them, and a lower bound on their cost."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.classes.grouping import Grouping, Parts
from shoal.kernels.local.closures import TREE, Forms
from shoal.kernels.local.leftovers import joined_prices, least_pair_prices
from shoal.kernels.prices import price_rows
from shoal.measures.measure import CellMeasure
from shoal.measures.stars import Stars
from shoal.models.k_anonymity import KAnonymity
from shoal.models.model import holding
from shoal.search.local.forms import forms_of, offset_of
from shoal.search.problem import Problem


@dataclass(frozen=True, slots=True, eq=False)
class Placing:
    """One way to place the leftovers: the classes, its cost beyond the values of other records, and words for it."""

    parts: Parts
    price: float
    words: str


@dataclass(frozen=True, slots=True, eq=False)
class Leftovers:
    """A table as classes of equal records, some of which break a promise: the records of these are the leftovers.

    Args:
        problem: The problem.
        forms: The prices; those of `stars` for a measure that has no price for a cell.
        codes: The leaf codes of each class.
        classes: The class of each point.
        groups: The classes.
        passing: Which classes keep all promises.
    """

    problem: Problem
    forms: Forms
    codes: NDArray[np.int32]
    classes: NDArray[np.int32]
    groups: Grouping
    passing: NDArray[np.bool_]

    @property
    def size(self) -> int:
        """The number of leftovers."""
        return int(self.groups.sizes[~self.passing].sum())

    @property
    def absorbing(self) -> bool:
        """Whether no part of a class that breaks a promise keeps it."""
        return len(self.problem.prunable) == len(self.problem.models)

    @property
    def by_size(self) -> bool:
        """Whether the number of records alone decides which classes pass."""
        return all(isinstance(model, KAnonymity) for model in self.problem.models)

    @property
    def spare(self) -> NDArray[np.int64]:
        """The number of records that each passing class can lend and still have `k`."""
        return np.where(self.passing, self.groups.sizes - self.problem.k, 0)

    @property
    def values(self) -> NDArray[np.float64]:
        """The price of a record of each class if it is published unchanged."""
        return price_rows(self.codes, self.forms.prices, self.forms.nodes)

    @property
    def droppable(self) -> bool:
        """Whether all leftovers may be suppressed, and the other classes still keep their promises."""
        problem = self.problem
        return self.absorbing and not problem.stars and self.size <= problem.limit and bool(self.passing.any())

    def stand_with(self, others: NDArray[np.int64]) -> bool:
        """Return whether the leftovers and some other classes, joined, keep all promises."""
        chosen = ~self.passing
        chosen[others] = True
        joined = self.groups.only(chosen)
        joined = joined.merged(np.zeros(joined.n_classes, dtype=np.int32), 1)
        return bool(holding(self.problem.models, joined).all())

    def untouched(self) -> Parts:
        """Return all classes unchanged."""
        return Parts.whole(self.problem.tally, self.classes)

    def joined(self, others: NDArray[np.int64], lent: NDArray[np.int64], words: str) -> Placing:
        """Return the leftovers as one class, with `lent` records of each of some other classes."""
        tally = self.problem.tally
        leftover = int(np.flatnonzero(~self.passing)[0])
        labels = np.where(self.passing, np.arange(len(self.passing)), leftover)[self.classes]
        wanted = np.zeros(len(self.passing), dtype=np.int64)
        wanted[others] = lent
        before = np.cumsum(tally.counts) - tally.counts
        first = np.flatnonzero(np.diff(self.classes, prepend=-1))
        taken = np.clip(wanted[self.classes] - (before - before[first][self.classes]), 0, tally.counts)
        points = np.arange(tally.n_points)
        split = np.flatnonzero(taken)
        counts = np.concatenate([tally.counts - taken, taken[split]])
        labels = np.concatenate([labels, np.full(len(split), leftover)])
        kept = counts > 0
        parts = _numbered(np.concatenate([points, split])[kept], labels[kept], counts[kept])
        price = self._price(others) * (self.size + int(lent.sum())) - float(lent @ self.values[others])
        return Placing(parts, price, words)

    def suppressed(self) -> Placing:
        """Return the passing classes alone; the leftovers are suppressed."""
        labels = np.where(self.passing, np.arange(len(self.passing)), -1)[self.classes]
        tally = self.problem.tally
        parts = _numbered(np.arange(tally.n_points), labels, tally.counts)
        return Placing(parts, self.forms.full * self.size, "were suppressed")

    def lent(self) -> Iterator[Placing]:
        """Yield the leftovers with the records that they lack, lent by other classes, the cheapest first."""
        lacking = self.problem.k - self.size
        donors = np.flatnonzero(self.spare > 0)
        if not self.by_size or lacking <= 0 or self.spare.sum() < lacking:
            return
        prices = self._beside()[donors]
        if len(donors) > lacking:
            chosen = np.argpartition(prices, lacking - 1)[:lacking]
            donors, prices = donors[chosen], prices[chosen]
        donors = donors[np.lexsort((donors, prices))]
        spare = self.spare[donors]
        lent = np.clip(lacking - (np.cumsum(spare) - spare), 0, spare)
        donors, lent = donors[lent > 0], lent[lent > 0]
        yield self.joined(donors, lent, f"were joined with {lacking} records of larger classes")

    def with_classes(self) -> Iterator[Placing]:
        """Yield the leftovers joined with the cheapest passing class, or with as many as it takes to keep all promises.

        The number of classes is doubled as long as that fails. All together pass, since every promise is monotone.
        """
        whole = np.flatnonzero(self.passing)
        if len(whole) == 0:
            return
        sizes = self.groups.sizes
        prices = self._beside()[whole] * (self.size + sizes[whole]) - sizes[whole] * self.values[whole]
        others, n_others = whole[[int(np.argmin(prices))]], 1
        order = whole[:0]
        while n_others < len(whole) and not self.stand_with(others):
            order = whole[np.argsort(prices, kind="stable")] if len(order) == 0 else order
            n_others = min(2 * n_others, len(whole))
            others = order[:n_others]
        yield self.joined(others, sizes[others], f"were joined with {n_others} classes that keep the promises")

    def _beside(self) -> NDArray[np.float64]:
        """Return, for each class, the price of a record of the leftovers if the class joins them."""
        leaves = [joined_prices(self.forms, j, self._seen(j, ~self.passing)) for j in range(self.codes.shape[1])]
        return _summed(leaves, self.codes)

    def _price(self, others: NDArray[np.int64]) -> float:
        """Return the price of a record of the leftovers if some classes join them."""
        chosen = ~self.passing
        chosen[others] = True
        leaves = [joined_prices(self.forms, j, self._seen(j, chosen)) for j in range(self.codes.shape[1])]
        return float(_summed(leaves, self.codes[chosen][:1])[0])

    def _seen(self, column: int, chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return which leaves of a column occur in the chosen classes."""
        seen = np.zeros(self.problem.tally.quasi[column].hierarchy.n_leaves, dtype=np.bool_)
        seen[self.codes[chosen, column]] = True
        return seen

    def least_charges(self) -> NDArray[np.float64]:
        """Return the least that a record of each class costs, beyond its values, if it is not published unchanged.

        That is: its class covers two values in at least one column, or it is suppressed.
        """
        least = np.full(len(self.passing), np.inf)
        for j, (seen, values) in enumerate(self._leaves()):
            least = np.minimum(least, (least_pair_prices(self.forms, j, seen) - values)[self.codes[:, j]])
        return np.minimum(least, self.forms.full - self.values) if self.problem.limit > 0 else least

    def most_charge(self, *, suppressed: bool) -> float:
        """Return the most that any record costs, beyond its values; more if it is suppressed."""
        if suppressed:
            return float((self.forms.full - self.values).max())
        tops = zip(self.forms.tops, self._leaves(), strict=True)
        wide = [(top - values) * (seen.sum() > 1) for top, (seen, values) in tops]
        return float(_summed(wide, self.codes).max())

    def _leaves(self) -> list[tuple[NDArray[np.bool_], NDArray[np.float64]]]:
        """Return, for each column, which leaves the table has, and the prices of all leaves."""
        every = np.ones(len(self.passing), dtype=np.bool_)
        seen = [self._seen(j, every) for j in range(self.codes.shape[1])]
        return [
            (mask, self.forms.prices[start:][: len(mask)]) for mask, start in zip(seen, self.forms.nodes, strict=False)
        ]


def leftovers_of(problem: Problem) -> Leftovers:
    """Return the classes of equal records, and which of them keep all promises. Linear, since the points are sorted."""
    tally = problem.tally
    first = np.concatenate([[True], np.any(tally.codes[1:] != tally.codes[:-1], axis=1)])
    classes = (np.cumsum(first) - 1).astype(np.int32)
    groups = Grouping.of(tally, classes, int(classes[-1]) + 1)
    passing = holding(problem.models, groups)
    measure = problem.measure if isinstance(problem.measure, CellMeasure) else Stars()
    return Leftovers(problem, forms_of(tally.quasi, measure), tally.codes[first], classes, groups, passing)


def leftovers_bound(left: Leftovers) -> float | None:
    """Return a lower bound on the loss of every allowed release, or None where nothing is proven.

    A record that is published unchanged is in a class of records equal to it. The promises say how many records of each
    class of equal ones cannot be (`forfeits`); each of these costs at least its charge. If no part of a failing class
    passes, these are all leftovers. Unless they may all be suppressed, one of them is in a class of at least `k`
    records, none of which is published unchanged: so at least `k` records are charged. Further, if only `k` is required
    and all other classes together can spare fewer records than the leftovers lack, then in each release some other
    class has no record that is published unchanged. Otherwise k records of each could be set apart, and fewer than k
    would be left for the class of the leftover (004 Theorem 10, case 3; which class it is depends on the release).

    It requires a price for each cell, and that covering more never costs less, which ranges and sets by `entropy` may
    violate. Where missing values match everything, a class may rely on others, and nothing is claimed.
    """
    problem, forms = left.problem, left.forms
    measure = problem.measure
    if not isinstance(measure, CellMeasure) or not (measure.monotone or bool(np.all(forms.kinds == TREE))):
        return None
    if problem.wildcard and any(column.hierarchy.missing_leaf >= 0 for column in problem.tally.quasi):
        return None
    offset = offset_of(problem.tally.quasi, measure)
    base = float(left.values @ left.groups.sizes) + offset
    if left.size == 0:
        return base
    charges = left.least_charges()
    lost = problem.forfeits(left.groups, None, left.passing)
    bound = base + float(charges[lost > 0] @ lost[lost > 0])
    lacking = problem.k - left.size
    if lacking <= 0 or not left.absorbing or left.droppable:
        return bound
    others = charges[left.passing]
    if left.by_size and left.spare.sum() < lacking:
        return bound + float((others * left.groups.sizes[left.passing]).min())
    return bound + lacking * float(others.min())


def _summed(leaves: list[NDArray[np.float64]], codes: NDArray[np.int32]) -> NDArray[np.float64]:
    """Return, for each row, the sum over the columns of the number of its leaf."""
    starts = np.cumsum([0, *map(len, leaves)])
    return price_rows(codes, np.concatenate(leaves), starts)


def _numbered(points: NDArray[np.int64], labels: NDArray[np.int64], counts: NDArray[np.int64]) -> Parts:
    """Return parts with their classes numbered without gaps; negative labels stay."""
    used = np.zeros(int(labels.max()) + 1, dtype=np.bool_)
    used[labels[labels >= 0]] = True
    classes = np.where(labels >= 0, (np.cumsum(used) - 1)[labels], -1)
    return Parts(points.astype(np.int32), classes.astype(np.int32), counts)
