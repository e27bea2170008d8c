"""The kernels of what is charged above a price, against twins of a few lines."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.kernels.bounds.charges import Charges, Others, climb, excess, sift
from shoal.kernels.bounds.dual import clip_charges, cut_charges, lower_charges, total_excess
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


def room(k: int, n_values: int = 0) -> Others:
    return Others(
        np.empty(2 * k + 2, dtype=np.int32),
        np.empty(2 * k + 2),
        np.empty(n_values, dtype=np.int32),
        np.full(n_values, -1, dtype=np.int32),
        np.empty(n_values),
    )


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


def plain_group(charges: Charges, price: float, members: np.ndarray) -> float:
    """Try all groups of k to 2k - 1 records with different values."""
    surpluses = [charges.own[i] - max(price, charges.floors[i]) for i in members]
    found = [-np.inf]
    for size in range(charges.k, min(2 * charges.k - 1, len(members)) + 1):
        for chosen in combinations(range(len(members)), size):
            if len({charges.values[members[at]] for at in chosen}) == size:
                found.append(sum(surpluses[at] for at in chosen))
    return max(found)


@quick
@given(charged(), st.data())
def test_the_excess_of_groups_with_different_values(drawn: tuple[Charges, PatternList], data: st.DataObject) -> None:
    """The group that is charged most is found, and no group is charged too much once charges are clipped, or cut."""
    charges, patterns = drawn
    n = len(charges.own)
    values = np.array(data.draw(st.lists(st.integers(0, 4), min_size=n, max_size=n)), dtype=np.int32)
    charges = charges._replace(values=values, k=data.draw(st.integers(1, 4)))
    total = 0.0
    for p, price in enumerate(patterns.prices):
        members, others = members_of(patterns, p), room(charges.k, 5)
        found, plain = excess(charges, price, members, others), plain_group(charges, price, members)
        assert found.total == pytest.approx(plain)
        assert others.best.tolist() == [-1] * 5
        total += max(plain, 0.0) * (int(charges.counts[members].sum()) // charges.k)
        if found.total > 0:
            clipped, cut = charges._replace(own=charges.own.copy()), charges._replace(own=charges.own.copy())
            clip_charges(clipped, price, members, others, found)
            assert others.best.tolist() == [-1] * 5
            group = others.points[: found.others]
            assert sum(clipped.own[i] - max(price, charges.floors[i]) for i in group) == pytest.approx(0)
            cut_charges(cut, price, members, found)
            assert plain_group(cut, price, members) == pytest.approx(0, abs=1e-12)
            assert (clipped.own <= charges.own).all()
            assert (cut.own <= charges.own).all()
    assert total_excess(charges, patterns) == pytest.approx(total)
    others_quiet = np.zeros(len(patterns.prices))
    lower_charges(charges, patterns, others_quiet, 0.0, True)
    assert total_excess(charges, patterns) == pytest.approx(0, abs=1e-9)
