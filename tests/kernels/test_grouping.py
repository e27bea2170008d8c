"""Each kernel of grouping against a twin of a few lines."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from shoal.kernels.grouping import (
    add_rows,
    count_codes,
    group_keys,
    group_words,
    last_places,
    lift_words,
    merge_entries,
    mix,
    take,
)
from shoal.search.lattice.cells import KeyLayout

quick = settings(deadline=None, max_examples=40)  # the kernels compile on the first call
_NEAR = [0, 1, 2, 3, 2**32, 2**63, 2**64 - 1]


def by_appearance(rows: list[Any]) -> tuple[list[int], list[Any]]:
    seen: dict[Any, int] = {}
    return [seen.setdefault(row, len(seen)) for row in rows], list(seen)


@given(st.lists(st.sampled_from(_NEAR) | st.integers(0, 2**64 - 1), max_size=50))
@quick
def test_equal_keys_are_numbered_alike(keys: list[int]) -> None:
    groups, first = group_keys(np.array(keys, dtype=np.uint64))
    expected, distinct = by_appearance(keys)
    assert groups.tolist() == expected
    assert first.tolist() == [keys.index(key) for key in distinct]


@given(st.lists(st.integers(0, 200), min_size=1), st.data())
@quick
def test_taking_is_indexing(values: list[int], data: st.DataObject) -> None:
    places = data.draw(st.lists(st.integers(0, len(values) - 1)))
    for kind in (np.uint8, np.uint32, np.int32):
        taken = take(np.array(values, dtype=kind), np.array(places, dtype=kind))
        assert taken.dtype == kind
        assert taken.tolist() == [values[place] for place in places]


@given(st.lists(st.integers(0, 6)))
@quick
def test_codes_are_counted_and_found(codes: list[int]) -> None:
    for kind in (np.uint8, np.uint32):
        counts = count_codes(np.array(codes, dtype=kind), 7)
        assert counts.tolist() == [codes.count(code) for code in range(7)]
    places = last_places(np.array(codes, dtype=np.uint32), 7)
    assert places.tolist() == [max((i for i, one in enumerate(codes) if one == code), default=-1) for code in range(7)]


@pytest.mark.parametrize("n", [511, 512, 513, 1024, 5000])
def test_the_table_grows(n: int) -> None:
    rng = np.random.default_rng(n)
    keys = rng.integers(0, n, 3 * n).astype(np.uint64) << np.uint64(40)
    groups, first = group_keys(keys)
    expected, distinct = by_appearance(keys.tolist())
    assert groups.tolist() == expected
    assert keys[first].tolist() == distinct
    assert (np.diff(first) > 0).all()


def test_mixing_never_makes_two_keys_equal() -> None:
    rng = np.random.default_rng(1)
    keys = np.unique(np.concatenate([np.arange(3000), np.arange(3000) << 32, rng.integers(0, 2**63, 3000)]))
    mixed = {int(mix(np.uint64(key))) for key in keys}
    assert len(mixed) == len(keys)


@st.composite
def packed(draw: st.DrawFn) -> tuple[KeyLayout, NDArray[np.int32], list[int]]:
    sizes = draw(st.lists(st.sampled_from([1, 2, 3, 200, 70_000, 2**30]), min_size=1, max_size=8))
    n = draw(st.integers(0, 12))
    rows = [[draw(st.integers(0, min(size, 5) - 1)) for size in sizes] for _ in range(n)]
    codes = np.array(rows, dtype=np.int32).reshape(n, len(sizes))
    top = np.array([size - min(size, 5) for size in sizes], dtype=np.int32)
    return KeyLayout.of(sizes), (codes + top * draw(st.integers(0, 1))).astype(np.int32), sizes


@given(packed(), st.randoms(use_true_random=False))
@quick
def test_codes_are_lifted_inside_their_keys(case: tuple[KeyLayout, NDArray[np.int32], list[int]], rng: Any) -> None:
    layout, codes, sizes = case
    chosen = [j for j, size in enumerate(sizes) if size <= 70_000 and rng.random() < 0.7]
    starred = [j for j in range(len(sizes)) if j not in chosen and rng.random() < 0.3]
    lifts = [
        np.array([rng.randrange(size) for _ in range(size)], dtype=np.int32) for size in (sizes[j] for j in chosen)
    ]
    lifted, hashes = lift_words(
        layout.pack(codes),
        layout.without(starred),
        layout.words[chosen],
        layout.shifts[chosen],
        layout.masks[chosen],
        np.concatenate(lifts) if lifts else np.zeros(0, dtype=np.int32),
        np.cumsum([0, *(len(lift) for lift in lifts)]),
    )
    expected = codes.copy()
    expected[:, starred] = 0
    for j, lift in zip(chosen, lifts, strict=True):
        expected[:, j] = lift[codes[:, j]]
    assert lifted.tolist() == layout.pack(expected).tolist()
    first, groups = group_words(lifted, hashes)
    numbers, distinct = by_appearance([tuple(row) for row in expected.tolist()])
    assert groups.tolist() == numbers
    assert [tuple(row) for row in expected[first].tolist()] == distinct


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=30))
@quick
def test_keys_with_the_same_hash_stay_apart(rows: list[tuple[int, int]]) -> None:
    words = np.array(rows, dtype=np.uint64).reshape(len(rows), 2).T.copy()
    first, groups = group_words(words, np.zeros(len(rows), dtype=np.uint64))
    numbers, distinct = by_appearance(rows)
    assert groups.tolist() == numbers
    assert [rows[i] for i in first] == distinct


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(-(2**40), 2**40), st.integers(0, 9)), max_size=30))
@quick
def test_rows_are_added_by_target(rows: list[tuple[int, int, int]]) -> None:
    values = np.array([row[1:] for row in rows], dtype=np.int64).reshape(len(rows), 2)
    target = np.array([row[0] for row in rows], dtype=np.int32)
    expected = np.zeros((5, 2), dtype=np.int64)
    np.add.at(expected, target, values)
    assert add_rows(values, target, 5).tolist() == expected.tolist()


@given(st.lists(st.tuples(st.integers(-1, 4), st.integers(0, 3), st.integers(1, 9)), max_size=30))
@quick
def test_entries_of_a_class_are_merged_in_the_order_of_their_values(rows: list[tuple[int, int, int]]) -> None:
    classes, values, counts = np.array(rows, dtype=np.int64).reshape(len(rows), 3).T
    offsets, merged, sums = merge_entries(classes.astype(np.int32), values.astype(np.int32), counts, 5, 4)
    full = np.zeros((5, 4), dtype=np.int64)
    np.add.at(full, (classes[classes >= 0], values[classes >= 0]), counts[classes >= 0])
    owners, shown = np.nonzero(full)
    assert offsets.tolist() == np.searchsorted(owners, np.arange(6)).tolist()
    assert merged.tolist() == shown.tolist()
    assert sums.tolist() == full[owners, shown].tolist()
