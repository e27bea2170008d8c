"""Trees over rows: every tree large enough, every piece around a centre, every class of the right size."""

from collections.abc import Sequence
from itertools import combinations_with_replacement, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from shoal.kernels.local.trees import cheapest_runs, cut_edges, fill_evenly, grow_trees, pack_classes

quick = settings(deadline=None, max_examples=60)


def largest(k: int) -> int:
    return max(2 * k - 1, 3 * k - 5)


def random_tree(rng: np.random.Generator, n: int) -> NDArray[np.int32]:
    """Return the edge of each row but the last; some trees are deep, some are bushy."""
    span = int(rng.integers(1, n + 1))
    targets = [int(rng.integers(row + 1, min(row + span, n - 1) + 1)) for row in range(n - 1)]
    names = rng.permutation(n)
    target = np.full(n, -1, dtype=np.int32)
    for row, above in enumerate(targets):
        target[names[row]] = names[above]
    return target


def flat(n: int) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]:
    """Return one column with n leaves below a root: the codes of n rows, where it begins, its parents, its prices."""
    parent = np.full(n + 1, n, dtype=np.int32)
    prices = np.append(np.zeros(n), 1.0)
    return np.arange(n, dtype=np.int32)[:, None], np.array([0, n + 1]), parent, prices


def class_sizes(target: NDArray[np.int32], counts: NDArray[np.int64], k: int) -> list[int]:
    """Cut and pack a forest whose rows are all different, and return the sizes of the classes."""
    codes, starts, parent, prices = flat(len(counts))
    centres, branches = cut_edges(target, counts, k)
    rows, classes, parts, n_classes = pack_classes(
        centres, branches, counts, codes, k, largest(k), starts, parent, prices
    )
    assert np.bincount(rows, weights=parts, minlength=len(counts)).astype(int).tolist() == counts.tolist()
    return np.bincount(classes, weights=parts, minlength=n_classes).astype(int).tolist()


def spider(legs: int, length: int) -> NDArray[np.int32]:
    """Return a centre, the row 0, with legs of some rows."""
    target = [-1]
    for leg in range(legs):
        first = 1 + leg * length
        target += [0, *range(first, first + length - 1)]
    return np.array(target, dtype=np.int32)


@pytest.mark.parametrize(
    ("target", "k", "expected"),
    [
        (spider(4, 2), 3, [4, 5]),  # the paper's own rules leave a leg of 2 alone
        (spider(5, 1), 2, [2, 2, 2]),
        (spider(4, 1), 2, [2, 3]),
        (spider(3, 1), 2, [2, 2]),
        (spider(2, 4), 5, [9]),
        (spider(3, 4), 5, [5, 8]),
    ],
)
def test_the_smallest_trees_that_the_paper_cuts_wrongly(target: NDArray[np.int32], k: int, expected: list[int]) -> None:
    sizes = class_sizes(target, np.ones(len(target), dtype=np.int64), k)
    assert min(sizes) >= k
    assert max(sizes) <= largest(k)
    assert sorted(sizes) == expected


@pytest.mark.parametrize("k", range(1, 9))
def test_random_trees_are_cut_into_classes_of_the_right_sizes(k: int) -> None:
    rng = np.random.default_rng(k)
    for _ in range(300):
        n = int(rng.integers(1, 60))
        counts = rng.integers(1, 4, n) if rng.random() < 0.5 else np.ones(n, dtype=np.int64)
        if counts.sum() >= k:
            sizes = class_sizes(random_tree(rng, n), counts, k)
            assert min(sizes) >= k
            assert max(sizes) <= largest(k)


@pytest.mark.parametrize("k", range(2, 9))
def test_every_piece_has_a_centre_with_small_branches(k: int) -> None:
    rng = np.random.default_rng(k)
    for _ in range(100):
        n = int(rng.integers(k, 50))
        counts = rng.integers(1, 3, n)
        target = random_tree(rng, n)
        centres, branches = cut_edges(target, counts, k)
        for row in range(n):
            assert (branches[row] < 0) == (centres[row] == row)
        for centre in np.unique(centres):
            assert counts[centres == centre].sum() >= k
        for branch in np.unique(branches[branches >= 0]):
            assert counts[branches == branch].sum() < k
            joined = np.flatnonzero(branches == branch)
            above = {int(target[row]) for row in joined} | {int(row) for row in joined}
            assert centres[branch] in above or any(
                int(target[centres[branch]]) == int(row) for row in joined
            )  # an edge leads from the branch to its centre, or the other way


