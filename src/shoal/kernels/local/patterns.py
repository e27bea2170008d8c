"""Patterns: one node in each column, and the records below all of them; found by vectors of steps."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import inner_kernel, kernel
from shoal.kernels.grouping import mix
from shoal.kernels.orders import sort_indices


class PatternTable(NamedTuple):
    """The rows of a table, its distinct tuples of quasi values, with the steps of each column, for compiled loops.

    At step `s` of column `j`, the node of a leaf and its price are at `starts[j] + s * leaves[j] + leaf`.

    Args:
        codes: `codes[column, row]`, the leaf codes.
        counts: The number of records of each row.
        starts: Where each column begins in `lifts` and `prices`.
        leaves: The number of leaves of each column.
        lifts: The code of the leaf's node at a step, shifted to the column's bits of a packed key.
        prices: The price of that node; never negative.
        words: The word of the packed key that holds each column.
        masks: The bits of the column in that word.
        n_words: The number of words.
    """

    codes: NDArray[np.int32]
    counts: NDArray[np.int64]
    starts: NDArray[np.int64]
    leaves: NDArray[np.int64]
    lifts: NDArray[np.uint64]
    prices: NDArray[np.float64]
    words: NDArray[np.int64]
    masks: NDArray[np.uint64]
    n_words: int


class FoundPatterns(NamedTuple):
    """Patterns, each with those of its rows that are open.

    Args:
        ranks: The rank of each pattern's vector of steps.
        prices: The price of each record of the pattern.
        firsts: The first row of each pattern, open or not.
        ends: Where the open rows of each pattern end in `members`; they begin where those of the one before end.
        members: The open rows, ascending within a pattern.
    """

    ranks: NDArray[np.int32]
    prices: NDArray[np.float64]
    firsts: NDArray[np.int32]
    ends: NDArray[np.int64]
    members: NDArray[np.int32]


@inner_kernel
def lift_rows(grid: PatternTable, steps: NDArray[np.int16], keys: NDArray[np.uint64]) -> None:
    """Set `keys[word, row]` to the packed nodes of each row at the steps. O(rows x columns)."""
    keys[:] = 0
    for j in range(steps.shape[0]):
        start = grid.starts[j] + steps[j] * grid.leaves[j]
        table = grid.lifts[start : start + grid.leaves[j]]
        if table.any():  # the top has the code 0
            codes, key = grid.codes[j], keys[grid.words[j]]
            for i in range(codes.shape[0]):
                key[i] |= table[codes[i]]


@kernel
def group_open(
    keys: NDArray[np.uint64],
    open_rows: NDArray[np.int32],
    others: NDArray[np.int32],
    table: NDArray[np.int32],
    groups: NDArray[np.int32],
) -> NDArray[np.int32]:
    """Number the distinct keys of the open rows, and find the other rows with one of these keys. O(rows).

    Sets the group of each row, -1 where no open row has its key, and returns the first open row of each group.
    `table` is workspace for a hash table; its length is a power of two above the number of open rows.
    """
    n_words, last = keys.shape[0], np.uint64(table.shape[0] - 1)
    first = np.empty(open_rows.shape[0], dtype=np.int32)
    table[:] = -1
    count = 0
    for turn in range(open_rows.shape[0] + others.shape[0]):
        inside = turn < open_rows.shape[0]
        i = open_rows[turn] if inside else others[turn - open_rows.shape[0]]
        hashed = np.uint64(0)
        for w in range(n_words):
            hashed = mix(hashed ^ keys[w, i])
        slot = hashed & last
        while table[slot] >= 0:
            same = True
            for w in range(n_words):
                if keys[w, first[table[slot]]] != keys[w, i]:
                    same = False
            if same:
                break
            slot = (slot + np.uint64(1)) & last
        if inside and table[slot] < 0:
            table[slot] = count
            first[count] = i
            count += 1
        groups[i] = table[slot]
    return first[:count]


@kernel
def closed_groups(
    grid: PatternTable,
    steps: NDArray[np.int16],
    below: NDArray[np.uint64],
    groups: NDArray[np.int32],
    first: NDArray[np.int32],
    k: int,
) -> NDArray[np.bool_]:
    """Return which groups have at least `k` records and are closed. O(rows).

    A group is closed if in no column all its records share a node one step lower. `below` are the keys one step lower.
    `first` becomes the first row of each group, open or not.
    """
    n_words, n_groups = below.shape[0], first.shape[0]
    sizes = np.zeros(n_groups, dtype=np.int64)
    example = np.empty((n_words, n_groups), dtype=np.uint64)
    apart = np.zeros((n_words, n_groups), dtype=np.uint64)
    for w in range(n_words):
        for g in range(n_groups):
            example[w, g] = below[w, first[g]]
    for i in range(groups.shape[0]):
        g = groups[i]
        if g >= 0:
            sizes[g] += grid.counts[i]
            first[g] = min(first[g], i)
            for w in range(n_words):
                apart[w, g] |= below[w, i] ^ example[w, g]
    closed = sizes >= k
    for g in range(n_groups):
        if closed[g]:
            for j in range(steps.shape[0]):
                if steps[j] > 0 and apart[grid.words[j], g] & grid.masks[j] == 0:
                    closed[g] = False
    return closed


@kernel
def by_first_row(closed: NDArray[np.bool_], first: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return the closed groups in the order of their first rows."""
    order, workspace = np.empty(closed.shape[0], dtype=np.int64), np.empty(closed.shape[0], dtype=np.int64)
    sort_indices(first, closed.shape[0], order, workspace)
    count = 0
    for rank in range(closed.shape[0]):
        if closed[order[rank]]:
            order[count] = order[rank]
            count += 1
    return order[:count]


