"""The kernels of what is charged above a price, against twins of a few lines."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from shoal.kernels.bounds.charges import Charges, Others, climb, excess, make_others, possible, sift
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


def room(k: int) -> Others:
    return make_others(Charges(np.zeros(0), np.zeros(0), np.zeros(0, dtype=np.int64), k))


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


@st.composite
def capped(draw: st.DrawFn) -> tuple[Charges, PatternList]:
    """Draw charges of records whose values have caps, in quarters of a record."""
    charges, patterns = draw(charged())
    n = len(charges.own)
    values = np.array(draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)), dtype=np.int32)
    k, caps = draw(st.integers(1, 4)), draw(st.lists(st.integers(0, 12), min_size=4, max_size=4))
    spare = draw(st.sampled_from([0, 0, 1, 3, 6]))
    return charges._replace(values=values, k=k, caps=np.array(caps), spare=spare, parts=4), patterns


def plain_capped(charges: Charges, price: float, members: np.ndarray) -> float:
    """Solve the linear program: k records in all, and what values have above their caps adds up to the rest at most."""
    counts, values, n = charges.counts[members], charges.values[members], len(members)
    surpluses = charges.own[members] - np.maximum(price, charges.floors[members])
    above = np.array([[*(values == value), *(-1.0 * (np.arange(4) == value))] for value in range(4)])
    found = linprog(
        [*-surpluses, *[0.0] * 4],
        A_ub=[*above, [*[0.0] * n, *[1.0] * 4]],
        b_ub=[*charges.caps / charges.parts, charges.spare / charges.parts],
        A_eq=[[*[1.0] * n, *[0.0] * 4]],
        b_eq=[charges.k],
        bounds=[*((0, count) for count in counts), *[(0, None)] * 4],
    )
    return -found.fun if found.status == 0 else -np.inf


@quick
@given(capped())
def test_the_excess_under_caps_is_that_of_the_linear_program(drawn: tuple[Charges, PatternList]) -> None:
    charges, patterns = drawn
    others, total = make_others(charges), 0.0
    for p, price in enumerate(patterns.prices):
        members = members_of(patterns, p)
        found, plain = excess(charges, price, members, others), plain_capped(charges, price, members)
        assert found.total == pytest.approx(plain, abs=1e-9)
        assert possible(charges, members, others) == (plain > -np.inf)
        assert not others.sizes.any()
        if plain > -np.inf:
            shares, chosen = others.amounts[: found.others] / 4, others.points[: found.others]
            own = charges.own[chosen] - np.maximum(price, charges.floors[chosen])
            assert shares.sum() == charges.k
            assert shares @ own == pytest.approx(plain, abs=1e-9)
            assert found.above == pytest.approx(shares @ np.maximum(own, 0))
        total += max(plain, 0.0) * int(charges.counts[members].sum()) / charges.k
    assert total_excess(charges, patterns) == pytest.approx(total)


@quick
@given(capped())
def test_charges_under_caps_are_lowered_until_there_is_no_excess(drawn: tuple[Charges, PatternList]) -> None:
    charges, patterns = drawn
    others = make_others(charges)
    for p, price in enumerate(patterns.prices):
        members = members_of(patterns, p)
        found = excess(charges, price, members, others)
        if found.total > 0:
            clipped, cut = charges._replace(own=charges.own.copy()), charges._replace(own=charges.own.copy())
            clip_charges(clipped, price, members, others, found)
            assert not others.sizes.any()
            group, shares = others.points[: found.others], others.amounts[: found.others] / 4
            assert (clipped.own <= charges.own + 1e-12).all()
            assert shares @ (clipped.own - np.maximum(price, charges.floors))[group] <= 1e-9
            cut_charges(cut, price, members, found)
            assert (cut.own <= charges.own).all()
            assert plain_capped(cut, price, members) == pytest.approx(0, abs=1e-9)
    quiet = np.zeros(len(patterns.prices))
    lower_charges(charges, patterns, quiet, 0.0, True)
    assert total_excess(charges, patterns) == pytest.approx(0, abs=1e-9)
    for p, price in enumerate(patterns.prices):
        raised = charges._replace(own=charges.own + min(quiet[p], 100.0))
        assert plain_capped(raised, price, members_of(patterns, p)) <= 1e-9


@quick
@given(capped(), st.integers(1, 3))
def test_more_records_have_at_most_their_multiple_of_the_excess(drawn: tuple[Charges, PatternList], more: int) -> None:
    """The largest excess is concave in the number of records, if caps grow in proportion."""
    charges, patterns = drawn
    size = charges.k + more
    scaled = charges._replace(k=size, caps=charges.caps * size, spare=charges.spare * size, parts=4 * charges.k)
    for p, price in enumerate(patterns.prices):
        few = plain_capped(charges, price, members_of(patterns, p))
        many = plain_capped(scaled, price, members_of(patterns, p))
        assert many <= size / charges.k * few + 1e-9
