"""The search as a whole: never worse, the books right, both cores, and the same answer every time."""

from dataclasses import replace
from fractions import Fraction
from itertools import islice
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.classes.tally import QuasiColumn, Tally
from shoal.foundation.progress import silent
from shoal.kernels.local.classes import total_price
from shoal.models import DistinctLDiversity, PrivacyModel, TCloseness
from shoal.search.local import annealing
from tests.oracles.local.tables import Form
from tests.search.searches import MEASURE_NAMES, Search, check_arrays, random_hierarchy, random_tally, weighed

SEEDS = st.integers(0, 10**6)


@settings(max_examples=60)
@given(seed=SEEDS, measure=st.sampled_from(MEASURE_NAMES))
def test_never_worse_than_the_start(seed: int, measure: str) -> None:
    rng = Random(seed)  # noqa: S311  (tables, not secrets)
    k = rng.randint(1, 4)
    search = Search.of(weighed(rng, random_tally(rng, rng.randint(k, 60))), measure, k, seed=seed)
    start = search.random_label(rng, k)
    label = search.annealer.improved(start, 3_000, None, silent)
    assert search.loss(label) <= search.loss(start) + 1e-9
    assert np.bincount(label)[np.unique(label)].min() >= k
    assert search.annealer.loss(label) == pytest.approx(search.loss(label))


@pytest.mark.parametrize("measure", MEASURE_NAMES)
def test_every_measure_is_improved(measure: str) -> None:
    """Also one whose prices are all below zero."""
    search = Search.of(random_tally(Random(12), 200, forms=("tree", "sets"), n_columns=3), measure, 3)  # noqa: S311
    start = search.random_label(Random(1), 3)  # noqa: S311
    label = search.annealer.improved(start, 8_000, None, silent)
    assert search.loss(label) < search.loss(start)


