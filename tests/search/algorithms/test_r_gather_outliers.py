"""(r, eps)-gather: within 4 times the least radius, or 3 times if centres are records."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from shoal.foundation.errors import InfeasibleError
from shoal.search.algorithms import RGatherOutliers
from tests.oracles.clusters.metrics import metric_problem
from tests.oracles.clusters.radius_cases import radius_case

SLACK = 1 + 1e-9
LINE = np.array([0.0, 1, 2, 8, 9, 30])


def on_a_line(limit: Fraction, k: int = 2) -> float:
    """Return the radius for six places on a line."""
    problem = metric_problem(np.abs(np.subtract.outer(LINE, LINE)), k=k, limit=limit)
    return RGatherOutliers().solve(problem).loss.total


def test_random_tables_with_any_centres(seeds: Callable[[int], range]) -> None:
    for seed in range(2_000, 2_000 + len(seeds(160))):
        case = radius_case(seed)
        problem = case.problem_with_outliers
        solution = RGatherOutliers().solve(problem)
        best, diameter = case.least(outliers=True), case.least(outliers=True, diameter=True)
        assert solution.groups.sizes.min() >= case.r
        assert solution.suppressed <= problem.limit
        assert solution.bound is not None
        assert solution.bound <= diameter / 2 * SLACK
        assert solution.loss.total <= min(4 * best, 2 * diameter, 4 * solution.bound) * SLACK
        assert solution.factor == 4 or solution.loss.total <= best * SLACK


def test_random_tables_with_centres_among_the_records(seeds: Callable[[int], range]) -> None:
    for seed in range(3_000, 3_000 + len(seeds(160))):
        case = radius_case(seed)
        problem = case.problem_with_outliers
        solution = RGatherOutliers(centres="records").solve(problem)
        best = case.least(outliers=True)
        assert solution.groups.sizes.min() >= case.r
        assert solution.suppressed <= problem.limit
        assert solution.bound is not None
        assert solution.bound <= best * SLACK
        assert solution.loss.total <= min(3 * best, 3 * solution.bound) * SLACK
        assert solution.factor == 3 or solution.loss.total <= best * SLACK


def test_outliers_by_hand() -> None:
    """The record at 30 is 21 from all others; without it, the pair at 8 and 9 and the three at 0, 1 and 2 are left."""
    assert on_a_line(Fraction(0)) >= 21
    assert on_a_line(Fraction(1, 6)) <= 2
    assert on_a_line(Fraction(1, 7)) >= 21  # which is less than one record of six
    assert on_a_line(Fraction(1)) <= 2


def test_a_record_that_costs_nothing_is_not_left_out() -> None:
    """All may be left out, but none is farther from a centre than those that are needed."""
    problem = metric_problem(np.ones((4, 4)) - np.eye(4), k=2, limit=Fraction(1))
    for algorithm in (RGatherOutliers(), RGatherOutliers(centres="records")):
        assert algorithm.solve(problem).suppressed == 0


def test_no_time_gives_one_cluster(seeds: Callable[[int], range]) -> None:
    for seed in seeds(12):
        case = radius_case(seed)
        for algorithm in (RGatherOutliers(), RGatherOutliers(centres="records")):
            solution = algorithm.solve(replace(case.problem_with_outliers, time_limit=0.0))
            assert solution.groups.sizes.min() >= case.r
            assert solution.bound is not None
            assert solution.bound <= case.least(outliers=True) * SLACK


def test_too_few_records() -> None:
    problem = metric_problem(np.zeros((3, 3)), k=4, limit=Fraction(1))
    with pytest.raises(InfeasibleError, match="k-anonymity fails"):
        RGatherOutliers().solve(problem)
