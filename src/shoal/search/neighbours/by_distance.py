"""Which points of a metric space are near each point."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from shoal.clusters.searches.points import Points
from shoal.foundation.parallel import THREADS
from shoal.kernels.clusters.metrics import distances_between
from shoal.kernels.neighbours.by_distance import introduce

_ALL_PAIRS = 8_000  # points up to which every pair is looked at
_LEAF = 1_500  # points that are looked at together where that is too much
_TURNS = 4  # how often all points are split into such leaves


def neighbours_by_distance(points: Points, wanted: int, rng: np.random.Generator) -> NDArray[np.int32]:
    """Return `near[point]`, up to `wanted` points near each, the nearest first; where there are fewer, itself.

    Exact up to a limit of points. Else the points are split some times, by their distance from points drawn at
    random, and each looks at those on its side. O(points x leaf x axes).
    """
    n = len(points)
    width = max(min(wanted, n - 1), 1)
    near = np.repeat(np.arange(n, dtype=np.int32)[:, None], width, axis=1)
    gaps = np.full((n, width), np.inf)
    turns = 1 if n <= _ALL_PAIRS else _TURNS

    def look(inside: NDArray[np.int64], begin: int, end: int) -> None:
        introduce(points.space, points.positions, inside, begin, end, near, gaps)

    with ThreadPoolExecutor(THREADS) as pool:
        for _ in range(turns):
            leaves = [np.arange(n)] if turns == 1 else list(_leaves(points, np.arange(n), rng))
            jobs = []
            for leaf in leaves:
                cuts = np.linspace(0, len(leaf), THREADS + 1).astype(int)
                jobs += [pool.submit(look, leaf, int(a), int(b)) for a, b in pairwise(cuts)]
            for job in jobs:
                job.result()
    return near


def _leaves(points: Points, inside: NDArray[np.int64], rng: np.random.Generator) -> Iterator[NDArray[np.int64]]:
    """Split points into halves by their distance from one of them, until the halves are small."""
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
