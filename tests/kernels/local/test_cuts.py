"""Each kernel of cutting at a median against its twin in plain Python."""

from collections import Counter
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from shoal.kernels.local.cuts import (
    ClassValues,
    all_large,
    count_values,
    find_ends,
    longest_of,
    make_workspace,
    no_cuts,
    share_median,
    sort_items,
    split_halves,
    write_targets,
)
from shoal.kernels.local.slices import Entries, Slices

VALUES = st.lists(st.one_of(st.integers(0, 6), st.integers(0, 2000)), min_size=1, max_size=30)
SUMS = st.lists(st.integers(1, 6), min_size=1, max_size=8)


def entries_with(values: list[int], weights: list[int] | None = None) -> Entries:
    """Return entries of one column behind one that is none of the class's business."""
    n = len(values)
    rows = np.array([9999, *values], dtype=np.uint16).reshape(-1, 1)
    counts = np.array([5, *(weights or [1] * n)], dtype=np.int64)
    return Entries(rows, counts, np.arange(n, -1, -1, dtype=np.int32), np.full(n + 1, -1, dtype=np.int32))


def with_sums(sums: list[int]) -> ClassValues:
    found = make_workspace(len(sums), len(sums))
    found.sums[: len(sums)] = sums
    found.parts[: len(sums)] = range(len(sums))
    return found


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=60))
def test_items_are_sorted_by_their_keys(pairs: list[tuple[int, int]]) -> None:
    keys, items = (np.array([pair[side] for pair in pairs], dtype=np.int32) for side in (0, 1))
    sort_items(keys, items, len(pairs))
    assert list(zip(keys.tolist(), items.tolist(), strict=True)) == sorted(pairs)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=20))
def test_the_ends_of_each_column(rows: list[tuple[int, int]]) -> None:
    low, high = np.empty(2, dtype=np.int64), np.empty(2, dtype=np.int64)
    table = np.array([(50, 50), *rows, (50, 50)], dtype=np.int32)
    find_ends(table, 1, len(rows), low, high)
    assert low.tolist() == [min(column) for column in zip(*rows, strict=True)]
    assert high.tolist() == [max(column) for column in zip(*rows, strict=True)]


@given(VALUES, st.data())
def test_values_are_counted_and_entries_sent_to_their_parts(values: list[int], data: st.DataObject) -> None:
    weights = data.draw(st.lists(st.integers(1, 9), min_size=len(values), max_size=len(values)))
    entries, found = entries_with(values, weights), make_workspace(len(values), 2001)
    n_values = count_values(entries, 1, len(values), 0, min(values), max(values), found)
    counted: Counter[int] = Counter()
    for value, weight in zip(values, weights, strict=True):
        counted[value] += weight
    assert dict(zip(found.values[:n_values].tolist(), found.sums[:n_values].tolist(), strict=True)) == counted
    assert found.values[:n_values].tolist() == sorted(counted)
    found.parts[:n_values] = np.arange(n_values) % 3
    write_targets(entries, 1, len(values), 0, min(values), found)
    assert entries.targets.tolist() == [-1, *(sorted(counted).index(value) % 3 for value in values)]


@given(SUMS, st.integers(1, 8), st.data())
def test_all_parts_are_large(sums: list[int], k: int, data: st.DataObject) -> None:
    found = with_sums(sums)
    steps = data.draw(st.lists(st.integers(0, 1), min_size=len(sums) - 1, max_size=len(sums) - 1))
    parts: NDArray[np.int64] = np.cumsum([0, *steps])
    found.parts[: len(sums)] = parts
    sizes = np.bincount(parts, sums)
    assert all_large(len(sums), len(sizes), k, found) == bool((sizes >= k).all())


@given(SUMS, st.integers(1, 8), st.booleans(), st.data())
def test_halves_are_as_even_as_can_be(sums: list[int], k: int, relaxed: bool, data: st.DataObject) -> None:
    found, records = with_sums(sums), sum(sums)
    steps = data.draw(st.lists(st.integers(0, 1), min_size=len(sums) - 1, max_size=len(sums) - 1))
    parts = [0, *np.cumsum(steps).tolist()]
    found.parts[: len(sums)] = parts
    ways, median = split_halves(len(sums), records, k, relaxed, found)
    places = [place for place, (one, other) in enumerate(pairwise(parts), 1) if one != other]
    evenness = {place: min(sum(sums[:place]), sum(sums[place:])) for place in places}
    best = max(evenness.values(), default=0)
    shares = relaxed and best < records // 2
    assert (ways > 0) == ((records // 2 if shares else best) >= k)
    if ways and not shares:
        cut = max(place for place, even in evenness.items() if even == best)
        assert (found.parts[: len(sums)] == [0] * cut + [1] * (len(sums) - cut)).all()
        assert median == -1
    if ways and shares:
        assert sum(sums[:median]) <= records // 2 <= sum(sums[: median + 1])


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(1, 5)), min_size=2, max_size=12))
def test_records_of_the_median_are_shared_out(pairs: list[tuple[int, int]]) -> None:
    """Taking the records by value and then by point, the first half goes to the first side."""
    values, weights = [value for value, _ in pairs], [weight for _, weight in pairs]
    entries, found = entries_with(values, weights), make_workspace(len(values), 5)
    records = sum(weights)
    n_values = count_values(entries, 1, len(values), 0, min(values), max(values), found)
    found.parts[:n_values] = range(n_values)
    ways, median = split_halves(n_values, records, 1, True, found)
    if ways == 0 or median < 0:
        return
    write_targets(entries, 1, len(values), 0, min(values), found)
    shared, kept = share_median(entries, 1, len(values), 0, min(values), median, records, found)
    left = records // 2
    for i in sorted(range(1, len(values) + 1), key=lambda i: (values[i - 1], entries.points[i])):
        taken = min(weights[i - 1], left)
        left -= taken
        if 0 < taken < weights[i - 1]:
            assert (shared, kept, entries.targets[i]) == (i, taken, 0)
        else:
            assert entries.targets[i] == (0 if taken else 1)
            assert shared != i


def test_room_for_cuts() -> None:
    some = np.array([3, 9, 2])
    assert longest_of(Slices(some, some, some)) == 9
    cuts = no_cuts(2)
    assert (cuts.ways.tolist(), cuts.shared.tolist(), cuts.kept.tolist()) == ([0, 0], [-1, -1], [0, 0])
