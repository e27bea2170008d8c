"""Overcharges: by how much some classes are charged more than they cost, in whole units, over all they may look like.

This is the checker of bounds. It shares nothing with the search that found the charges.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import inner_kernel, kernel
from shoal.kernels.verification.excess import ChargedRows, excess, make_space

NODES, RANGES, SETS, ENDS = range(4)  # what a column publishes; for `ENDS` sets, too
MUCH = 2**62  # an excess that proves nothing; more is not told, so that no sum leaves 64 bits
_ANY, _BOTH_ENDS, _SEVERAL = -1, -2, -3  # what a class must have to be published so; else it is of several children


class Choices(NamedTuple):
    """What each column may publish for a class, and for how many units.

    The leaves of a column have ranks, so that those below a node, and those of a range, are adjacent.

    Args:
        kinds: `NODES`, `RANGES`, `SETS` or `ENDS`, for each column.
        widths: The number of ranks of each column.
        begins: Where the nodes of each column begin in the next four arrays.
        lows: The first rank below each node.
        highs: The one behind the last.
        prices: What the node costs.
        children: Where the children of the node begin in `ends`; negative for a leaf.
        ends: `ends[child + rank]`, the rank behind the last one of the child that has this rank.
        tables: Where the table of each column of ranges or sets begins in `pairs`.
        pairs: `pairs[table + low * width + high]`: what the range with these ends costs, or at least any set of values
            whose two lowest ranks are these, or its lowest and highest one, for `ENDS`; with twice the same rank, what
            the value costs.
        least: What the columns from each one on cost at least, all together.
    """

    kinds: NDArray[np.int8]
    widths: NDArray[np.int64]
    begins: NDArray[np.int64]
    lows: NDArray[np.int64]
    highs: NDArray[np.int64]
    prices: NDArray[np.int64]
    children: NDArray[np.int64]
    ends: NDArray[np.int64]
    tables: NDArray[np.int64]
    pairs: NDArray[np.int64]
    least: NDArray[np.int64]


class _Walk(NamedTuple):
    """Where the walk through all combinations is. At each depth some rows are sorted by their rank in one column.

    Args:
        rows: `rows[depth + 1]`, the rows of a depth; `rows[0]` are all.
        places: `places[depth, rank]`, where a rank begins among them.
        records: The number of records before it.
        after: The least rank from this one on that occurs.
        before: The highest rank below this one that occurs; -1 if none does.
        turns: Which cell is next at each depth: a node, a pair of ranks, or a rank.
        lows: The first rank of the cell that was chosen.
        highs: The one behind its last.
        needs: What a class must have to be published so: records of several children, which begin there in `ends`, a
            record at both ends, several values, or nothing.
        costs: `costs[depth + 1]`, what the chosen cells up to this depth cost.
    """

    rows: NDArray[np.int32]
    places: NDArray[np.int64]
    records: NDArray[np.int64]
    after: NDArray[np.int64]
    before: NDArray[np.int64]
    turns: NDArray[np.int64]
    lows: NDArray[np.int64]
    highs: NDArray[np.int64]
    needs: NDArray[np.int64]
    costs: NDArray[np.int64]


@kernel
def overcharges(choices: Choices, table: ChargedRows, most: int) -> int:
    """Return by how much all classes of a release together may be charged more than they cost, at most; in units.

    A class has one combination of cells, one in each column: the lowest node, the range from its least to its highest
    value, its value, or any set of several. The classes of one combination, together, are a class of its rows, which
    costs no less for each record than the combination. So they are charged too much by no more than the records with a
    charge above that price are, and, where these are fewer than k, the others that are charged most.

    Where shares of values have caps, let the excess be that of k records, or parts of records, under the caps. The most
    that n of them can be charged too much is concave in n, since the caps grow in proportion to n, and it is 0 for
    n = 0. So it is at most n / k times the excess, where n is the number of records of the combination, and this is
    what counts, each record's part of it rounded up. Joined classes keep the caps as well.

    A combination is left, with all that refine it, as soon as its columns so far, with the least that the others cost,
    leave no excess: more columns cost no less, and have no more rows.

    Args:
        choices: What may be published; the dearest cells of all columns together cost all records at most 2^61.
        table: The rows and their charges, which are at most 2^61 for all records, with or without their signs. With
            caps, both are at most that over the number of parts.
        most: How many rows of combinations may be looked at.

    Returns:
        The excess, or `MUCH` if it is more; -1 if there is too much to look at.
    """
    n_columns = table.ranks.shape[0]
    walk, space = _start(choices, table), make_space(table)
    total, looked_at, depth = 0, 0, 0
    _sort(choices, table, walk, 0, walk.rows[0])
    while depth >= 0:
        if not _next_cell(choices, table, walk, depth):
            depth -= 1
            continue
        low, high = walk.lows[depth], walk.highs[depth]
        rows = walk.rows[depth + 1, walk.places[depth, low] : walk.places[depth, high]]
        looked_at += rows.shape[0]
        if looked_at > most:
            return -1
        found = excess(table, walk.costs[depth + 1] + choices.least[depth + 1], rows, space)
        if found <= 0:
            continue
        if depth + 1 < n_columns:
            depth += 1
            _sort(choices, table, walk, depth, rows)
        elif _shown_so(choices, table, walk, rows):
            times = 1
            if table.values.shape[0] > 0:
                found = (found - 1) // (table.k * table.parts) + 1
                times = walk.records[depth, high] - walk.records[depth, low]
            if found > (MUCH - total) // times:
                return MUCH
            total += times * found
    return total


@kernel
def _start(choices: Choices, table: ChargedRows) -> _Walk:
    n_columns, n = table.ranks.shape
    width = 0
    for j in range(n_columns):
        width = max(width, choices.widths[j])
    rows = np.empty((n_columns + 1, n), dtype=np.int32)
    for row in range(n):
        rows[0, row] = row
    return _Walk(
        rows,
        np.zeros((n_columns, width + 1), dtype=np.int64),
        np.zeros((n_columns, width + 1), dtype=np.int64),
        np.zeros((n_columns, width + 1), dtype=np.int64),
        np.zeros((n_columns, width + 1), dtype=np.int64),
        np.zeros(n_columns, dtype=np.int64),
        np.zeros(n_columns, dtype=np.int64),
        np.zeros(n_columns, dtype=np.int64),
        np.zeros(n_columns, dtype=np.int64),
        np.zeros(n_columns + 1, dtype=np.int64),
    )


@inner_kernel
def _sort(choices: Choices, table: ChargedRows, walk: _Walk, depth: int, rows: NDArray[np.int32]) -> None:
    """Sort some rows by their rank in the column of a depth, and begin with its first cell. O(rows + ranks)."""
    width, ranks = choices.widths[depth], table.ranks[depth]
    places, records, there = walk.places[depth], walk.records[depth], walk.rows[depth + 1]
    places[: width + 1] = 0
    records[: width + 1] = 0
    for row in rows:
        places[ranks[row] + 1] += 1
        records[ranks[row] + 1] += table.counts[row]
    before = -1
    for rank in range(width):
        walk.before[depth, rank] = before
        if places[rank + 1] > 0:
            before = rank
        places[rank + 1] += places[rank]
        records[rank + 1] += records[rank]
    walk.before[depth, width] = before
    after = width
    for rank in range(width, -1, -1):
        if rank < width and places[rank + 1] > places[rank]:
            after = rank
        walk.after[depth, rank] = after
    for row in rows:
        rank = ranks[row]
        there[places[rank]] = row
        places[rank] += 1
    for rank in range(width, 0, -1):
        places[rank] = places[rank - 1]
    places[0] = 0
    walk.turns[depth] = choices.begins[depth] if choices.kinds[depth] == NODES else 0


@inner_kernel
def _next_cell(choices: Choices, table: ChargedRows, walk: _Walk, depth: int) -> bool:
    """Choose the next cell at a depth that classes of its rows may need; tell whether there is one."""
    kind = choices.kinds[depth]
    if kind == NODES:
        return _next_node(choices, table, walk, depth)
    if kind == RANGES:
        return _next_range(choices, table, walk, depth)
    return _next_set(choices, table, walk, depth)


@inner_kernel
def _choose(walk: _Walk, depth: int, low: int, high: int, price: int, need: int) -> bool:
    walk.lows[depth], walk.highs[depth], walk.needs[depth] = low, high, need
    walk.costs[depth + 1] = walk.costs[depth] + price
    return True


@inner_kernel
def _next_node(choices: Choices, table: ChargedRows, walk: _Walk, depth: int) -> bool:
    """Choose the next node with k records that are not all below one of its children. O(1) for each node."""
    while walk.turns[depth] < choices.begins[depth + 1]:
        node = walk.turns[depth]
        walk.turns[depth] = node + 1
        low, high, need = choices.lows[node], choices.highs[node], choices.children[node]
        if walk.records[depth, high] - walk.records[depth, low] < table.k:
            continue
        if need >= 0 and walk.before[depth, high] < choices.ends[need + walk.after[depth, low]]:
            continue
        return _choose(walk, depth, low, high, choices.prices[node], need)
    return False


@inner_kernel
def _next_range(choices: Choices, table: ChargedRows, walk: _Walk, depth: int) -> bool:
    """Choose the next range with k records whose ends occur. O(1) for each range."""
    width = choices.widths[depth]
    while walk.turns[depth] < width * width:
        low, high = walk.turns[depth] // width, walk.turns[depth] % width
        walk.turns[depth] += 1
        if walk.after[depth, low] > low:
            walk.turns[depth] = walk.after[depth, low] * width
        elif high < low or walk.after[depth, high] > high:
            walk.turns[depth] = low * width + max(walk.after[depth, high], low)
            if walk.after[depth, high] == width:
                walk.turns[depth] = (low + 1) * width
        elif walk.records[depth, high + 1] - walk.records[depth, low] >= table.k:
            price = choices.pairs[choices.tables[depth] + low * width + high]
            return _choose(walk, depth, low, high + 1, price, _ANY if low == high else _BOTH_ENDS)
    return False


@inner_kernel
def _next_set(choices: Choices, table: ChargedRows, walk: _Walk, depth: int) -> bool:
    """Choose the next value with k records; at last all sets of several values, at the price of the cheapest two."""
    width, at = choices.widths[depth], choices.tables[depth]
    while walk.turns[depth] < width:
        rank = walk.turns[depth]
        walk.turns[depth] += 1
        if walk.records[depth, rank + 1] - walk.records[depth, rank] >= table.k:
            return _choose(walk, depth, rank, rank + 1, choices.pairs[at + rank * width + rank], _ANY)
    if walk.turns[depth] > width or walk.records[depth, width] < table.k:
        return False
    walk.turns[depth] += 1
    one = walk.after[depth, 0]
    two = walk.after[depth, one + 1]
    if choices.kinds[depth] == ENDS:
        two = max(two, walk.before[depth, width])
    return two < width and _choose(walk, depth, 0, width, choices.pairs[at + one * width + two], _SEVERAL)


@inner_kernel
def _shown_so(choices: Choices, table: ChargedRows, walk: _Walk, rows: NDArray[np.int32]) -> bool:
    """Return whether some class of the rows has all the cells that were chosen. O(rows x columns)."""
    for depth in range(choices.kinds.shape[0]):
        need = walk.needs[depth]
        if need == _ANY:
            continue
        least, most = choices.widths[depth], -1
        for row in rows:
            least, most = min(least, table.ranks[depth, row]), max(most, table.ranks[depth, row])
        if need == _SEVERAL:
            shown = least < most
        elif need == _BOTH_ENDS:
            shown = least == walk.lows[depth] and most == walk.highs[depth] - 1
        else:
            shown = most >= choices.ends[need + least]
        if not shown:
            return False
    return True
