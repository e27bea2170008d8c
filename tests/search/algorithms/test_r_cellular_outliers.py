"""R-cellular with outliers, as a solution."""

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from shoal.foundation.errors import InfeasibleError
from shoal.search.algorithms import RCellularOutliers
from tests.oracles.clusters.cellular import least_cellular
from tests.oracles.clusters.metrics import KINDS, metric_problem, random_matrix


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("limit", [Fraction(0), Fraction(1, 4), Fraction(1, 2), Fraction(1)])
def test_the_cost_is_within_the_factor_and_the_bound_below_the_optimum(
    kind: str, limit: Fraction, seeds: Callable[[int], range]
) -> None:
    for seed in seeds(4):
        matrix = random_matrix(kind, 5, seed)
        for k in (1, 2, 3, 7):
            solution = RCellularOutliers().solve(metric_problem(matrix, [1, 2, 1, 2, 1], k=k, limit=limit))
            best = least_cellular(matrix, [1, 2, 1, 2, 1], [0.0] * 5, k, int(7 * limit))
            assert solution.bound is not None
            assert solution.bound - 1e-9 <= best <= solution.loss.total + 1e-9
            assert solution.loss.total <= 54 * best + 1e-9
            assert solution.groups.sizes.min() >= k
            assert solution.suppressed <= 7 * limit
            assert (solution.guarantee, solution.factor) in (("factor", 54.0), ("optimal", None))


def test_a_record_far_from_all_is_left_out() -> None:
    line = np.array([0.0, 1.0, 2.0, 3.0, 900.0])
    problem = metric_problem(np.abs(np.subtract.outer(line, line)), k=2, limit=Fraction(1, 5))
    solution = RCellularOutliers().solve(problem)
    assert (solution.suppressed, solution.loss.total) == (1, 4)
    assert solution.parts.points[solution.parts.classes < 0].tolist() == [4]


def test_any_centres_double_the_factor() -> None:
    problem = metric_problem(random_matrix("euclid", 30, 3), k=3, limit=Fraction(1, 10))
    solution = RCellularOutliers(centres="any", setup=1.0).solve(problem)
    assert (solution.factor, solution.remark) == (108.0, "")


def test_fewer_records_than_k() -> None:
    with pytest.raises(InfeasibleError, match="asked is k = 9"):
        RCellularOutliers().solve(metric_problem(random_matrix("euclid", 8, 3), k=9, limit=Fraction(1)))
