"""Annealing finds good nodes of lattices that are too large to search."""

from itertools import product
from random import Random
from typing import cast

import pytest

from shoal.search.lattice import annealing
from shoal.search.lattice.annealing import anneal
from shoal.search.lattice.lattice import Lattice, NodeOutcome
from tests.search.lattice.test_boxes import Listed, clock


def space(seed: int) -> Listed:
    """Return a lattice with hills: the loss grows with the distance from a node, and a little at random."""
    draw = Random(seed)  # noqa: S311
    goal = [draw.randrange(4) for _ in range(4)]
    losses = {
        node: 10 + sum(abs(a - b) for a, b in zip(node, goal, strict=True)) + draw.random()
        for node in product(range(4), repeat=4)
    }
    top = max(losses)
    return Listed(losses, {node for node in losses if node == top or draw.random() < 0.9})


def walked(lattice: Listed, stop: float = float("inf")) -> list[NodeOutcome]:
    seen: list[NodeOutcome] = []

    def evaluate(node: tuple[int, ...]) -> NodeOutcome:
        seen.append(lattice.evaluate(node))
        return seen[-1]

    anneal(cast(Lattice, lattice), lattice.evaluate(lattice.top), evaluate, stop)
    return seen


@pytest.mark.parametrize("seed", range(8))
def test_it_finds_one_of_the_best_allowed_nodes_of_a_hill(seed: int) -> None:
    lattice = space(seed)
    found = min(one.loss for one in walked(lattice) if one.feasible)
    assert found in sorted(lattice.losses[node] for node in lattice.allowed)[:3]


def test_it_looks_at_neighbours_alone_and_is_the_same_each_time() -> None:
    seen = [one.node for one in walked(space(3))]
    assert seen == [one.node for one in walked(space(3))]
    assert set(seen) <= set(space(3).losses)
    first = [abs(a - b) for a, b in zip(seen[0], (3, 3, 3, 3), strict=True)]
    assert max(first) == 1
    assert sum(first) <= 2


def test_it_ends_with_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each look at the clock is a tick."""
    tick = clock()
    monkeypatch.setattr(annealing, "clock", tick)
    assert len(walked(space(1), stop=tick() + 20)) < 20


def test_it_does_not_begin_when_its_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(annealing, "clock", lambda: 5.0)
    assert walked(space(1), stop=5.0) == walked(space(1), stop=4.0) == []
