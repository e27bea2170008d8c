"""The search by boxes is exact however it is hurried, and honest when it is stopped."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import count, product
from random import Random
from types import SimpleNamespace
from typing import cast

import pytest

from shoal.measures import MEASURES
from shoal.search.lattice import boxes
from shoal.search.lattice.boxes import search
from shoal.search.lattice.cells import Node
from shoal.search.lattice.lattice import Lattice, NodeOutcome
from tests.oracles.checks import close
from tests.oracles.full_domain import FullDomain
from tests.oracles.papers import FIGURE_1, MAX_SUP, figure_1
from tests.oracles.plain import PlainTable
from tests.oracles.problems import problem_of
from tests.oracles.random_tables import LIMITS, random_case


def clock() -> Callable[[], float]:
    """Return a clock that goes on by 1 each time it is read; what it shows first means nothing."""
    ticks = count(1_000)
    return lambda: float(next(ticks))


@pytest.mark.parametrize("seed", range(30))
def test_a_search_that_is_stopped_has_a_true_bound(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    space = FullDomain(*random_case(2_000 + seed))
    measure, limit = MEASURES.names[seed % len(MEASURES.names)], LIMITS[seed % 4]
    least = space.optimum(measure, limit)
    for seconds in (0, 2, 4, 9, 30):
        monkeypatch.setattr(boxes, "clock", clock())
        found = search(Lattice(problem_of(space.table, space.rules, measure, limit, time_limit=seconds)))
        assert least is None or found.bound <= least + 1e-9
        if found.best is not None:
            assert least is not None
            assert found.best.loss >= least - 1e-9
            assert not found.complete or close(found.best.loss, least)


@pytest.mark.parametrize("seed", range(30))
def test_climbing_changes_nothing_but_the_way(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(boxes, "_CLIMB_AFTER", seed % 4)
    space = FullDomain(*random_case(2_700 + seed))
    measure, limit = MEASURES.names[seed % len(MEASURES.names)], LIMITS[seed % 4]
    least = space.optimum(measure, limit)
    found = search(Lattice(problem_of(space.table, space.rules, measure, limit)))
    assert found.complete
    assert (found.best is None) == (least is None)
    if found.best is not None and least is not None:
        assert close(found.best.loss, least)
        assert found.bound == found.best.loss


def test_a_search_stops_once_a_loss_is_low_enough_and_not_before() -> None:
    n_stopped = n_fewer = 0
    for seed in range(12):
        space = FullDomain(*random_case(2_300 + seed))
        problem = problem_of(space.table, space.rules, "lm", LIMITS[seed % 4])
        whole = search(Lattice(problem))
        if whole.best is None or whole.best.loss == 0:
            continue
        exact = search(Lattice(replace(problem, enough=whole.best.loss)))
        assert (exact.best, exact.bound, exact.complete, exact.stopped) == (whole.best, whole.bound, True, False)
        lattice = Lattice(replace(problem, enough=whole.best.loss * 1.5))
        found = search(lattice)
        assert found.best is not None
        assert found.best.loss < whole.best.loss * 1.5
        n_stopped += found.stopped
        if found.stopped:
            assert not found.complete
            assert found.bound == 0
            full = Lattice(problem)
            search(full)
            assert lattice.nodes_checked <= full.nodes_checked
            n_fewer += lattice.nodes_checked < full.nodes_checked
    assert n_stopped > 2
    assert n_fewer > 0


def test_progress_grows_from_0() -> None:
    shares: list[float] = []

    def show(step: str, share: float | None = None) -> None:
        if step == "searching the lattice":
            shares.append(share or 0.0)
        else:
            assert (step, share) == ("choosing the classes to release", None)

    search(Lattice(problem_of(*random_case(2), "lm", LIMITS[2])), show)
    assert shares[0] == 0
    assert shares == sorted(shares)
    assert 0.5 < shares[-1] < 1


class Few(Lattice):
    """A lattice that may be asked for few of its nodes, so that a search without end fails at once."""

    def evaluate(self, node: Node) -> NodeOutcome:
        assert self.nodes_checked < 3_000
        return super().evaluate(node)


def test_a_large_lattice_is_not_listed() -> None:
    """A lattice of 3^20 nodes, of which few are looked at."""
    zips = FIGURE_1.hierarchies["zip"]
    records = [{f"q{j}": record["zip"] for j in range(20)} for record in FIGURE_1.records]
    table = PlainTable(records, {f"q{j}": zips for j in range(20)})
    found = search(Few(problem_of(table, figure_1().rules, "lm", MAX_SUP)))
    assert found.complete
    assert found.best is not None
    assert (found.best.node, found.best.suppressed) == ((0,) * 20, 1)


@dataclass
class Listed:
    """A lattice whose losses are listed, with the highest bounds that are true: the least loss of a box."""

    losses: dict[Node, float]
    allowed: set[Node]
    measure: object = None
    time_limit: float | None = None
    looked: list[Node] = field(default_factory=list)

    @property
    def steps(self) -> list[list[int]]:
        return [sorted({node[j] for node in self.losses}) for j in range(len(self.top))]

    @property
    def top(self) -> Node:
        return max(self.losses)

    @property
    def n_nodes(self) -> int:
        return len(self.losses)

    @property
    def nodes_checked(self) -> int:
        return len(self.looked)

    @property
    def out_of_time(self) -> bool:
        return False

    @property
    def problem(self) -> SimpleNamespace:
        return SimpleNamespace(measure=self.measure, time_limit=self.time_limit, enough=0.0)

    @property
    def pricing(self) -> "Listed":
        return self

    def box(self, low: Node, high: Node) -> list[Node]:
        return [node for node in self.losses if all(a <= b <= c for a, b, c in zip(low, node, high, strict=True))]

    def bound(self, low: Node, high: Node, _: object) -> float:
        return min((self.losses[node] for node in self.box(low, high) if node in self.allowed), default=float("inf"))

    def spread(self, column: int, low: int, high: int) -> float:
        return float(high - low) / (column + 1)

    def evaluate(self, node: Node) -> NodeOutcome:
        self.looked.append(node)
        below = any(other in self.allowed for other in self.box((0,) * len(node), node))
        return cast(
            NodeOutcome,
            SimpleNamespace(
                node=node,
                loss=self.losses[node],
                feasible=node in self.allowed,
                hopeless=not below,
                excess=None,
                settled=True,
            ),
        )


def listed(seed: int, spread: float) -> Listed:
    draw = Random(seed)  # noqa: S311
    levels = [range(draw.randint(1, 4)) for _ in range(draw.randint(1, 4))]
    losses = {node: 1 + spread * draw.random() for node in product(*levels)}
    return Listed(losses, {node for node in losses if draw.random() < 0.8})


@pytest.mark.parametrize("spread", [1e-6, 0.1, 10.0])
@pytest.mark.parametrize("seed", range(10))
def test_the_best_node_is_found_though_the_next_is_hardly_worse(seed: int, spread: float) -> None:
    space = listed(seed, spread)
    least = min((space.losses[node] for node in space.allowed), default=None)
    found = search(cast(Lattice, space))
    assert found.complete
    assert (found.best.loss if found.best else None) == least
    assert found.bound == (float("inf") if least is None else least)


@pytest.mark.parametrize("seed", range(10))
def test_the_bound_of_a_search_that_is_stopped_is_that_of_what_is_open(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With bounds that are met, the least of what is open and what was found is the optimum itself."""
    space = listed(100 + seed, 0.1)
    least = min((space.losses[node] for node in space.allowed), default=float("inf"))
    for seconds in (0, 1, 2, 5, 10, 20):
        monkeypatch.setattr(boxes, "clock", clock())
        space.time_limit = seconds
        found = search(cast(Lattice, space))
        assert found.bound == least
        assert found.best is None or found.best.loss >= least


