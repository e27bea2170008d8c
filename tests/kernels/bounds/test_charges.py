"""The kernels of what is charged above a price, against twins of a few lines."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.kernels.bounds.charges import Charges, Others, climb, excess, sift
from shoal.kernels.bounds.families import PatternList

quick = settings(deadline=None, max_examples=60)
AMOUNTS = st.integers(-4, 12).map(lambda number: number / 4)


@st.composite
def charged(draw: st.DrawFn) -> tuple[Charges, PatternList]:
    """Draw charges, with floors, and patterns that have k records."""
    counts = draw(st.lists(st.integers(1, 3), min_size=1, max_size=8))
    n = len(counts)
    k = draw(st.integers(1, sum(counts)))
    own, floors = (np.array(draw(st.lists(AMOUNTS, min_size=n, max_size=n))) for _ in range(2))
    drawn = draw(st.lists(st.sets(st.integers(0, n - 1), min_size=1), min_size=1, max_size=5))
    supports = [sorted(points) for points in drawn if sum(counts[i] for i in points) >= k] or [list(range(n))]
    patterns = PatternList(
        np.array(draw(st.lists(AMOUNTS, min_size=len(supports), max_size=len(supports)))),
        np.cumsum([0, *map(len, supports)]).astype(np.int64),
        np.array([i for points in supports for i in points], dtype=np.int32),
    )
    return Charges(own, floors, np.array(counts, dtype=np.int64), k), patterns


def members_of(patterns: PatternList, pattern: int) -> np.ndarray:
    return patterns.members[patterns.begins[pattern] : patterns.begins[pattern + 1]]


def room(k: int) -> Others:
    return Others(np.empty(k + 2, dtype=np.int32), np.empty(k + 2))


def plain_excess(charges: Charges, price: float, members: np.ndarray) -> float:
    """Sort all records by their surplus: the first k, and the others that have one."""
    surpluses = [charges.own[i] - max(price, charges.floors[i]) for i in members for _ in range(charges.counts[i])]
    surpluses.sort(reverse=True)
    return sum(surpluses[: charges.k]) + sum(max(surplus, 0.0) for surplus in surpluses[charges.k :])


@quick
@given(st.lists(st.integers(0, 9), min_size=1, max_size=20))
def test_the_root_of_a_heap_is_its_least(numbers: list[int]) -> None:
    heap = room(len(numbers))
    for place, number in enumerate(numbers):
        climb(heap, place, place, float(number))
    taken = []
    for size in range(len(numbers) - 1, -1, -1):
        taken.append(heap.surpluses[0])
        sift(heap, 0, size, heap.points[size], heap.surpluses[size])
    assert taken == sorted(numbers)


@quick
@given(charged())
def test_the_excess_is_that_of_the_class_that_is_charged_most(drawn: tuple[Charges, PatternList]) -> None:
    charges, patterns = drawn
    for p, price in enumerate(patterns.prices):
        members, others = members_of(patterns, p), room(charges.k)
        found = excess(charges, price, members, others)
        assert found.total == pytest.approx(plain_excess(charges, price, members))
        surpluses = {i: charges.own[i] - max(price, charges.floors[i]) for i in members.tolist()}
        positive = [i for i, surplus in surpluses.items() if surplus > 0]
        assert found.records == sum(charges.counts[i] for i in positive)
        assert found.above == pytest.approx(sum(charges.counts[i] * surpluses[i] for i in positive))
        filled = sum(charges.counts[i] for i in others.points[1 : found.others]) + found.taken
        assert filled == max(charges.k - found.records, 0)
        assert found.others == 0 or found.last == min(surpluses[i] for i in others.points[: found.others])
