"""Moves of whole classes, and rounds of all moves, against the records."""

from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.kernels.local.annealing import AnnealingWorkspace, Count, anneal_classes, dissolve, open_class, undo
from shoal.kernels.local.classes import Classes, total_price
from shoal.models import DistinctLDiversity, EntropyLDiversity, FrequencyLDiversity, PrivacyModel
from tests.search.searches import MEASURE_NAMES, Search, check_arrays, passing, random_tally, weighed

SEEDS = st.integers(0, 10**6)
NEVER = 1e300
PROMISES: list[tuple[PrivacyModel, ...]] = [
    (),
    (),
    (DistinctLDiversity(l=2, column="illness"),),
    (FrequencyLDiversity(l=2, column="illness"),),
    (EntropyLDiversity(l=2, column="illness"),),
]


def contents(classes: Classes) -> list[tuple[list[int], float, list[int]]]:
    """Return the records, the price and the closure of each class that has records."""
    filled = np.flatnonzero(classes.groups["size"])
    label = classes.records["label"]
    return [
        (np.flatnonzero(label == c).tolist(), float(classes.groups["price"][c]), classes.closed[c].tolist())
        for c in filled
    ]


def undone(
    search: Search,
    classes: Classes,
    workspace: AnnealingWorkspace,
    end: Count,
    before: list[tuple[list[int], float, list[int]]],
) -> None:
    undo(search.annealer.columns, classes, workspace, 0, end)
    assert contents(classes) == before
    check_arrays(search, classes)


@settings(max_examples=80)
@given(seed=SEEDS, measure=st.sampled_from(MEASURE_NAMES))
def test_a_dissolved_class_and_back(seed: int, measure: str) -> None:
    rng = Random(seed)  # noqa: S311  (tables, not secrets)
    search = Search.of(
        weighed(rng, random_tally(rng, rng.randint(4, 40))), measure, 2, limit=rng.choice([0, 3]), seed=seed
    )
    annealer = search.annealer
    label = search.random_label(rng, 2)
    classes = annealer.classes(label, suppressing=search.problem.limit > 0)
    setting = annealer.setting(classes)
    annealer.share_out(classes, setting)
    workspace = annealer.workspaces(classes, setting.opening)[0]
    before, loss = contents(classes), total_price(classes.groups)
    source = int(rng.choice(label.tolist()))
    if classes.groups["size"][source] >= 4:
        return
    change, end = dissolve(annealer.columns, classes, setting, search.sufficient_tests, workspace, source, 0, 0)
    if change < NEVER:
        assert classes.groups["size"][source] == 0
        assert loss + change == pytest.approx(search.loss(annealer.label(classes)), abs=1e-9)
        check_arrays(search, classes)
    else:
        assert search.problem.limit == 0
        assert len(before) == 1 or end < 4
    undone(search, classes, workspace, int(end), before)


@settings(max_examples=80)
@given(seed=SEEDS, measure=st.sampled_from(MEASURE_NAMES))
def test_an_opened_class_and_back(seed: int, measure: str) -> None:
    rng = Random(seed)  # noqa: S311
    search = Search.of(
        weighed(rng, random_tally(rng, rng.randint(8, 40))), measure, 2, limit=rng.choice([0, 3]), seed=seed
    )
    annealer = search.annealer
    label = search.random_label(rng, 4)
    classes = annealer.classes(label, suppressing=search.problem.limit > 0)
    setting = annealer.setting(classes)
    annealer.share_out(classes, setting)
    workspace = annealer.workspaces(classes, setting.opening)[0]
    before, loss = contents(classes), total_price(classes.groups)
    target = int(workspace.free[workspace.free[-1] - 1])
    change, end = open_class(
        annealer.columns, classes, setting, search.sufficient_tests, workspace, rng.randrange(len(label)), target, 0, 0
    )
    if change < NEVER:
        assert classes.groups["size"][target] == 2
        assert classes.groups["size"][classes.groups["size"] > 0].min() >= 2
        assert loss + change == pytest.approx(search.loss(annealer.label(classes)), abs=1e-9)
        check_arrays(search, classes)
    undone(search, classes, workspace, int(end), before)


@settings(max_examples=60)
@given(seed=SEEDS, measure=st.sampled_from(MEASURE_NAMES), models=st.sampled_from(PROMISES))
def test_rounds_keep_the_books_and_the_promises(seed: int, measure: str, models: tuple[PrivacyModel, ...]) -> None:
    rng = Random(seed)  # noqa: S311
    least = rng.choice([1, 2, 3])
    limit = rng.choice([0, 3, 60])
    tally = weighed(rng, random_tally(rng, rng.randint(3, 60)))
    search = Search.of(tally, measure, least, *models, limit=limit, seed=seed)
    annealer = search.annealer
    n = len(annealer.records.point)
    if n < annealer.least:
        return
    label = search.random_label(rng, annealer.least)
    classes = annealer.classes(label, suppressing=search.problem.limit > 0)
    setting = annealer.setting(classes)
    before, loss = passing(search, classes), total_price(classes.groups)
    halves = np.array([rng.randrange(2) for _ in range(len(classes.groups))], dtype=np.int8)
    for temperature in (10.0, 0.1, 1e-300):
        setting.region[:] = halves[classes.records["label"]] if rng.random() < 0.5 else 0
        annealer.share_out(classes, setting)
        workspaces, regions = annealer.workspaces(classes, setting.opening), setting.region.copy()
        for region in (0, 1):
            inside = np.flatnonzero(regions == region)
            others = classes.records[regions != region].copy()
            tries = 400 if len(inside) else 0
            loss += anneal_classes(
                annealer.columns,
                classes,
                setting,
                search.sufficient_tests,
                workspaces[region],
                inside,
                tries,
                temperature,
                region,
            )
            assert classes.records["label"][regions != region].tolist() == others["label"].tolist()
            assert loss == pytest.approx(search.loss(annealer.label(classes)), abs=1e-8)
        check_arrays(search, classes)
    sizes = classes.groups["size"][classes.groups["least"] > 0]
    assert sizes[sizes > 0].min(initial=n) >= annealer.least
    assert all(passing(search, classes)) or not all(before)
    assert search.keeps(annealer.label(classes)) or not all(before)
