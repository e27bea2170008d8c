"""Each kernel of patterns against a twin of a few lines."""

from collections import defaultdict

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from shoal.kernels.local.patterns import (
    FoundPatterns,
    PatternTable,
    closed_groups,
    closed_patterns,
    found_patterns,
    group_open,
    lift_rows,
)
from shoal.search.lattice.cells import KeyLayout

quick = settings(deadline=None, max_examples=40)  # the kernels compile on the first call
TABLES = (
    np.array([[0, 1, 2, 3], [0, 0, 1, 1], [0, 0, 0, 0]]),
    np.array([[0, 1, 2], [0, 0, 0]]),
    np.array([[0, 1], [0, 0]]),
)
"""`table[step, leaf]` of three columns."""


def grid_of(rows: list[tuple[int, int, int]], counts: list[int], *, wide: bool = False) -> PatternTable:
    """Return the places of a table; `wide` keys need three words."""
    layout = KeyLayout.of([2**40 if wide else table.shape[1] for table in TABLES])
    lifts = [table.astype(np.uint64) << shift for table, shift in zip(TABLES, layout.shifts, strict=True)]
    return PatternTable(
        codes=np.ascontiguousarray(np.array(rows, dtype=np.int32).T),
        counts=np.array(counts, dtype=np.int64),
        starts=np.cumsum([0, *(table.size for table in TABLES[:-1])]),
        leaves=np.array([table.shape[1] for table in TABLES]),
        lifts=np.concatenate([lift.ravel() for lift in lifts]),
        prices=np.concatenate([np.repeat(np.arange(len(table)), table.shape[1]) / len(table) for table in TABLES]),
        words=layout.words,
        masks=layout.masks << layout.shifts,
        n_words=int(layout.words.max()) + 1,
    )


def node(row: tuple[int, int, int], steps: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(int(table[step, leaf]) for table, step, leaf in zip(TABLES, steps, row, strict=True))


def as_steps(steps: tuple[int, ...]) -> NDArray[np.int16]:
    return np.array(steps, dtype=np.int16)


ROWS = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 1)), min_size=1, max_size=12, unique=True
)
STEPS = st.tuples(st.integers(0, 2), st.integers(0, 1), st.integers(0, 1))


@st.composite
def places(draw: st.DrawFn) -> tuple[list[tuple[int, int, int]], list[int], list[bool]]:
    """Draw places, their numbers of records and which of them are open."""
    rows = draw(ROWS)
    n = len(rows)
    counts = draw(st.lists(st.integers(1, 3), min_size=n, max_size=n))
    return rows, counts, draw(st.lists(st.booleans(), min_size=n, max_size=n))


