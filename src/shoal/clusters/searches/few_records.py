"""The best clusters of a few records, by dynamic programming over all subsets of them."""

from dataclasses import replace
from math import inf

import numpy as np
from numpy.typing import NDArray

from shoal.clusters.searches.middles import means
from shoal.clusters.searches.points import Clusters, Points, flat_coordinates
from shoal.kernels.exact.subsets import best_partitions

FEW_SQUARES = 18
"""The most records whose best classes by squared errors are looked for among all."""

FEW = 14
"""The most records whose best clusters, some records left out, are looked for among all."""

_ROUNDING = 1e-12  # of a sum of squares


def best_squares(points: Points, k: int) -> Clusters | None:
    """Return the classes of least squared error, with this as their bound; None for many records or another space.

    The error of a subset is the sum of its squares less the square of its sum over its size. O(3^n).

    Args:
        points: The points.
        k: The least number of records of a class.
    """
    coordinates = flat_coordinates(points)
    if coordinates is None or points.n_records > FEW_SQUARES:
        return None
    record = np.repeat(np.arange(len(points)), points.counts)
    sums, squares = np.zeros((1, coordinates.shape[1])), np.zeros(1)
    for own in coordinates[record]:
        sums, squares = np.concatenate([sums, sums + own]), np.concatenate([squares, squares + own @ own])
    sizes = _sizes(len(record))
    costs = np.maximum(squares - (sums**2).sum(axis=1) / np.maximum(sizes, 1), 0.0)
    best, chosen = _best(np.where(sizes >= k, costs, inf), len(record), 2 * k - 1)
    found = _clusters(points, record, _classes(chosen, len(best) - 1))
    centres = means(points.space, points.positions[:, found.points], found.owners, found.amounts, found.n_clusters)
    lost = _ROUNDING * float(squares[-1])
    return replace(found, centres=centres, bound=max(float(best[-1]) - lost, 0.0))


def best_clusters(
    points: Points, k: int, limit: int, *, most: int | None = None, setup: float | None = None
) -> Clusters | None:
    """Return the best clusters around records where some records may be left out; None for too many records.

    The least radius is looked for, or, where a setup cost is given, the least cellular cost. The bound is its value. Of
    equal ones, those that leave out fewest records are taken, and of these the ones that cost least.

    Args:
        points: The points.
        k: The least number of records in a cluster.
        limit: How many records may be left out.
        most: The most clusters.
        setup: What each cluster costs besides its records times its radius; None to look for the least radius.
    """
    record = np.repeat(np.arange(len(points)), points.counts)
    n = len(record)
    if n > FEW or k > n:
        return None
    sizes = _sizes(n)
    radii, around = _radii(points, record)
    enough = sizes >= k
    released = np.flatnonzero((n - sizes <= limit) & enough)
    if setup is not None:
        best, chosen = _best(np.where(enough, sizes * radii + setup, inf), n, n)
        bound = float(best[released].min())
        fit = released[best[released] <= bound]
    else:
        bound = _least_radius(np.where(enough, radii, inf), released, n, n if most is None else most)
        costs = np.where(enough & (radii <= bound), sizes * radii, inf)
        if most is not None:  # the whole part is the number of clusters
            costs = 1 + costs / (float(sizes @ radii) + 1)
        best, chosen = _best(costs, n, n)
        fit = released[best[released] < (inf if most is None else most + 1)]
    fit = fit[sizes[fit] == sizes[fit].max()]
    classes = _classes(chosen, int(fit[best[fit].argmin()]))
    centres = np.ascontiguousarray(points.positions[:, around[classes]])
    return replace(_clusters(points, record, classes), centres=centres, bound=bound)


def _least_radius(radii: NDArray[np.float64], released: NDArray[np.int64], n: int, most: int) -> float:
    """Return the least radius at which at most so many clusters hold the records of a subset that may be released."""
    ladder = np.unique(radii[np.isfinite(radii)])
    low, high = 0, len(ladder) - 1
    while low < high:
        middle = (low + high) // 2
        number, _ = _best(np.where(radii <= ladder[middle], 1.0, inf), n, n)
        if (number[released] <= most).any():
            high = middle
        else:
            low = middle + 1
    return float(ladder[low])


def _sizes(n: int) -> NDArray[np.int64]:
    """Return the number of records of each subset."""
    sizes = np.zeros(1, dtype=np.int64)
    for _ in range(n):
        sizes = np.concatenate([sizes, sizes + 1])
    return sizes


def _radii(points: Points, record: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the least radius of each subset around a point, and that point."""
    far = points.distances(np.arange(len(points)))
    radii = np.zeros((len(points), 1))
    for own in record.tolist():
        radii = np.concatenate([radii, np.maximum(radii, far[:, own : own + 1])], axis=1)
    around = radii.argmin(axis=0)
    return radii[around, np.arange(radii.shape[1])], around


def _best(costs: NDArray[np.float64], n: int, most: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the least cost of a partition of each subset, and one class of it."""
    best, chosen = np.zeros(len(costs)), np.zeros(len(costs), dtype=np.int64)
    best_partitions(np.ones(n, dtype=np.int64), costs, min(most, n), 1, len(costs), best, chosen)
    return best, chosen


def _classes(chosen: NDArray[np.int64], subset: int) -> list[int]:
    """Return the classes of the best partition of a subset."""
    classes = []
    while subset:
        classes.append(int(chosen[subset]))
        subset -= classes[-1]
    return classes


def _clusters(points: Points, record: NDArray[np.int64], classes: list[int]) -> Clusters:
    """Return the classes as clusters, without centres."""
    owner = np.full(len(record), -1, dtype=np.int64)
    for number, subset in enumerate(classes):
        owner[[i for i in range(len(record)) if subset >> i & 1]] = number
    return Clusters.of_records(record, owner, np.zeros((len(points.positions), len(classes))))
