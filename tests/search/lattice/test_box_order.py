"""Which box is split next, when a search climbs, and what it looks at on the way."""

from itertools import product
from random import Random
from types import SimpleNamespace
from typing import cast

import pytest

from shoal.foundation.progress import silent
from shoal.measures import Discernibility
from shoal.search.lattice import boxes
from shoal.search.lattice.boxes import Box, _Search
from shoal.search.lattice.cells import Node
from shoal.search.lattice.lattice import Lattice, NodeOutcome
from tests.search.lattice.test_boxes import Listed, clock


class Loose(Listed):
    """A lattice whose bounds are the lower the larger a box is; so many nodes were looked at before."""

    before = 0

    @property
    def nodes_checked(self) -> int:
        return self.before + len(self.looked)

    def bound(self, low: Node, high: Node, _: object) -> float:
        return super().bound(low, high, _) - 0.02 * len(self.box(low, high))


def loose(seed: int, allowed: float = 0.8) -> Loose:
    draw = Random(seed)  # noqa: S311
    losses = {node: 1 + draw.random() for node in product(range(4), repeat=3)}
    return Loose(losses, {node for node in losses if draw.random() < allowed})


class Watched(_Search):
    """A search that tells of each box whether it was the last that was opened, and whether it had the least bound."""

    def __init__(self, lattice: Loose) -> None:
        super().__init__(cast(Lattice, lattice), silent)
        self.lattice = lattice
        self.opened: list[Box] = []
        self.taken: list[tuple[bool, bool]] = []
        self.climbs: list[tuple[Node, int]] = []

    def _push(self, box: Box) -> None:
        assert not box.outcome.hopeless
        self.opened.append(box)
        super()._push(box)

    def _split(self, box: Box) -> None:
        left = [*(other for _, _, other in self._open), box]
        last = next(other for other in reversed(self.opened) if other in left)
        self.taken.append((box is last, box.bound == min(other.bound for other in left)))
        before = len(self.opened)
        super()._split(box)
        bounds = [part.bound for part in self.opened[before:]]
        assert bounds == sorted(bounds, reverse=True)

    def _climb(self, start: Node, stop: float) -> None:
        self.climbs.append((start, self.lattice.nodes_checked))


def watched(lattice: Loose) -> Watched:
    search = Watched(lattice)
    search.run()
    return search


def test_boxes_are_taken_depth_first_and_by_their_bounds_in_the_second_half_of_the_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each look at the clock is a tick, and of twelve the first six go to what was opened last."""
    apart = 0
    for seed in range(12):
        assert all(last for last, _ in watched(loose(seed)).taken)
        monkeypatch.setattr(boxes, "clock", clock())
        lattice = loose(seed)
        lattice.time_limit = 12
        taken = watched(lattice).taken
        assert all(last for last, _ in taken[:6])
        assert all(least for _, least in taken[6:])
        apart += len(taken) == 12 and not taken[5][1] and not taken[6][0]
    assert apart > 3


def test_no_box_without_hope_is_opened() -> None:
    hopeless = 0
    for seed in range(20):
        lattice = loose(seed, allowed=0.05)
        watched(lattice)
        hopeless += any(lattice.evaluate(node).hopeless for node in list(lattice.looked))
    assert hopeless > 3


def test_a_search_climbs_once_after_500_nodes() -> None:
    lattice = loose(3)
    lattice.before = 496
    search = watched(lattice)
    assert len(lattice.looked) > 10
    seen = [node for node in lattice.looked[:5] if node in lattice.allowed]
    best = min(seen, key=lambda node: lattice.losses[node])
    assert search.climbs == [((3, 3, 3), 501), (best, 501)]


@pytest.mark.parametrize("more", [0, 1])
def test_a_lattice_of_more_than_a_million_nodes_is_annealed_first(more: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """From the incumbent, and until half of the time is over."""
    begun: list[tuple[NodeOutcome, float]] = []
    monkeypatch.setattr(boxes, "anneal", lambda lattice, start, evaluate, stop: begun.append((start, stop)))
    monkeypatch.setattr(Loose, "n_nodes", 1_000_000 + more)
    monkeypatch.setattr(boxes, "clock", clock())
    lattice = loose(3)
    lattice.before, lattice.time_limit = 496, 50
    search = watched(lattice)
    assert [(start.node, stop) for start, stop in begun] == [(search.climbs[1][0], 1_025)] * more


def test_without_an_incumbent_nothing_is_annealed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(boxes, "anneal", lambda *_: pytest.fail("there is nowhere to start"))
    monkeypatch.setattr(Loose, "n_nodes", 2_000_000)
    lattice = loose(3)
    lattice.before, lattice.allowed = 500, {(0, 0, 0)}
    assert [start for start, _ in watched(lattice).climbs] == [(3, 3, 3)]


@pytest.mark.parametrize("least", [0.5, 1.5])
def test_the_floor_is_asked_for_once_the_half_of_the_time_is_over(
    least: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each look at the clock is a tick: the search begins at 1,000, and of 12 the floor has until 10.2 are over."""
    asked: list[float] = []

    def floor(until: float) -> float:
        asked.append(until)
        return least

    monkeypatch.setattr(boxes, "clock", clock())
    lattice = loose(3)
    lattice.time_limit = 12
    found = boxes.search(cast(Lattice, lattice), floor=floor)
    assert asked == [pytest.approx(1_010.2)]
    monkeypatch.setattr(boxes, "clock", clock())
    without = boxes.search(cast(Lattice, lattice))
    assert found.best is not None
    assert found.bound == min(found.best.loss, max(without.bound, least))


@pytest.mark.parametrize("measure", [None, Discernibility()])
def test_the_lower_end_of_a_box_is_looked_at_where_that_gives_a_floor(measure: object) -> None:
    lattice = loose(3)
    lattice.measure = measure
    opened = watched(lattice).opened
    ends = {box.low for box in opened}
    if measure is None:
        assert len(lattice.looked) == len({box.high for box in opened})
        assert not ends <= set(lattice.looked)
    else:
        assert ends <= set(lattice.looked)


def test_of_columns_that_differ_alike_the_first_is_split(monkeypatch: pytest.MonkeyPatch) -> None:
    lattice = loose(3)
    monkeypatch.setattr(Loose, "spread", lambda self, column, low, high: [1.0, 2.0, 2.0][column])
    box = Box((0, 0, 0), (3, 3, 3), lattice.evaluate((3, 3, 3)), 0.0)
    assert Watched(lattice)._widest(box) == 1  # noqa: SLF001


def test_of_nodes_that_lose_the_same_the_first_is_kept() -> None:
    search = Watched(loose(3))
    first, second = (
        cast(NodeOutcome, SimpleNamespace(node=node, feasible=True, loss=1.0)) for node in ((0, 0, 0), (0, 0, 1))
    )
    search._keep(first)  # noqa: SLF001
    search._keep(second)  # noqa: SLF001
    assert search._best is first  # noqa: SLF001
