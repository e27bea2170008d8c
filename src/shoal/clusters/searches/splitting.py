"""Splitting clusters that have enough records for several."""

from math import inf

import numpy as np

from shoal.clusters.searches.mdav import mdav
from shoal.clusters.searches.points import Clusters, Points


def split_clusters(points: Points, clusters: Clusters, k: int, deadline: float = inf) -> Clusters:
    """Split each cluster of 2k or more records into clusters of k to 2k - 1, by MDAV.

    The new clusters keep the centre of the old one for now, so neither a radius nor the sum of records times radii
    grows. If there is nothing to split, the same clusters are returned.

    Args:
        points: The points.
        clusters: Clusters of their records.
        k: The least number of records of a cluster.
        deadline: When MDAV ends; the rest is then cut.
    """
    large = np.flatnonzero(clusters.sizes >= 2 * k)
    if not len(large):
        return clusters
    kept = ~np.isin(clusters.owners, large)
    small = np.setdiff1d(np.arange(clusters.n_clusters), large)
    number = np.full(clusters.n_clusters + 1, -1, dtype=np.int64)  # the last entry is for records in no cluster
    number[small] = np.arange(len(small))
    entries = [np.stack([clusters.points[kept], number[clusters.owners[kept]], clusters.amounts[kept]])]
    centres, n_clusters = [clusters.centres[:, small]], len(small)
    order = np.argsort(clusters.owners, kind="stable")
    starts = np.searchsorted(clusters.owners[order], np.arange(clusters.n_clusters + 1))
    for own in large.tolist():
        members = order[starts[own] : starts[own + 1]]
        places = clusters.points[members]
        inside = Points(points.space, np.ascontiguousarray(points.positions[:, places]), clusters.amounts[members])
        parts = mdav(inside, k, deadline=deadline)
        entries.append(np.stack([places[parts.points], parts.owners + n_clusters, parts.amounts]))
        centres.append(np.repeat(clusters.centres[:, own : own + 1], parts.n_clusters, axis=1))
        n_clusters += parts.n_clusters
    found = np.ascontiguousarray(np.concatenate(entries, axis=1))
    return Clusters(found[0], found[1], found[2], np.concatenate(centres, axis=1), clusters.bound)