@pytest.mark.parametrize("k", range(2, 7))
def test_all_small_sets_of_branches_can_be_filled_into_classes(k: int) -> None:
    most = largest(k)
    tried = 0
    for n in range(1, 11):
        for branches in combinations_with_replacement(range(1, k), n):
            if sum(branches) + 1 > most and n <= 12 - k:
                check_fill([*branches, 1], k)
                tried += 1
    assert tried > 3


@given(st.integers(2, 30), st.integers(0, 2**32))
@quick
def test_random_branches_can_be_filled_into_classes(k: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    few = rng.integers(1, k, 3)  # many branches of the same sizes are the hard case
    branches = rng.choice(few, int(rng.integers(1, 60))).tolist()
    branches += [k - 1] * int(rng.integers(0, 4))
    if sum(branches) + 1 > largest(k):
        check_fill([*branches, 1], k)


def check_fill(sizes: Sequence[int], k: int) -> None:
    classes = fill_evenly(np.array(sizes, dtype=np.int64), k, largest(k))
    totals = np.bincount(classes, weights=sizes)
    assert totals.min() >= k, sizes
    assert totals.max() <= largest(k), sizes


@given(st.lists(st.integers(1, 3), min_size=1, max_size=7), st.integers(1, 5), st.integers(0, 2**32))
@quick
def test_runs_cost_least(sizes: list[int], k: int, seed: int) -> None:
    _, starts, parent, prices = flat(4)
    nodes = np.random.default_rng(seed).integers(0, 4, (len(sizes), 1)).astype(np.int32)
    found = cheapest_runs(np.array(sizes, dtype=np.int64), nodes, k, largest(k), starts, parent, prices)
    costs = []
    for mask in range(2 ** (len(sizes) - 1)):
        ends = [0, *(i + 1 for i in range(len(sizes) - 1) if mask >> i & 1), len(sizes)]
        totals = [sum(sizes[a:b]) for a, b in pairwise(ends)]
        if all(k <= total <= largest(k) for total in totals):
            paid = [len({int(node) for node in nodes[a:b, 0]}) > 1 for a, b in pairwise(ends)]
            costs.append(sum(total for total, pays in zip(totals, paid, strict=True) if pays))
    if not costs:
        assert found[0] == -1
        return
    members = [np.flatnonzero(found == number) for number in np.unique(found)]
    totals = [sum(sizes[i] for i in own) for own in members]
    assert all(k <= total <= largest(k) for total in totals)
    assert all(len(own) == own[-1] - own[0] + 1 for own in members)
    dear = [total for total, own in zip(totals, members, strict=True) if len(np.unique(nodes[own])) > 1]
    assert sum(dear) == min(costs)


@given(st.integers(1, 6), st.integers(0, 2**32))
@quick
def test_trees_are_grown_to_k_along_edges_to_neighbours(k: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 25))
    counts = rng.integers(1, 4, n)
    if counts.sum() < k:
        return
    near: list[list[int]] = []
    for row in range(n):
        own, total = [], counts[row]
        for other in rng.permutation(np.delete(np.arange(n), row)).tolist():
            if total >= k:
                break
            own.append(other)
            total += counts[other]
        near.append(own)
    offsets = np.cumsum([0, *map(len, near)])
    target = grow_trees(counts, offsets, np.array([row for own in near for row in own], dtype=np.int32), k)
    tree = list(range(n))
    for row in np.flatnonzero(target >= 0).tolist():
        assert target[row] in near[row]
        first, second = tree[row], tree[target[row]]
        assert first != second  # no cycle
        tree = [second if name == first else name for name in tree]
    assert np.bincount(tree, weights=counts)[np.unique(tree)].min() >= k
    assert target.tolist() == plain_grow(counts.tolist(), near, k)


def plain_grow(counts: list[int], near: list[list[int]], k: int) -> list[int]:
    """Grow trees in the same order, as sets."""
    trees = {row: {row} for row in range(len(counts))}
    target = [-1] * len(counts)
    queue = list(range(len(counts)))
    while queue:
        own = trees[queue.pop(0)]
        if sum(counts[row] for row in own) >= k:
            continue
        root = next(row for row in own if target[row] < 0)
        target[root] = next(other for other in near[root] if other not in own)
        both = own | trees[target[root]]
        trees.update(dict.fromkeys(both, both))
        if sum(counts[row] for row in both) < k:
            queue.append(root)
    return target
