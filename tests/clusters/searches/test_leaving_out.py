"""Records that may still be left out are, where that lowers the objective."""

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.clusters.searches import few_records
from shoal.clusters.searches.leaving_out import spent
from shoal.clusters.searches.points import Clusters
from shoal.search.algorithms import RCellularOutliers, RGatherOutliers, RkCenterOutliers
from tests.clusters.searches.test_cuts import plane
from tests.oracles.clusters.gathering import least, least_sum, one_by_one
from tests.oracles.clusters.metrics import metric_problem, random_matrix
from tests.oracles.clusters.radius_cases import radius_case

SLACK = 1 + 1e-9


def test_by_hand() -> None:
    """Two of eight may be left out: 40 and 30, which are farthest from their centres 12 and 1."""
    points = plane([[0], [1], [2], [30], [11], [12], [13], [40]])
    clusters = Clusters(
        np.arange(8), np.array([0, 0, 0, 0, 1, 1, 1, 1]), np.ones(8, dtype=int), np.array([[1.0, 12.0]])
    )
    for cellular in (False, True):
        found = spent(points, clusters, 3, 2, cellular=cellular)
        assert found.points[found.owners < 0].tolist() == [3, 7]
        assert found.radii(points).tolist() == [1, 1]
    one = spent(points, clusters, 3, 1)
    assert one.points[one.owners < 0].tolist() == [3]


def test_a_whole_cluster_can_be_left_out_but_not_the_last() -> None:
    points = plane([[0], [1], [50], [99]])
    clusters = Clusters(np.arange(4), np.array([0, 0, 1, 1]), np.ones(4, dtype=int), np.array([[0.0, 50.0]]))
    found = spent(points, clusters, 2, 2)
    assert (found.n_clusters, found.radii(points).tolist()) == (1, [1])
    assert spent(points, clusters, 2, 4).n_clusters == 1


@settings(max_examples=80, deadline=None)
@given(seed=st.integers(0, 10**6), k=st.integers(1, 4), limit=st.integers(0, 12), cellular=st.booleans())
def test_the_objective_never_grows(seed: int, k: int, limit: int, cellular: bool) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3 * k, 40))
    points = plane(rng.integers(0, 99, (n, 2)).tolist(), rng.integers(1, 3, n).tolist())
    owner = rng.permutation(np.arange(n) % (n // k // 2 + 1))
    clusters = Clusters(np.arange(n), owner, points.counts, rng.random((2, int(owner.max()) + 1)) * 99)
    found = spent(points, clusters, k, limit, cellular=cellular)
    assert found.sizes.min() >= k
    assert points.n_records - found.sizes.sum() <= limit
    assert np.bincount(found.points, weights=found.amounts, minlength=n).tolist() == points.counts.tolist()
    if cellular:
        assert found.sizes @ found.radii(points) <= clusters.sizes @ clusters.radii(points) * SLACK
    else:
        assert found.radii(points).max() <= clusters.radii(points).max() * SLACK


@pytest.mark.parametrize("centres", ["any", "records"])
def test_exact_for_few_records(seeds: Callable[[int], range], centres: str) -> None:
    for seed in seeds(60):
        case = radius_case(seed)
        problem, limit = case.problem_with_outliers, case.problem_with_outliers.limit
        radius = RGatherOutliers(centres=centres).solve(problem)  # type: ignore[arg-type]
        limited = RkCenterOutliers(clusters=case.clusters, centres=centres).solve(problem)  # type: ignore[arg-type]
        cellular = RCellularOutliers(setup=0.25, centres=centres).solve(problem)  # type: ignore[arg-type]
        assert radius.loss.total <= case.least(outliers=True) * SLACK
        assert limited.loss.total <= case.least(outliers=True, limited=True) * SLACK
        best = least_sum(case.records, case.r, "cellular", setup=0.25, left_out=limit)
        assert cellular.loss.total <= best * SLACK
        if centres == "records":
            assert {found.guarantee for found in (radius, limited, cellular)} == {"optimal"}


@pytest.mark.deep
def test_near_the_optimum_of_more_records(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where not all subsets are looked at, the mean is within 1.1 times the optimum around records."""
    monkeypatch.setattr(few_records, "FEW", 0)
    ratios = []
    for seed in range(12):
        matrix = random_matrix("euclid", 12, seed)
        problem = metric_problem(matrix, (1,) * 12, 4, Fraction(2, 12))
        best = least(one_by_one(matrix, (1,) * 12), 4, left_out=2)
        ratios.append(RGatherOutliers(centres="records").solve(problem).loss.total / best)
    assert max(ratios) > 1
    assert np.mean(ratios) <= 1.1
