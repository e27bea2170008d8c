"""r-gather: clusters of at least r records, within twice the least radius."""

from collections.abc import Callable
from dataclasses import replace

import polars as pl
import pytest

import shoal
from shoal.foundation.errors import InfeasibleError
from shoal.search.algorithms import RGather
from shoal.search.problem import Solution
from tests.oracles.clusters.metrics import KINDS, metric_problem, random_matrix
from tests.oracles.clusters.radius_cases import RadiusCase, radius_case
from tests.oracles.hardness.satisfiability import graph_of, random_clauses, satisfiable

SLACK = 1 + 1e-9


def check(case: RadiusCase, solution: Solution) -> None:
    """Assert what is proven, against the best clusters."""
    best, diameter = case.least(), case.least(diameter=True)
    assert solution.groups.sizes.min() >= case.r
    assert solution.suppressed == 0
    assert solution.bound is not None
    assert solution.bound <= diameter / 2 * SLACK
    assert solution.loss.total <= diameter * SLACK  # more than what is claimed: 2 x the radius around whatever centre
    assert solution.loss.total <= 2 * best * SLACK
    assert solution.loss.total <= 2 * solution.bound * SLACK
    if solution.guarantee == "optimal":
        assert solution.loss.total <= best * SLACK
    else:
        assert (solution.guarantee, solution.factor) == ("factor", 2)


def test_random_tables_in_spaces_of_all_kinds(seeds: Callable[[int], range]) -> None:
    for seed in seeds(220):
        case = radius_case(seed)
        check(case, RGather().solve(case.problem))


@pytest.mark.parametrize("kind", KINDS)
def test_as_many_records_as_one_cluster_needs(kind: str) -> None:
    matrix = random_matrix(kind, 6, 3)
    solution = RGather().solve(metric_problem(matrix, k=6))
    assert solution.groups.sizes.tolist() == [6]
    assert solution.loss.total <= matrix.max()
    with pytest.raises(InfeasibleError, match="k-anonymity fails"):
        RGather().solve(metric_problem(matrix, k=7))


def test_no_time_gives_one_cluster_and_a_bound_that_holds(seeds: Callable[[int], range]) -> None:
    for seed in seeds(20):
        case = radius_case(seed)
        solution = RGather().solve(replace(case.problem, time_limit=0.0))
        assert solution.bound is not None
        assert solution.bound <= case.least() * SLACK
        assert solution.groups.n_classes == 1 or solution.loss.total <= 2 * case.least() * SLACK
        if solution.factor is not None:
            assert solution.loss.total <= solution.factor * case.least() * SLACK


@pytest.mark.parametrize("seed", range(8))
def test_it_is_hard_to_do_better_than_2(seed: int) -> None:
    """Graphs in which the radius is 1 if a formula can be satisfied, and at least 2 if not (001 s.2.1)."""
    clauses = random_clauses(seed, 3, 5 + seed % 3)
    solution = RGather().solve(metric_problem(graph_of(clauses, 3, 7), k=7))
    optimum = 1 if satisfiable(clauses, 3) else 2
    assert solution.bound is not None
    assert solution.bound <= optimum
    assert optimum <= solution.loss.total <= 2 * optimum


def test_a_table_of_numbers_and_categories() -> None:
    table = pl.DataFrame({"age": [20, 21, 22, 60, 61, 62, 63], "sex": ["f", "f", "f", "m", "m", "m", "m"]})
    release = shoal.anonymize(table, quasi=["age", "sex"], k=3, algorithm="r-gather")
    assert sorted(map(str, release.data["sex"].to_list())) == ["f"] * 3 + ["m"] * 4
    assert release.certificate["algorithm"]["guarantee"] == "optimal"
    assert release.certificate["loss"]["ratio"] == pytest.approx(1)
    assert release.certificate["loss"]["measure"] == "radius"
