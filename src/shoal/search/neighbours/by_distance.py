"""The nearest neighbours of each point of a metric space."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from shoal.clusters.searches.points import Points
from shoal.foundation.parallel import THREADS
from shoal.kernels.clusters.metrics import distances_between
from shoal.kernels.neighbours.by_distance import update_neighbours

_ALL_PAIRS = 8_000  # up to so many points every pair is compared
_LEAF = 1_500  # with more, points are compared within leaves of so many
_TURNS = 4  # how often all points are split into leaves


def neighbours_by_distance(points: Points, wanted: int, rng: np.random.Generator) -> NDArray[np.int32]:
    """Return `near[point]`, up to `wanted` nearest neighbours, the nearest first; the point itself fills up the rest.

    Exact up to `_ALL_PAIRS` points. With more, the points are split several times into leaves, by their distance from
    random points, and each is compared with those of its leaf. O(points x leaf x axes).
    """
    n = len(points)
    width = max(min(wanted, n - 1), 1)
    near = np.repeat(np.arange(n, dtype=np.int32)[:, None], width, axis=1)
    gaps = np.full((n, width), np.inf)
    turns = 1 if n <= _ALL_PAIRS else _TURNS

    def compare(inside: NDArray[np.int64], begin: int, end: int) -> None:
        update_neighbours(points.space, points.positions, inside, begin, end, near, gaps)

    with ThreadPoolExecutor(THREADS) as pool:
        for _ in range(turns):
            leaves = [np.arange(n)] if turns == 1 else list(_leaves(points, np.arange(n), rng))
            jobs = []
            for leaf in leaves:
                cuts = np.linspace(0, len(leaf), THREADS + 1).astype(int)
                jobs += [pool.submit(compare, leaf, int(a), int(b)) for a, b in pairwise(cuts)]
            for job in jobs:
                job.result()
    return near


def _leaves(points: Points, inside: NDArray[np.int64], rng: np.random.Generator) -> Iterator[NDArray[np.int64]]:
    """Yield leaves of points: they are halved by their distance from one of them until the halves are small."""
    if len(inside) <= _LEAF:
        yield inside
        return
    pivot = inside[rng.integers(len(inside))]
    positions = np.ascontiguousarray(points.positions[:, inside])
    far = distances_between(points.space, np.ascontiguousarray(points.positions[:, [pivot]]), positions)[0]
    half = len(inside) // 2
    order = np.argpartition(far, half)
    for side in (order[:half], order[half:]):
        yield from _leaves(points, inside[np.sort(side)], rng)
