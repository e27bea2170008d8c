"""Brute force for cellular clustering: all partitions of a few records; and set covers as clusterings (001 s.3)."""

from collections.abc import Sequence
from itertools import combinations
from math import inf
from random import Random

import numpy as np
from numpy.typing import NDArray


def least_cellular(
    matrix: NDArray[np.float64],
    counts: Sequence[int],
    setup: Sequence[float],
    r: int = 1,
    limit: int = 0,
    *,
    free: bool = False,
) -> float:
    """Return the least cost of clusters of at least `r` records, of which at least one is released.

    Args:
        matrix: The distances of the points.
        counts: The number of records of each.
        setup: What a cluster around each costs beside its records.
        r: The least size of a cluster.
        limit: How many records may be left out.
        free: Whether centres may stand anywhere, even outside the space: a cluster's radius is half its width then.
    """
    place = np.repeat(np.arange(len(matrix)), counts)
    n = len(place)
    cost = [inf] * (1 << n)
    for mask in range(1, 1 << n):
        members = place[[i for i in range(n) if mask >> i & 1]]
        if len(members) >= r:
            near = matrix[:, members].max(axis=1)
            if free:
                cost[mask] = min(setup) + len(members) * float(near[members].max()) / 2
            else:
                cost[mask] = min(f + len(members) * d for f, d in zip(setup, near.tolist(), strict=True))
    best = [0.0] + [inf] * ((1 << n) - 1)
    for mask in range(1, 1 << n):
        first, part = mask & -mask, mask
        while part:
            if part & first:
                best[mask] = min(best[mask], cost[part] + best[mask ^ part])
            part = (part - 1) & mask
    return min(best[mask] for mask in range(1, 1 << n) if mask.bit_count() >= n - limit)


def cover_instance(sets: Sequence[set[int]], n_elements: int) -> tuple[NDArray[np.float64], list[float], float]:
    """Return a set cover as points, the cost of a cluster around each, and the least cost (001 Theorem 3.2).

    A point for each set, and one for each element. Two sets are 1 apart, and so are a set and its members; all others
    are 2 apart. A cluster around a set costs 1, one around an element more than all else. The fewest sets that cover
    all elements are the clusters of a least clustering, and each point pays 1 beside.
    """
    n_sets = len(sets)
    n = n_sets + n_elements
    matrix = np.full((n, n), 2.0)
    matrix[:n_sets, :n_sets] = 1.0
    for i, members in enumerate(sets):
        for element in members:
            matrix[i, n_sets + element] = matrix[n_sets + element, i] = 1.0
    np.fill_diagonal(matrix, 0.0)
    least = min(
        size
        for size in range(1, n_sets + 1)
        if any(len(set().union(*chosen)) == n_elements for chosen in combinations(sets, size))
    )
    return matrix, [1.0] * n_sets + [10.0 * n] * n_elements, float(least + n)


def random_cover(n_sets: int, n_elements: int, seed: int) -> list[set[int]]:
    """Return sets that cover all elements."""
    draw = Random(seed)  # noqa: S311
    sets = [{element for element in range(n_elements) if draw.random() < 0.4} for _ in range(n_sets)]
    for element in range(n_elements):
        sets[draw.randrange(n_sets)].add(element)
    return sets
