"""Nodes with the best choice of their classes, against all choices."""

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from math import inf
from random import Random
from typing import Any

import pytest

from shoal.models import KAnonymity
from shoal.search.lattice import lattice as lattices
from shoal.search.lattice import selection
from shoal.search.lattice.lattice import Lattice, NodeOutcome
from shoal.search.lattice.selection import SelectionEffort, SelectionSearch
from tests.oracles.full_domain import FullDomain, choices
from tests.oracles.plain import Node, PlainTable, Rules
from tests.oracles.problems import problem_of
from tests.oracles.random_tables import LIMITS, choosing_case, overlapping_case


def outcome(*, feasible: bool, loss: float, bound: float) -> NodeOutcome:
    return NodeOutcome((0,), 1, 0, 0, feasible=feasible, hopeless=False, loss=loss, excess=0.0, bound=bound)


def test_a_node_is_settled_if_its_bound_is_met_or_nothing_is_allowed() -> None:
    assert outcome(feasible=True, loss=2.0, bound=2.0).settled
    assert not outcome(feasible=True, loss=2.0, bound=1.99).settled
    assert outcome(feasible=False, loss=2.0, bound=inf).settled
    assert not outcome(feasible=False, loss=2.0, bound=2.0).settled


RARE = PlainTable(
    [{"q": value} for value in "aaaaaaaabc"],
    {"q": {"a": ("a", "a", "*"), "b": ("b", "bc", "*"), "c": ("c", "bc", "*")}},
)
"""By entropy it costs more to publish `bc` than to suppress both."""


def cases(number: int) -> Iterator[tuple[FullDomain, str, Fraction]]:
    yield FullDomain(RARE, Rules((KAnonymity(k=2),))), "entropy", Fraction(1, 5)
    for seed in range(number):
        rng = Random(seed)  # noqa: S311
        case = overlapping_case(seed) if seed % 4 == 3 else choosing_case(seed)
        yield FullDomain(*case), rng.choice(["lm", "stars", "entropy"]), rng.choice(LIMITS)


def selecting(number: int) -> Iterator[tuple[FullDomain, str, Fraction]]:
    """Go through random cases in which it is a choice what is released."""
    for space, measure, limit in cases(number):
        if problem_of(space.table, space.rules, measure, limit).selects:
            yield space, measure, limit


def least_of(space: FullDomain, node: Node, measure: str, limit: int) -> float:
    """Return the least loss of all choices of the classes of a node; infinite if none is allowed."""
    every = choices(space.table, space.rules, node, limit)
    return min((space.loss(measure, one) for one in every), default=inf)


def test_where_nothing_is_chosen_all_nodes_are_settled() -> None:
    n_nodes = 0
    for space, measure, limit in cases(60):
        problem = problem_of(space.table, space.rules, measure, limit)
        if not problem.selects:
            lattice = Lattice(problem)
            assert all(lattice.evaluate(node).settled for node in lattice.all_nodes())
            n_nodes += lattice.n_nodes
    assert n_nodes > 20


def test_every_node_is_settled_with_the_best_choice_of_its_classes() -> None:
    n_better = 0
    for space, measure, limit in selecting(90):
        lattice = Lattice(problem_of(space.table, space.rules, measure, limit))
        for node in lattice.all_nodes():
            least = least_of(space, node, measure, lattice.problem.limit)
            first = lattice.evaluate(node)
            assert first.settled or first.surely <= lattice.problem.limit
            assert first.bound <= least + 1e-9
            settled = lattice.settle(node)
            assert settled.settled
            assert settled.feasible == (least < inf)
            assert settled.bound == pytest.approx(least)
            if settled.feasible:
                assert settled.loss == pytest.approx(least)
                better = not first.feasible or settled.loss < first.loss - 1e-9
                if better:
                    made = lattice.solution(node, guarantee="none")
                    assert (settled.suppressed, settled.n_released) == (made.suppressed, made.groups.n_classes)
                n_better += better
            assert lattice.settle(node) is lattice.evaluate(node) is settled
        assert lattice.n_undecided == 0
    assert n_better > 10


def test_any_choice_will_do_and_is_searched_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: Counter[str] = Counter()
    chosen: list[selection.Mask | None] = []  # by the searches of a node
    run = SelectionSearch.run

    def counted(search: SelectionSearch, known: selection.Mask | None, **named: Any) -> Any:
        own, asked["searches"] = vars(search), asked["searches"] + 1
        asked["for the best"] += not named["any_will_do"]
        if known is not None:  # then it is allowed
            assert own["_problem"].passing(own["_groups"], own["_recoding"], known).all()
            assert own["_problem"].feasible(own["_groups"], own["_recoding"], known)
            assert not chosen or known is chosen[-1]
            asked["again"] += len(chosen)
        found = run(search, known, **named)
        chosen.append(found.released)
        return found

    monkeypatch.setattr(SelectionSearch, "run", counted)
    n_allowed = 0
    for space, measure, limit in selecting(40):
        lattice = Lattice(problem_of(space.table, space.rules, measure, limit))
        for node in lattice.all_nodes():
            chosen.clear()
            least = least_of(space, node, measure, lattice.problem.limit)
            allowed, simply, before = least < inf, lattice.evaluate(node).feasible, asked.copy()
            assert lattice.allowed(node) is allowed
            assert asked["searches"] <= before["searches"] + (not simply)
            assert lattice.settle(node, any_will_do=True).feasible is allowed
            assert asked["for the best"] == before["for the best"]
            before = asked.copy()
            assert lattice.allowed(node) is lattice.settle(node, any_will_do=True).feasible is allowed
            assert asked == before
            n_allowed += allowed
            best = lattice.settle(node)
            assert best.settled
            assert not allowed or best.loss == pytest.approx(least)
    assert n_allowed > 20
    assert asked["again"] > 5


def test_what_is_not_settled_is_counted_and_bounds_the_loss(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selection, "_MOST_STATES", -1)
    n_undecided = 0
    for space, measure, limit in selecting(40):
        lattice = Lattice(problem_of(space.table, space.rules, measure, limit))
        found = [lattice.settle(node) for node in lattice.all_nodes()]
        open_ones = [one for one in found if not one.settled]
        undecided = [one for one in open_ones if not one.feasible]
        assert lattice.n_undecided == len(undecided)
        n_undecided += len(undecided)
        assert lattice.least_open(5.0) == min([5.0, *(one.bound for one in open_ones)])
    assert n_undecided > 2


def test_searches_of_all_nodes_share_their_effort(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a time limit they end when it is spent, and what is left is not settled."""
    n_settled = {}
    for most in (0.0, 5.0, inf):
        monkeypatch.setattr(lattices, "SelectionEffort", partial(SelectionEffort, most))
        found = []
        for space, measure, limit in selecting(40):
            lattice = Lattice(problem_of(space.table, space.rules, measure, limit))
            found += [lattice.settle(node).settled for node in lattice.all_nodes()]
        n_settled[most] = sum(found)
    assert n_settled[0.0] < n_settled[5.0] < n_settled[inf] == len(found)
    monkeypatch.setattr(lattices, "SelectionEffort", partial(SelectionEffort, 0.0))
    for space, measure, limit in selecting(40):
        lattice = Lattice(problem_of(space.table, space.rules, measure, limit, time_limit=600.0))
        assert lattice.settle(lattice.bottom).settled
