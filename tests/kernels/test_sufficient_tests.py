"""Each sufficient_test against a few plain lines."""

import math
from collections import Counter
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.models.sufficient_test import SufficientTest
from tests.models.forms import passing

VALUES = 4
MEMBERS = st.lists(st.integers(0, VALUES - 1), min_size=1, max_size=14)
SHARES = st.fractions(0, 1, max_denominator=9)


def passed_by(sufficient_test: SufficientTest, values: list[int]) -> bool:
    """Put one class to one test."""
    return passing(sufficient_test, [[values.count(value) for value in range(VALUES)]])[0]


@given(MEMBERS, st.integers(1, 5))
def test_distinct(values: list[int], least: int) -> None:
    assert passed_by(SufficientTest.distinct(least), values) == (len(set(values)) >= least)


@given(MEMBERS, st.lists(SHARES, min_size=VALUES, max_size=VALUES), st.booleans())
def test_shares(values: list[int], limits: list[Fraction], below: bool) -> None:
    counts = Counter(values)
    sufficient_test = SufficientTest.shares([Fraction(1)] * VALUES, limits) if below else SufficientTest.shares(limits)
    parts = [Fraction(counts[value], len(values)) for value in range(VALUES)]
    pairs = list(zip(parts, limits, strict=True))
    kept = all(part >= limit if below else part <= limit for part, limit in pairs)
    passed = passed_by(sufficient_test, values)
    assert kept or not passed
    assert passed or not kept or any(part == limit for part, limit in pairs)


@given(MEMBERS, SHARES)
def test_one_limit_for_all_is_exact(values: list[int], limit: Fraction) -> None:
    kept = max(Counter(values).values()) <= limit * len(values)
    assert passed_by(SufficientTest.shares([limit] * VALUES), values) == kept


@given(MEMBERS, st.fractions(1, 4, max_denominator=5))
def test_entropy(values: list[int], least: Fraction) -> None:
    shares = [count / len(values) for count in Counter(values).values()]
    effective = math.exp(-sum(share * math.log(share) for share in shares))
    passed = passed_by(SufficientTest.entropy(least), values)
    assert not passed or effective >= float(least) - 1e-9
    assert passed or effective <= float(least) + 1e-7


@given(MEMBERS, st.fractions(Fraction(1, 5), 4, max_denominator=9), st.integers(1, 4))
def test_tail(values: list[int], times: Fraction, least: int) -> None:
    counts = sorted(Counter(values).values(), reverse=True)
    assert passed_by(SufficientTest.tail(times, least), values) == (counts[0] < times * sum(counts[least - 1 :]))


@settings(deadline=None)
@given(MEMBERS, st.lists(st.integers(1, 9), min_size=VALUES, max_size=VALUES), SHARES)
def test_work_along_a_path(values: list[int], reference: list[int], limit: Fraction) -> None:
    parents = np.array([1, 2, 3, 3], dtype=np.int32)
    sufficient_test = SufficientTest.work(parents, np.full(VALUES, 1 / 3), np.array(reference), limit)
    below, work = Fraction(0), Fraction(0)
    for value in range(VALUES - 1):
        below += Fraction(values.count(value), len(values)) - Fraction(reference[value], sum(reference))
        work += abs(below) / 3
    passed = passed_by(sufficient_test, values)
    assert not passed or work <= limit
    assert passed or work > limit - Fraction(1, 10**6)


@pytest.mark.parametrize(
    ("made", "scale", "caps", "floors"),
    [
        (
            lambda: SufficientTest.shares([Fraction(1, 3), Fraction(1, 7)], [Fraction(1, 9), Fraction(0)]),
            *(2**30, [2**30 // 3, 2**30 // 7], [2**30 // 9 + 1, 0]),
        ),
        (lambda: SufficientTest.shares([Fraction(1, 2**31)] * 2), 2**30, [0, 0], [0, 0]),
        (lambda: SufficientTest.shares([Fraction(2, 2**30 - 1), Fraction(1)]), 2**30 - 1, [2, 2**30 - 1], [0, 0]),
        (lambda: SufficientTest.tail(Fraction(10**12, 10**12 + 1), 2), 2**30, [2**30 - 1], []),
        (lambda: SufficientTest.tail(Fraction(10**12), 2), 1, [2**30], []),
    ],
)
def test_four_billion_records_fit_into_64_bits(
    made: Callable[[], SufficientTest], scale: int, caps: list[int], floors: list[int]
) -> None:
    found = made()
    assert (found.scale, found.caps.tolist(), found.floors.tolist()) == (scale, caps, floors)
    assert max(scale, *caps, *floors) * 2**32 <= 2**62


def test_equally_frequent_values_pass_the_entropy_of_a_hair_less() -> None:
    for values in (2, 3, 4):
        shown = list(range(values)) * 3
        assert passed_by(SufficientTest.entropy(values - Fraction(1, 10**12)), shown)
        assert not passed_by(SufficientTest.entropy(values + Fraction(1, 10**12)), shown)


def test_limits_with_different_denominators_are_not_rounded_to_one_of_them() -> None:
    limits = SufficientTest.shares([Fraction(3, 5), Fraction(1, 2)], [Fraction(1, 7), Fraction(1, 3)])
    assert passing(limits, [[11, 9], [13, 7], [12, 6], [7, 13]]) == [True, False, False, False]


def test_no_distance_is_above_1() -> None:
    star, halves, table = np.array([2, 2, 2], dtype=np.int32), np.full(3, 0.5), np.array([3, 0])
    for limit, passed in ((Fraction(1), True), (Fraction(999_999, 10**6), False)):
        assert passing(SufficientTest.work(star, halves, table, limit), [[0, 2]]) == [passed]


def test_distances_are_taken_from_the_shares_of_a_table_of_any_size() -> None:
    for table, shares in (([1, 0], [1, 0, 0]), ([1, 3], [0.25, 0.75, 0]), ([0, 0], [0, 0, 0])):
        made = SufficientTest.work(
            np.array([2, 2, 2], dtype=np.int32), np.full(3, 0.5), np.array(table), Fraction(1, 2)
        )
        assert made.references.tolist() == shares
