"""The kernels of the dual against twins of a few lines."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.kernels.bounds import Charges, Others, climb, cut, excess, penalty, project, sift, sweep
from shoal.kernels.families import Patterns

quick = settings(deadline=None, max_examples=60)
AMOUNTS = st.integers(-4, 12).map(lambda number: number / 4)


@st.composite
def charged(draw: st.DrawFn) -> tuple[Charges, Patterns]:
    """Draw charges, with floors, and patterns that have k records."""
    counts = draw(st.lists(st.integers(1, 3), min_size=1, max_size=8))
    n = len(counts)
    k = draw(st.integers(1, sum(counts)))
    own, floors = (np.array(draw(st.lists(AMOUNTS, min_size=n, max_size=n))) for _ in range(2))
    drawn = draw(st.lists(st.sets(st.integers(0, n - 1), min_size=1), min_size=1, max_size=5))
    supports = [sorted(points) for points in drawn if sum(counts[i] for i in points) >= k] or [list(range(n))]
    patterns = Patterns(
        np.array(draw(st.lists(AMOUNTS, min_size=len(supports), max_size=len(supports)))),
        np.cumsum([0, *map(len, supports)]).astype(np.int64),
        np.array([i for points in supports for i in points], dtype=np.int32),
    )
    return Charges(own, floors, np.array(counts, dtype=np.int64), k), patterns


def members_of(patterns: Patterns, pattern: int) -> np.ndarray:
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
def test_the_excess_is_that_of_the_class_that_is_charged_most(drawn: tuple[Charges, Patterns]) -> None:
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


@quick
@given(charged())
def test_cutting_costs_the_excess_and_ends_it(drawn: tuple[Charges, Patterns]) -> None:
    charges, patterns = drawn
    for p, price in enumerate(patterns.prices):
        members = members_of(patterns, p)
        found, before = excess(charges, price, members, room(charges.k)), charges.own @ charges.counts
        if found.total > 0:
            cut(charges, price, members, found)
            assert charges.own @ charges.counts == pytest.approx(before - found.total)
            assert plain_excess(charges, price, members) == pytest.approx(0, abs=1e-9)


@quick
@given(charged())
def test_a_projection_is_the_nearest_that_the_class_allows(drawn: tuple[Charges, Patterns]) -> None:
    charges, patterns = drawn
    price, members, others = patterns.prices[0], members_of(patterns, 0), room(charges.k)
    found, before = excess(charges, price, members, others), charges.own.copy()
    if found.total <= 0:
        return
    project(charges, price, members, others, found)
    inside = np.where(before - np.maximum(price, charges.floors) > 0, charges.counts, 0)
    inside[[i for i in range(len(inside)) if i not in members.tolist()]] = 0
    inside[others.points[1 : found.others]] = charges.counts[others.points[1 : found.others]]
    if found.others:
        inside[others.points[0]] = found.taken
    moved = before - charges.own
    assert moved @ inside == pytest.approx(found.total)  # the excess is gone
    direction = inside / charges.counts  # the nearest, each record counted, is straight along the class
    assert moved == pytest.approx(direction * (found.total / (direction @ inside)))


@quick
@given(charged(), st.booleans())
def test_after_a_sweep_no_pattern_is_charged_too_much(drawn: tuple[Charges, Patterns], forward: bool) -> None:
    charges, patterns = drawn
    before, quiet = charges.own.copy(), np.zeros(len(patterns.prices))
    sweep(charges, patterns, quiet, 0.0, forward)
    assert (charges.own <= before).all()
    for p, price in enumerate(patterns.prices):
        assert plain_excess(charges, price, members_of(patterns, p)) <= 1e-9


@quick
@given(charged(), st.lists(st.floats(0, 1), min_size=8, max_size=8))
def test_a_pattern_stays_quiet_while_charges_rise_by_its_margin(
    drawn: tuple[Charges, Patterns], shares: list[float]
) -> None:
    charges, patterns = drawn
    quiet = np.zeros(len(patterns.prices))
    sweep(charges, patterns, quiet, 0.0, True)
    for p, price in enumerate(patterns.prices):
        raised = charges.own + quiet[p] * np.array(shares[: len(charges.own)])
        assert plain_excess(charges._replace(own=raised), price, members_of(patterns, p)) <= 1e-9


@quick
@given(charged())
def test_the_penalty_is_the_sum_of_all_excesses(drawn: tuple[Charges, Patterns]) -> None:
    charges, patterns = drawn
    excesses = [
        plain_excess(charges, price, members_of(patterns, p)) for p, price in enumerate(patterns.prices.tolist())
    ]
    assert penalty(charges, patterns) == pytest.approx(sum(max(found, 0.0) for found in excesses))
