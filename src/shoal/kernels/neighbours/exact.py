"""Nearest neighbours among the rows of a coded table, by buckets of rows that are equal after generalization."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import inner_kernel, kernel
from shoal.kernels.grouping import mix
from shoal.kernels.orders import first_at_least


class Ladders(NamedTuple):
    """The ancestors of every leaf, step by step, as flat arrays: the key and the price of a row at any level vector.

    The entry of leaf `v` of column `j` at a step is `offsets[j] + v`, where `offsets[j]` depends on the step.

    Args:
        splits: The first column of each 64-bit word of a key; the last entry is the number of columns.
        keys: The ancestor of each leaf at each step, as bits of its column's word.
        prices: The price of that ancestor.
    """

    splits: NDArray[np.int64]
    keys: NDArray[np.uint64]
    prices: NDArray[np.float64]


class NearestRows(NamedTuple):
    """The nearest rows of each asking row that were found so far.

    Args:
        rows: The asking rows.
        needs: How many records each needs.
        near: The rows found, the nearest first.
        far: Their distances.
        lengths: How many rows were found.
        found: How many records they have.
        reach: The distance within which there are enough records; infinite as long as too few were found.
    """

    rows: NDArray[np.int32]
    needs: NDArray[np.int64]
    near: NDArray[np.int32]
    far: NDArray[np.float64]
    lengths: NDArray[np.int32]
    found: NDArray[np.int64]
    reach: NDArray[np.float64]


@inner_kernel
def row_price(prices: NDArray[np.float64], offsets: NDArray[np.int64], codes: NDArray[np.int32], row: int) -> float:
    """Return the price of one row at a level vector; columns are added in their order. O(columns)."""
    total = 0.0
    for j in range(codes.shape[1]):
        total += prices[offsets[j] + codes[row, j]]
    return total


@kernel
def still_asking(nearest: NearestRows, asking: NDArray[np.int32], floor: float) -> NDArray[np.int32]:
    """Return the asking rows that may still find a nearer row if no distance is below `floor`. O(asking)."""
    chosen = np.empty(asking.shape[0], dtype=np.int32)
    count = 0
    for a in asking:
        if nearest.reach[a] > floor:
            chosen[count] = a
            count += 1
    return chosen[:count].copy()


@kernel
def concerned(
    nearest: NearestRows,
    asking: NDArray[np.int32],
    codes: NDArray[np.int32],
    ladders: Ladders,
    offsets: NDArray[np.int64],
) -> NDArray[np.int32]:
    """Return the asking rows for which the price of their bucket at a level vector is below their reach.

    O(asking x columns).
    """
    chosen = np.empty(asking.shape[0], dtype=np.int32)
    count = 0
    for a in asking:
        if row_price(ladders.prices, offsets, codes, nearest.rows[a]) < nearest.reach[a]:
            chosen[count] = a
            count += 1
    return chosen[:count].copy()


@kernel
def keys_at(
    codes: NDArray[np.int32], ladders: Ladders, offsets: NDArray[np.int64]
) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Return the words of each row's key at a level vector, and a hash of them. O(rows x columns)."""
    n, n_words = codes.shape[0], ladders.splits.shape[0] - 1
    words = np.empty((n, n_words), dtype=np.uint64)
    hashes = np.zeros(n, dtype=np.uint64)
    keys = ladders.keys
    for w in range(n_words):
        first, end = ladders.splits[w], ladders.splits[w + 1]
        for i in range(n):
            word = np.uint64(0)
            for j in range(first, end):
                word |= keys[offsets[j] + codes[i, j]]
            words[i, w] = word
            hashes[i] = mix(hashes[i] ^ word)
    return words, hashes


@kernel
def buckets(
    rows: NDArray[np.int32], words: NDArray[np.uint64], hashes: NDArray[np.uint64]
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int32]]:
    """Return the bucket of each of the given rows, and all rows of these buckets, ascending. O(rows).

    Rows with equal keys are one bucket. The keys of the given rows go into a hash table; then every row looks up its
    own.

    Returns:
        The bucket of each given row, where the members of each bucket begin, and the members.
    """
    n, n_words = words.shape
    size = 16
    while size < 2 * rows.shape[0]:
        size *= 2
    mask = size - 1
    table = np.full(size, -1, dtype=np.int32)
    first = np.empty(rows.shape[0], dtype=np.int32)  # one row of each bucket
    inside = np.empty(n, dtype=np.int32)
    starts = np.zeros(rows.shape[0] + 1, dtype=np.int64)
    count = 0
    for turn in range(rows.shape[0] + n):
        i = rows[turn] if turn < rows.shape[0] else turn - rows.shape[0]
        slot = np.int64(hashes[i] & np.uint64(mask))
        while table[slot] >= 0:
            same = True
            for w in range(n_words):
                if words[first[table[slot]], w] != words[i, w]:
                    same = False
            if same:
                break
            slot = (slot + 1) & mask
        if turn >= rows.shape[0]:
            inside[i] = table[slot]
            if table[slot] >= 0:
                starts[table[slot] + 1] += 1
        elif table[slot] < 0:
            first[count] = i
            table[slot] = count
            count += 1
    for b in range(count):
        starts[b + 1] += starts[b]
    members = np.empty(starts[count], dtype=np.int32)
    heads = starts[:count].copy()
    for i in range(n):
        if inside[i] >= 0:
            members[heads[inside[i]]] = i
            heads[inside[i]] += 1
    bucket_of = np.empty(rows.shape[0], dtype=np.int32)
    for i in range(rows.shape[0]):
        bucket_of[i] = inside[rows[i]]
    return bucket_of, starts[: count + 1], members