def test_a_box_that_cannot_be_better_is_not_split() -> None:
    """The top is as good as any node: nothing else is looked at."""
    space = Listed(dict.fromkeys(product(range(3), repeat=3), 1.0), set(product(range(3), repeat=3)))
    assert search(cast(Lattice, space)).best is not None
    assert space.looked == [(2, 2, 2)]


def test_a_search_ends_when_its_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two ticks are allowed and each look at the clock is one: the second box is split, the third is not."""
    monkeypatch.setattr(boxes, "clock", clock())
    nodes = list(product(range(3), repeat=3))
    space = Listed({node: float(sum(node)) for node in nodes}, set(nodes), time_limit=2)
    found = search(cast(Lattice, space))
    assert (found.complete, found.stopped) == (False, True)
    assert len(space.looked) == 3
    assert found.bound == 0.0


def test_a_lattice_without_hope_is_not_searched() -> None:
    space = Listed(dict.fromkeys(product(range(3), repeat=2), 1.0), set())
    found = search(cast(Lattice, space))
    assert found.complete
    assert found.best is None
    assert space.looked == [(2, 2)]


class OverError(Exception):
    """The search goes on after it has climbed."""


class Slope(Listed):
    """A lattice about whose boxes nothing is known; the second box that is split ends the search."""

    n_spreads = 0

    def bound(self, low: Node, high: Node, _: object) -> float:
        return 0.0

    def spread(self, column: int, low: int, high: int) -> float:
        self.n_spreads += 1
        if self.n_spreads > sum(len(levels) > 1 for levels in self.steps):
            raise OverError
        return 1.0


def climbed(space: Slope, monkeypatch: pytest.MonkeyPatch) -> None:
    """Split the first box, and climb."""
    monkeypatch.setattr(boxes, "_CLIMB_AFTER", 1)
    monkeypatch.setattr(boxes, "clock", clock())
    with pytest.raises(OverError):
        search(cast(Lattice, space))


def test_a_long_search_climbs_until_no_neighbour_is_better(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neighbours differ by a step in one column, or by opposite steps in two."""
    n_climbed = 0
    for seed in range(60):
        draw = Random(seed)  # noqa: S311
        nodes = list(product(*(range(number) for number in (4, 5, 3))))
        losses = {node: 1 + draw.random() + 0.2 * sum(node) for node in nodes}
        space = Slope(losses, {node for node in nodes if node == max(nodes) or draw.random() < 0.7})
        if seed % 2:
            space.allowed.discard(max(nodes))
        climbed(space, monkeypatch)
        if not space.allowed & set(space.looked[:2]):
            continue  # nothing to climb from but what is not allowed
        best = min(space.allowed & set(space.looked), key=lambda node: losses[node])
        moves = [tuple(b - a for a, b in zip(best, node, strict=True)) for node in space.allowed]
        near = [node for node, move in zip(space.allowed, moves, strict=True) if is_step(move)]
        assert losses[best] == min(losses[node] for node in [best, *near])
        n_climbed += best not in space.looked[:2]
    assert n_climbed > 30


