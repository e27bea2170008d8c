"""Allocations of records to patterns: what charges prove, and the way of a large table on a small one."""

from fractions import Fraction
from random import Random

import numpy as np
import pytest

from shoal.models import DistinctLDiversity, KAnonymity, PrivacyModel, TCloseness
from shoal.search.bounds.grid import PriceGrid
from shoal.search.exact import allocating
from shoal.search.exact.allocating import Reduction
from shoal.search.exact.allocation import Allocation, PromiseRows
from shoal.search.exact.closed import Closed
from shoal.search.exact.kinds import Kinds
from shoal.search.local.forms import forms_of
from shoal.search.local.partition import cell_measure
from shoal.search.problem import Problem
from tests.oracles.local.random_jobs import random_local
from tests.oracles.local.tables import local_problem
from tests.oracles.plain import Rules as Asked
from tests.search.algorithms.test_exact import by_program, by_subsets


def problem_of(seed: int, n: int, *models: PrivacyModel, limit: Fraction = Fraction(0)) -> Problem:
    rng = Random(seed)  # noqa: S311  (tables, not secrets)
    table = random_local(rng, n, forms=("tree",), n_columns=4)
    return local_problem(table, Asked(models or (KAnonymity(k=rng.randint(2, 3)),)), "stars", limit)


def allocation_of(problem: Problem) -> Allocation:
    kinds = Kinds.of(problem)
    forms = forms_of(problem.tally.quasi, cell_measure(problem, "exact"))
    closed = Closed.of(problem, forms, kinds, problem.k, "exact")
    assert closed is not None
    rules = PromiseRows.of(problem, kinds, "exact")
    return Allocation(kinds, closed, rules, problem.k, problem.limit, forms.full)


@pytest.mark.parametrize("limit", [Fraction(0), Fraction(1, 4)])
@pytest.mark.parametrize("seed", range(25))
def test_whatever_is_charged_bounds_the_loss_and_keeps_the_best(seed: int, limit: Fraction) -> None:
    problem = problem_of(seed, 10, limit=limit)
    best, allocation = by_subsets(problem), allocation_of(problem)
    linear = allocation.program().solve()
    rng = np.random.default_rng(seed)
    duals = linear.duals[: len(allocation.kinds)]
    parts = best.parts
    keys = allocation.kinds.kind_of[parts.points], parts.classes.astype(np.int64), parts.counts
    used = allocation.values_of(*keys)[0][: allocation.n_members] > 0
    for noise in (0.0, 0.1, 2.0):
        grid = PriceGrid.of(np.append(allocation.closed.prices, allocation.full))
        reduction = Reduction(allocation, grid, duals + noise * rng.standard_normal(len(duals)))
        assert grid.exact
        assert reduction.bound <= best.loss.total + 1e-9
        units = round(best.loss.total / grid.unit)
        assert reduction.kept(units + 1)[used].all(), "what a better partition uses was left out"
    assert Reduction(allocation, grid, duals).bound >= linear.bound - 1e-3


@pytest.mark.parametrize(
    "models",
    [(), (DistinctLDiversity(l=2, column="illness"),), (TCloseness(t=Fraction(3, 10), column="illness"),)],
    ids=["k", "l", "t"],
)
def test_the_way_of_a_large_table(models: tuple[PrivacyModel, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(allocating, "_SMALL", 4)
    for seed in range(100, 104):
        problem = problem_of(seed, 13, *models)
        assert by_program(problem).loss.total == by_subsets(problem).loss.total


def test_columns_and_rows_are_where_they_are_said_to_be() -> None:
    problem = problem_of(7, 12, DistinctLDiversity(l=2, column="illness"), limit=Fraction(1, 4))
    allocation = allocation_of(problem)
    program, n_amounts = allocation.program(), allocation.rules.amounts.shape[1]
    n, n_patterns, n_kinds = allocation.n_members, len(allocation.closed), len(allocation.kinds)
    assert program.n_columns == n + n_patterns * (1 + n_amounts) + n_kinds
    assert program.n_rows == n_kinds + n_patterns + n + n_patterns * len(allocation.rules.opened) + 1
    assert allocation.whole().tolist() == list(range(n, n + n_patterns * (1 + n_amounts)))
    assert allocation.rules.flows
    assert not allocation.rules.by_size


def test_rules_are_sharpened_for_whole_records() -> None:
    problem = problem_of(3, 12, TCloseness(t=Fraction(1, 10), column="illness"))
    kinds = Kinds.of(problem)
    rules = PromiseRows.of(problem, kinds, "exact")
    sharper = rules.sharpened(4)
    more = sharper.opened[len(rules.opened) :]
    assert len(more) > 0
    assert (more >= 1).all()
    assert (more == np.round(more)).all()
    assert rules.sharpened(1).opened.max() <= 1
