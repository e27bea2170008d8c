"""A quick descent ends at an allowed release that no step makes better, and loses no more than its start."""

from collections.abc import Callable
from fractions import Fraction

import pytest

from shoal.models import KAnonymity
from shoal.search.lattice.descent import descend
from shoal.search.lattice.lattice import Lattice
from tests.oracles.full_domain import FullDomain
from tests.oracles.plain import PlainTable, Rules
from tests.oracles.problems import problem_of
from tests.oracles.random_tables import LIMITS, random_case


def test_it_ends_where_no_step_down_is_allowed_and_loses_less(seeds: Callable[[int], range]) -> None:
    ended = moved = 0
    for seed in seeds(60):
        space, limit = FullDomain(*random_case(9_000 + seed)), LIMITS[seed % 4]
        problem = problem_of(space.table, space.rules, "lm", limit)
        allowed = {one.node for one in space.feasible(limit)}
        top = tuple(space.table.height(column) for column in space.table.quasi)
        found = descend(problem, {})
        plain = Lattice(problem)
        assert (found is None) == (not plain.evaluate(top).feasible)
        if found is None:
            continue
        node = tuple(found.levels.values())
        ended += 1
        moved += node != top
        assert node in allowed
        assert found.loss.total <= plain.evaluate(top).loss + 1e-9
        for below in plain.below(node):
            outcome = plain.evaluate(below)
            assert not outcome.feasible or outcome.loss >= found.loss.total - 1e-9
    assert ended > 5
    assert moved


def test_it_starts_from_the_levels_that_are_given_or_from_the_top() -> None:
    space = FullDomain(*random_case(9_001))
    problem = problem_of(space.table, Rules((KAnonymity(k=2),)), "lm", Fraction(1, 2))
    names = [column.name for column in problem.tally.quasi]
    lattice = Lattice(problem)
    for node in lattice.all_nodes():
        found = descend(problem, dict(zip(names, node, strict=True)))
        assert found is not None
        start = node if lattice.evaluate(node).feasible else lattice.top
        assert all(level <= most for level, most in zip(found.levels.values(), start, strict=True))


def test_each_step_is_the_one_that_loses_least() -> None:
    """Either column may be left as it is, but not both: it is the dearer one, also if what is given is not allowed."""
    rows = {value: (value, "*") for value in "ab"}
    table = PlainTable([{"q": q, "r": r} for q in "ab" for r in "ab"], {"q": rows, "r": rows}, (), {"q": 1.0, "r": 3.0})
    problem = problem_of(table, Rules((KAnonymity(k=2),)), "lm", Fraction(0))
    for levels in ({}, {"q": 0, "r": 0}):
        found = descend(problem, levels)
        assert found is not None
        assert found.levels == {"q": 1, "r": 0}


@pytest.mark.parametrize("middle", ["abb", "abc"])
def test_it_stays_where_a_step_down_loses_more_or_as_much(middle: str) -> None:
    """Below, two of the four records are suppressed: that is dearer than to join them, and as dear where nothing is."""
    rows = {value: (value, above, "*") for value, above in zip("abc", middle, strict=True)}
    table = PlainTable([{"q": value} for value in "aabc"], {"q": rows}, ())
    found = descend(problem_of(table, Rules((KAnonymity(k=2),)), "lm", Fraction(1)), {})
    assert found is not None
    assert found.levels == {"q": 1}


def test_a_column_may_be_kept_or_starred_as_a_whole() -> None:
    space = FullDomain(*random_case(9_001))
    problem = problem_of(space.table, Rules((KAnonymity(k=2),)), "lm", Fraction(1, 2))
    found = descend(problem, {}, whole=True)
    assert found is not None
    heights = {column.name: column.hierarchy.height for column in problem.tally.quasi}
    assert all(level in (0, heights[name]) for name, level in found.levels.items())
