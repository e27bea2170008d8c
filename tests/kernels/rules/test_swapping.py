"""Swaps of two records: what they must bring, and a case that single moves cannot settle."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.kernels.rules.filling import Assignment, covered_points, linked_lists
from shoal.kernels.rules.mending import mend
from shoal.kernels.rules.swapping import swap
from shoal.kernels.sufficient_tests import DISTINCT, SHARES
from tests.kernels.rules.test_filling import LEAST, SEEDS, check, places
from tests.kernels.rules.test_mending import PROFILES, lack, sufficient_tests


@pytest.mark.parametrize("kind", [DISTINCT, SHARES])
@settings(max_examples=60, deadline=None)
@given(seed=SEEDS, n_points=st.integers(2, 12), n_classes=st.integers(2, 5))
def test_swaps_keep_sizes_and_lower_what_is_lacking(kind: int, seed: int, n_points: int, n_classes: int) -> None:
    found = places(np.random.default_rng(seed), n_points, n_classes, PROFILES)
    everyone, before = range(n_classes), found.sizes.copy()
    lacking = sum(lack(found, kind, c) for c in everyone)
    failing = np.array([c for c in everyone if lack(found, kind, c)], dtype=np.int64)
    swapped = swap(found, sufficient_tests(kind), failing, LEAST, 1_000, n_classes, 1_000)
    check(found)
    assert found.sizes.tolist() == before.tolist()
    after = sum(lack(found, kind, c) for c in everyone)
    assert after < lacking - 1e-9 if swapped else after == lacking


def of(options: list[list[int]], profile: list[int], label: list[int]) -> Assignment:
    """Return points of one record each."""
    known, own = np.array(options, dtype=np.int32), np.array(label)
    n, n_classes = len(label), int(known.max()) + 1
    return Assignment(
        np.arange(n + 1),
        np.arange(n),
        np.array(profile, dtype=np.int32),
        known,
        *covered_points(known, n_classes),
        np.ones(n_classes, dtype=np.bool_),
        own,
        *linked_lists(own, n_classes),
    )


def test_two_classes_without_a_record_to_spare_swap() -> None:
    # Each class has just as many records as it must have, and all of one value; each covers one of the other.
    found = of([[0, -1], [0, 1], [1, -1], [1, 0]], [0, 0, 1, 1], [0, 0, 1, 1])
    assert swap(found, sufficient_tests(DISTINCT), np.array([0]), LEAST, 100, 2, 100)
    assert found.label.tolist() == [0, 1, 1, 0]
    check(found)


def test_a_swap_goes_through_a_class_that_stays_what_it_is() -> None:
    # The first and the last class share no record: the one between passes on one of each value.
    options = [[0, -1], [0, 1], [1, 2], [1, 0], [2, -1], [2, 1]]
    found = of(options, [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2])
    assert swap(found, sufficient_tests(DISTINCT), np.array([0]), LEAST, 100, 3, 100)
    assert found.label.tolist() == [0, 1, 2, 0, 2, 1]
    check(found)


def test_no_swap_where_the_other_class_loses_as_much() -> None:
    found = of([[0, 1], [0, -1], [1, -1], [1, 0]], [0, 0, 0, 1], [0, 0, 1, 1])
    assert not swap(found, sufficient_tests(DISTINCT), np.array([0]), LEAST, 100, 2, 100)
    assert found.label.tolist() == [0, 0, 1, 1]


def test_a_class_may_once_be_left_with_what_another_lacked() -> None:
    # The first class takes the second value from the next, which then has a record too few, and takes one from the
    # last: the first of these moves alone does not lower what is lacking.
    options = [[0, -1], [0, -1], [0, -1], [1, 0], [1, -1], [1, -1], [2, 1], [2, -1], [2, -1], [2, -1]]
    found = of(options, [0, 0, 0, 1, 1, 0, 0, 0, 1, 1], [0, 0, 0, 1, 1, 1, 2, 2, 2, 2])
    mend(found, sufficient_tests(DISTINCT), np.array([0]), 3, 100, 3, 100)
    assert found.label.tolist() == [0, 0, 0, 0, 1, 1, 1, 2, 2, 2]
    check(found)
