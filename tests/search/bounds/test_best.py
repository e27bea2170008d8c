"""Bounds of blocks of columns add up to a bound of all columns, and with many columns it is the better one."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from shoal.classes.tally import QuasiColumn, Tally
from shoal.measures import Lm
from shoal.models import KAnonymity
from shoal.search.bounds import best
from shoal.search.bounds.best import local_bound
from shoal.search.bounds.bounds import FULL, QUICK, Bound, Effort, lower_bound
from shoal.search.local.forms import forms_of
from shoal.search.local.partition import cell_measure
from shoal.search.problem import Problem
from shoal.tables.distinct_rows import distinct_rows
from shoal.tables.hierarchies import Hierarchy
from tests.oracles.local.random_jobs import random_request
from tests.search.bounds.test_bounds import CELLS, HAIR


def bound_of(problem: Problem, seconds: float | None = None) -> Bound:
    forms = forms_of(problem.tally.quasi, cell_measure(problem, "bounds"))
    return local_bound(problem, forms, seconds=seconds)


@pytest.mark.parametrize("measure", CELLS)
def test_the_sum_is_never_above_the_optimum(
    measure: str, seeds: Callable[[int], range], monkeypatch: pytest.MonkeyPatch
) -> None:
    """All forms and promises, with weights, missing values, suppression, stars and wildcards; a block per column."""
    monkeypatch.setattr(best, "_MANY", 1)
    monkeypatch.setattr(best, "_COLUMNS", 1)
    hair, n_several = 0.0 if "entropy" in measure else HAIR, 0
    for seed in seeds(50):
        case = random_request(seed, measure)
        if case.optimum is not None:
            assert bound_of(case.problem).total <= case.optimum + hair
            n_several += len(case.problem.tally.quasi) > 1 and not case.problem.wildcard
    assert n_several > 5


def wide(n_columns: int) -> Problem:
    """Return a table of 100 records, of which each column tells one of four groups and a little more."""
    rng = np.random.default_rng(4)
    groups = rng.integers(0, 4, 100)
    codes = [(2 * groups + rng.integers(0, 2, 100)).astype(np.int32) for _ in range(n_columns)]
    rows = [[str(value), f"group {value // 2}", "*"] for value in range(8)]
    names = [f"q{j}" for j in range(n_columns)]
    quasi = [
        QuasiColumn(name, Hierarchy.of_rows(rows, name), np.bincount(column, minlength=8))
        for name, column in zip(names, codes, strict=True)
    ]
    point_of, points = distinct_rows(codes, [8] * n_columns, 100)
    nobody = np.zeros(len(points), dtype=np.int32)
    tally = Tally(tuple(quasi), (), points, nobody, np.zeros((1, 0), dtype=np.int32), np.bincount(point_of))
    return Problem(tally, (KAnonymity(k=5),), Lm())


@pytest.mark.parametrize("effort", [FULL, QUICK])
def test_with_many_columns_the_better_bound_counts(effort: Effort) -> None:
    problem = wide(12)
    measure = cell_measure(problem, "bounds")
    forms = forms_of(problem.tally.quasi, measure)
    whole, found = lower_bound(problem, forms, effort=effort), local_bound(problem, forms, effort=effort)
    parts = [replace(problem, tally=tally) for _, tally in problem.tally.dealt(2)]
    blocks = sum(lower_bound(part, forms_of(part.tally.quasi, measure), effort=effort).total for part in parts)
    assert found.total == max(blocks, whole.total)
    assert (found.kind == "columns") == (blocks > whole.total)
    assert found.witness is not None
    assert whole.witness is not None
    assert found.witness.total == whole.witness.total  # that of all columns together


def test_blocks_count_where_they_charge_more(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = wide(12)
    monkeypatch.setattr(best, "lower_bound", lambda *_, **__: Bound(3.0, "patterns"))
    assert bound_of(problem) == Bound(6.0, "columns")  # two blocks


def test_few_columns_are_bounded_together_and_so_are_parts_of_tables() -> None:
    few = wide(10)
    forms = forms_of(few.tally.quasi, cell_measure(few, "bounds"))
    assert bound_of(few) == lower_bound(few, forms)
    many = replace(wide(12), wildcard=True)
    forms = forms_of(many.tally.quasi, cell_measure(many, "bounds"))
    assert bound_of(many) == lower_bound(many, forms)


def test_without_time_there_is_a_bound_too() -> None:
    problem = wide(12)
    assert 0 <= bound_of(problem, seconds=0.0).total <= bound_of(problem).total
    quick = best.best_bound(problem, effort=QUICK)
    assert quick is not None
    assert quick <= bound_of(problem).total + HAIR


def test_columns_are_dealt_out_by_their_numbers_of_values() -> None:
    problem = wide(5)
    blocks = problem.tally.dealt(2)
    assert [block for block, _ in blocks] == [[0, 2, 4], [1, 3]]
    assert [[column.name for column in tally.quasi] for _, tally in blocks] == [["q0", "q2", "q4"], ["q1", "q3"]]
    assert {tally.n_records for _, tally in blocks} == {100}
