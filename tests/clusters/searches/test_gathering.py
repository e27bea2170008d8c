"""Clusters of least radius, by hand and against plain searches over thresholds."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from shoal.clusters.searches.far_centres import covered
from shoal.clusters.searches.gathering import gathered, gathered_again
from shoal.clusters.searches.outliers import gathered_balls, gathered_core
from shoal.clusters.searches.points import Clusters, Points
from shoal.foundation.progress import silent
from tests.oracles.clusters.gathering import printed_centres
from tests.oracles.clusters.metrics import KINDS, random_matrix
from tests.oracles.clusters.radius_cases import radius_case

NEVER = np.inf


def line(*places: float, counts: Sequence[int] | None = None) -> Points:
    matrix = np.abs(np.subtract.outer(np.array(places), np.array(places)))
    return Points.of_matrix(matrix, None if counts is None else np.array(counts))


def radius(points: Points, clusters: Clusters) -> float:
    return float(clusters.radii(points).max())


def core_at(matrix: np.ndarray, counts: np.ndarray, r: int, tau: float) -> np.ndarray:
    """Return the core at a threshold by taking away whatever has too few, as the paper says."""
    alive = np.ones(len(matrix), dtype=np.bool_)
    while True:
        enough = (matrix <= tau) @ (counts * alive) >= r
        if (enough | ~alive).all():
            return alive
        alive &= enough


def test_a_line() -> None:
    """Two at 0 and 1, three at 10, 11 and 12: around 0 and 10 none is farther than 2, the diameter of the three."""
    points = line(0, 1, 10, 11, 12)
    found = gathered(points, 2, None, NEVER, silent)
    assert found.found.sizes.tolist() == [2, 3]
    assert (radius(points, found.found), found.low, found.high) == (2, 2, 2)
    assert found.bound == pytest.approx(1)


def test_records_of_one_point_may_be_parted() -> None:
    """Three at 0 and one at 5 on either side, r = 2: one of the three helps each of the others out."""
    points = line(-5, 0, 5, counts=[1, 3, 1])
    found = gathered(points, 2, None, NEVER, silent)
    assert sorted(found.found.sizes.tolist()) == [2, 3]
    entries = zip(found.found.points.tolist(), found.found.amounts.tolist(), strict=True)
    assert sorted(entries) == [(0, 1), (1, 1), (1, 2), (2, 1)]
    assert found.bound == pytest.approx(2.5)


def test_the_example_of_the_paper() -> None:
    """001 Figure 1: two records 2 apart, and three in a row, each 3 from the next; r = 2 has a radius of 3."""
    places = np.array([(40, 10), (42, 10), (70, 53), (70, 50), (70, 47)], dtype=np.float64)
    points = Points.of_matrix(np.sqrt(((places[:, None] - places[None]) ** 2).sum(axis=2)))
    found = gathered(points, 2, None, NEVER, silent)
    assert sorted(found.found.sizes.tolist()) == [2, 3]
    assert found.bound == pytest.approx(3)
    assert radius(points, found.found) <= 6


def test_few_clusters_are_larger() -> None:
    """Pairs at 0, 10 and 30: with two clusters the nearer pairs go together, with one all do."""
    points = line(0, 1, 10, 11, 30, 31)
    radii = [radius(points, gathered(points, 2, clusters, NEVER, silent).found) for clusters in (1, 2, 3)]
    assert radii == [31, 11, 1]


def test_the_threshold_of_a_core_is_the_least(seeds: Callable[[int], range]) -> None:
    for seed in seeds(200):
        case = radius_case(seed)
        counts = np.array(case.counts)
        points, limit = Points.of_matrix(case.matrix, counts), case.problem_with_outliers.limit
        keep = max(int(counts.sum()) - limit, 1)
        enough = [
            tau for tau in np.unique(case.matrix) if counts[core_at(case.matrix, counts, case.r, tau)].sum() >= keep
        ]
        found = gathered_core(points, case.r, limit, NEVER, silent)
        assert found.bound == pytest.approx(enough[0] / 2)


def test_the_radius_of_discs_is_the_least(seeds: Callable[[int], range]) -> None:
    for seed in seeds(200):
        case = radius_case(seed)
        counts = np.array(case.counts)
        points, limit = Points.of_matrix(case.matrix, counts), case.problem_with_outliers.limit
        keep = max(int(counts.sum()) - limit, 1)
        enough = []
        for tau in np.unique(case.matrix):
            near = case.matrix <= tau
            candidates = near @ counts >= case.r
            if counts[near[candidates].any(axis=0)].sum() >= keep:
                enough.append(tau)
        assert gathered_balls(points, case.r, limit, NEVER, silent).bound == enough[0]


def test_gathered_again_where_that_is_smaller() -> None:
    """One cluster of the kept five; two are smaller. The record at 14 is then left out, since it is too far."""
    points = line(0, 1, 10, 11, 12, 14, counts=[1, 2, 1, 1, 1, 1])
    owners = np.array([0, 0, 0, 0, 0, -1])
    whole = Clusters(np.arange(6), owners, points.counts, points.positions[:, :1])
    again = gathered_again(points, whole, 2, None, NEVER, silent)
    assert again.n_clusters == 2
    assert radius(points, again) == 2
    assert again.amounts[again.owners < 0].tolist() == [1]
    assert gathered_again(points, whole, 6, None, NEVER, silent).n_clusters == 1
    assert gathered_again(points, whole, 2, 1, NEVER, silent).owners.tolist() == owners.tolist()


def test_a_star() -> None:
    """Its middle is the centre of all at radius 1; no leaf is."""
    matrix = np.full((5, 5), 2.0)
    matrix[3, :] = matrix[:, 3] = 1
    np.fill_diagonal(matrix, 0)
    points = Points.of_matrix(matrix)
    found = gathered_balls(points, 5, 0, NEVER, silent)
    assert (radius(points, found.found), found.bound, found.factor) == (1, 1, 3)


def test_what_passes_the_filter_alone() -> None:
    """Of records at 0, 2, 4, 7 and 10 with r = 3 and 2R = 2, only that at 2 has three around it.

    It is the centre; it alone passes. Its neighbours are counted but not assigned, as printed: a cluster of one.
    """
    points = line(0, 2, 4, 7, 10)
    assert printed_centres(points.distances(np.arange(5)), 3, 1, 4, 2.0) == [[1]]
    found = covered(points, 3, 1, 4, NEVER, silent)
    assert found.found.sizes.tolist() == [3]
    assert (radius(points, found.found), found.low, found.high) == (2, 2, 2)


@pytest.mark.parametrize("kind", KINDS)
def test_larger_tables(kind: str) -> None:
    """Where no brute force reaches: what is proven still fits together."""
    matrix = random_matrix(kind, 60, 5)
    counts = np.random.default_rng(5).integers(1, 4, 60)
    points, n = Points.of_matrix(matrix, counts), int(counts.sum())
    for r in (1, 4, n // 2, n):
        whole = gathered(points, r, None, NEVER, silent)
        limited = gathered(points, r, 3, NEVER, silent)
        assert whole.low <= limited.high
        assert limited.found.n_clusters <= 3
        for searched in (whole, limited, covered(points, r, 3, n // 4, NEVER, silent)):
            assert searched.high <= searched.low
            assert searched.found.sizes.min() >= r
        for found in (
            gathered_core(points, r, n // 4, NEVER, silent),
            gathered_balls(points, r, n // 4, NEVER, silent),
        ):
            assert found.found.sizes.min() >= r
            assert found.factor is not None
            assert radius(points, found.found) <= found.factor * found.bound * (1 + 1e-9)
            assert found.found.amounts[found.found.owners < 0].sum() <= n // 4
