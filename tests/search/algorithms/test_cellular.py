"""Cellular: clusters of any size, as a solution; and the arithmetic of the paper's figures."""

from fractions import Fraction

import numpy as np
import pytest
from pydantic import TypeAdapter, ValidationError

from shoal.classes.grouping import Parts
from shoal.clusters.metric import Axis, Metric
from shoal.clusters.objectives import Spread
from shoal.kernels.clusters.metrics import NUMBER
from shoal.search.algorithms import ALGORITHMS, Cellular
from shoal.search.clusters.clustering import MetricTable
from shoal.search.problem import Problem
from tests.oracles.clusters.cellular import least_cellular
from tests.oracles.clusters.metrics import KINDS, metric_problem, random_matrix


@pytest.mark.parametrize("kind", KINDS)
def test_the_cost_is_within_three_times_the_bound(kind: str) -> None:
    for seed in range(5):
        matrix = random_matrix(kind, 7, seed)
        for setup in (0.0, 1.0, 6.0):
            solution = Cellular(setup=setup).solve(metric_problem(matrix, k=1))
            best = least_cellular(matrix, [1] * 7, [setup] * 7)
            assert solution.bound is not None
            assert solution.bound - 1e-9 <= best <= solution.loss.total + 1e-9
            assert solution.loss.total <= 3 * solution.bound + 1e-6
            assert (solution.guarantee, solution.factor) in (("factor", 3.0), ("optimal", None))
            assert solution.remark == "the bound is for clusters around records"


def test_without_setup_every_place_is_a_cluster() -> None:
    solution = Cellular(setup=0.0).solve(metric_problem(random_matrix("tree", 9, 2), k=1))
    assert (solution.loss.total, solution.guarantee) == (0.0, "optimal")


def test_the_larger_the_setup_the_fewer_the_clusters() -> None:
    problem = metric_problem(random_matrix("euclid", 60, 3), k=1)
    numbers = [Cellular(setup=setup).solve(problem).groups.n_classes for setup in (0.0, 2.0, 20.0, 10_000.0)]
    assert numbers == sorted(numbers, reverse=True)
    assert numbers[0] > numbers[1] > numbers[2] > numbers[3] == 1


def test_any_centres_double_the_factor() -> None:
    matrix = random_matrix("euclid", 7, 11)
    solution = Cellular(setup=2.0, centres="any").solve(metric_problem(matrix, k=1))
    assert solution.bound is not None
    assert (solution.factor, solution.remark) == (6.0, "")
    assert solution.bound <= least_cellular(matrix, [1] * 7, [2.0] * 7, free=True)


def test_no_factor_where_others_may_leave_records_out() -> None:
    matrix = random_matrix("euclid", 7, 11)
    solution = Cellular(setup=2.0).solve(metric_problem(matrix, k=1, limit=Fraction(1, 3)))
    assert (solution.guarantee, solution.factor, solution.suppressed) == ("none", None, 0)
    assert "r-cellular-outliers" in solution.remark
    assert solution.bound is not None
    assert solution.bound <= least_cellular(matrix, [1] * 7, [2.0] * 7, 1, 2)


def test_without_time_the_records_are_cut_into_clusters_of_k() -> None:
    problem = metric_problem(random_matrix("euclid", 7, 11), k=1)
    late = Problem(problem.tally, problem.models, problem.measure, metric=problem.metric, time_limit=-1.0)
    solution = Cellular().solve(late)
    assert (solution.guarantee, solution.groups.n_classes) == ("none", 7)


def figure_1() -> MetricTable:
    """Two records at (a, b) and (a + 2, b), three at (d, c + 3), (d, c) and (d, c - 3); a = b = 1 and c = d = 9."""
    across, along = np.array([1.0, 3.0, 9.0, 9.0, 9.0]), np.array([1.0, 1.0, 12.0, 9.0, 6.0])
    problem = metric_problem(np.zeros((5, 5)))
    axes = tuple(Axis(NUMBER, (0,), (numbers,), 1.0) for numbers in (across, along))
    metric = Metric(problem.tally.quasi, axes, squares=True)
    return MetricTable.of(Problem(problem.tally, problem.models, problem.measure, metric=metric), "r-cellular")


def test_the_cost_of_figure_1() -> None:
    """2 x 1 + 3 x 3 = 11 around the middle of the pair; around a record it is 2 x 2 + 3 x 3, and no less."""
    places = figure_1()
    parts = Parts(np.arange(5, dtype=np.int32), np.array([0, 0, 1, 1, 1], dtype=np.int32), np.ones(5, dtype=np.int64))
    spread = places.spread(parts, np.array([[2.0, 9.0], [1.0, 9.0]]))
    assert spread.totals("cellular")[-1] == 11
    assert spread.radii[:, -1].tolist() == [1.0, 3.0]
    assert places.spread(parts, np.array([[1.0, 9.0], [1.0, 9.0]])).totals("cellular")[-1] == 13
    solution = ALGORITHMS["r-cellular"]().solve(places.problem)
    assert (solution.loss.total, sorted(solution.groups.sizes.tolist())) == (13, [2, 3])
    matrix = places.points.distances(np.arange(5))
    assert least_cellular(matrix, [1] * 5, [0.0] * 5, 2) == 13
    assert least_cellular(matrix, [1] * 5, [0.0] * 5, 2, free=True) == 11


def test_the_cost_of_figure_2() -> None:
    """50 records within 10, 20 within 5 and 8 within 3: 624; and three times the setup."""
    sizes, radii = np.array([50, 20, 8]), np.array([[10.0, 10.0], [5.0, 5.0], [3.0, 3.0]])
    spread = Spread(("x",), sizes, radii, 0 * radii, 0 * radii)
    assert spread.totals("cellular").tolist() == [624.0, 624.0]
    assert spread.totals("cellular", 10.0)[-1] == 654
    assert spread.totals("radius")[-1] == 10


def test_small_clusters_are_joined() -> None:
    """Without a setup each record is its own cluster; the promise joins them, and the factor is gone."""
    solution = Cellular(setup=0.0).solve(metric_problem(random_matrix("euclid", 7, 11), k=3))
    assert solution.groups.sizes.min() >= 3
    assert (solution.guarantee, solution.factor) == ("none", None)
    assert "joined to keep every promise" in solution.remark


@pytest.mark.parametrize("setup", [-1.0, float("inf"), float("nan")])
def test_setup_is_a_cost(setup: float) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(Cellular).validate_python({"setup": setup})