def is_step(move: Node) -> bool:
    return sorted(level for level in move if level) in ([-1], [1], [-1, 1])


def test_climbing_ends_when_half_of_the_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each look at the clock is a tick: the search looks at ticks 0 and 1, each step down at one of 2 to 9."""
    levels = range(100)
    space = Slope({(level,): float(level) for level in levels}, {(level,) for level in levels}, time_limit=20)
    climbed(space, monkeypatch)
    assert min(space.looked) == (99 - 8,)


@dataclass
class Unsettled(Listed):
    """A lattice of which nothing is known but bounds, until a node is settled."""

    bounds: dict[Node, float] = field(default_factory=dict)
    settled: list[Node] = field(default_factory=list)

    def bound(self, low: Node, high: Node, _: object) -> float:
        return 0.0

    def evaluate(self, node: Node) -> NodeOutcome:
        return NodeOutcome(node, 1, 0, 0, feasible=False, hopeless=False, loss=9.0, excess=0.0, bound=self.bounds[node])

    def settle(self, node: Node) -> NodeOutcome:
        self.settled.append(node)
        loss = self.losses[node]
        return NodeOutcome(node, 1, 0, 0, feasible=True, hopeless=False, loss=loss, excess=0.0, bound=loss)


def test_only_nodes_that_may_be_better_are_settled() -> None:
    """The least bounds first, until one is not below the best loss."""
    losses, bounds = [2.95, 3.0, 4.0, 4.0], [2.9, 1.0, 2.0, 2.95]
    nodes = [(number,) for number in range(4)]
    space = Unsettled(dict(zip(nodes, losses, strict=True)), set(nodes), bounds=dict(zip(nodes, bounds, strict=True)))
    found = search(cast(Lattice, space))
    assert found.best is not None
    assert (found.best.node, found.bound, found.complete) == ((0,), 2.95, True)
    assert space.settled == [(1,), (2,), (0,)]


class HalfSettled(Unsettled):
    """A lattice of which no more is found out than a choice for each node: its bound stays."""

    def settle(self, node: Node) -> NodeOutcome:
        return replace(super().settle(node), bound=self.bounds[node])


def test_what_stays_unsettled_bounds_the_loss() -> None:
    losses: dict[Node, float] = {(0,): 5.0, (1,): 4.0, (2,): 6.0}
    bounds: dict[Node, float] = {(0,): 2.0, (1,): 3.0, (2,): 3.5}
    found = search(cast(Lattice, HalfSettled(losses, set(losses), bounds=bounds)))
    assert found.best is not None
    assert (found.best.loss, found.bound, found.complete) == (4.0, 2.0, False)


class Late(Listed):
    """A lattice whose time is over when the search has ended: nodes that were to be settled are not."""

    @property
    def out_of_time(self) -> bool:
        return True


def test_a_search_whose_time_is_over_at_its_end_says_so() -> None:
    for kind in (Listed, Late):
        assert search(cast(Lattice, kind({(0,): 1.0}, {(0,)}))).stopped == (kind is Late)
