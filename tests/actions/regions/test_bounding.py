"""The bound of a table in regions: by what all regions charge, no release of the whole table is below it."""

from collections.abc import Callable
from dataclasses import replace
from random import Random

import numpy as np
import pytest

from shoal.actions.regions.bounding import RegionalBound, RegionCharges
from shoal.measures import Lm, Stars
from shoal.measures.measure import CellMeasure
from shoal.models import KAnonymity
from shoal.search.bounds.bounds import FULL, QUICK, Effort, lower_bound
from shoal.search.local.forms import forms_of, offset_of
from shoal.search.problem import PointCharges, Problem
from shoal.search.regions.box import LeafBox
from tests.oracles.local.losses import CLASSES
from tests.oracles.local.random_jobs import random_request
from tests.oracles.local.tables import LocalTable, local_problem
from tests.oracles.plain import Rules
from tests.search.regions.in_memory import part, regions
from tests.search.regions.test_bounds import random_boxes, table_of


def charged(
    problem: Problem, boxes: list[LeafBox], bounds: RegionalBound, effort: Effort = FULL
) -> tuple[list[RegionCharges], float]:
    """Return what the parts charge, and the sum of their bounds."""
    assert isinstance(problem.measure, CellMeasure)
    forms, found = forms_of(problem.tally.quasi, problem.measure), list[RegionCharges]()
    alone = -(len(boxes) - 1) * offset_of(problem.tally.quasi, problem.measure)
    for box in boxes:
        told = list[PointCharges]()
        one = part(problem, box, told.append)
        alone += lower_bound(one, forms, effort=effort).total
        found.append(bounds.charges(one.tally, told[-1]))
    return found, alone


@pytest.mark.deep
def test_no_release_of_any_of_thousands_of_tables_loses_less() -> None:
    check(range(200, 3_000), FULL)


@pytest.mark.parametrize("effort", [FULL, QUICK], ids=["full", "quick"])
def test_no_release_of_the_whole_table_loses_less(seeds: Callable[[int], range], effort: Effort) -> None:
    check(seeds(540), effort)


def check(seeds: range, effort: Effort) -> None:
    """Try all forms and measures, suppression and missing values; with cells of single leaves, and with coarse ones."""
    tried, better, best = 0, 0, 0
    for seed in seeds:
        case, rng = random_request(seed), Random(seed)  # noqa: S311
        if case.measure in CLASSES or case.rules.wildcard or case.table.people or case.optimum is None:
            continue
        boxes, measure = random_boxes(case.problem, rng), case.problem.measure
        assert isinstance(measure, CellMeasure)
        bounds = RegionalBound.of(case.problem, measure, boxes)
        if len(boxes) < 2 or bounds is None:
            continue
        for most in (2, 1000):
            found, alone = charged(case.problem, boxes, replace(bounds, most=most), effort)
            total = bounds.total(found, measure, case.problem.k)
            assert total <= case.optimum * (1 + 1e-9) + 1e-9, (seed, most)
            tried, better = tried + 1, better + (total > alone + 1e-9)
            best += most == 1000 and total > case.optimum * 0.99 > 0
    assert tried > 40
    assert better > tried / 8
    assert best


def test_charges_of_the_parts_alone_would_be_too_high() -> None:
    """Two records that are near each other lie in different parts, each with one that is far from all."""
    rows = {value: (value, group, "*") for value, group in zip("abcd", "xyyz", strict=True)}
    problem = local_problem(LocalTable([{"q": q} for q in "abcd"], {"q": rows}), Rules((KAnonymity(k=2),)), "lm")
    boxes = [LeafBox((0,), (2,)), LeafBox((2,), (4,))]
    bounds = RegionalBound.of(problem, Lm(), boxes)
    assert bounds is not None
    found, alone = charged(problem, boxes, bounds)
    assert sum(float(one.cells.sums.sum()) - one.excess for one in found) == pytest.approx(4)
    assert alone == pytest.approx(2 * 1 + 2 * 1 / 3)  # the optimum, with `b` and `c` in one class
    assert bounds.total(found, Lm(), 2) == pytest.approx(2 * 1 + 2 * 1 / 3, rel=1e-2)


