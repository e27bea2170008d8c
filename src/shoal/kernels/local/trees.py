"""A forest over the rows of a table: grown from nearest neighbours, cut into pieces, and packed into classes."""

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import inner_kernel, kernel
from shoal.kernels.local.closures import meet
from shoal.kernels.orders import sort_indices


@kernel
def grow_trees(
    counts: NDArray[np.int64], offsets: NDArray[np.int64], near: NDArray[np.int32], k: int
) -> NDArray[np.int32]:
    """Return, for each row, the neighbour that its edge leads to, or -1; every tree has at least k records.

    Each tree has one row without an edge, its root. The root of a tree that is too small gets an edge to the nearest of
    its neighbours outside the tree. There is one: the root and its neighbours have k records, so not all are inside. A
    tree that is still too small is queued again. O(rows x k), apart from the union-find.
    """
    n = counts.shape[0]
    target = np.full(n, -1, dtype=np.int32)
    leader, roots = (
        np.empty(n, dtype=np.int32),
        np.empty(n, dtype=np.int32),
    )  # roots: the root of the tree of each leader
    sizes = counts.copy()
    queue = np.empty(2 * n, dtype=np.int32)
    for row in range(n):
        leader[row], roots[row], queue[row] = row, row, row
    head, tail = 0, n
    while head < tail:
        own = _find(leader, queue[head])
        head += 1
        if sizes[own] >= k:
            continue
        root = roots[own]
        for i in range(offsets[root], offsets[root + 1]):
            other = _find(leader, near[i])
            if other != own:
                target[root] = near[i]
                break
        first, second = (own, other) if sizes[own] >= sizes[other] else (other, own)
        roots[first] = roots[other]
        leader[second] = first
        sizes[first] += sizes[second]
        if sizes[first] < k:
            queue[tail] = first
            tail += 1
    return target


@inner_kernel
def _find(leader: NDArray[np.int32], row: int) -> int:
    while leader[row] != row:
        leader[row] = leader[leader[row]]
        row = leader[row]
    return row


