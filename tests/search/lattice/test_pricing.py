"""The bounds of a box hold for every node in it, and prices are losses."""

from itertools import product
from random import Random

import numpy as np
import pytest

from shoal.measures import MEASURES
from shoal.search.lattice.lattice import Lattice
from tests.oracles.losses import loss
from tests.oracles.plain import Node
from tests.oracles.problems import problem_of
from tests.oracles.random_tables import LIMITS, random_case


def inside(low: Node, high: Node) -> list[Node]:
    return list(product(*(range(a, b + 1) for a, b in zip(low, high, strict=True))))


@pytest.mark.parametrize("measure", MEASURES.names)
def test_the_bounds_of_a_box_hold_for_all_its_nodes(measure: str) -> None:
    for seed in range(10):
        table, rules = random_case(900 + seed)
        rng = Random(seed)  # noqa: S311
        lattice = Lattice(problem_of(table, rules, measure, LIMITS[seed % 4]))
        losses = {node: lattice.evaluate(node).loss for node in lattice.all_nodes()}
        for _ in range(12):
            high = rng.choice(list(losses))
            low = tuple(rng.randint(0, level) for level in high)
            pricing, outcome = lattice.pricing, lattice.evaluate(high)
            least = min(losses[node] for node in inside(low, high))
            assert pricing.base(low, high) <= least + 1e-9
            assert pricing.bound(low, high, outcome.excess) <= least + 1e-9
            assert pricing.bound(low, high, outcome.excess) >= pricing.base(low, high) - 1e-9


@pytest.mark.parametrize("measure", MEASURES.names)
def test_the_price_of_a_node_is_its_loss(measure: str) -> None:
    for seed in range(6):
        table, rules = random_case(1_300 + seed)
        lattice = Lattice(problem_of(table, rules, measure))
        for node in lattice.all_nodes():
            cells = lattice.cells(node)
            groups = lattice.packing.grouping(cells)
            recoding = lattice.packing.recoding(cells)
            labels = zip(*(_texts(recoding.published(j)) for j in range(len(node))), strict=True)
            keys = list(labels)
            choices = [[(number + turn) % 3 > 0 for number in range(len(keys))] for turn in range(3)]
            totals = lattice.pricing.totals(cells, groups, _bools(choices))
            for choice, total in zip(choices, totals, strict=True):
                kept = frozenset(key for key, shown in zip(keys, choice, strict=True) if shown)
                assert total == pytest.approx(loss(measure, table, node, kept), abs=1e-9)
                assert lattice.pricing.total(cells, groups, _bools(choice)) == pytest.approx(total, abs=1e-9)


def _texts(published: tuple[list[str | None], object]) -> list[str | None]:
    labels, shown = published
    return [labels[code] for code in shown]  # type: ignore[attr-defined]


def _bools(choices: object) -> "np.typing.NDArray[np.bool_]":
    return np.array(choices, dtype=np.bool_)