@kernel
def found_patterns(
    grid: PatternTable,
    steps: NDArray[np.int16],
    rank: int,
    kept: NDArray[np.int64],
    first: NDArray[np.int32],
    open_rows: NDArray[np.int32],
    groups: NDArray[np.int32],
) -> FoundPatterns:
    """Return the patterns of the groups `kept`, in that order. O(open rows + groups)."""
    number = np.full(first.shape[0], -1, dtype=np.int32)
    prices = np.zeros(kept.shape[0], dtype=np.float64)
    firsts = np.empty(kept.shape[0], dtype=np.int32)
    for p in range(kept.shape[0]):
        number[kept[p]] = p
        firsts[p] = first[kept[p]]
        for j in range(steps.shape[0]):
            leaf = grid.codes[j, first[kept[p]]]
            prices[p] += grid.prices[grid.starts[j] + steps[j] * grid.leaves[j] + leaf]
    ends = np.zeros(kept.shape[0] + 1, dtype=np.int64)
    for i in open_rows:
        ends[number[groups[i]] + 1] += 1
    ends[0] = 0
    for p in range(kept.shape[0]):
        ends[p + 1] += ends[p]
    members = np.empty(ends[-1], dtype=np.int32)
    for i in open_rows:
        p = number[groups[i]]
        if p >= 0:
            members[ends[p]] = i
            ends[p] += 1
    return FoundPatterns(np.full(kept.shape[0], rank, dtype=np.int32), prices, firsts, ends[:-1], members)


@kernel
def concatenate_patterns(parts: list[FoundPatterns]) -> FoundPatterns:
    """Concatenate lists of patterns. O(patterns + members)."""
    n_patterns, n_members = 0, 0
    for part in parts:
        n_patterns += part.prices.shape[0]
        n_members += part.members.shape[0]
    whole = FoundPatterns(
        np.empty(n_patterns, dtype=np.int32),
        np.empty(n_patterns, dtype=np.float64),
        np.empty(n_patterns, dtype=np.int32),
        np.empty(n_patterns, dtype=np.int64),
        np.empty(n_members, dtype=np.int32),
    )
    n_patterns, n_members = 0, 0
    for part in parts:
        for p in range(part.prices.shape[0]):
            whole.ranks[n_patterns], whole.prices[n_patterns] = part.ranks[p], part.prices[p]
            whole.firsts[n_patterns], whole.ends[n_patterns] = part.firsts[p], part.ends[p] + n_members
            n_patterns += 1
        for i in range(part.members.shape[0]):
            whole.members[n_members + i] = part.members[i]
        n_members += part.members.shape[0]
    return whole


@kernel
def closed_patterns(
    grid: PatternTable,
    vectors: NDArray[np.int16],
    ranks: NDArray[np.int32],
    k: int,
    open_rows: NDArray[np.int32],
    others: NDArray[np.int32],
) -> FoundPatterns:
    """Return, for some vectors of steps, the closed patterns with at least `k` records, one of them at an open row.

    The patterns of a vector are in the order of their first rows. O(vectors x rows x columns).
    """
    n = grid.counts.shape[0]
    keys = np.empty((grid.n_words, n), dtype=np.uint64)
    groups = np.empty(n, dtype=np.int32)
    size = 16
    while size < 2 * open_rows.shape[0]:
        size *= 2
    table = np.empty(size, dtype=np.int32)
    lower = np.empty(vectors.shape[1], dtype=np.int16)
    found = []
    for rank in ranks:
        steps = vectors[rank]
        lift_rows(grid, steps, keys)
        first = group_open(keys, open_rows, others, table, groups)
        for j in range(steps.shape[0]):
            lower[j] = max(steps[j] - 1, 0)
        lift_rows(grid, lower, keys)
        closed = closed_groups(grid, steps, keys, groups, first, k)
        kept = by_first_row(closed, first)
        found.append(found_patterns(grid, steps, rank, kept, first, open_rows, groups))
    return concatenate_patterns(found)
