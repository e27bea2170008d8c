"""The reduction of satisfiability to r-gather (001 s.2.1)."""

import pytest

from tests.oracles.hardness.satisfiability import graph_of, radius_1_exists, random_clauses, satisfiable

ALL_SIGNS = [(1, 2), (1, -2), (-1, 2), (-1, -2)]
"""No assignment makes these true."""


@pytest.mark.parametrize("seed", range(12))
def test_a_radius_of_1_is_an_assignment(seed: int) -> None:
    clauses = random_clauses(seed, 2, 3 + seed % 4)
    assert radius_1_exists(graph_of(clauses, 2, 7), 7) == satisfiable(clauses, 2)


def test_a_formula_that_cannot_be_satisfied() -> None:
    assert not satisfiable(ALL_SIGNS, 2)
    assert not radius_1_exists(graph_of(ALL_SIGNS, 2, 7), 7)


def test_for_a_small_r_both_sides_of_a_variable_may_be_centres() -> None:
    """The paper needs r > 6: with r = 3, two clauses for each side are enough for both to be centres."""
    clauses = [(1,), (-1,), (1, 2), (-1, 2)]
    assert not satisfiable(clauses, 2)
    assert radius_1_exists(graph_of(clauses, 2, 3), 3)
    assert not radius_1_exists(graph_of(clauses, 2, 7), 7)
