"""A lower bound on the sum of squared errors: records are charged so that no class is charged more than it costs."""

from collections.abc import Iterable
from itertools import combinations
from math import inf
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from shoal.classes.grouping import Parts
from shoal.clusters.searches.few_records import best_squares
from shoal.clusters.searches.points import flat_coordinates
from shoal.clusters.searches.runs import best_runs
from shoal.foundation.errors import SolverError
from shoal.foundation.progress import Progress, silent
from shoal.kernels.clock import clock
from shoal.kernels.clusters.dear_classes import find_dear_classes
from shoal.search.clusters.clustered_records import ClusteredRecords
from shoal.search.clusters.clustering import MetricTable
from shoal.search.solver import MatrixEntries, Program

SquaresBound = Literal["program", "near", "none"]
"""How a bound is looked for: by a linear program, by the nearest records of each, or not at all."""

MOST = 2_000
"""The most records for which a linear program is solved."""

_NEAREST = 12_000  # the most records whose nearest neighbours are looked for
_SMALL = 4  # the largest sets that are charged
_LARGEST = 8  # the largest k at which charges of such small sets are better than those of the nearest records
_TRIED = 3_000_000  # records that are tried in one search for classes that are charged too much
_NEAR = 6  # sets of a record and of so many nearest ones are charged from the start
_LISTED, _EACH = 200_000, 3  # classes that a search lists, and how many of them are taken for each record
_ROUNDS, _MIXED = 30, 5  # rounds of the program; how often charges are mixed before a search is given up
_LITTLE = 2e-3  # a gain of the bound by less than this share ends the rounds
_ROUNDING = 1e-9  # sums in another order differ by less
_BLOCK = 4_000_000  # distances that are kept in memory at once


def bound_of_squares(
    table: MetricTable, parts: Parts, how: SquaresBound, deadline: float = inf, progress: Progress = silent
) -> float | None:
    """Return a lower bound on the squared errors of a table's classes; None where it is zero or none is known.

    Args:
        table: The table.
        parts: Classes that keep all promises.
        how: How a bound is looked for.
        deadline: When to stop.
        progress: Told what is done.
    """
    exact = best_runs(table.points, table.problem.k) or best_squares(table.points, table.problem.k)
    if exact is not None:
        return exact.bound
    clustered = ClusteredRecords.of(table, parts)
    coordinates = flat_coordinates(clustered.points)
    if coordinates is None or len(clustered.records) > _NEAREST:
        return None
    order = np.argsort(clustered.label, kind="stable")
    classes = np.split(order, np.cumsum(np.bincount(clustered.label))[:-1])
    own = np.ascontiguousarray(coordinates[clustered.records["point"]])
    bound = squares_bound(own, table.problem.k, classes, program=how == "program", deadline=deadline, progress=progress)
    return bound or None


def squares_bound(
    coordinates: NDArray[np.float64],
    k: int,
    classes: Iterable[NDArray[np.int64]] = (),
    *,
    program: bool = True,
    deadline: float = inf,
    progress: Progress = silent,
) -> float:
    """Return a lower bound on the sum of squared errors of all partitions into classes of at least k records.

    Each record is given a charge. If no class is charged more than it costs, the sum of all charges is a bound. It is
    enough to check the sets of t records, for some t <= k. A class of s >= k records costs (s - 1) / (t - 1) times as
    much as its sets of t records do on average, and such a set has t / s of the charges of the class on average. So if
    no set of t records is charged more than it costs, all charges may be multiplied by t (s - 1) / ((t - 1) s). This
    factor grows with s, so that the one for s = k is right for every class.

    The first charges are those of `near_charges`. Better ones are the duals of a linear program: cover each record once
    by the sets of t records that are listed so far. A search adds the sets that are charged too much (see
    `find_dear_classes`). What a record is charged too much in any set is subtracted from its charge, so that every
    round gives a bound. The bound holds up to rounding, whatever the solver claims. For t = k the program is the linear
    relaxation of the best partition. Above k = 4 there are too many sets of k records, and t is 4.

    Args:
        coordinates: `coordinates[record]`, in which the distance is Euclidean.
        k: The least number of records of a class.
        classes: Classes of a good partition, which the program starts from.
        program: Whether a linear program is solved; never for more than 2,000 records or k above 8.
        deadline: When to stop.
        progress: Told what is done.
    """
    n = len(coordinates)
    if k == 1 or n < k or n > _NEAREST:
        return 0.0
    charges = near_charges(coordinates, k)
    if program and n <= MOST and k <= _LARGEST:
        size = min(k, _SMALL)
        charging = _Charging(coordinates, size, deadline, progress)
        charging.add(classes)
        charging.add(_subsets(coordinates, size))
        scale = size * (k - 1) / ((size - 1) * k)
        charges = charging.run(charges / scale) * scale
    return max(float(charges.sum()) * (1 - _ROUNDING), 0.0)