@kernel
def cut_edges(
    target: NDArray[np.int32], counts: NDArray[np.int64], k: int
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Cut every edge that leaves at least k records on both sides; return each row's piece and branch. O(rows).

    The edges are visited from the leaves to the roots, so each is tested once: what is below an edge is final, and what
    is above only shrinks. Afterwards each piece has a centre, a row all of whose branches have fewer than k records. In
    a piece that was cut off, it is the top row, since an edge further down with k records below it would have been cut.
    In the piece of a root it is found by descending: an edge with k records below it has fewer than k above it, and
    there is at most one such edge.

    Returns:
        The centre of each row's piece, and the branch that the row is in, named by a row of it; -1 for the centre.
    """
    n = target.shape[0]
    order = _from_leaves(target)
    tree = np.empty(n, dtype=np.int32)
    left = np.zeros(n, dtype=np.int64)
    for i in range(n - 1, -1, -1):
        row = order[i]
        tree[row] = row if target[row] < 0 else tree[target[row]]
        left[tree[row]] += counts[row]
    up = target.copy()
    sizes = counts.copy()
    heavy = np.full(n, -1, dtype=np.int32)
    for row in order:
        if target[row] < 0:
            continue
        if sizes[row] >= k and left[tree[row]] - sizes[row] >= k:
            left[tree[row]] -= sizes[row]
            up[row] = -1
            continue
        sizes[target[row]] += sizes[row]
        if sizes[row] >= k:
            heavy[target[row]] = row
    centres = np.empty(n, dtype=np.int32)
    branches = np.empty(n, dtype=np.int32)
    for i in range(n - 1, -1, -1):
        row = order[i]
        above = up[row]
        if above < 0:
            centre = row
            while heavy[centre] >= 0:
                centre = heavy[centre]
            centres[row] = centre
        else:
            centres[row] = centres[above]
        if row == centres[row]:
            branches[row] = -1
        elif above < 0 or above == centres[row]:
            branches[row] = row
        else:
            branches[row] = branches[above]
    return centres, branches


@kernel
def _from_leaves(target: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the rows in an order in which each comes before the one that its edge leads to. O(rows)."""
    n = target.shape[0]
    waiting = np.zeros(n, dtype=np.int32)
    for row in range(n):
        if target[row] >= 0:
            waiting[target[row]] += 1
    order = np.empty(n, dtype=np.int32)
    end = 0
    for row in range(n):
        if waiting[row] == 0:
            order[end] = row
            end += 1
    for i in range(n):
        above = target[order[i]]
        if above >= 0:
            waiting[above] -= 1
            if waiting[above] == 0:
                order[end] = above
                end += 1
    return order


@kernel
def fill_evenly(sizes: NDArray[np.int64], k: int, most: int) -> NDArray[np.int32]:
    """Return a class for each item so that every class has from k to `most` records. O(items x log items).

    The items are the branches of a centre, each of fewer than k records, and one record of the centre, which is last.
    If the centre has several records, the others count as branches of size 1. There are more than `most` records in
    all, and `most` is max(2k - 1, 3k - 5).

    The branches are put into classes in descending order of their sizes; a class is closed when it has k records. Why
    the sizes are right:

    - Two branches of k - 1 make a class of 2k - 2. If one such branch is left over, the centre's record closes its
      class with k.
    - A class of smaller branches closes with at most 2k - 4, for k > 3: with 2k - 3 the last branch would have k - 2,
      so would those before it, and k - 2 does not divide k - 1.
    - What is left in the end, fewer than k records, goes to the smallest class. If there is a class of k, that makes at
      most 2k - 1. Otherwise the centre's record is among what is left.
    - Then a class of 2k - 4 gets at most 3k - 5. If 2k - 2 and the rest r are too many, the two branches of that class
      are separated: one gets the centre's record, which makes k; the other gets the rest, which makes k - 2 + r. This
      is at least k since r is at least 2: for k > 3 since 2k - 2 + r > 3k - 5, for k = 3 since 4 + r > 5. For k = 2 it
      is never needed.
    - For k = 3 all smaller branches have 1 record, and a class of them has 3, which is k. So the sizes hold for every
      k.
    """
    n = sizes.shape[0]
    classes = np.full(n, -1, dtype=np.int32)
    totals = np.zeros(n, dtype=np.int64)
    order, spare = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    sort_indices(-sizes, n - 1, order, spare)
    closed = 0
    for at in range(n - 1):
        item = order[at]
        if classes[n - 1] < 0 and totals[closed] == k - 1 and sizes[order[at - 1]] == k - 1 and sizes[item] < k - 1:
            classes[n - 1] = closed
            totals[closed] = k
            closed += 1
        classes[item] = closed
        totals[closed] += sizes[item]
        if totals[closed] >= k:
            closed += 1
    if classes[n - 1] < 0:
        classes[n - 1] = closed
        totals[closed] += 1
    if totals[closed] == 0 or totals[closed] >= k:
        return classes
    smallest = 0
    for c in range(1, closed):
        if totals[c] < totals[smallest]:
            smallest = c
    if totals[smallest] + totals[closed] <= most:
        for item in range(n):
            if classes[item] == closed:
                classes[item] = smallest
        return classes
    for item in range(n - 1):
        if classes[item] == smallest:
            classes[item] = closed  # one of two branches of k - 1; the other stays and gets the centre's record
            break
    classes[n - 1] = smallest
    return classes


@kernel
def cheapest_runs(
    sizes: NDArray[np.int64],
    nodes: NDArray[np.int32],
    k: int,
    most: int,
    starts: NDArray[np.int64],
    parent: NDArray[np.int32],
    prices: NDArray[np.float64],
) -> NDArray[np.int32]:
    """Return a class for each item: runs of adjacent items, each of k to `most` records, of least total cost.

    Dynamic programming over the end of the last run. The first entry is -1 if there are no such runs. O(items x most x
    columns).
    """
    n, n_columns = nodes.shape
    least = np.full(n + 1, np.inf)
    least[0] = 0.0
    begin = np.zeros(n + 1, dtype=np.int64)
    closure = np.empty(n_columns, dtype=np.int32)
    for end in range(1, n + 1):
        for j in range(n_columns):
            closure[j] = nodes[end - 1, j]
        size = 0
        for first in range(end - 1, -1, -1):
            size += sizes[first]
            if size > most:
                break
            price = 0.0
            for j in range(n_columns):
                closure[j] = meet(parent, starts[j], closure[j], nodes[first, j])
                price += prices[starts[j] + closure[j]]
            if size >= k and least[first] + size * price < least[end]:
                least[end] = least[first] + size * price
                begin[end] = first
    classes = np.full(n, -1, dtype=np.int32)
    if least[n] == np.inf:
        return classes
    last, number = np.int64(n), 0
    while last > 0:
        classes[begin[last] : last] = number
        number += 1
        last = begin[last]
    return classes


@kernel
def pack_classes(
    centres: NDArray[np.int32],
    branches: NDArray[np.int32],
    counts: NDArray[np.int64],
    codes: NDArray[np.int32],
    k: int,
    most: int,
    starts: NDArray[np.int64],
    parent: NDArray[np.int32],
    prices: NDArray[np.float64],
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64], int]:
    """Divide the pieces into classes of k to `most` records. O(rows x most x columns).

    The items of a piece are the branches of its centre, and the centre's records one by one. A piece of fewer than 2k
    records is one class. In any other the items are sorted by row, so that similar ones are adjacent, and cut into the
    runs of least cost. Where no runs have the right sizes, `fill_evenly` finds classes that have.

    Returns:
        The row, class and number of records of each part, and the number of classes.
    """
    n, m = codes.shape
    weights, nodes = _weighed(branches, counts, codes, starts, parent)
    offsets, items = _items(centres, branches)
    class_of = np.empty(n, dtype=np.int32)  # the class of each branch
    most_parts = n
    for row in range(n):
        if branches[row] < 0:
            most_parts += counts[row]
    rows, classes = np.empty(most_parts, dtype=np.int32), np.empty(most_parts, dtype=np.int32)
    parts = np.empty(most_parts, dtype=np.int64)
    n_parts, n_classes = 0, 0
    for centre in range(n):
        if branches[centre] >= 0:
            continue
        spread = _spread(items[offsets[centre] : offsets[centre + 1]], centre, counts[centre])
        sizes, covers, size = (
            np.empty(spread.shape[0], dtype=np.int64),
            np.empty((spread.shape[0], m), dtype=np.int32),
            0,
        )
        for i in range(spread.shape[0]):
            sizes[i] = 1 if spread[i] == centre else weights[spread[i]]
            size += sizes[i]
            for j in range(m):
                covers[i, j] = nodes[spread[i], j]
        if size < 2 * k:
            found = np.zeros(spread.shape[0], dtype=np.int32)
        else:
            found = cheapest_runs(sizes, covers, k, most, starts, parent, prices)
        if found[0] < 0:
            _put_last(spread, sizes, centre)
            found = fill_evenly(sizes, k, most)
        last = 0
        for i in range(spread.shape[0]):
            last = max(last, found[i])
            number = n_classes + found[i]
            if spread[i] != centre:
                class_of[spread[i]] = number
            elif n_parts > 0 and rows[n_parts - 1] == centre and classes[n_parts - 1] == number:
                parts[n_parts - 1] += 1
            else:
                rows[n_parts], classes[n_parts], parts[n_parts] = centre, number, 1
                n_parts += 1
        n_classes += last + 1
    for row in range(n):
        if branches[row] >= 0:
            rows[n_parts], classes[n_parts], parts[n_parts] = row, class_of[branches[row]], counts[row]
            n_parts += 1
    return rows[:n_parts].copy(), classes[:n_parts].copy(), parts[:n_parts].copy(), n_classes


