"""V-MDAV: classes around the records farthest from the mean, of as many records as lie close together."""

from dataclasses import replace
from math import inf

import numpy as np
from numpy.typing import NDArray

from shoal.clusters.searches.cuts import cut_classes
from shoal.clusters.searches.middles import means
from shoal.clusters.searches.points import Clusters, Points
from shoal.foundation.progress import Progress, silent
from shoal.kernels.clock import clock
from shoal.kernels.clusters.metrics import distances_between

MOST = 8_000
"""The most points that are searched at once; the time grows with their square."""


def v_mdav(points: Points, k: int, gamma: float, *, deadline: float = inf, progress: Progress = silent) -> Clusters:
    """Return the classes of V-MDAV, each around its mean. O(records x points x axes).

    The record that is farthest from the mean of the table is taken with its k - 1 nearest. As long as there are fewer
    than 2k - 1, the free record that is nearest to one of them joins if it is nearer than `gamma` times its distance to
    the nearest other free record. Fewer than k records at the end join the class whose mean is nearest.

    Args:
        points: The points.
        k: The least number of records of a class.
        gamma: How readily a class grows; 0 never.
        deadline: When to stop; what is left is cut.
        progress: Told how far it is.
    """
    growth = _Growth(points, k, gamma)
    while growth.left >= max(2 * k, 1) or (growth.left >= k and not growth.classes):
        if clock() >= deadline:
            break
        growth.grow()
        progress("forming classes", 1 - growth.left / points.n_records)
    return growth.finished(cut=growth.left >= 2 * k)


class _Growth:
    """Classes that are formed one after the other.

    Args:
        points: The points.
        k: The least number of records of a class.
        gamma: How readily a class grows.
    """

    def __init__(self, points: Points, k: int, gamma: float) -> None:
        self._points, self._k, self._gamma = points, k, gamma
        self._free = points.counts.copy()
        n = len(points)
        none = np.zeros(n, dtype=np.int64)
        middle = means(points.space, points.positions, none, points.counts, 1)
        self._from_middle = distances_between(points.space, middle, points.positions)[0]
        self.classes: list[list[int]] = []

    @property
    def left(self) -> int:
        """How many records are in no class yet."""
        return int(self._free.sum())

    def grow(self) -> None:
        """Form one class."""
        first = int(np.where(self._free > 0, self._from_middle, -1.0).argmax())
        row = self._row(first)
        own: list[int] = []
        while len(own) < self._k:
            own.append(self._take(row if own else np.where(np.arange(len(row)) == first, -1.0, row)))
        gaps = np.min([self._row(point) for point in set(own)], axis=0)
        while len(own) < 2 * self._k - 1 and self.left:
            nearest = self._nearest(gaps)
            row = self._row(nearest)
            others = self._free.copy()
            others[nearest] -= 1
            apart = float(row[others > 0].min(initial=inf))
            if not gaps[nearest] < self._gamma * apart:
                break
            own.append(self._take(gaps))
            gaps = np.minimum(gaps, row)
        self.classes.append(own)

    def finished(self, *, cut: bool) -> Clusters:
        """Return the classes; what is left is cut into further ones, or is one if it has k, or joins the nearest."""
        points, n_classes = self._points, len(self.classes)
        record = [np.array(own, dtype=np.int64) for own in self.classes]
        owner = [np.full(len(own), number) for number, own in enumerate(self.classes)]
        last = np.flatnonzero(self._free)
        if cut or self.left >= self._k or not self.classes:
            rest = Points(points.space, np.ascontiguousarray(points.positions[:, last]), self._free[last])
            found = cut_classes(rest, self._k)
            record.append(np.repeat(last[found.points], found.amounts))
            owner.append(np.repeat(found.owners + n_classes, found.amounts))
        elif len(last):
            centres = _centred(points, np.concatenate(record), np.concatenate(owner)).centres
            here = np.ascontiguousarray(points.positions[:, last])
            nearest = distances_between(points.space, centres, here).argmin(axis=0)
            record.append(np.repeat(last, self._free[last]))
            owner.append(np.repeat(nearest, self._free[last]))
        return _centred(points, np.concatenate(record), np.concatenate(owner).astype(np.int64))

    def _row(self, point: int) -> NDArray[np.float64]:
        return self._points.distances(np.array([point]))[0]

    def _nearest(self, gaps: NDArray[np.float64]) -> int:
        """Return the free point of the least number, the first of equals."""
        return int(np.where(self._free > 0, gaps, inf).argmin())

    def _take(self, gaps: NDArray[np.float64]) -> int:
        """Take one record of the nearest free point."""
        nearest = self._nearest(gaps)
        self._free[nearest] -= 1
        return nearest


def _centred(points: Points, record: NDArray[np.int64], owner: NDArray[np.int64]) -> Clusters:
    """Return classes around their means."""
    found = Clusters.of_records(record, owner, np.zeros((len(points.positions), int(owner.max()) + 1)))
    centres = means(points.space, points.positions[:, found.points], found.owners, found.amounts, found.n_clusters)
    return replace(found, centres=centres)
