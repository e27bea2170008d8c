"""MDAV: classes of k records around the records that are farthest from the mean."""

from math import inf

import numpy as np
from numpy.typing import NDArray

from shoal.clusters.searches.cuts import cut_classes
from shoal.clusters.searches.middles import means
from shoal.clusters.searches.points import Clusters, Points
from shoal.foundation.progress import Progress, silent
from shoal.kernels.clock import clock
from shoal.kernels.clusters.mdav import split_extremes
from shoal.kernels.clusters.metrics import EARTH, HOLED, NUMBER

MOST = 60_000
"""The most points that are searched at once; the time grows with their square."""

_PART = 16  # once 1/16 of the remaining records is in classes, the arrays are compacted


def mdav(points: Points, k: int, *, deadline: float = inf, progress: Progress = silent) -> Clusters:
    """Return the classes of MDAV, each around its mean. O(points^2 / k x axes).

    Args:
        points: The points.
        k: The number of records of a class; the last has up to 2k - 1.
        deadline: When to stop, by the clock of searches; the remaining records are cut into classes of k to 2k - 1.
        progress: Where to tell how far it is.
    """
    n, space = points.n_records, points.space
    left, rest = points.counts.copy(), points.n_records
    coded = [start for kind, start in zip(space.kinds, space.starts, strict=True) if kind not in (NUMBER, HOLED, EARTH)]
    seen = np.zeros(int(points.positions[coded].max(initial=0)) + 1, dtype=np.int64)
    found: list[NDArray[np.int64]] = []
    n_classes = 0
    while rest >= 2 * k and clock() < deadline:
        progress("forming classes", 1 - (rest / n) ** 2)
        some = np.flatnonzero(left)
        most = 2 * max(rest // (2 * k * _PART), 1)
        entries = np.zeros((most * (k + 1), 3), dtype=np.int64)
        counts = left[some]
        here = np.ascontiguousarray(points.positions[:, some])
        entries = entries[: split_extremes(space, here, counts, k, most, seen, entries)]
        left[some] = counts
        found.append(np.column_stack([some[entries[:, 0]], entries[:, 1] + n_classes, entries[:, 2]]))
        n_classes = int(found[-1][:, 1].max()) + 1
        rest = int(left.sum())
    last = np.flatnonzero(left)
    rest_of = Points(space, np.ascontiguousarray(points.positions[:, last]), left[last])
    cut = cut_classes(rest_of, k)
    found.append(np.column_stack([last[cut.points], cut.owners + n_classes, cut.amounts]))
    every = np.concatenate(found)
    place, owner, amount = np.ascontiguousarray(every[np.lexsort((every[:, 1], every[:, 0]))].T)
    centres = means(space, points.positions[:, place], owner, amount, n_classes + cut.n_clusters)
    return Clusters(place, owner, amount, centres)
