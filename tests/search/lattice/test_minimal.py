"""Minimal generalizations are those of brute force, and a criterion prefers what its definition says."""

from dataclasses import replace
from fractions import Fraction
from itertools import permutations
from math import inf
from random import Random
from typing import cast, get_args

import pytest

from shoal.foundation.errors import InfeasibleError, SpecError
from shoal.models import KAnonymity
from shoal.search.lattice import lattice as lattices
from shoal.search.lattice.lattice import Lattice, NodeOutcome
from shoal.search.lattice.minimal import Preference, least_nodes, locally_minimal, minimal_nodes, path_of, preferred
from tests.oracles.full_domain import FullDomain, lower
from tests.oracles.papers import MAX_SUP, figure_1
from tests.oracles.plain import Node, PlainTable, Rules
from tests.oracles.problems import problem_of
from tests.oracles.random_tables import LIMITS, random_case, random_table


def test_nodes_above_another_are_left_out() -> None:
    assert least_nodes([(2, 0), (1, 1), (2, 2), (0, 2), (1, 2)]) == [(0, 2), (1, 1), (2, 0)]
    assert least_nodes([(1, 1), (1, 1)]) == [(1, 1)]
    assert least_nodes([]) == []


def test_the_minimal_nodes_are_those_of_brute_force() -> None:
    """Of all levels, and of the first and the last alone; in the order of their height."""
    several = inherited = 0
    for seed in range(80):
        table, rules = random_case(6_000 + seed)
        if seed % 2:
            table, rules = random_table(Random(seed), n_records=10), Rules((KAnonymity(k=2 + seed % 3),))  # noqa: S311
        space, limit = FullDomain(table, rules), LIMITS[seed // 2 % 4]
        problem = problem_of(space.table, space.rules, "lm", limit)
        ends = [sorted({0, space.table.height(column)}) for column in space.table.quasi]
        allowed = [one.node for one in space.feasible(limit)]
        for steps in (None, ends):
            lattice = Lattice(problem, steps)
            mine = [node for node in allowed if node in set(lattice.all_nodes())]
            expected = {node for node in mine if not any(lower(other, node) for other in mine)}
            found = minimal_nodes(lattice)
            assert lattice.inherits or lattice.nodes_checked == lattice.n_nodes
            assert sorted(found) == sorted(expected)
            assert [sum(node) for node in found] == sorted(sum(node) for node in found)
            several += len(found) > 1
            inherited += lattice.inherits and 0 < len(found) < len(mine)
    assert several > 10
    assert inherited > 40


def test_the_path_of_example_3_1_and_its_locally_minimal_node() -> None:
    space = figure_1()
    first, second, third = space.table.quasi
    lattice = Lattice(problem_of(space.table, space.rules, "lm", MAX_SUP))
    strategy = [first, first, second, second, third]
    whole = [(0, 0, 0), (1, 0, 0), (2, 0, 0), (2, 1, 0), (2, 2, 0), (2, 2, 1)]
    assert path_of(lattice, strategy) == path_of(lattice, [first]) == path_of(lattice, [first, first, second]) == whole
    assert locally_minimal(lattice, strategy) == (2, 1, 0)
    assert locally_minimal(lattice, [first, second]) == (1, 1, 0)


def test_the_locally_minimal_nodes_are_the_lowest_allowed_of_their_paths_and_hold_all_minimal_ones() -> None:
    """002 Theorem 3.3, over all paths of small lattices."""
    found_some = 0
    for seed in range(30):
        table, rules = random_case(7_000 + seed)
        space, limit = FullDomain(table, rules), LIMITS[seed % 4]
        lattice = Lattice(problem_of(space.table, space.rules, "lm", limit))
        allowed = {one.node for one in space.feasible(limit)}
        steps = [name for name in space.table.quasi for _ in range(space.table.height(name))]
        if len(steps) > 5:
            continue
        lowest = set()
        for strategy in sorted(set(permutations(steps))):
            path = path_of(lattice, strategy)
            assert len(path) == len(steps) + 1
            expected = next((node for node in path if node in allowed), None)
            assert locally_minimal(lattice, strategy) == expected
            lowest |= {expected} - {None}
        assert lowest >= {node for node in allowed if not any(lower(other, node) for other in allowed)}
        found_some += bool(lowest)
    assert found_some


def test_a_strategy_of_unknown_columns_or_too_many_steps_is_refused() -> None:
    space = figure_1()
    lattice = Lattice(problem_of(space.table, space.rules, "lm", MAX_SUP))
    with pytest.raises(SpecError, match="'wage' is not a quasi column"):
        path_of(lattice, ["wage"])
    with pytest.raises(SpecError, match=r"raises column '[a-z]+' more than 1 times"):
        path_of(lattice, [space.table.quasi[2]] * 2)


def test_a_node_above_an_allowed_one_is_not_looked_at() -> None:
    space = figure_1()
    lattice = Lattice(problem_of(space.table, space.rules, "lm", MAX_SUP))
    assert minimal_nodes(lattice) == [(1, 1, 0), (0, 2, 1)]
    above = [node for node in lattice.all_nodes() if node[0] >= 1 and node[1] >= 1 and node != (1, 1, 0)]
    assert lattice.nodes_checked == lattice.n_nodes - len(above)


def test_a_list_that_takes_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock goes on by 1 for each node: the time is up before the third."""
    ticks = iter(range(100))
    monkeypatch.setattr(lattices, "clock", lambda: next(ticks))
    space = figure_1()
    lattice = Lattice(problem_of(space.table, space.rules, "lm", MAX_SUP, time_limit=2))
    with pytest.raises(InfeasibleError, match="2 s has passed before all minimal generalizations were found"):
        minimal_nodes(lattice)
    assert lattice.nodes_checked == 2


def test_a_list_that_may_not_be_complete_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    space = figure_1()
    monkeypatch.setattr(Lattice, "n_undecided", 2)
    with pytest.raises(InfeasibleError, match="It is undecided whether 2 generalizations are allowed"):
        minimal_nodes(Lattice(problem_of(space.table, space.rules, "lm", MAX_SUP)))


def disliked(space: FullDomain, node: Node, preference: Preference) -> Fraction | int:
    """Return what Samarati's criterion makes least."""
    one = space.at(node)
    match preference:
        case "absolute-distance":
            return sum(node)
        case "relative-distance":
            heights = [space.table.height(column) for column in space.table.quasi]
            return sum(Fraction(level, height) for level, height in zip(node, heights, strict=True))
        case "distribution":
            return -len(one.kept)
        case "suppression":
            return one.suppressed


@pytest.mark.parametrize("preference", get_args(Preference))
def test_the_preferred_node_is_the_least_by_its_criterion(preference: Preference) -> None:
    """Ties go to the least loss, and then to the first levels."""
    for seed in range(60):
        rng, space = Random(seed), FullDomain(*random_case(6_500 + seed))  # noqa: S311
        lattice = Lattice(problem_of(space.table, space.rules, "lm", LIMITS[3]))
        nodes = [one.node for one in space.judged if lattice.evaluate(one.node).feasible]
        if lattice.problem.selects or not nodes:
            continue
        for _ in range(6):
            some = rng.sample(nodes, rng.randint(1, min(len(nodes), 4)))
            losses = {node: lattice.evaluate(node).loss for node in some}
            ranks = {node: (disliked(space, node, preference), losses[node], node) for node in some}
            assert preferred(lattice, some, preference).node == min(some, key=lambda node: ranks[node])
            assert preferred(lattice, some, None).node == min(some, key=lambda node: (losses[node], node))


class Scripted:
    """A lattice whose nodes have a bound, and a loss once they are settled; it remembers which were."""

    def __init__(self, known: dict[Node, tuple[float, float]]) -> None:
        self._known = known
        self.settled: list[Node] = []

    def evaluate(self, node: Node) -> NodeOutcome:
        return self._outcome(node, inf)

    def settle(self, node: Node) -> NodeOutcome:
        self.settled.append(node)
        return self._outcome(node, self._known[node][1])

    def _outcome(self, node: Node, loss: float) -> NodeOutcome:
        bound = self._known[node][0]
        return NodeOutcome(node, 1, 0, 0, feasible=True, hopeless=False, loss=loss, excess=0.0, bound=bound)


def test_only_nodes_that_may_be_the_best_are_settled() -> None:
    """Those of the least bounds first, until a bound is above the best loss; a bound that equals it may be a tie."""
    known: dict[Node, tuple[float, float]] = {
        (0, 3): (2.0, 5.0),
        (1, 2): (1.0, 4.0),
        (2, 1): (4.0, 4.0),
        (3, 0): (4.5, 6.0),
        (0, 4): (7.0, 7.0),
    }
    lattice = Scripted(known)
    assert preferred(cast("Lattice", lattice), known, None).node == (1, 2)
    assert lattice.settled == [(1, 2), (0, 3), (2, 1)]
    lattice = Scripted(known)
    assert preferred(cast("Lattice", lattice), known, "suppression").node == (1, 2)
    assert lattice.settled == list(known)


class Settled(Scripted):
    """A lattice whose nodes have a loss, and numbers of released classes and of suppressed records."""

    def __init__(self, known: dict[Node, tuple[float, int, int]]) -> None:
        super().__init__({node: (0.0, loss) for node, (loss, _, _) in known.items()})
        self._counts = {node: counts for node, (_, *counts) in known.items()}

    def settle(self, node: Node) -> NodeOutcome:
        n_released, suppressed = self._counts[node]
        return replace(super().settle(node), n_released=n_released, suppressed=suppressed)


@pytest.mark.parametrize(
    ("preference", "expected"), [(None, (0, 1)), ("distribution", (1, 0)), ("suppression", (2, 0))]
)
def test_each_criterion_has_a_winner_of_its_own(preference: Preference | None, expected: Node) -> None:
    known: dict[Node, tuple[float, int, int]] = {(0, 1): (1.0, 3, 5), (1, 0): (2.0, 9, 6), (2, 0): (3.0, 4, 0)}
    assert preferred(cast("Lattice", Settled(known)), known, preference).node == expected


def test_of_no_nodes_none_is_preferred() -> None:
    with pytest.raises(ValueError, match="There is no node to prefer"):
        preferred(cast("Lattice", Scripted({})), [], None)


def test_equal_sums_of_shares_are_a_tie() -> None:
    """1/5 + 2/5 is 3/5, though not as doubles; the column in which all are alike from level 1 loses less."""
    apart = {value: (value, *(f"{value}{level}" for level in range(1, 5)), "*") for value in "ab"}
    alike = {value: (value, *(f"{level}" for level in range(1, 5)), "*") for value in "ab"}
    table = PlainTable([{"q": value, "r": value} for value in "ab"], {"q": alike, "r": apart})
    lattice = Lattice(problem_of(table, Rules(()), "lm"))
    assert lattice.evaluate((0, 3)).loss < lattice.evaluate((1, 2)).loss == lattice.evaluate((3, 0)).loss
    assert preferred(lattice, [(1, 2), (3, 0)], "relative-distance").node == (1, 2)
    assert preferred(lattice, [(1, 2), (0, 3)], "relative-distance").node == (0, 3)