def test_a_record_far_from_all_others_of_its_region_is_charged_for_all_that_it_takes_along() -> None:
    """One record of eight in a region is like no other; nor is it near those of the next region."""
    rows = {value: (value, "*") for value in "ab"}
    records = [{"p": "a", "q": "a", "r": r} for r in "aaaaaaab"] + [{"p": "b", "q": "b", "r": "a"}] * 4
    problem = local_problem(LocalTable(records, dict.fromkeys("pqr", rows)), Rules((KAnonymity(k=4),)), "stars")
    boxes = [LeafBox((0, 0, 0), (1, 2, 2)), LeafBox((1, 0, 0), (2, 2, 2))]
    bounds = RegionalBound.of(problem, Stars(), boxes)
    assert bounds is not None
    found, alone = charged(problem, boxes, bounds)
    assert alone == 1  # nobody is charged for more than one column
    assert (
        bounds.total(found, Stars(), 4) == 4
    )  # it and three others lose a star, and more if they join those of the next region
    assert lower_bound(problem, forms_of(problem.tally.quasi, Stars())).total == 4


def test_few_regions_keep_most_of_the_bound() -> None:
    kept, without = [], []
    for seed in range(3):
        problem = Problem(table_of(1_500, seed), (KAnonymity(k=5),), Lm())
        boxes = [region.box for region in regions(problem, max(problem.tally.n_points // 5, 1))]
        bounds = RegionalBound.of(problem, Lm(), boxes)
        assert bounds is not None
        whole = lower_bound(problem, forms_of(problem.tally.quasi, Lm()), effort=QUICK).total
        if whole > 0 and 1 < len(boxes) <= 16:
            found, alone = charged(problem, boxes, bounds, QUICK)
            kept.append(bounds.total(found, Lm(), 5) / whole)
            without.append(alone / whole)
    assert min(kept) > 0.9
    assert min(without) < min(kept)


@pytest.mark.parametrize(("effort", "told"), [(Effort(0, 10**6), 1), (Effort(0, 0), 0), (Effort(0, 0, quick=True), 0)])
def test_what_patterns_alone_charge_is_not_above_the_ceilings_and_not_told(effort: Effort, told: int) -> None:
    problem, found = Problem(table_of(400, 11), (KAnonymity(k=5),), Lm()), list[PointCharges]()
    forms, box = forms_of(problem.tally.quasi, Lm()), regions(problem, 60)[0].box
    assert lower_bound(part(problem, box, found.append), forms, effort=effort).total > 0
    assert len(found) == told


def test_more_regions_have_fewer_cells_each() -> None:
    problem = Problem(table_of(100), (KAnonymity(k=5),), Lm())
    whole = LeafBox.whole(problem.tally.quasi)
    for n, most in ((1, 200_000), (8, 25_000), (200, 1_000), (300, 1_000)):
        bounds = RegionalBound.of(problem, Lm(), [whole] * n)
        assert bounds is not None
        assert bounds.most == most


def test_a_common_step_is_taken_and_excesses_are_subtracted() -> None:
    problem = Problem(table_of(400, 11), (KAnonymity(k=5),), Lm())
    boxes = [region.box for region in regions(problem, 60)]
    bounds = RegionalBound.of(problem, Lm(), boxes)
    assert bounds is not None
    fine, _ = charged(problem, boxes, bounds)
    coarse, _ = charged(problem, boxes, replace(bounds, most=3))
    mixed = [*fine[:-1], coarse[-1]]
    assert len({one.cells.step for one in mixed}) > 1
    step = min(one.cells.step for one in mixed)
    put = [replace(one, cells=bounds.grid.coarser(step, one.cells)) for one in mixed]
    assert bounds.total(mixed, Lm(), 5) == bounds.total(put, Lm(), 5) < bounds.total(fine, Lm(), 5)
    more = [replace(one, excess=one.excess + 0.5) for one in fine]
    fallen = bounds.total(fine, Lm(), 5) - bounds.total(more, Lm(), 5)
    assert fallen == pytest.approx(0.5 * len(boxes), rel=1e-6)
    assert np.isfinite(fallen)
