"""Leaving out what may still be left out, where it lowers the objective most."""

from dataclasses import replace
from heapq import heapify, heappop, heappush
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from shoal.clusters.searches.points import Clusters, Points
from shoal.kernels.clusters.metrics import distances_between

_TRIED = 64  # records of a cluster that are tried as its centre


def spent(points: Points, clusters: Clusters, k: int, limit: int, *, cellular: bool = False) -> Clusters:
    """Return clusters that leave out more records, up to the limit, where that lowers the objective.

    In each step one cluster loses the records of the point farthest from its centre, if it has k without them, or is
    left out as a whole. For the radius it is the cluster of the largest one, and the steps end when that can lose none;
    for the cellular cost it is the cluster that saves most for each record. Then its centre moves to the one of its
    records that is best, if that is better. Steps at the end that do not lower the largest radius are taken back.

    Args:
        points: The points.
        clusters: Clusters of at least k records, which leave out no more than the limit.
        k: The least number of records of a cluster.
        limit: How many records may be left out.
        cellular: Whether the cellular cost is lowered; else the largest radius.
    """
    spare = limit - int(clusters.amounts[clusters.owners < 0].sum())
    if spare <= 0 or clusters.n_clusters == 0:
        return clusters
    return _Leaving(points, clusters, k, cellular=cellular).run(spare)


class _Leaving:
    """Clusters that lose records step by step.

    Args:
        points: The points.
        clusters: The clusters.
        k: The least number of records of a cluster.
        cellular: Whether the cellular cost is lowered.
    """

    def __init__(self, points: Points, clusters: Clusters, k: int, *, cellular: bool) -> None:
        self._points, self._clusters, self._k, self._cellular = points, clusters, k, cellular
        order = np.argsort(clusters.owners, kind="stable")
        ends = np.searchsorted(clusters.owners[order], np.arange(clusters.n_clusters + 1))
        self._members = [order[begin:end] for begin, end in pairwise(ends.tolist())]
        self._owners, self._centres = clusters.owners.copy(), clusters.centres.copy()
        self._left = clusters.n_clusters
        self._heap: list[tuple[float, int, NDArray[np.int64], int, bool]] = []

    def run(self, spare: int) -> Clusters:
        """Lose up to so many records; return the best clusters on the way."""
        self._heap = [self._offer(own, spare) for own in range(len(self._members))]
        heapify(self._heap)
        best = self._owners.copy(), self._centres.copy()
        least = -self._heap[0][0]
        while spare > 0 and self._heap:
            value, own, lost, records, whole = heappop(self._heap)
            if records == 0 or (self._cellular and value >= 0):
                break
            if records > spare or (whole and self._left == 1):
                fresh = self._offer(own, spare)
                if fresh[3] == 0:
                    if self._cellular:
                        continue
                    break
                heappush(self._heap, fresh)
                continue
            spare -= records
            self._owners[lost] = -1
            if whole:
                self._left -= 1
                self._members[own] = lost[:0]
            else:
                self._members[own] = np.setdiff1d(self._members[own], lost)
                self._recentre(own)
                heappush(self._heap, self._offer(own, spare))
            if self._cellular or (self._heap and -self._heap[0][0] < least):
                least = -self._heap[0][0] if self._heap else 0.0
                best = self._owners.copy(), self._centres.copy()
        return self._found(*best)

    def _offer(self, own: int, spare: int) -> tuple[float, int, NDArray[np.int64], int, bool]:
        """Return what a cluster can lose: a key (the least comes first), itself, entries, their records, if it is all.

        The key is minus the radius, or minus what is saved for each record that is lost.
        """
        members = self._members[own]
        amounts, far = self._clusters.amounts[members], self._far(own, self._centres[:, own : own + 1])[0]
        radius, size = float(far.max()), int(amounts.sum())
        farthest = far == radius
        lost = int(amounts[farthest].sum())
        can = radius > 0 and size - lost >= self._k and lost <= spare
        whole = not can and radius > 0 and size <= spare and self._left > 1
        key = -radius
        if self._cellular:
            left = float(far[~farthest].max(initial=0.0))
            key = -(size * radius - (size - lost) * left) / lost if can else -radius
        if can:
            return key, own, members[farthest], lost, False
        if whole:
            return key, own, members, size, True
        return (0.0 if self._cellular else key), own, members[:0], 0, False

    def _recentre(self, own: int) -> None:
        """Move the centre of a cluster to a record of it, if that is better."""
        members = self._members[own]
        tried = members[np.unique(np.linspace(0, len(members) - 1, _TRIED).astype(np.int64))]
        others = np.ascontiguousarray(self._points.positions[:, self._clusters.points[tried]])
        candidates = np.concatenate([self._centres[:, own : own + 1], others], axis=1)
        radii = self._far(own, np.ascontiguousarray(candidates)).max(axis=1)
        self._centres[:, own] = candidates[:, int(radii.argmin())]

    def _far(self, own: int, centres: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the distances of the records of a cluster from some centres (`[centre, entry]`)."""
        here = np.ascontiguousarray(self._points.positions[:, self._clusters.points[self._members[own]]])
        return distances_between(self._points.space, np.ascontiguousarray(centres), here)

    def _found(self, owners: NDArray[np.int64], centres: NDArray[np.float64]) -> Clusters:
        """Return the clusters that have records, numbered without gaps."""
        used, number = np.unique(owners[owners >= 0], return_inverse=True)
        renumbered = owners.copy()
        renumbered[owners >= 0] = number
        kept, amounts = renumbered, self._clusters.amounts
        found = replace(self._clusters, centres=np.ascontiguousarray(centres[:, used]), owners=kept)
        point = np.repeat(found.points, amounts)
        return Clusters.of_records(point, np.repeat(kept, amounts), found.centres, found.bound)
