from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray

from shoal.search.solver import MatrixEntries, Program

_FREE = np.inf


def triangle() -> Program:
    """Choose edges of a triangle so that each corner has one."""
    program = Program(step=1)
    program.add_columns(np.ones(3), np.zeros(3), np.ones(3))
    program.add_rows(np.ones(3), np.full(3, _FREE), MatrixEntries(np.array([0, 2, 4]), np.array([0, 1, 1, 2, 0, 2])))
    return program


def test_a_linear_program_gives_values_and_duals() -> None:
    found = triangle().solve()
    assert found.status == "optimal"
    assert found.values.tolist() == [0.5, 0.5, 0.5]
    assert found.duals.tolist() == [0.5, 0.5, 0.5]
    assert found.objective == found.bound == 1.5


def test_a_program_grows_and_is_solved_again() -> None:
    program = triangle()
    program.solve()
    program.add_columns(np.array([1.25]), np.zeros(1), np.ones(1), MatrixEntries(np.array([0]), np.array([0, 1, 2])))
    assert program.solve().objective == 1.25
    program.bound_columns(np.array([3]), np.zeros(1), np.zeros(1))
    assert program.solve().objective == 1.5
    assert (program.n_rows, program.n_columns) == (3, 4)


def test_whole_numbers_are_kept() -> None:
    program = triangle()
    program.set_integer(np.arange(3))
    found = program.solve()
    assert found.status == "optimal"
    assert sorted(found.values) == [0, 1, 1]
    assert found.objective == 2
    assert found.bound > 1
    assert len(found.duals) == 0


def test_what_cannot_be_is_said() -> None:
    program = triangle()
    program.add_rows(np.array([4.0]), np.array([_FREE]), MatrixEntries(np.array([0]), np.array([0, 1, 2])))
    found = program.solve()
    assert found.status == "infeasible"
    assert len(found.values) == 0
    assert found.objective == np.inf


def knapsacks(
    n_columns: int = 80, n_rows: int = 30, most_nodes: int | None = None
) -> tuple[Program, NDArray[np.float64]]:
    """Return a program that is not solved at once, and what its columns cost."""
    generator = np.random.default_rng(0)
    costs = -generator.integers(1, 100, n_columns).astype(np.float64)
    weights = generator.integers(1, 100, (n_rows, n_columns)).astype(np.float64)
    program = Program(step=1, most_nodes=most_nodes)
    program.add_columns(costs, np.zeros(n_columns), np.ones(n_columns), integer=True)
    entries = MatrixEntries(np.arange(n_rows) * n_columns, np.tile(np.arange(n_columns), n_rows), weights.ravel())
    program.add_rows(np.full(n_rows, -_FREE), weights.sum(axis=1) / 3, entries)
    return program, costs


def test_a_time_limit_leaves_what_is_known() -> None:
    program, costs = knapsacks()
    program.start_from(np.zeros(len(costs)))
    found = program.solve(seconds=0.5)
    assert found.status in ("feasible", "optimal")
    assert found.bound <= found.objective
    assert costs @ np.rint(found.values) == pytest.approx(found.objective)


def test_an_interrupt_ends_the_solver() -> None:
    program, _ = knapsacks()

    def stop(_: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        program.solve(tell=stop)


def test_the_centre_of_all_optima_is_no_corner() -> None:
    """Pairs of six at equal costs: the corners are pairs and triangles of halves, and amid them all pairs are equal."""
    pairs = np.array(list(combinations(range(6), 2)))
    found = {}
    for centre in (False, True):
        program = Program(centre=centre)
        program.add_rows(np.ones(6), np.ones(6))
        program.add_columns(np.ones(15), np.zeros(15), np.ones(15), MatrixEntries(2 * np.arange(15), pairs.ravel()))
        found[centre] = program.solve()
    assert set(found[False].values) <= {0.0, 0.5, 1.0}
    assert found[True].values == pytest.approx([0.2] * 15, abs=1e-3)
    assert found[True].objective == pytest.approx(3)
    assert found[True].duals == pytest.approx([0.5] * 6, abs=1e-3)


def test_a_search_tree_may_be_cut_short() -> None:
    program, costs = knapsacks(most_nodes=1)
    found = program.solve(seconds=60)
    assert found.status == "feasible"
    assert found.bound <= found.objective
    assert costs @ np.rint(found.values) == pytest.approx(found.objective)