def near_charges(coordinates: NDArray[np.float64], k: int) -> NDArray[np.float64]:
    """Return charges from the nearest records alone: the squared distances to the k - 1 nearest, over 2k. O(n^2).

    A class of s >= k records costs 1 / 2s times the squared distances of each of its records to the others. The s - 1
    others are at least (s - 1) / (k - 1) times as far as the k - 1 nearest, and (s - 1) / s is at least (k - 1) / k.
    """
    n = len(coordinates)
    charges = np.zeros(n)
    for rows in np.array_split(np.arange(n), max(n * n // _BLOCK, 1)):
        near = np.partition(_squares(coordinates[rows], coordinates), k - 1, axis=1)[:, :k]
        charges[rows] = near.sum(axis=1) / (2 * k)
    return charges * (1 - _ROUNDING)


def _squares(some: NDArray[np.float64], others: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the squared distances, column by column: products would cancel where records are close."""
    total = np.zeros((len(some), len(others)))
    for column in range(some.shape[1]):
        total += (some[:, column, None] - others[None, :, column]) ** 2
    return total


def _subsets(coordinates: NDArray[np.float64], size: int) -> list[NDArray[np.int64]]:
    """Return each record with sets of its few nearest ones."""
    n = len(coordinates)
    near = np.argsort(_squares(coordinates, coordinates), axis=1, kind="stable")[:, : _NEAR + 1]
    found = []
    for record in range(n):
        own = near[record][near[record] != record][:_NEAR]
        found += [np.append(own[list(some)], record) for some in combinations(range(len(own)), size - 1)]
    return found


class _Charging:
    """A linear program over classes, and the charges that it gives.

    Args:
        coordinates: `coordinates[record]`.
        size: The size of the sets that must not be charged more than they cost.
        deadline: When to stop.
        progress: Told what is done.
    """

    def __init__(self, coordinates: NDArray[np.float64], size: int, deadline: float, progress: Progress) -> None:
        self._coordinates, self._size, self._deadline, self._progress = coordinates, size, deadline, progress
        self._known: set[bytes] = set()
        n = len(coordinates)
        self._program = Program(centre=True)
        self._program.add_rows(np.ones(n), np.ones(n))

    def add(self, classes: Iterable[NDArray[np.int64]]) -> int:
        """Add classes that are not in the program yet, and have the size; return how many."""
        fresh = []
        for own in classes:
            ordered = np.sort(own).astype(np.int64)
            if len(own) == self._size and ordered.tobytes() not in self._known:
                self._known.add(ordered.tobytes())
                fresh.append(ordered)
        if fresh:
            sets = np.array(fresh)
            entries = MatrixEntries(np.arange(0, sets.size, self._size), sets.ravel())
            self._program.add_columns(self._costs(sets), np.zeros(len(sets)), np.full(len(sets), inf), entries)
        return len(fresh)

    def run(self, charges: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return charges of a larger sum than the given ones, or these; no class is charged more than it costs."""
        best = charges
        for number in range(_ROUNDS):
            if clock() >= self._deadline:
                break
            self._progress("looking for a bound", number / _ROUNDS)
            drawn = self._drawn()
            found = None if drawn is None else self._repaired(drawn, best)
            if found is None:
                break
            before, repaired, added = float(best.sum()), found[0], found[1]
            if repaired.sum() > before:
                best = repaired
            if added == 0 or (number > 1 and 0 < best.sum() - before <= _LITTLE * abs(before)):
                break
        return best

    def _drawn(self) -> NDArray[np.float64] | None:
        """Return the duals of the program."""
        try:
            duals = self._program.solve(max(self._deadline - clock(), 0.0)).duals
        except SolverError:  # the release does not depend on it, and there are other charges
            return None
        return duals if len(duals) == len(self._coordinates) and np.isfinite(duals).all() else None

    def _repaired(
        self, charges: NDArray[np.float64], sure: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], int] | None:
        """Return charges without what is too much in any class, and how many classes were added.

        If the search for such classes would take too long, charges nearer to the sure ones are tried; None if these,
        too, take too long.
        """
        for _ in range(_MIXED):
            found = self._searched(charges)
            if found is not None:
                surplus, listed = found
                return (charges - surplus) - _ROUNDING * np.abs(charges), self.add(listed)
            charges = (charges + sure) / 2
        return None

    def _searched(self, charges: NDArray[np.float64]) -> tuple[NDArray[np.float64], list[NDArray[np.int64]]] | None:
        """Return what each record is charged too much, and the dearest classes; None if the search was given up."""
        n, size = len(charges), self._size
        slack = _ROUNDING * float(np.abs(charges).mean())
        surplus, listed = np.full(n, slack / size), []
        sets, excess = np.zeros((_LISTED // size, size), dtype=np.int64), np.zeros(_LISTED // size)
        number = find_dear_classes(self._coordinates, charges, size, slack, _TRIED, surplus, sets, excess)
        if number < 0:
            return None
        taken = np.zeros(n, dtype=np.int64)
        for place in np.argsort(-excess[:number], kind="stable").tolist():
            if taken[sets[place]].min() < _EACH:
                taken[sets[place]] += 1
                listed.append(sets[place])
        return surplus, listed

    def _costs(self, sets: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the squared errors of sets."""
        rows = self._coordinates[sets]
        return ((rows - rows.mean(axis=1, keepdims=True)) ** 2).sum(axis=(1, 2))
