"""Middles: centres of clusters that need not be records."""

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.clusters.metrics import EARTH, HOLED, NUMBER, Space


def means(
    space: Space,
    positions: NDArray[np.float64],
    owners: NDArray[np.int64],
    amounts: NDArray[np.int64],
    n_clusters: int,
) -> NDArray[np.float64]:
    """Return the centre of each cluster: the mean of numbers and of places on the earth, the most frequent category.

    Args:
        space: The space.
        positions: `positions[:, entry]`, the positions of the records.
        owners: The cluster of each entry; every entry has one, and no cluster is empty.
        amounts: The number of records of each entry.
        n_clusters: The number of clusters.
    """
    found = np.empty((len(positions), n_clusters))
    sizes = np.bincount(owners, weights=amounts, minlength=n_clusters)
    for kind, start in zip(space.kinds.tolist(), space.starts.tolist(), strict=True):
        if kind == EARTH:
            rows = positions[start : start + 3]
            sums = np.stack([np.bincount(owners, weights=row * amounts, minlength=n_clusters) for row in rows])
            lengths = np.sqrt((sums**2).sum(axis=0))
            first = np.empty(n_clusters, dtype=np.int64)
            first[owners[::-1]] = np.arange(len(owners))[::-1]
            found[start : start + 3] = np.where(lengths > 0, sums / np.maximum(lengths, 1e-300), rows[:, first])
        elif kind in (NUMBER, HOLED):
            row = positions[start]
            known = ~np.isnan(row)
            weights = np.where(known, amounts, 0)
            sums = np.bincount(owners, weights=np.where(known, row, 0.0) * weights, minlength=n_clusters)
            counts = np.bincount(owners, weights=weights, minlength=n_clusters)
            mean = sums / np.maximum(counts, 1)
            found[start] = np.where(2 * counts >= sizes, mean, np.nan)  # missing if most values are
        else:
            found[start] = _most_frequent(positions[start], owners, amounts, n_clusters)
    return found


def _most_frequent(
    row: NDArray[np.float64], owners: NDArray[np.int64], amounts: NDArray[np.int64], n_clusters: int
) -> NDArray[np.float64]:
    """Return the most frequent number of each cluster; the least one of ties."""
    width = int(row.max(initial=0)) + 1
    keys, place = np.unique(owners * width + row.astype(np.int64), return_inverse=True)
    counts = np.bincount(place, weights=amounts)
    clusters, codes = np.divmod(keys, width)
    order = np.lexsort((-codes, counts))
    found = np.empty(n_clusters)
    found[clusters[order]] = codes[order]
    return found
