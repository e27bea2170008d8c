"""Peeled classes: of all records, with every promise kept, at no more than what their level costs."""

from collections.abc import Callable
from random import Random

import numpy as np
import pytest

from shoal.classes.grouping import Grouping, Parts
from shoal.kernels.clock import clock
from shoal.models import (
    DistinctLDiversity,
    EntropyLDiversity,
    FrequencyLDiversity,
    PSensitiveKAnonymity,
    TCloseness,
)
from shoal.models.model import PrivacyModel, holding
from shoal.search.local.partition import loss_of
from shoal.search.local.peeling import peeled
from shoal.search.local.tight import tight_parts
from tests.search.searches import MEASURE_NAMES, Search, random_tally

MODELS: list[PrivacyModel] = [
    DistinctLDiversity(l=2, column="illness"),
    FrequencyLDiversity(l=2, column="illness"),
    EntropyLDiversity(l=2, column="illness"),
    PSensitiveKAnonymity(k=3, p=2, column="illness"),
    TCloseness(t="0.4", column="illness"),  # type: ignore[arg-type]
]


def passing(search: Search) -> bool:
    """Return whether one class of all records keeps the promises, so that a search may start."""
    whole = Parts.whole(search.tally, np.zeros(search.tally.n_points, dtype=np.int32))
    return bool(holding(search.problem.models, Grouping.of_parts(search.tally, whole, 1)).all())


def entries(parts: Parts) -> list[tuple[int, int, int]]:
    return sorted(zip(parts.points.tolist(), parts.classes.tolist(), parts.counts.tolist(), strict=True))


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_all_records_are_in_classes_that_keep_the_promises(model: PrivacyModel, seeds: Callable[[int], range]) -> None:
    found = 0
    for seed in seeds(40):
        rng = Random(seed)  # noqa: S311  (tables, not secrets)
        tally = random_tally(rng, rng.randint(2, 60))
        search = Search.of(tally, rng.choice(MEASURE_NAMES), rng.randint(1, 4), model, seed=seed)
        if not passing(search):
            continue
        parts = peeled(search.problem, search.measure, search.sufficient_tests).every
        if parts is None:  # the tests are sufficient, and may refuse what barely passes
            continue
        found += 1
        assert np.bincount(parts.points, parts.counts, tally.n_points).tolist() == tally.counts.tolist()
        assert set(parts.classes.tolist()) == set(range(parts.n_classes))
        assert holding(search.problem.models, Grouping.of_parts(tally, parts, parts.n_classes)).all()
        again = peeled(search.problem, search.measure, search.sufficient_tests).every
        assert again is not None
        assert entries(again) == entries(parts)
    assert found > len(seeds(40)) // 3


def test_some_classes_are_those_below_the_top(seeds: Callable[[int], range]) -> None:
    """Without the top, records wait; those that are in a class keep the promises."""
    waiting = 0
    for seed in seeds(40):
        tally = random_tally(Random(seed), 60)  # noqa: S311
        search = Search.of(tally, "lm", 2, FrequencyLDiversity(l=2, column="illness"))
        if not passing(search):
            continue
        some = peeled(search.problem, search.measure, search.sufficient_tests).some
        assert some is not None
        assert np.bincount(some.points, some.counts, tally.n_points).tolist() == tally.counts.tolist()
        kept = some.classes >= 0
        inside = Parts(some.points[kept], some.classes[kept], some.counts[kept])
        if kept.any():
            groups = Grouping.of_parts(tally, inside, inside.n_classes)
            assert holding(search.problem.models, groups).all()
        waiting += not kept.all()
    assert waiting > 0


def test_a_table_with_very_many_generalizations_goes_some_ways_to_the_top() -> None:
    tally = random_tally(Random(4), 300, forms=("tree",), n_columns=14, size=9, wide=True)  # noqa: S311
    search = Search.of(tally, "lm", 2, FrequencyLDiversity(l=2, column="illness"), seed=3)
    parts = peeled(search.problem, search.measure, search.sufficient_tests).every
    assert parts is not None
    assert parts.n_classes > 1
    one = Parts.whole(tally, np.zeros(tally.n_points, dtype=np.int32))
    assert loss_of(search.problem, parts) < loss_of(search.problem, one)


def test_without_time_one_level_is_left() -> None:
    search = Search.of(random_tally(Random(4), 60), "lm", 2, FrequencyLDiversity(l=2, column="illness"))  # noqa: S311
    peels = peeled(search.problem, search.measure, search.sufficient_tests, clock())
    assert peels.every is not None
    assert peels.every.n_classes == 1
    assert peels.some is None


def test_where_the_tests_refuse_even_the_top_there_are_no_classes() -> None:
    """They are sufficient: records that keep a promise may fail its test."""
    tally = random_tally(Random(1), 4)  # noqa: S311
    search = Search.of(tally, "lm", 5, FrequencyLDiversity(l=2, column="illness"))  # k is above the number of records
    assert peeled(search.problem, search.measure, search.sufficient_tests) == (None, None)


def test_where_only_the_top_passes_all_records_start_in_it() -> None:
    alone = 0
    for seed in range(12):
        tally = random_tally(Random(seed), 4)  # noqa: S311
        search = Search.of(tally, "lm", 2, FrequencyLDiversity(l=2, column="illness"), seed=seed)
        if passing(search) and peeled(search.problem, search.measure, search.sufficient_tests).some is None:
            alone += 1
            found = tight_parts(search.problem, search.forms, "tightest", effort=10).parts
            assert np.bincount(found.points, found.counts, tally.n_points).tolist() == tally.counts.tolist()
            assert holding(search.problem.models, Grouping.of_parts(tally, found, found.n_classes)).all()
    assert alone > 0


def test_the_search_loses_no_more_than_the_peeled_classes(seeds: Callable[[int], range]) -> None:
    better = 0
    for seed in seeds(12):
        tally = random_tally(Random(seed), 150, n_columns=3, wide=True)  # noqa: S311
        search = Search.of(tally, "ncp", 3, FrequencyLDiversity(l=2, column="illness"), seed=seed)
        if not passing(search):
            continue
        parts = peeled(search.problem, search.measure, search.sufficient_tests).every
        assert parts is not None
        found = tight_parts(search.problem, search.forms, "tightest", effort=10).parts
        mine, start = loss_of(search.problem, found), loss_of(search.problem, parts)
        assert mine <= start + 1e-9
        better += mine < 0.99 * start
    assert better >= 1
