"""Classes within groups: records that differ in a column are never in one class."""

from collections.abc import Callable
from math import inf

import numpy as np
from numpy.typing import NDArray

from shoal.clusters.searches.large import in_regions
from shoal.clusters.searches.points import Clusters, FoundClusters, Points
from shoal.foundation.errors import InfeasibleError
from shoal.foundation.progress import Progress

ClassSearch = Callable[[Points, Progress], Clusters]


def in_groups(
    points: Points, rows: NDArray[np.float64], name: str, k: int, search: ClassSearch, most: int, progress: Progress
) -> Clusters:
    """Return classes of each group of points that are alike in some coordinates.

    Args:
        points: All points.
        rows: `rows[coordinate, point]`, the coordinates in which the points of a group are alike.
        name: The column that the coordinates are of, for messages.
        k: The least number of records of a class.
        search: Finds classes of some points.
        most: How many points are searched at once.
        progress: Told how far it is.
    """
    _, group = np.unique(np.nan_to_num(rows, nan=inf), axis=1, return_inverse=True)
    group = group.ravel()
    sizes = np.bincount(group, weights=points.counts)
    if sizes.min() < k:
        raise InfeasibleError(
            f"{int((sizes < k).sum())} of {len(sizes)} groups of equal values in '{name}' have fewer than {k} records, "
            f"so no class within them has {k}. Leave 'by' out, use a coarser column, or a smaller k."
        )
    entries, centres, n_classes = [], [], 0
    for number in range(len(sizes)):
        own = np.flatnonzero(group == number)
        inside = Points(points.space, np.ascontiguousarray(points.positions[:, own]), points.counts[own])

        def part(some: Points, _: int, tell: Progress) -> FoundClusters:
            return FoundClusters(search(some, tell))

        found = in_regions(
            inside, part, "sse", most=most, region=4_000, r=k, limit=0, deadline=inf, progress=progress
        ).found
        entries.append(np.stack([own[found.points], found.owners + n_classes, found.amounts]))
        centres.append(found.centres)
        n_classes += found.n_clusters
    every = np.concatenate(entries, axis=1)
    place, owners, amounts = np.ascontiguousarray(every[:, np.lexsort((every[1], every[0]))])
    return Clusters(place, owners, amounts, np.concatenate(centres, axis=1))
