"""Microaggregation: below MDAV, often the optimum, and the same answer for equal seeds."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from shoal.kernels.clusters.metrics import EQUAL, NUMBER
from shoal.search.algorithms import Mdav, Microaggregation
from tests.oracles.numbers import least_squared_errors, table_problem


@pytest.mark.parametrize("k", [2, 3, 5])
def test_below_mdav(k: int) -> None:
    rng = np.random.default_rng(k)
    rows = (rng.standard_normal((150, 3)) @ rng.standard_normal((3, 5))).round(3)
    problem = table_problem(rows, k)
    found = Microaggregation(effort=300).solve(problem)
    assert found.loss.total < 0.95 * Mdav().solve(problem).loss.total
    assert found.groups.sizes.min() >= k


def test_the_optimum_of_tiny_tables(seeds: Callable[[int], range]) -> None:
    reached = 0
    for seed in seeds(30):
        rng = np.random.default_rng(seed)
        rows = rng.integers(0, 30, (9, 2))
        best = least_squared_errors(rows, 3)
        found = Microaggregation(effort=300).solve(table_problem(rows, 3)).loss.total
        assert found >= best - 1e-6
        reached += found <= best * (1 + 1e-6) + 1e-6
    assert reached >= 29 * len(seeds(30)) / 30


def test_a_line_by_hand() -> None:
    """0, 1, 2 and 10, 11, 12 are split where MDAV takes 9 as a neighbour of neither."""
    rows = np.array([[0], [1], [2], [10], [11], [12]])
    assert Microaggregation().solve(table_problem(rows, 3)).loss.total == 4


def test_seeds_and_no_effort() -> None:
    rows = np.random.default_rng(3).integers(0, 99, (80, 3))
    problem = table_problem(rows, 3)
    one, other = (Microaggregation(effort=100).solve(problem) for _ in range(2))
    assert one.parts.classes.tolist() == other.parts.classes.tolist()
    assert Microaggregation(effort=0).solve(problem).loss.total <= Mdav().solve(problem).loss.total
    short = Microaggregation().solve(replace(problem, time_limit=0.0))
    assert short.groups.sizes.min() >= 3


def test_categories_and_duplicates() -> None:
    rng = np.random.default_rng(4)
    rows = rng.integers(0, 3, (120, 3))
    for squares in (True, False):
        problem = table_problem(rows, 4, kinds=[NUMBER, EQUAL, EQUAL], squares=squares)
        found = Microaggregation(effort=100).solve(problem)
        assert found.loss.total <= Mdav().solve(problem).loss.total
        assert found.groups.sizes.min() >= 4


def test_all_alike_and_all_together() -> None:
    assert Microaggregation().solve(table_problem(np.full((7, 2), 3), 2)).loss.total == 0
    assert Microaggregation().solve(table_problem(np.arange(5)[:, None], 5)).loss.total == 10
