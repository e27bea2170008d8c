"""Halving: one cluster after the other is split in two, the widest first, until there are as many as there may be."""

from collections.abc import Callable
from heapq import heapify, heappop, heappush

import numpy as np
from numpy.typing import NDArray

from shoal.clusters.searches.middles import means
from shoal.clusters.searches.points import Clusters, Points
from shoal.kernels.clusters.metrics import distances_between

_TRIED = 32  # records of a cluster that are tried as its centre


def halved(points: Points, clusters: Clusters, k: int, most: int, *, free: bool) -> Clusters:
    """Return up to `most` clusters; no record is farther from its centre than before.

    The widest cluster is split, as long as it has 2k records; from then on the one of most records times radius. Which
    clusters are split does not depend on `most`: more clusters are those of fewer, split further.

    Args:
        points: The points.
        clusters: Clusters of at least k records each.
        k: The least number of records of a cluster.
        most: The most clusters.
        free: Whether a centre may be anywhere; else only at a record.
    """
    if clusters.n_clusters >= most:
        return clusters
    halving = _Halving(points, clusters, k, free=free)
    while len(halving.centres) < most and halving.step():
        pass
    return halving.found(clusters.bound)


class _Halving:
    """Clusters, record by record, that are split in two.

    Args:
        points: The points.
        clusters: The clusters.
        k: The least number of records of a cluster.
        free: Whether a centre may be anywhere.
    """

    def __init__(self, points: Points, clusters: Clusters, k: int, *, free: bool) -> None:
        self._points, self._k, self._free = points, k, free
        self._record = np.repeat(clusters.points, clusters.amounts)
        self._owner = np.repeat(clusters.owners, clusters.amounts)
        order = np.argsort(self._owner, kind="stable")
        starts = np.searchsorted(self._owner[order], np.arange(clusters.n_clusters + 1))
        self._members = [order[starts[c] : starts[c + 1]] for c in range(clusters.n_clusters)]
        self.centres = list(clusters.centres.T)
        self._radii = clusters.radii(points).tolist()
        self._widest = [(-radius, own) for own, radius in enumerate(self._radii)]
        self._dearest: list[tuple[float, int]] | None = None
        heapify(self._widest)

    def step(self) -> bool:
        """Split one cluster; return whether there was one to split."""
        if self._dearest is None:
            radius, own = heappop(self._widest) if self._widest else (0.0, 0)
            if radius < 0 and len(self._members[own]) >= 2 * self._k:
                self._split(own, self._widest, lambda own: -self._radii[own])
                return True
            self._dearest = [(self._price(own), own) for own in range(len(self.centres)) if self._price(own) < 0]
            heapify(self._dearest)
        if not self._dearest:
            return False
        self._split(heappop(self._dearest)[1], self._dearest, self._price)
        return True

    def found(self, bound: float) -> Clusters:
        """Return the clusters."""
        return Clusters.of_records(
            self._record, self._owner, np.ascontiguousarray(np.stack(self.centres, axis=1)), bound
        )

    def _price(self, own: int) -> float:
        """Return minus the records times the radius of a cluster that can be split; else 0."""
        size = len(self._members[own])
        return -size * self._radii[own] if size >= 2 * self._k else 0.0

    def _split(self, own: int, heap: list[tuple[float, int]], key: Callable[[int], float]) -> None:
        """Split a cluster between the record farthest from its centre and the one farthest from that."""
        members, centre = self._members[own], self.centres[own]
        far = self._far(members, centre[:, None])[0]
        first = members[int(far.argmax())]
        from_first = self._far(members, self._position(first))[0]
        second = members[int(from_first.argmax())]
        nearer = from_first - self._far(members, self._position(second))[0]
        order = np.argsort(nearer, kind="stable")
        cut = int(np.clip(int((nearer < 0).sum()), self._k, len(members) - self._k))
        new = len(self.centres)
        self._members.append(members[order[cut:]])
        self._members[own] = members[order[:cut]]
        self._owner[self._members[new]] = new
        self.centres.append(centre)
        self._radii.append(0.0)
        for part in (own, new):
            self.centres[part], self._radii[part] = self._centred(self._members[part], centre)
            price = key(part)
            if price < 0:
                heappush(heap, (price, part))

    def _centred(self, members: NDArray[np.int64], centre: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
        """Return the best of some centres for records, and the radius: the given one, records, and the mean."""
        tried = members[np.unique(np.linspace(0, len(members) - 1, _TRIED).astype(np.int64))]
        candidates = [centre[:, None], self._points.positions[:, self._record[tried]]]
        if self._free:
            own = self._points.positions[:, self._record[members]]
            none, one = np.zeros(len(members), dtype=np.int64), np.ones(len(members), dtype=np.int64)
            candidates.append(means(self._points.space, own, none, one, 1))
        every = np.ascontiguousarray(np.concatenate(candidates, axis=1))
        radii = self._far(members, every).max(axis=1)
        best = int(radii.argmin())
        return every[:, best].copy(), float(radii[best])

    def _position(self, record: int) -> NDArray[np.float64]:
        return self._points.positions[:, self._record[record]][:, None]

    def _far(self, members: NDArray[np.int64], centres: NDArray[np.float64]) -> NDArray[np.float64]:
        here = np.ascontiguousarray(self._points.positions[:, self._record[members]])
        return distances_between(self._points.space, np.ascontiguousarray(centres), here)
