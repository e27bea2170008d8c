"""R-cellular: clusters of at least k records, as a solution; and Figure 3 of the paper."""

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from shoal.foundation.errors import InfeasibleError
from shoal.models import DistinctLDiversity, KAnonymity
from shoal.search.algorithms import ALGORITHMS, RCellular
from shoal.search.clusters.clustering import MetricTable
from shoal.search.problem import Solution
from shoal.tables.hierarchies.hierarchy import Label
from tests.oracles.clusters.cellular import least_cellular
from tests.oracles.clusters.metrics import KINDS, metric_problem, random_matrix
from tests.oracles.local.tables import LocalTable, local_problem
from tests.oracles.plain import Rules

FIGURE_3 = np.array([[1, 1, 1, 1], [0, 1, 1, 1], [1, 0, 1, 1], [1, 1, 0, 1], [1, 1, 1, 0]])


def shown(solution: Solution) -> list[Label]:
    return [solution.recoding.shown[0].labels[cell] for cell in solution.recoding.cells[:, 0]]


def test_figure_3_costs_5() -> None:
    """All five records around (1, 1, 1, 1), at most one column away: 5, of which 4 are true."""
    problem = metric_problem((FIGURE_3[:, None] != FIGURE_3[None]).sum(axis=2).astype(np.float64), k=5)
    solution = RCellular().solve(problem)
    assert (solution.loss.total, solution.bound, solution.guarantee) == (5, 5, "optimal")
    assert solution.spread is not None
    assert solution.spread.radii[:, -1].tolist() == [1.0]
    assert solution.spread.totals("distortion")[-1] == 4
    assert shown(solution) == ["p0000"]


@pytest.mark.parametrize("name", ["exact", "tightest"])
def test_5_anonymity_of_figure_3_takes_20_stars(name: str) -> None:
    cell = {bit: (bit, "*") for bit in "01"}
    records = [{f"q{j}": str(bit) for j, bit in enumerate(row)} for row in FIGURE_3.tolist()]
    table = LocalTable(records, {f"q{j}": cell for j in range(4)})
    solution = ALGORITHMS[name]().solve(local_problem(table, Rules((KAnonymity(k=5),)), "stars"))
    assert solution.loss.total == 20


@pytest.mark.parametrize("kind", KINDS)
def test_the_cost_is_within_the_factor_and_the_bound_below_the_optimum(
    kind: str, seeds: Callable[[int], range]
) -> None:
    for seed in seeds(6):
        matrix = random_matrix(kind, 5, seed)
        for k in (1, 2, 3, 7):
            problem = metric_problem(matrix, [1, 2, 1, 2, 1], k=k)
            solution = RCellular().solve(problem)
            best = least_cellular(matrix, [1, 2, 1, 2, 1], [0.0] * 5, k)
            assert solution.bound is not None
            assert solution.bound - 1e-9 <= best <= solution.loss.total + 1e-9
            assert solution.loss.total <= 36 * best + 1e-9
            assert solution.groups.sizes.min() >= k
            assert solution.suppressed == 0
            assert (solution.guarantee, solution.factor) in (("factor", 36.0), ("optimal", None))


def test_published_centres_are_records() -> None:
    """Else a bound for clusters around records would be none for these."""
    problem = metric_problem(random_matrix("euclid", 40, 3), k=4)
    places, solution = MetricTable.of(problem, "r-cellular"), RCellular().solve(problem)
    assert set(shown(solution)) <= set(problem.tally.quasi[0].hierarchy.values)
    assert solution.spread is not None
    assert solution.spread.sizes.sum() == places.points.n_records


def test_fewer_records_than_k() -> None:
    with pytest.raises(InfeasibleError, match="asked is k = 9"):
        RCellular().solve(metric_problem(random_matrix("euclid", 8, 3), k=9))


def test_further_promises_are_kept_or_refused() -> None:
    """Two pairs far apart: each shows two values, or only one."""
    line = np.array([0.0, 1.0, 50.0, 51.0])
    matrix, two = np.abs(np.subtract.outer(line, line)), (DistinctLDiversity(l=2, column="s"),)
    solution = RCellular().solve(metric_problem(matrix, values=["a", "b", "a", "b"], models=two))
    assert (solution.loss.total, solution.guarantee) == (4, "optimal")


def test_setup_makes_clusters_fewer() -> None:
    problem = metric_problem(random_matrix("euclid", 60, 3), k=3)
    numbers = [RCellular(setup=setup).solve(problem).groups.n_classes for setup in (0.0, 20.0, 10_000.0)]
    assert numbers[0] > numbers[1] > numbers[2] == 1


def test_any_centres_double_the_factor() -> None:
    problem = metric_problem(random_matrix("euclid", 30, 3), k=3)
    near, free = RCellular().solve(problem), RCellular(centres="any").solve(problem)
    assert (near.factor, free.factor) == (36.0, 72.0)
    assert near.bound is not None
    assert free.bound is not None
    assert near.bound / 2 - 1e-9 <= free.bound <= near.bound
    assert near.loss.total == free.loss.total


def test_no_factor_where_others_may_leave_records_out() -> None:
    matrix = random_matrix("euclid", 8, 3)
    solution = RCellular().solve(metric_problem(matrix, k=3, limit=Fraction(1, 4)))
    assert (solution.guarantee, solution.factor) == ("none", None)
    assert solution.bound is not None
    assert solution.bound <= least_cellular(matrix, [1] * 8, [0.0] * 8, 3, 2)
