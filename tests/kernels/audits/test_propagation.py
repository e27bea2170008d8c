"""Each kernel of propagation against its twin in plain Python."""

from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.kernels.audits.propagation import (
    count_candidates,
    join_classes,
    link_entries,
    place_of,
    share_out,
    tighten,
    twin_runs,
)

quick = settings(deadline=None, max_examples=25)
LISTS = st.lists(st.dictionaries(st.integers(0, 5), st.integers(1, 4), max_size=4), min_size=1, max_size=5)


@given(st.lists(st.integers(0, 20)), st.integers(0, 20))
@quick
def test_the_place_of_a_value(values: list[int], value: int) -> None:
    ordered = np.array(sorted(set(values)), dtype=np.int32)
    expected = ordered.tolist().index(value) if value in ordered.tolist() else -1
    assert place_of(ordered, 0, len(ordered), value) == expected


@given(LISTS, st.integers(0, 2**32 - 1))
@quick
def test_the_values_that_all_lists_show(lists: list[dict[int, int]], seed: int) -> None:
    rng = np.random.default_rng(seed)
    chosen = rng.integers(-1, len(lists), (4, 3)).astype(np.int32)
    sizes = rng.integers(1, 4, 4)
    offsets, values, counts = flat(lists)
    none = np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.int64)
    begins = count_candidates(chosen, offsets, values, counts, sizes, *none)
    found, highs = np.zeros(begins[-1], dtype=np.int32), np.zeros(begins[-1], dtype=np.int64)
    assert count_candidates(chosen, offsets, values, counts, sizes, found, highs).tolist() == begins.tolist()
    for c, row in enumerate(chosen.tolist()):
        held = [lists[one] for one in row if one >= 0]
        expected = {
            v: min(int(sizes[c]), *(one[v] for one in held)) for v in range(6) if held and all(v in one for one in held)
        }
        part = slice(begins[c], begins[c + 1])
        assert dict(zip(found[part].tolist(), highs[part].tolist(), strict=True)) == expected
    members = chosen[chosen >= 0]
    firsts = np.concatenate([[0], np.cumsum((chosen >= 0).sum(axis=1))]).astype(np.int64)
    starts, links = link_entries(begins, found, firsts, members, offsets, values)
    expected_links = [
        [sorted(lists[one]).index(int(found[p])) + int(offsets[one]) for one in row if one >= 0]
        for c, row in enumerate(chosen.tolist())
        for p in range(begins[c], begins[c + 1])
    ]
    assert links.tolist() == [place for places in expected_links for place in places]
    assert starts.tolist() == np.cumsum([0, *(np.diff(begins) * np.diff(firsts))]).tolist()


def flat(lists: list[dict[int, int]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    pairs = [sorted(one.items()) for one in lists]
    offsets = np.cumsum([0, *map(len, pairs)]).astype(np.int64)
    values = np.array([v for one in pairs for v, _ in one], dtype=np.int32)
    return offsets, values, np.array([n for one in pairs for _, n in one], dtype=np.int64)


@given(st.integers(0, 2**32 - 1))
@quick
def test_no_table_that_fits_is_outside_of_the_bounds(seed: int) -> None:
    """A table of cohorts and values is drawn; sums of some of its cells are told, and bounds are found again."""
    rng = np.random.default_rng(seed)
    table = rng.integers(0, 4, (5, 3))
    links = rng.integers(-1, 6, (15, 2)).astype(np.int32)
    links[links[:, 0] == links[:, 1], 1] = -1
    told = np.array([sum(table.ravel()[p] for p in range(15) if one in links[p]) for one in range(6)])
    lows, highs = np.zeros(15, dtype=np.int64), np.minimum(np.repeat(table.sum(axis=1), 3), 4)
    clashes, groups = np.zeros(5, dtype=np.bool_), (rng.permutation(5), np.array([2, 5]))
    slack = rng.integers(0, 2, 6)
    sizes = table.sum(axis=1)
    before = highs.copy()
    least, most, starts = told - slack, told + slack, np.arange(0, 31, 6)
    sums = tighten(groups, np.arange(0, 16, 3), sizes, starts, links.ravel(), lows, highs, least, most, clashes, 999)
    assert not clashes.any()
    assert (lows <= table.ravel()).all()
    assert (table.ravel() <= highs).all()
    assert (highs <= before).all()
    for side, total in zip((lows, highs), sums, strict=True):
        assert total.tolist() == [sum(side[p] for p in range(15) if one in links[p]) for one in range(6)]


@given(st.lists(st.lists(st.integers(0, 7), min_size=1, max_size=3), max_size=6))
@quick
def test_classes_that_lists_hold_together(lists: list[list[int]]) -> None:
    offsets = np.cumsum([0, *map(len, lists)]).astype(np.int64)
    found = join_classes(offsets, np.array([c for one in lists for c in one], dtype=np.int32), 8)
    groups = [{c} for c in range(8)]
    for one in lists:
        touched = [group for group in groups if group & set(one)]
        groups = [group for group in groups if not group & set(one)] + [set().union(*touched)]
    assert len(set(found.tolist())) == found.max() + 1 == len(groups)
    assert all(len({int(found[c]) for c in group}) == 1 for group in groups)


@given(
    st.lists(
        st.tuples(st.integers(0, 1), st.lists(st.tuples(st.integers(0, 2), st.integers(1, 2)), max_size=2)),
        min_size=1,
        max_size=8,
    )
)
@quick
def test_runs_that_are_equal(runs: list[tuple[int, list[tuple[int, int]]]]) -> None:
    order = np.array(sorted(range(len(runs)), key=lambda i: (str(runs[i]), i)))
    begins = np.cumsum([0, *(len(entries) for _, entries in runs)]).astype(np.int64)
    keys, counts = (np.array([e[j] for _, run in runs for e in run], dtype=np.int64) for j in (0, 1))
    owners = np.array([owner for owner, _ in runs], dtype=np.int64)
    assert twin_runs(order, owners, begins, keys, counts).tolist() == [runs.index(one) for one in runs]


@given(st.integers(0, 2**32 - 1))
@quick
def test_what_twins_have_together(seed: int) -> None:
    rng = np.random.default_rng(seed)
    lows = rng.integers(0, 3, 12)
    highs, twins = lows + rng.integers(0, 3, 12), rng.integers(-1, 3, 12)
    begins, sizes = np.array([0, 5, 5, 12]), np.array([9, 0, 12])
    least, most = share_out(begins, sizes, lows, highs, twins, 3)
    for c, (begin, end) in enumerate(pairwise(begins.tolist())):
        for p in range(begin, end):
            own = [q for q in range(begin, end) if twins[q] == twins[p]]
            rest = [q for q in range(begin, end) if twins[q] not in (-1, twins[p])]
            if twins[p] < 0:
                assert (least[p], most[p]) == (0, 0)
            else:
                assert least[p] == max(lows[own].sum(), sizes[c] - highs[rest].sum())
                assert most[p] == min(highs[own].sum(), sizes[c] - lows[rest].sum())
