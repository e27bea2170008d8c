"""States against what is published: joins, prices, and what is left without each record."""

from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from shoal.kernels.local.classes import RECORD
from shoal.kernels.local.states import (
    LARGE_TREE,
    RANGE,
    SMALL_SET,
    Columns,
    _count_bits,
    _met,
    join_into,
    joined_price,
    leave_out_range,
    leave_out_set,
    leave_out_tree,
)
from tests.search.searches import FORMS, MEASURE_NAMES, Search, random_tally

SEEDS = st.integers(0, 10**6)


def joined(columns: Columns, states: NDArray[np.int64], points: list[int]) -> NDArray[np.int64]:
    """Return the state of the closure of some points, joined one after another."""
    closed = states[points[:1]].copy()
    for point in points[1:]:
        join_into(columns, closed, 0, closed, 0, states, point)
    return closed


@given(bits=st.integers(0, 2**62 - 1))
def test_bits_are_counted(bits: int) -> None:
    assert _count_bits(np.int64(bits)) == bits.bit_count()


@pytest.mark.parametrize("limits", [(2_000, 16), (0, 0)], ids=["small", "large"])
@pytest.mark.parametrize("measure", MEASURE_NAMES)
@settings(max_examples=15)
@given(seed=SEEDS)
def test_a_joined_price_is_that_of_the_closure(measure: str, limits: tuple[int, int], seed: int) -> None:
    rng = Random(seed)  # noqa: S311  (tables, not secrets)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("shoal.search.local.states._TABLE", limits[0])
        patch.setattr("shoal.search.local.states._BITS", limits[1])
        search = Search.of(random_tally(rng, 20), measure, 1)
        annealer = search.annealer
    columns, states = annealer.columns, annealer.states
    for _ in range(6):
        one, other = ([rng.randrange(len(states)) for _ in range(rng.randint(1, 5))] for _ in range(2))
        left, right = joined(columns, states, one), joined(columns, states, other)
        both = joined(columns, states, [*one, *other])
        price = search.prices([one + other])[0]
        assert joined_price(columns, left, 0, right, 0) == pytest.approx(price)
        assert joined_price(columns, both, 0, both, 0) == pytest.approx(price)
        assert joined(columns, states, rng.sample(one + other, len(one + other))).tolist() == both.tolist()


@pytest.mark.parametrize("measure", MEASURE_NAMES)
def test_sets_of_several_words(measure: str) -> None:
    rng = Random(measure)  # noqa: S311
    for size in (61, 62, 63, 130):
        search = Search.of(random_tally(rng, 150, forms=("sets",), n_columns=2, size=size), measure, 1)
        states = search.annealer.states
        for _ in range(5):
            points = [rng.randrange(len(states)) for _ in range(rng.randint(1, 30))]
            state = joined(search.annealer.columns, states, points)
            assert joined_price(search.annealer.columns, state, 0, state, 0) == pytest.approx(
                search.prices([points])[0]
            )


@pytest.mark.parametrize("limits", [(2_000, 16), (0, 0)], ids=["small", "large"])
@settings(max_examples=30)
@given(seed=SEEDS)
def test_what_is_left_without_each_record(limits: tuple[int, int], seed: int) -> None:
    rng = Random(seed)  # noqa: S311
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("shoal.search.local.states._TABLE", limits[0])
        patch.setattr("shoal.search.local.states._BITS", limits[1])
        annealer = Search.of(random_tally(rng, 20, forms=FORMS), "lm", 1).annealer
    columns, states = annealer.columns, annealer.states
    records = np.zeros(len(annealer.records.point), dtype=RECORD)
    records["point"] = annealer.records.point
    members = np.array(rng.sample(range(len(records)), rng.randint(2, len(records))), dtype=np.int64)
    begin, end = 0, rng.randint(2, len(members))
    without = np.zeros((len(records), states.shape[1]), dtype=np.int64)
    for f in range(states.shape[1]):
        if f < columns.cuts[RANGE]:
            leave_out_tree(columns, f, states, records, members, begin, end, without)
        elif f < columns.cuts[SMALL_SET]:
            leave_out_range(f, states, records, members, begin, end, without)
        else:
            leave_out_set(f, states, records, members, begin, end, without)
    for i in range(begin, end):
        others = [int(annealer.records.point[members[k]]) for k in range(begin, end) if k != i]
        assert without[members[i]].tolist() == joined(columns, states, others)[0].tolist()


def test_nodes_meet_alike_in_small_and_large_trees() -> None:
    tally = random_tally(Random(5), 30, forms=("tree",), n_columns=1)  # noqa: S311
    small = Search.of(tally).annealer.columns
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("shoal.search.local.states._TABLE", 0)
        large = Search.of(tally).annealer.columns
    assert small.cuts[LARGE_TREE] == 1
    assert large.cuts[LARGE_TREE] == 0
    for a in range(int(small.fields["width"][0])):
        for b in range(int(small.fields["width"][0])):
            assert _met(small, 0, np.int64(a), np.int64(b)) == _met(large, 0, np.int64(a), np.int64(b))
