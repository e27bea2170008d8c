"""The best clusters of a few records against all partitions of them."""

from collections.abc import Callable

import numpy as np
import pytest

from shoal.clusters.searches.few_records import FEW, FEW_SQUARES, best_clusters, best_squares
from shoal.clusters.searches.points import Points
from tests.clusters.searches.test_cuts import plane, squares
from tests.oracles.clusters.gathering import least, least_sum
from tests.oracles.clusters.radius_cases import radius_case
from tests.oracles.numbers import least_squared_errors


def test_squares_of_all_partitions(seeds: Callable[[int], range]) -> None:
    for seed in seeds(30):
        rng = np.random.default_rng(seed)
        rows = rng.integers(0, 9, (int(rng.integers(4, 10)), 2))
        places, counts = np.unique(rows, axis=0, return_counts=True)
        points, k = plane(places.tolist(), counts.tolist()), int(rng.integers(1, 4))
        found = best_squares(points, k)
        assert found is not None
        assert found.sizes.min() >= k
        assert found.bound == pytest.approx(least_squared_errors(rows, k), abs=1e-9)
        assert squares(points, found) == pytest.approx(found.bound, abs=1e-9)


def test_too_many_records_are_left_to_others() -> None:
    rows = np.random.default_rng(1).random((FEW_SQUARES + 1, 2)).tolist()
    assert best_squares(plane(rows), 3) is None
    assert best_squares(plane(rows[:-1]), 3) is not None
    assert best_clusters(plane(rows[: FEW + 1]), 3, 1) is None
    assert best_clusters(plane(rows[:FEW]), 3, 1) is not None


def test_radii_and_costs_of_all_partitions(seeds: Callable[[int], range]) -> None:
    for seed in seeds(120):
        case = radius_case(seed)
        points = Points.of_matrix(case.matrix, np.array(case.counts))
        limit = case.problem_with_outliers.limit
        for most in (None, case.clusters):
            found = best_clusters(points, case.r, limit, most=most)
            assert found is not None
            value = least(case.records, case.r, left_out=limit, clusters=most)
            assert found.bound == pytest.approx(value)
            assert found.radii(points).max() == pytest.approx(value)
            assert found.sizes.min() >= case.r
            assert most is None or found.n_clusters <= most
            assert found.sizes.sum() >= points.n_records - limit
        dear = best_clusters(points, case.r, limit, setup=0.5)
        assert dear is not None
        assert dear.bound == pytest.approx(least_sum(case.records, case.r, "cellular", setup=0.5, left_out=limit))
        assert dear.sizes @ dear.radii(points) + 0.5 * dear.n_clusters == pytest.approx(dear.bound)