@inner_kernel
def add_near(nearest: NearestRows, a: int, row: int, distance: float, counts: NDArray[np.int64]) -> None:
    """Insert a row into the list of an asking row, and drop the farthest rows that it no longer needs.

    O(rows found).
    """
    near, far = nearest.near[a], nearest.far[a]
    length = nearest.lengths[a]
    found = nearest.found[a] + counts[row]
    slot = length
    while slot > 0 and far[slot - 1] > distance:
        near[slot] = near[slot - 1]
        far[slot] = far[slot - 1]
        slot -= 1
    near[slot] = row
    far[slot] = distance
    length += 1
    while found - counts[near[length - 1]] >= nearest.needs[a]:
        found -= counts[near[length - 1]]
        length -= 1
    nearest.lengths[a] = length
    nearest.found[a] = found
    if found >= nearest.needs[a]:
        nearest.reach[a] = far[length - 1]


@kernel
def look_around(
    nearest: NearestRows,
    chosen: NDArray[np.int32],
    bucket_of: NDArray[np.int32],
    starts: NDArray[np.int64],
    members: NDArray[np.int32],
    codes: NDArray[np.int32],
    counts: NDArray[np.int64],
    ladders: Ladders,
    offsets: NDArray[np.int64],
) -> None:
    """Add to the list of each chosen row the rows of its bucket that are new to it, until none can be nearer.

    Every row of the bucket that is not in the list yet is exactly at the distance of the bucket's price for it (the
    proof is in `shoal.search.neighbours.exact`). The bucket is visited in a circle that starts behind the row itself,
    so that the rows of one bucket do not all take the same neighbours. O(chosen x rows needed).
    """
    seen = np.full(codes.shape[0], -1, dtype=np.int32)
    for c in range(chosen.shape[0]):
        a = chosen[c]
        row = nearest.rows[a]
        price = row_price(ladders.prices, offsets, codes, row)
        if price >= nearest.reach[a]:
            continue
        for i in range(nearest.lengths[a]):
            seen[nearest.near[a, i]] = a
        bucket = members[starts[bucket_of[c]] : starts[bucket_of[c] + 1]]
        own = first_at_least(bucket, 0, bucket.shape[0], row)
        for step in range(1, bucket.shape[0]):
            position = own + step
            other = bucket[position if position < bucket.shape[0] else position - bucket.shape[0]]
            if seen[other] != a:
                add_near(nearest, a, other, price, counts)
                if nearest.reach[a] <= price:
                    break


@inner_kernel
def meet_prices(
    own: NDArray[np.int32],
    nodes: NDArray[np.int64],
    parent: NDArray[np.int32],
    prices: NDArray[np.float64],
    paid: NDArray[np.float64],
) -> None:
    """Write into `paid`, for every node of each column, the price of its lowest common ancestor with `own[column]`.

    O(nodes).

    Args:
        own: One node of each column.
        nodes: Where the nodes of each column begin; the last entry is the end.
        parent: The parent of each node, within its column; it has a higher number than the node.
        prices: The price of each node.
        paid: Filled, by node.
    """
    for j in range(own.shape[0]):
        start, end = nodes[j], nodes[j + 1]
        paid[start:end] = np.nan
        node = own[j]
        paid[start + node] = prices[start + node]
        while parent[start + node] != node:
            node = parent[start + node]
            paid[start + node] = prices[start + node]
        for other in range(end - start - 1, -1, -1):
            if np.isnan(paid[start + other]):  # no ancestor: it has the same common ancestor as its parent
                paid[start + other] = paid[start + parent[start + other]]


@kernel
def look_everywhere(
    nearest: NearestRows,
    asking: NDArray[np.int32],
    codes: NDArray[np.int32],
    counts: NDArray[np.int64],
    nodes: NDArray[np.int64],
    parent: NDArray[np.int32],
    prices: NDArray[np.float64],
) -> None:
    """Compare each asking row with all others. O(asking x rows x columns).

    Args:
        nearest: The lists of the asking rows; updated where a row is nearer.
        asking: The asking rows.
        codes: The leaves of each row.
        counts: The number of records of each row.
        nodes: Where the nodes of each column begin in `parent` and `prices`; the last entry is the end.
        parent: The parent of each node, within its column.
        prices: The price of each node.
    """
    n, n_columns = codes.shape
    paid = np.empty(nodes[n_columns], dtype=np.float64)
    seen = np.full(n, -1, dtype=np.int32)
    for a in asking:
        row = nearest.rows[a]
        meet_prices(codes[row], nodes, parent, prices, paid)
        for i in range(nearest.lengths[a]):
            seen[nearest.near[a, i]] = a
        seen[row] = a
        for step in range(1, n):
            other = row + step if row + step < n else row + step - n
            distance = 0.0
            for j in range(n_columns):
                distance += paid[nodes[j] + codes[other, j]]
            if distance < nearest.reach[a] and seen[other] != a:
                add_near(nearest, a, other, distance, counts)
