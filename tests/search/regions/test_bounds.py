"""The bound of a table in regions holds for every release of the whole table, across all borders."""

from collections.abc import Callable
from dataclasses import replace
from random import Random

import numpy as np
import pytest

from shoal.classes.tally import Tally
from shoal.measures import Lm
from shoal.measures.measure import CellMeasure
from shoal.models import KAnonymity
from shoal.search.bounds.bounds import FULL, QUICK, lower_bound
from shoal.search.local.forms import forms_of, offset_of
from shoal.search.problem import Problem
from shoal.search.regions.box import LeafBox, leaving_prices, places_of
from tests.oracles.local.losses import CLASSES
from tests.oracles.local.random_jobs import random_request
from tests.search.regions.in_memory import part, parts, regions
from tests.search.tallies import random_tally


def random_boxes(problem: Problem, rng: Random) -> list[LeafBox]:
    """Return boxes of any cuts, none of them empty."""
    boxes = [LeafBox.whole(problem.tally.quasi)]
    for _ in range(rng.randint(1, 3)):
        box = boxes.pop(rng.randrange(len(boxes)))
        column = rng.randrange(len(box.low))
        if box.high[column] - box.low[column] > 1:
            boxes += box.cut(column, rng.randint(box.low[column] + 1, box.high[column] - 1))
        else:
            boxes.append(box)
    places = [places_of(column)[problem.tally.codes[:, j]] for j, column in enumerate(problem.tally.quasi)]
    return [box for box in boxes if box.holds(places).any()]


def bound_of(problem: Problem, boxes: list[LeafBox], *, quick: bool = False) -> float:
    assert isinstance(problem.measure, CellMeasure)
    forms, offset = forms_of(problem.tally.quasi, problem.measure), offset_of(problem.tally.quasi, problem.measure)
    found = [lower_bound(part(problem, box), forms, effort=QUICK if quick else FULL).total for box in boxes]
    return sum(found) - (len(found) - 1) * offset


@pytest.mark.parametrize("quick", [False, True])
def test_no_release_of_the_whole_table_loses_less(seeds: Callable[[int], range], quick: bool) -> None:
    tried, near = 0, 0
    for seed in seeds(900):
        case, rng = random_request(seed), Random(seed)  # noqa: S311
        if case.measure in CLASSES or case.rules.wildcard or case.table.people or case.optimum is None:
            continue
        boxes = random_boxes(case.problem, rng)
        if len(boxes) < 2:
            continue
        bound = bound_of(case.problem, boxes, quick=quick)
        assert bound <= case.optimum * (1 + 1e-9) + 1e-9, seed
        tried, near = tried + 1, near + (bound > 0)
    assert tried > 50
    assert near > tried / 4


def test_the_floors_of_regions_alone_would_be_too_high() -> None:
    """Without the price of leaving, the same sum may be above the optimum: the test above can fail."""
    above = 0
    for seed in range(300):
        case, rng = random_request(seed, "lm"), Random(seed)  # noqa: S311
        if case.rules.wildcard or case.table.people or case.optimum is None:
            continue
        boxes = random_boxes(case.problem, rng)
        alone = [part(case.problem, box) for box in boxes]
        forms = forms_of(case.problem.tally.quasi, Lm())
        total = sum(lower_bound(_closed(one), forms).total for one in alone)
        above += total > case.optimum * (1 + 1e-9) + 1e-9
    assert above


def _closed(problem: Problem) -> Problem:
    return replace(problem, border=None)


def test_the_price_of_leaving_a_box_is_that_of_the_cheapest_pair(seeds: Callable[[int], range]) -> None:
    for seed in seeds(60):
        rng = Random(seed)  # noqa: S311
        tally = random_tally(rng, 20, 3, 6)
        problem = Problem(tally, (KAnonymity(k=2),), Lm())
        forms = forms_of(tally.quasi, Lm())
        for box in random_boxes(problem, rng):
            for j, (column, prices) in enumerate(
                zip(tally.quasi, leaving_prices(tally.quasi, forms, box), strict=True)
            ):
                places, tree = places_of(column), column.hierarchy.tree()
                inside = (places >= box.low[j]) & (places < box.high[j])
                for leaf in np.flatnonzero(inside):
                    met = tree.lowest_common_ancestor(
                        np.flatnonzero(~inside).astype(np.int32), np.array(leaf, dtype=np.int32)
                    )
                    found = forms.prices[forms.nodes[j] + met].min(initial=np.inf)
                    assert prices[leaf] == found


def table_of(n: int, seed: int = 3) -> Tally:
    return random_tally(Random(seed), n, 4, 12)  # noqa: S311


def test_the_bound_of_few_regions_is_near_that_of_the_whole() -> None:
    kept = []
    for seed in range(4):
        problem = Problem(table_of(3_000, seed), (KAnonymity(k=5),), Lm())
        forms, most = forms_of(problem.tally.quasi, Lm()), max(problem.tally.n_points // 6, 1)
        found = list(parts(problem, most))
        whole = lower_bound(problem, forms, effort=QUICK).total
        if whole > 0 and 1 < len(found) <= 16:
            kept.append(sum(lower_bound(one, forms, effort=QUICK).total for one in found) / whole)
    assert kept
    assert min(kept) > 0.7
    assert regions(problem, most)