def split(is_open: list[bool]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    return tuple(np.flatnonzero(np.array(is_open) == side).astype(np.int32) for side in (True, False))  # type: ignore[return-value]


@given(places(), STEPS, st.booleans())
@quick
def test_lifted_places_have_equal_keys_where_they_have_equal_nodes(
    drawn: tuple[list[tuple[int, int, int]], list[int], list[bool]], steps: tuple[int, ...], wide: bool
) -> None:
    rows, counts, _ = drawn
    grid = grid_of(rows, counts, wide=wide)
    keys = np.full((grid.n_words, len(rows)), 7, dtype=np.uint64)
    lift_rows(grid, as_steps(steps), keys)
    shown = [tuple(key) for key in keys.T.tolist()]
    nodes = [node(row, steps) for row in rows]
    assert [[one == other for other in shown] for one in shown] == [[one == other for other in nodes] for one in nodes]
    assert grid.n_words == (3 if wide else 1)


@given(st.lists(st.integers(0, 4), min_size=1, max_size=20), st.data())
@quick
def test_groups_are_those_of_open_places(keys: list[int], data: st.DataObject) -> None:
    is_open = data.draw(st.lists(st.booleans(), min_size=len(keys), max_size=len(keys)))
    inside, outside = split(is_open)
    groups = np.empty(len(keys), dtype=np.int32)
    words = np.array([keys, [3 * key for key in keys]], dtype=np.uint64)
    first = group_open(words, inside, outside, np.empty(64, dtype=np.int32), groups)
    number: dict[int, int] = {}
    for i in inside.tolist():
        number.setdefault(keys[i], len(number))
    assert groups.tolist() == [number.get(key, -1) for key in keys]
    assert first.tolist() == [next(i for i in inside.tolist() if keys[i] == key) for key in number]


@given(places(), STEPS, st.integers(1, 4), st.booleans())
@quick
def test_closed_patterns_have_enough_records_that_agree_nowhere_lower(
    drawn: tuple[list[tuple[int, int, int]], list[int], list[bool]], steps: tuple[int, ...], k: int, wide: bool
) -> None:
    rows, counts, is_open = drawn
    supports: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for i, row in enumerate(rows):
        supports[node(row, steps)].append(i)
    expected = []
    for support in supports.values():
        lower = [tuple(max(step - (j == c), 0) for c, step in enumerate(steps)) for j in range(3) if steps[j] > 0]
        closed = all(len({node(rows[i], below) for i in support}) > 1 for below in lower)
        members = [i for i in support if is_open[i]]
        if closed and members and sum(counts[i] for i in support) >= k:
            price = sum(step / len(table) for step, table in zip(steps, TABLES, strict=True))
            expected.append((support[0], members, price))
    vectors = np.array([(0, 0, 0), steps], dtype=np.int16)
    found = closed_patterns(
        grid_of(rows, counts, wide=wide), vectors, np.array([1], dtype=np.int32), k, *split(is_open)
    )
    assert found.firsts.tolist() == [first for first, _, _ in expected]
    assert found.ranks.tolist() == [1] * len(expected)
    starts = [0, *found.ends.tolist()][: len(expected)]
    listed = [found.members[a:b].tolist() for a, b in zip(starts, found.ends.tolist(), strict=True)]
    assert listed == [members for _, members, _ in expected]
    np.testing.assert_allclose(found.prices, [price for _, _, price in expected])


def test_the_parts_of_a_search_by_hand() -> None:
    rows = [(0, 0, 0), (1, 0, 0), (2, 0, 0), (3, 0, 1)]
    grid = grid_of(rows, [1, 1, 2, 1])
    steps = as_steps((1, 0, 0))  # the nodes 01 and 23
    groups = np.array([0, 0, 1, -1], dtype=np.int32)
    first = np.array([1, 2], dtype=np.int32)
    below = np.empty((1, 4), dtype=np.uint64)
    lift_rows(grid, as_steps((0, 0, 0)), below)
    # two values make the first closed; the second has one
    assert closed_groups(grid, steps, below, groups, first, 2).tolist() == [True, False]
    assert first.tolist() == [0, 2]
    assert closed_groups(grid, steps, below, groups, first, 3).tolist() == [False, False]
    opened = np.array([1], dtype=np.int32)
    found = found_patterns(grid, steps, 5, np.array([0]), first, opened, groups)
    assert [part.tolist() for part in found] == [[5], [1 / 3], [0], [1], [1]]


def found_of(ranks: list[int], members: list[list[int]]) -> FoundPatterns:
    return FoundPatterns(
        np.array(ranks, dtype=np.int32),
        np.array(ranks, dtype=np.float64) / 2,
        np.array([one[0] for one in members], dtype=np.int32),
        np.cumsum([len(one) for one in members], dtype=np.int64),
        np.array([i for one in members for i in one], dtype=np.int32),
    )


@given(places(), st.lists(STEPS, min_size=1, max_size=4), st.integers(1, 3))
@quick
def test_the_patterns_of_several_vectors_stand_one_after_the_other(
    drawn: tuple[list[tuple[int, int, int]], list[int], list[bool]], steps: list[tuple[int, ...]], k: int
) -> None:
    rows, counts, is_open = drawn
    grid, vectors = grid_of(rows, counts), np.array(steps, dtype=np.int16)
    ranks = np.arange(len(steps), dtype=np.int32)
    whole = closed_patterns(grid, vectors, ranks, k, *split(is_open))
    parts = [closed_patterns(grid, vectors, ranks[r : r + 1], k, *split(is_open)) for r in ranks]
    for name in ("ranks", "prices", "firsts", "members"):
        assert getattr(whole, name).tolist() == [value for part in parts for value in getattr(part, name)]
    lengths = [length for part in parts for length in np.diff([0, *part.ends])]
    assert whole.ends.tolist() == np.cumsum(lengths, dtype=np.int64).tolist()
