"""Dual solutions of cellular clustering: charges of records whose sum is a lower bound on any clustering (001 s.3)."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.clusters.searches.points import Points
from shoal.foundation.progress import Progress, silent
from shoal.kernels.clock import clock
from shoal.kernels.clusters.cellular import ALL_JOINED, LEFT, N_OPENED, PAUSED, STUCK, Growth, Prices, grow_charges

_THREADS = 2
_BLOCK = 2**21  # distances at a time, in each thread
_MEMORY = 2 * 10**9  # bytes for the lists of nearest points; farther points are computed when they are needed
_BUDGET = 1000  # rows between two checks of the deadline


@dataclass(frozen=True, slots=True, eq=False)
class NearestPoints:
    """The nearest points of each point, in order of distance; ties by index.

    Args:
        points: The points.
        near: `near[point]`, its nearest points: all, or as many as fit into memory.
        far: Their distances.
    """

    points: Points
    near: NDArray[np.int32]
    far: NDArray[np.float64]

    @classmethod
    def of(
        cls, points: Points, deadline: float = float("inf"), tell: Progress = silent, memory: int = _MEMORY
    ) -> "NearestPoints | None":
        """Sort the points around each point, in two threads; None if time runs out. O(n^2 log n)."""
        n = len(points)
        width = max(min(n, memory // (12 * n)), 1)
        near, far = np.empty((n, width), dtype=np.int32), np.empty((n, width))

        def fill(chosen: NDArray[np.int64]) -> bool:
            if clock() > deadline:
                return False
            near[chosen], far[chosen] = _sorted(points.distances(chosen), width)
            return True

        done = True
        with ThreadPoolExecutor(_THREADS) as pool:
            for number, filled in enumerate(pool.map(fill, _blocks(n))):
                done &= filled
                tell("sorting distances", (number + 1) / -(-n // _height(n)))
        return cls(points, near, far) if done else None

    @property
    def whole(self) -> bool:
        """Whether each row contains all points."""
        return self.near.shape[0] == self.near.shape[1]

    def row(self, point: int) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """Return all points in order of distance from one, and the distances."""
        if self.whole:
            return self.near[point], self.far[point]
        near, far = _sorted(self.points.distances(np.array([point])), len(self.points))
        return near[0], far[0]

    def around(self, point: int, size: int) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """Return the nearest points of a point, as many as have `size` records together, and the distances."""
        near, far = self.near[point, :size], self.far[point, :size]  # each has one record, at least
        if not self.whole and self.near.shape[1] <= size and self.points.counts[self.near[point, :-1]].sum() < size:
            near, far = self.row(point)
        end = int(np.searchsorted(np.cumsum(self.points.counts[near]), size)) + 1
        return near[:end], far[:end]

    def reaches(self, size: int) -> NDArray[np.float64]:
        """Return the distance of each point to the last of its nearest `size` records, its own included."""
        return np.array([self.around(point, size)[1][-1] for point in range(len(self.points))])


def _blocks(n: int) -> Iterator[NDArray[np.int64]]:
    for begin in range(0, n, _height(n)):
        yield np.arange(begin, min(begin + _height(n), n))


def _height(n: int) -> int:
    return max(_BLOCK // n, 1)


def _sorted(distances: NDArray[np.float64], width: int) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    if width == distances.shape[1]:
        near = np.argsort(distances, axis=1, kind="stable")
        return near.astype(np.int32), np.take_along_axis(distances, near, axis=1)
    nearest = np.sort(np.argpartition(distances, width - 1, axis=1)[:, :width], axis=1)
    far = np.take_along_axis(distances, nearest, axis=1)
    order = np.argsort(far, axis=1, kind="stable")
    return np.take_along_axis(nearest, order, axis=1).astype(np.int32), np.take_along_axis(far, order, axis=1)


@dataclass(frozen=True, slots=True, eq=False)
class Dual:
    """A dual solution: the charges of the records, and the clusters that they paid for.

    Args:
        counts: The number of records of each point.
        charges: What each record of a point is charged.
        events: The opening that the point joined, or -1.
        centres: The centre of each opening, in the order of time.
        reaches: Its radius.
        left: The number of records that did not join.
        done: Whether enough records have joined; else time ran out, or it is stuck.
        stuck: Whether no other cluster can be paid for.
    """

    counts: NDArray[np.int64]
    charges: NDArray[np.float64]
    events: NDArray[np.int64]
    centres: NDArray[np.int64]
    reaches: NDArray[np.float64]
    left: int
    done: bool
    stuck: bool

    def value(self, limit: int = 0) -> float:
        """Return the sum of all charges except the `limit` largest, rounded down a little."""
        order = np.argsort(self.charges, kind="stable")
        kept = np.diff(np.minimum(np.cumsum(self.counts[order]), self.counts.sum() - limit), prepend=0)
        return float(kept @ self.charges[order]) * (1 - 1e-9)


def dual(
    rows: NearestPoints, prices: Prices, left: int = 0, deadline: float = float("inf"), tell: Progress = silent
) -> Dual:
    """Raise the charges of all records uniformly until at most `left` have not joined, or no more can.

    At the time t each record that has not joined is charged t. A cluster opens once it is paid for, and then all
    waiting records within its radius join: they are charged no more. No cluster is ever paid more than its price, so
    that the charges of any records are at most what the clusters of these records cost (weak duality): with prices as
    in `Prices`, and with clusters around points.

    Records at one point have equal charges, since they lie within the same radii and join the same opening. So one
    charge for each point suffices, multiplied by its number of records.

    Args:
        rows: The points around each point.
        prices: The prices of clusters.
        left: The number of records that need not join.
        deadline: When to stop, by the clock of searches; the charges so far are a valid bound too.
        tell: Shows progress.
    """
    points = rows.points
    growth = _seed(points)
    answer, spare = PAUSED, (np.zeros(0, dtype=np.int32), np.zeros(0))
    while (answer == PAUSED or answer >= 0) and clock() <= deadline:
        spare = rows.row(answer) if answer >= 0 else spare
        answer = grow_charges(
            points.space, points.positions, rows.near, rows.far, prices, growth, left, _BUDGET, answer, *spare
        )
        tell("growing charges", 1 - float(growth.numbers[LEFT]) / points.n_records)
    opened = int(growth.numbers[N_OPENED])
    last = float(growth.times[opened - 1]) if opened else 0.0
    if answer not in (ALL_JOINED, STUCK):
        last = max(last, float(growth.keys.min()))  # nothing can be paid for before
    return Dual(
        points.counts,
        np.where(growth.events >= 0, growth.charges, last),
        growth.events,
        growth.centres[:opened],
        growth.reaches[:opened],
        int(growth.numbers[LEFT]),
        answer == ALL_JOINED,
        answer == STUCK,
    )


def _seed(points: Points) -> Growth:
    n = len(points)
    none, zeros = np.full(n, -1, dtype=np.int64), np.zeros(n, dtype=np.int64)
    return Growth(
        counts=points.counts,
        charges=np.zeros(n),
        events=none,
        joined=zeros.copy(),
        keys=np.zeros(n),
        radii=np.zeros(n),
        looked=none.copy(),
        centres=zeros.copy(),
        reaches=np.zeros(n),
        times=np.zeros(n),
        marks=zeros.copy(),
        weights=zeros.copy(),
        row=np.zeros(n),
        numbers=np.array([0, 0, points.n_records, 0], dtype=np.int64),
    )
