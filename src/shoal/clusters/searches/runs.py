"""The best classes of numbers on a line: runs of them in their order (Hansen and Mukherjee 2003)."""

from dataclasses import replace

import numpy as np

from shoal.clusters.searches.middles import means
from shoal.clusters.searches.points import Clusters, Points, flat_coordinates
from shoal.kernels.clusters.sorted_classes import fill_run_starts

_WORK = 4_000_000_000  # the most steps: some ten seconds
_ROUNDING = 1e-12  # of a sum of squares


def best_runs(points: Points, k: int) -> Clusters | None:
    """Return the classes of least squared error, with this as their bound; None if there is more than one axis.

    On a line there are best classes that do not overlap, and none of 2k records or more. The least error of the first j
    numbers is that of the first i and of the class from i to j, for the best of at most k values of i. O(n log n + nk).

    Args:
        points: The points.
        k: The least number of records of a class.
    """
    coordinates = flat_coordinates(points)
    if coordinates is None or coordinates.shape[1] != 1 or 2 * k * points.n_records > _WORK:
        return None
    order = np.argsort(coordinates[:, 0], kind="stable")
    point = np.repeat(order, points.counts[order])
    starts = np.zeros(len(point) + 1, dtype=np.int64)
    error = fill_run_starts(np.ascontiguousarray(coordinates[point, 0]), k, starts)
    begins, end = np.zeros(len(point), dtype=np.int64), len(point)
    listed = starts.tolist()
    while end > 0:
        end = listed[end]
        begins[end] = 1
    owner = np.cumsum(begins) - 1
    found = Clusters.of_records(point, owner, np.zeros((len(points.positions), int(owner[-1]) + 1)))
    centres = means(points.space, points.positions[:, found.points], found.owners, found.amounts, found.n_clusters)
    return replace(found, centres=centres, bound=error * (1 - _ROUNDING))
