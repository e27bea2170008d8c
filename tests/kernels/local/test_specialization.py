"""Each kernel of specialization against its twin in plain Python."""

from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from shoal.kernels.local.closures import RANGES, SETS, TREE, Forms
from shoal.kernels.local.specialization import (
    Closures,
    Needy,
    close_classes,
    move_back,
    sort_entries_by_class,
    split_column,
)
from tests.kernels.local.test_leftovers import SEEDS, covering_price, path, random_forms

MEASURES = st.sampled_from(("lm", "ncp", "stars", "tree", "entropy", "monotone-entropy"))
quick = settings(deadline=None, max_examples=60)


def random_classes(rng: Random, codes: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return the rows of some classes, each in several of them, and where each class begins."""
    sizes = [rng.randint(1, 6) for _ in range(rng.randint(1, 4))]
    rows = [rng.randrange(len(codes)) for _ in range(sum(sizes))]
    return codes[rows], np.cumsum([0, *sizes])


def everything(forms: Forms, leaves: NDArray[np.int32]) -> Closures:
    """Return the closure of all rows, by brute force."""
    low = [closure(forms, j, set(leaves[:, j].tolist())) for j in range(leaves.shape[1])]
    return Closures(
        np.array([[one for one, _ in low]], dtype=np.int32),
        np.array([[two for _, two in low]], dtype=np.int32),
        np.zeros(1),
    )


def closure(forms: Forms, column: int, leaves: set[int]) -> tuple[int, int]:
    """Return what stands for some leaves, as the kernel writes it."""
    if forms.kinds[column] == TREE:
        node = min(set.intersection(*(set(path(forms, column, leaf)) for leaf in leaves)))
        return node, node
    return (min(leaves) if forms.kinds[column] == RANGES else len(leaves)), max(leaves)


@given(st.lists(st.integers(-1, 4)))
@quick
def test_entries_are_sorted_by_class(classes: list[int]) -> None:
    order, offsets = sort_entries_by_class(np.array(classes, dtype=np.int32), 5)
    expected = [[i for i, c in enumerate(classes) if c == number] for number in range(5)]
    assert [order[offsets[c] : offsets[c + 1]].tolist() for c in range(5)] == expected


@given(SEEDS, MEASURES)
@quick
def test_closures_cover_their_classes(seed: int, measure: str) -> None:
    forms, codes = random_forms(seed, measure)
    leaves, offsets = random_classes(Random(seed), codes)  # noqa: S311
    owners = np.zeros(len(offsets) - 1, dtype=np.int64)
    found = close_classes(forms, leaves, np.arange(len(leaves)), offsets, owners, everything(forms, leaves))
    for c in range(len(offsets) - 1):
        members = [set(leaves[offsets[c] : offsets[c + 1], j].tolist()) for j in range(leaves.shape[1])]
        expected = [closure(forms, j, mine) for j, mine in enumerate(members)]
        assert list(zip(found.low[c].tolist(), found.high[c].tolist(), strict=True)) == expected
        assert found.prices[c] == pytest.approx(sum(covering_price(forms, j, mine) for j, mine in enumerate(members)))


def best_cut(forms: Forms, column: int, records: list[tuple[int, int]], least: int) -> float | None:
    """Return the least loss of two sides of a class, in one column; its values with their numbers of records."""
    sums: dict[int, int] = {}
    for leaf, count in records:
        sums[leaf] = sums.get(leaf, 0) + count
    order = sorted(sums) if forms.kinds[column] == RANGES else sorted(sums, key=lambda leaf: (-sums[leaf], leaf))
    costs = []
    for place in range(1, len(order)):
        sides = [set(order[:place]), set(order[place:])]
        sizes = [sum(sums[leaf] for leaf in side) for side in sides]
        if min(sizes) >= least:
            pairs = zip(sides, sizes, strict=True)
            costs.append(sum(size * covering_price(forms, column, side) for side, size in pairs))
    return min(costs, default=None)


@given(SEEDS, MEASURES, st.integers(1, 4))
@quick
def test_a_class_is_parted_in_one_column(seed: int, measure: str, least: int) -> None:
    forms, codes = random_forms(seed, measure)
    rng = Random(seed)  # noqa: S311
    leaves, offsets = random_classes(rng, codes)
    counts = np.array([rng.randint(1, 3) for _ in leaves], dtype=np.int64)
    owners = np.zeros(len(offsets) - 1, dtype=np.int64)
    above = close_classes(forms, leaves, np.arange(len(leaves)), offsets, owners, everything(forms, leaves))
    for j in range(leaves.shape[1]):
        child, firsts = split_column(forms, j, leaves, counts, offsets, np.ascontiguousarray(above.low[:, j]), least)
        for c in range(len(offsets) - 1):
            mine = range(offsets[c], offsets[c + 1])
            children: dict[int, list[tuple[int, int]]] = {}
            for i in mine:
                children.setdefault(int(child[i]), []).append((int(leaves[i, j]), int(counts[i])))
            assert sorted(children) == list(range(firsts[c], firsts[c + 1]))
            check_children(forms, j, list(children.values()), int(above.low[c, j]), least)


def check_children(forms: Forms, column: int, children: list[list[tuple[int, int]]], node: int, least: int) -> None:
    values = [{leaf for leaf, _ in child} for child in children]
    whole = set.union(*values)
    assert sum(map(len, values)) == len(whole)
    if forms.kinds[column] == TREE:
        below = [
            {([node, *path(forms, column, leaf)][path(forms, column, leaf).index(node)]) for leaf in child}
            for child in values
        ]
        assert all(len(tops) == 1 for tops in below)
        assert len(set.union(*below)) == len(children)
    elif len(whole) > 1 and forms.missing[column] in whole:
        assert sorted(map(sorted, values)) == sorted([sorted(whole - {forms.missing[column]}), [forms.missing[column]]])
    else:
        best = best_cut(forms, column, [pair for child in children for pair in child], least)
        assert (len(children) == 2) == (best is not None)
        if best is not None:
            costs = [
                sum(n for _, n in child) * covering_price(forms, column, {x for x, _ in child}) for child in children
            ]
            assert sum(costs) == pytest.approx(best)


@given(SEEDS, MEASURES)
@quick
def test_records_are_moved_to_a_group_that_fails(seed: int, measure: str) -> None:
    """Group 0 of one class gets records of groups 1 and 2, at most what they can spare."""
    forms, codes = random_forms(seed, measure)
    rng = Random(seed)  # noqa: S311
    n = rng.randint(3, 12)
    leaves = codes[[rng.randrange(len(codes)) for _ in range(n)]]
    groups = np.array([0, 1, 2, *(rng.randrange(3) for _ in range(n - 3))], dtype=np.int32)
    counts = np.array([rng.randint(1, 4) for _ in range(n)], dtype=np.int64)
    profiles = np.array([rng.randrange(3) for _ in range(n)], dtype=np.int32)
    totals = np.bincount(profiles, weights=counts, minlength=3).astype(np.int64)
    spare = np.array([0, rng.randint(0, 3), rng.randint(0, 3)], dtype=np.int64)
    wanted = rng.randint(1, 5)
    needy = Needy(np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int32), np.array([wanted], dtype=np.int64))
    offsets = np.array([0, n], dtype=np.int64)
    places, moved, got = move_back(forms, needy, leaves, profiles, counts, offsets, groups, spare, totals)
    assert got.tolist() == [moved.sum()]
    assert got[0] <= wanted
    assert len(set(places.tolist())) == len(places)
    assert np.all((moved > 0) & (moved <= counts[places]) & (groups[places] > 0))
    for group in (1, 2):
        assert moved[groups[places] == group].sum() <= spare[group]
    if SETS not in forms.kinds and (spare[1:] >= np.bincount(groups, weights=counts, minlength=3)[1:]).all():
        assert got[0] == min(wanted, counts[groups > 0].sum())


def test_the_rarest_tuples_come_first_and_of_them_the_nearest() -> None:
    """The failing group has a tuple three times and lacks the other; of two entries with that, one is equal to it."""
    forms, codes = random_forms(3, "stars")
    row = codes[:1]
    far = codes[np.argmax((codes != row).sum(axis=1))][None]
    leaves = np.concatenate([row, row, far, row]).astype(np.int32)
    groups, profiles = np.array([0, 1, 1, 1], dtype=np.int32), np.array([0, 0, 1, 1], dtype=np.int32)
    counts = np.array([3, 5, 2, 2], dtype=np.int64)
    needy = Needy(np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int32), np.array([2], dtype=np.int64))
    totals, spare = np.array([8, 8], dtype=np.int64), np.array([0, 9], dtype=np.int64)
    places, moved, got = move_back(
        forms, needy, leaves, profiles, counts, np.array([0, 4], dtype=np.int64), groups, spare, totals
    )
    assert (places.tolist(), moved.tolist(), got.tolist()) == ([3], [2], [2])
