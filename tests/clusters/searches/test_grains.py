"""Grains: clusters of nearby points put together are clusters of all, and their bound is one for all."""

from itertools import combinations
from math import inf

import numpy as np
import pytest

from shoal.clusters.searches.far_centres import covered
from shoal.clusters.searches.gathering import gathered
from shoal.clusters.searches.grains import Grains, in_grains, separation_of
from shoal.clusters.searches.points import FoundClusters, Points
from shoal.foundation.progress import Progress, silent
from tests.clusters.searches.test_regions import mixed
from tests.oracles.clusters.gathering import least, one_by_one
from tests.oracles.clusters.metrics import random_matrix


@pytest.mark.parametrize("seed", range(4))
def test_every_point_is_in_one_grain_near_its_middle(seed: int) -> None:
    points = mixed(200, seed, squares=seed % 2 == 0)
    grains = Grains.of(points, 40)
    assert sorted(np.concatenate(grains.members).tolist()) == list(range(len(points)))
    assert max(map(len, grains.members)) <= -(-len(points) // 40)
    far = [
        points.distances(np.array([middle]))[0][part].max()
        for middle, part in zip(grains.middles, grains.members, strict=True)
    ]
    assert grains.size == max(far)
    assert all(middle in part for middle, part in zip(grains.middles.tolist(), grains.members, strict=True))
    assert grains.points(points).n_records == points.n_records


def test_points_without_an_order_are_put_together_all_the_same() -> None:
    """A matrix of distances has no axis to cut along."""
    points = Points.of_matrix(random_matrix("graph", 30, 1))
    assert max(map(len, Grains.of(points, 10).members)) <= 3


@pytest.mark.parametrize("limit", [0, 9])
@pytest.mark.parametrize("seed", range(6))
def test_all_records_are_in_clusters_of_the_whole(seed: int, limit: int) -> None:
    points, r, clusters = mixed(150, seed, squares=seed % 2 == 0), 4, 6

    def search(some: Points, allowed: int, tell: Progress) -> FoundClusters:
        if limit:
            return covered(some, r, clusters, allowed, inf, tell).finding(2)
        return gathered(some, r, clusters, inf, tell).finding(1)

    found = in_grains(points, search, clusters=clusters, limit=limit, progress=silent, number=60)
    made = found.found
    held = np.bincount(made.points, weights=made.amounts, minlength=len(points))
    assert held.tolist() == points.counts.tolist()
    assert len({(p, o) for p, o in zip(made.points.tolist(), made.owners.tolist(), strict=True)}) == len(made.points)
    assert made.n_clusters <= clusters
    assert made.sizes.min() >= r
    assert made.amounts[made.owners < 0].sum() <= limit
    assert found.factor is None
    assert found.bound <= made.radii(points).max()


@pytest.mark.parametrize("limit", [0, 1, 2])
@pytest.mark.parametrize("seed", range(25))
def test_the_bound_is_below_every_clustering(seed: int, limit: int) -> None:
    rng = np.random.default_rng(seed)
    places = rng.integers(0, 30, (8, 2)).astype(np.float64)
    places[4:] = places[:4] + rng.integers(0, 2, (4, 2))  # some near each other
    matrix = np.abs(places[:, None] - places[None]).sum(axis=2)
    r, clusters = int(rng.integers(1, 3)), int(rng.integers(1, 4))
    points = Points.of_matrix(matrix)

    def search(some: Points, allowed: int, tell: Progress) -> FoundClusters:
        return covered(some, r, clusters, allowed, inf, tell).finding(2)

    found = in_grains(points, search, clusters=clusters, limit=limit, progress=silent, number=5)
    ones = one_by_one(matrix, [1] * 8)
    assert found.bound <= least(ones, r, left_out=limit, clusters=clusters, diameter=True) / 2 + 1e-9


@pytest.mark.parametrize("seed", range(10))
def test_points_far_apart(seed: int) -> None:
    """Farthest first is at least half as good as the best choice, and says how far its own points are apart."""
    matrix = random_matrix("euclid", 9, seed)
    points = Points.of_matrix(matrix)
    for number in (2, 3, 5):
        best = max(min(matrix[i, j] for i, j in combinations(some, 2)) for some in combinations(range(9), number))
        assert best / 2 - 1e-12 <= separation_of(points, number) <= best
    assert separation_of(points, 1) == separation_of(points, 10) == 0
