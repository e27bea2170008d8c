"""Classes that give and take records: what they must have afterwards, by a few plain lines."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.kernels.rules.filling import Assignment, covered_points, linked_lists
from shoal.kernels.rules.mending import improve_assignment, mend, reassign, shed
from shoal.kernels.sufficient_tests import DISTINCT, SHARES, TEST, VALUE, SufficientTests
from tests.kernels.rules.test_filling import LEAST, SEEDS, check, places

PROFILES = 3


def sufficient_tests(kind: int) -> SufficientTests:
    """Ask for two different values, or that no value has more than half of the records."""
    values = np.zeros(PROFILES, dtype=VALUE)
    values["cap"] = 1
    tests = np.array([(kind, 0, 0, PROFILES, 2, 2, 0.0)], dtype=TEST)
    codes = np.arange(PROFILES, dtype=np.int32)[:, None]
    return SufficientTests(tests, values, codes, np.zeros((1, PROFILES), dtype=np.int64), np.zeros((1, PROFILES)))


def lack(found: Assignment, kind: int, c: int) -> float:
    """Return what a class lacks, in records and values."""
    own = Counter(found.profile[found.label == c].tolist())
    size = own.total()
    if size == 0:
        return 0.0
    lacking = 2 - len(own) if kind == DISTINCT else sum(max(count - size / 2, 0) for count in own.values())
    return max(LEAST - size, 0) + max(lacking, 0)


@pytest.mark.parametrize("kind", [DISTINCT, SHARES])
@settings(max_examples=60, deadline=None)
@given(seed=SEEDS, n_points=st.integers(2, 12), n_classes=st.integers(2, 5))
def test_mended_classes_are_nearer_to_what_they_must_have(kind: int, seed: int, n_points: int, n_classes: int) -> None:
    found = places(np.random.default_rng(seed), n_points, n_classes, PROFILES)
    everyone, placed = range(n_classes), found.label >= 0
    before = sum(lack(found, kind, c) for c in everyone)
    failing = np.array([c for c in everyone if lack(found, kind, c)], dtype=np.int64)
    mend(found, sufficient_tests(kind), failing, LEAST, 1_000, n_classes, 1_000)
    check(found)
    assert sum(lack(found, kind, c) for c in everyone) <= before + 1e-6
    assert (found.label[placed] >= 0).all()


def test_a_chain_goes_through_a_class_that_stays_what_it_is() -> None:
    # The first class lacks the second value; the next has just one of it, and could take one from the last.
    options = np.array([[0, -1], [1, 0], [1, -1], [2, 1], [2, -1], [2, -1]], dtype=np.int32)
    point = np.repeat(np.arange(6), [2, 1, 1, 1, 1, 1])
    label = np.array([0, 0, 1, 1, 2, 2, 2])
    found = Assignment(
        np.searchsorted(point, np.arange(7)),
        point,
        np.array([0, 0, 1, 0, 1, 0, 1], dtype=np.int32),
        options,
        *covered_points(options, 3),
        np.ones(3, dtype=np.bool_),
        label,
        *linked_lists(label, 3),
    )
    mend(found, sufficient_tests(DISTINCT), np.array([0]), LEAST, 100, 3, 100)
    assert found.label.tolist() == [0, 0, 0, 1, 1, 2, 2]


@pytest.mark.parametrize("kind", [DISTINCT, SHARES])
@settings(max_examples=60, deadline=None)
@given(seed=SEEDS, n_points=st.integers(2, 12), n_classes=st.integers(1, 4))
def test_records_leave_for_good_or_not_at_all(kind: int, seed: int, n_points: int, n_classes: int) -> None:
    rng = np.random.default_rng(seed)
    found = places(rng, n_points, n_classes, PROFILES)
    before, everyone = found.label.copy(), np.arange(n_classes)
    most = rng.integers(0, 5, n_classes)
    helped = shed(found, sufficient_tests(kind), everyone, most, LEAST)
    check(found)
    for c in range(n_classes):
        gone = int(((before == c) & (found.label < 0)).sum())
        assert helped[c] == (lack(found, kind, c) == 0)
        assert gone <= (most[c] if helped[c] else 0)
    found.alive[0] = False
    leaving = np.flatnonzero(found.label == 0)
    lacks = [lack(found, kind, c) for c in range(n_classes)]
    reassign(found, sufficient_tests(kind), leaving, LEAST)
    check(found)
    assert not (found.label == 0).any()
    assert all(lack(found, kind, c) <= lacks[c] + 1e-6 for c in range(1, n_classes))


@pytest.mark.parametrize("kind", [DISTINCT, SHARES])
@settings(max_examples=60, deadline=None)
@given(seed=SEEDS, n_points=st.integers(2, 12), n_classes=st.integers(2, 4))
def test_records_settle_in_better_classes(kind: int, seed: int, n_points: int, n_classes: int) -> None:
    rng = np.random.default_rng(seed)
    found = places(rng, n_points, n_classes, PROFILES)
    mend(found, sufficient_tests(kind), np.arange(n_classes), LEAST, 100, n_classes, 100)
    before = found.label.copy()
    passing = [c for c in range(n_classes) if lack(found, kind, c) == 0]
    improve_assignment(found, sufficient_tests(kind), LEAST, 1_000)
    check(found)
    assert all(lack(found, kind, c) == 0 for c in passing)
    for old, new, p in zip(before.tolist(), found.label.tolist(), found.point.tolist(), strict=True):
        order = found.options[p].tolist()
        assert new == old or old < 0 or order.index(new) < order.index(old)