@kernel
def _weighed(
    branches: NDArray[np.int32],
    counts: NDArray[np.int64],
    codes: NDArray[np.int32],
    starts: NDArray[np.int64],
    parent: NDArray[np.int32],
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return the number of records and the closure of each branch, both by the row that names it."""
    weights = np.zeros(codes.shape[0], dtype=np.int64)
    nodes = codes.copy()
    for row in range(codes.shape[0]):
        branch = branches[row]
        if branch >= 0:
            weights[branch] += counts[row]
            for j in range(codes.shape[1]):
                nodes[branch, j] = meet(parent, starts[j], nodes[branch, j], codes[row, j])
    return weights, nodes


@kernel
def _items(centres: NDArray[np.int32], branches: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return the items of each centre, its branches and itself, by the rows that name them, ascending."""
    n = centres.shape[0]
    offsets = np.zeros(n + 1, dtype=np.int64)
    for row in range(n):
        if branches[row] < 0 or branches[row] == row:
            offsets[centres[row] + 1] += 1
    for row in range(n):
        offsets[row + 1] += offsets[row]
    items = np.empty(offsets[n], dtype=np.int32)
    heads = offsets[:n].copy()
    for row in range(n):
        if branches[row] < 0 or branches[row] == row:
            items[heads[centres[row]]] = row
            heads[centres[row]] += 1
    return offsets, items


@kernel
def _spread(items: NDArray[np.int32], centre: int, count: int) -> NDArray[np.int32]:
    """Return the items with the centre repeated once for each of its records."""
    spread = np.empty(items.shape[0] - 1 + count, dtype=np.int32)
    at = 0
    for row in items:
        for _ in range(count if row == centre else 1):
            spread[at] = row
            at += 1
    return spread


@inner_kernel
def _put_last(spread: NDArray[np.int32], sizes: NDArray[np.int64], centre: int) -> None:
    """Move the records of the centre behind the other items, which keep their order."""
    at = 0
    for i in range(spread.shape[0]):
        if spread[i] != centre:
            spread[at], sizes[at] = spread[i], sizes[i]
            at += 1
    for i in range(at, spread.shape[0]):
        spread[i], sizes[i] = centre, 1