@pytest.mark.parametrize("few", [0, 10**9], ids=["two regions", "one region"])
@pytest.mark.parametrize("models", [(), (DistinctLDiversity(l=2, column="illness"),)], ids=["k", "l"])
def test_rounds_keep_the_books(few: int, models: tuple[PrivacyModel, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(annealing, "_FEW", few)
    for seed in range(6):
        search = Search.of(random_tally(Random(seed), 150), "ncp", 3, *models, limit=5 * seed, seed=seed)  # noqa: S311
        annealer = search.annealer
        label = search.random_label(Random(seed), 8)  # noqa: S311
        classes = annealer.classes(label, suppressing=seed > 0)
        setting = annealer.setting(classes)
        loss = total_price(classes.groups)
        kept = search.keeps(label)
        for temperature in (1.0, 0.1, 0.01, 1e-300):
            loss += annealer.round(classes, setting, temperature)
            assert loss == pytest.approx(search.loss(annealer.label(classes)), abs=1e-8)
            assert set(setting.region.tolist()) <= ({0, 1} if few == 0 else {0})
        check_arrays(search, classes)
        sizes = np.bincount(annealer.label(classes) + 1)[1:]
        assert sizes[sizes > 0].min() >= 3
        assert search.keeps(annealer.label(classes)) or not kept


@pytest.mark.parametrize("form", ["tree", "sets", "numbers"])
def test_equal_seeds_give_equal_answers(form: Form, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(annealing, "_FEW", 0)
    tally = random_tally(Random(3), 800, forms=(form,), n_columns=5, size=30)  # noqa: S311
    answers = []
    for seed in (5, 5, 6):
        search = Search.of(tally, "ncp", 4, seed=seed)
        answers.append(search.annealer.improved(search.annealer.clustered(), 8_000, None, silent).tolist())
    assert answers[0] == answers[1]
    assert answers[0] != answers[2]


def test_two_classes_see_each_other() -> None:
    """Two classes of three, each with a record of the other's value: a swap makes the loss zero."""
    hierarchy = random_hierarchy(Random(1), "sets", 2, missing=False)  # noqa: S311
    column = QuasiColumn("q", hierarchy, np.array([3, 3]))
    zeros = np.zeros(2, dtype=np.int32)
    codes = np.array([[0], [1]], dtype=np.int32)
    tally = Tally((column,), (), codes, zeros, np.zeros((1, 0), dtype=np.int32), np.array([3, 3]))
    search = Search.of(tally, "lm", 3)
    start = np.array([0, 0, 1, 0, 1, 1])
    assert search.loss(start) == 6
    assert search.loss(search.annealer.improved(start, 1_000, None, silent)) == 0


def test_seconds_instead_of_tries() -> None:
    search = Search.of(random_tally(Random(2), 120), "ncp", 3)  # noqa: S311
    start = search.random_label(Random(2), 3)  # noqa: S311
    for seconds in (0.0, 1e-9, 0.05):
        label = search.annealer.improved(start, 10**9, seconds, silent)
        assert search.loss(label) <= search.loss(start) + 1e-9
    assert search.annealer.improved(start, 10**9, 0.0, silent) is start
    assert search.annealer.improved(start, 0, None, silent) is start


def test_the_share_that_is_done_rises_to_the_end() -> None:
    assert list(annealing.__dict__["_shares"](4, None)) == [0.25, 0.5, 0.75, 1.0]
    assert list(annealing.__dict__["_shares"](0, None)) == []
    assert list(annealing.__dict__["_shares"](9, 0.0)) == []
    shares = list(islice(annealing.__dict__["_shares"](9, 60.0), 5))
    assert shares == sorted(shares)


def test_progress_is_told() -> None:
    told: list[float | None] = []

    def tell(step: str, share: float | None = None) -> None:
        told.append(share)

    search = Search.of(random_tally(Random(12), 200, forms=("tree", "sets"), n_columns=3), "ncp", 3)  # noqa: S311
    search.annealer.improved(search.random_label(Random(2), 3), 3_000, None, tell)  # noqa: S311
    assert told == [1 / 3, 2 / 3, 1]


@pytest.mark.parametrize(("n", "k"), [(30, 30), (59, 30), (60, 30), (300, 60), (7_000, 3_400)])
def test_large_k(n: int, k: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """More records to a class than there are near points; the last class takes what is left, never less than k."""
    monkeypatch.setattr(annealing, "_REST", 100)
    monkeypatch.setattr(annealing, "_NEAR", 3)
    search = Search.of(random_tally(Random(n), n, size=40, n_columns=5), "ncp", k)  # noqa: S311
    start = search.annealer.clustered()
    assert np.bincount(start).min() >= k
    label = search.annealer.improved(start, 3_000, None, silent)
    assert np.bincount(label)[np.unique(label)].min() >= k
    assert search.annealer.loss(label) <= search.annealer.loss(start) + 1e-9


def test_room_is_bounded() -> None:
    search = Search.of(random_tally(Random(4), 500), "ncp", 500)  # noqa: S311
    assert len(search.annealer.classes(np.zeros(500, dtype=np.int64)).members) < 10_000


def test_thousands_of_duplicates() -> None:
    """Few points, each many times, and some alone: classes far above 2k."""
    tally = random_tally(Random(6), 40, forms=("tree",), n_columns=2)  # noqa: S311
    tally.counts[::2] = 3_000
    search = Search.of(tally, "ncp", 5)
    annealer = search.annealer
    clustered = annealer.clustered()
    assert np.bincount(clustered).min() >= 5
    for label in (clustered, np.zeros(len(clustered), dtype=np.int64)):
        better = annealer.improved(label, 20_000, None, silent)
        assert np.bincount(better)[np.unique(better)].min() >= 5
        assert search.loss(better) <= search.loss(label) + 1e-6


@settings(max_examples=40)
@given(seed=SEEDS, measure=st.sampled_from(MEASURE_NAMES), limit=st.integers(0, 12))
def test_records_are_suppressed_where_it_pays(seed: int, measure: str, limit: int) -> None:
    rng = Random(seed)  # noqa: S311
    models = rng.choice([(), (DistinctLDiversity(l=2, column="illness"),)])
    tally = weighed(rng, random_tally(rng, rng.randint(6, 60)))
    search = Search.of(tally, measure, 3, *models, limit=limit, seed=seed)
    start = search.random_label(rng, 3)
    label = search.annealer.improved(start, 3_000, None, silent)
    assert (label < 0).sum() <= limit
    without = replace(search.problem, max_suppressed=Fraction(0))
    assert search.loss(label) <= search.loss(Search(without).annealer.improved(start, 3_000, None, silent)) + 1e-9
    assert search.annealer.loss(label) == pytest.approx(search.loss(label))
    sizes = np.bincount(label + 1)[1:]
    assert sizes[sizes > 0].min(initial=99) >= 3
    assert search.keeps(label) or not search.keeps(start)


@pytest.mark.parametrize("few", [0, 10**9], ids=["two regions", "one region"])
def test_an_outlier_leaves_a_class_that_has_no_record_to_spare(few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """All values but one are there four times, and k is 3: the one needs two others, or is suppressed for less."""
    monkeypatch.setattr(annealing, "_FEW", few)
    hierarchy = random_hierarchy(Random(1), "sets", 10, missing=False)  # noqa: S311
    counts = np.array([1] + [4] * 9)
    column = QuasiColumn("q", hierarchy, counts)
    codes, zeros = np.arange(10, dtype=np.int32)[:, None], np.zeros(10, dtype=np.int32)
    tally = Tally((column,), (), codes, zeros, np.zeros((1, 0), dtype=np.int32), counts)
    start = np.minimum(np.arange(37) // 3, 11)
    for limit, lost in ((0, 3), (1, 1), (5, 1)):
        search = Search.of(tally, "stars", 3, limit=limit, seed=3)
        label = search.annealer.improved(start, 20_000, None, silent)
        assert search.loss(label) == lost
        assert np.flatnonzero(label < 0).tolist() == ([] if limit == 0 else [0])


def test_promises_of_more_records_open_larger_classes() -> None:
    search = Search.of(random_tally(Random(7), 100), "ncp", 2, TCloseness(t=1, column="illness"))  # noqa: S311
    label = np.arange(100) % 12
    for annealer, opening in ((search.annealer, 8), (Search.of(search.tally, "ncp", 2).annealer, 2)):
        assert annealer.setting(annealer.classes(label)).opening == opening
