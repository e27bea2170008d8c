"""What a release of one level for each column loses at least, by the levels."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from heapq import heappop, heappush
from math import inf

import numpy as np

from shoal.search.levels.at_levels import prices_at
from shoal.search.local.forms import offset_of
from shoal.search.local.partition import cell_measure
from shoal.search.problem import Problem
from shoal.tables.distinct_rows import distinct_rows

Levels = tuple[int, ...]
"""The level of each quasi column."""

_ROUNDING = 1e-11  # a share of the sum of all prices that exceeds the rounding error


class LevelBounds:
    """Lower bounds on the loss of every release at given levels, from what its records cost there.

    A cell costs as much as its node at the level, or a star. If fewer than k records are alike at the levels, each of
    them has a star in a column at least, or is suppressed: it pays the difference in the column where that is least.

    Args:
        problem: The problem.
        name: The name of the algorithm, for messages.
    """

    def __init__(self, problem: Problem, name: str) -> None:
        tally, measure = problem.tally, cell_measure(problem, name)
        self._problem, self._prices = problem, prices_at(problem, name)
        self._offset = offset_of(tally.quasi, measure)
        missing = any(column.hierarchy.missing_leaf >= 0 for column in tally.quasi)
        self._by_size = not (problem.wildcard and missing) and problem.border is None
        weights = tally.weights
        self._counts = weights * (tally.n_records / max(int(weights.sum()), 1))
        self._sums = [
            [float(own[tally.codes[:, j]] @ self._counts) for own in prices] for j, prices in enumerate(self._prices)
        ]

    def ascending(self) -> Iterator[tuple[float, Levels]]:
        """Yield all choices of levels with what the nodes alone cost, the cheapest first.

        Of two columns' levels in the order of their costs, the sum grows in both places: so a choice comes after those
        that have one of its levels cheaper by a place.
        """
        orders = [np.argsort(sums, kind="stable").tolist() for sums in self._sums]
        first = (0,) * len(orders)
        waiting, seen = [(self._floor(orders, first), first)], {first}
        while waiting:
            floor, places = heappop(waiting)
            yield floor, tuple(order[place] for order, place in zip(orders, places, strict=True))
            for j, order in enumerate(orders):
                after = (*places[:j], places[j] + 1, *places[j + 1 :])
                if after[j] < len(order) and after not in seen:
                    seen.add(after)
                    heappush(waiting, (self._floor(orders, after), after))

    def _floor(self, orders: list[list[int]], places: tuple[int, ...]) -> float:
        return self.values(tuple(order[place] for order, place in zip(orders, places, strict=True)))

    def values(self, levels: Levels) -> float:
        """Return what the nodes of these levels cost, if no cell is starred for a class."""
        paid = sum(sums[level] for sums, level in zip(self._sums, levels, strict=True))
        return max(self._offset + paid - self._slack, 0.0)

    def stars(self, levels: Levels) -> float:
        """Return what the nodes cost with the cheapest star in each record that has fewer than k like it."""
        if not self._by_size:
            return self.values(levels)
        tally = self._problem.tally
        columns = [column.hierarchy.codes[level] for column, level in zip(tally.quasi, levels, strict=True)]
        sizes = [column.hierarchy.size(level) for column, level in zip(tally.quasi, levels, strict=True)]
        group_of, groups = distinct_rows(
            [codes[tally.codes[:, j]] for j, codes in enumerate(columns)], sizes, tally.n_points
        )
        few = np.bincount(group_of, tally.counts, len(groups))[group_of] < self._problem.k
        least = np.full(int(few.sum()), inf)
        for j, (prices, level) in enumerate(zip(self._prices, levels, strict=True)):
            leaves = tally.codes[few, j]
            if level < len(prices) - 1:
                least = np.minimum(least, (prices[-1] - prices[level])[leaves])
        if not np.isfinite(least).all():  # at the top no record can have more stars
            return self.values(levels)
        return self.values(levels) + float(least @ self._counts[few]) * (1 - _ROUNDING)

    @cached_property
    def _slack(self) -> float:
        return _ROUNDING * (abs(self._offset) + sum(max(map(abs, sums)) for sums in self._sums))


def neighbours(levels: Levels, heights: Sequence[int]) -> Iterator[Levels]:
    """Yield the levels that differ by one in one column."""
    for j, level in enumerate(levels):
        for other in (level - 1, level + 1):
            if 0 <= other <= heights[j]:
                yield (*levels[:j], other, *levels[j + 1 :])
