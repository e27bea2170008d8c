"""Specialization: classes are split in one column, closed again, and failing groups get records back."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import inner_kernel, kernel
from shoal.kernels.local.closures import RANGES, TREE, Forms, meet, range_price, set_price
from shoal.kernels.orders import sort_indices, sort_values


class Closures(NamedTuple):
    """What each class covers in each column, and the price of its records.

    Args:
        low: The node in a tree, the first leaf of a range, or the number of leaves of a set.
        high: The last leaf of a range or a set.
        prices: The price of a record, over all columns.
    """

    low: NDArray[np.int32]
    high: NDArray[np.int32]
    prices: NDArray[np.float64]


@kernel
def sort_entries_by_class(classes: NDArray[np.int32], n_classes: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the entries sorted by class, stably, and where each class begins; a negative class is left out."""
    offsets = np.zeros(n_classes + 1, dtype=np.int64)
    for i in range(classes.shape[0]):
        if classes[i] >= 0:
            offsets[classes[i] + 1] += 1
    for c in range(n_classes):
        offsets[c + 1] += offsets[c]
    heads = offsets[:-1].copy()
    order = np.empty(offsets[-1], dtype=np.int64)
    for i in range(classes.shape[0]):
        if classes[i] >= 0:
            order[heads[classes[i]]] = i
            heads[classes[i]] += 1
    return order, offsets


@kernel
def close_classes(
    forms: Forms,
    leaves: NDArray[np.int32],
    order: NDArray[np.int64],
    offsets: NDArray[np.int64],
    owners: NDArray[np.int64],
    above: Closures,
) -> Closures:
    """Return the closure of each class; its entries are `order[offsets[c]:offsets[c + 1]]`.

    No class covers more than `above` does for its owner, so a column is done as soon as it covers as much. O(entries x
    columns x height).
    """
    n, m = offsets.shape[0] - 1, leaves.shape[1]
    low = np.empty((n, m), dtype=np.int32)
    high = np.empty((n, m), dtype=np.int32)
    prices = np.zeros(n)
    stamps = np.full(forms.parent.shape[0], -1, dtype=np.int64)
    for c in range(n):
        for j in range(m):
            start = forms.nodes[j]
            most, last = above.low[owners[c], j], above.high[owners[c], j]
            one = leaves[order[offsets[c]], j]
            if forms.kinds[j] == TREE:
                for p in range(offsets[c] + 1, offsets[c + 1]):
                    if one == most:
                        break
                    one = meet(forms.parent, start, one, leaves[order[p], j])
                low[c, j], high[c, j] = one, one
                prices[c] += forms.prices[start + one]
            elif forms.kinds[j] == RANGES:
                two = one
                for p in range(offsets[c] + 1, offsets[c + 1]):
                    if one == most and two == last:
                        break
                    one, two = min(one, leaves[order[p], j]), max(two, leaves[order[p], j])
                low[c, j], high[c, j] = one, two
                prices[c] += range_price(forms, j, one, two)
            else:
                count, first, second = 0, 0.0, 0.0
                for p in range(offsets[c], offsets[c + 1]):
                    if count == most:
                        break
                    leaf = leaves[order[p], j]
                    if stamps[start + leaf] != c:
                        stamps[start + leaf] = c
                        count += 1
                        one = max(one, leaf)
                        first += forms.adds[0, start + leaf]
                        second += forms.adds[1, start + leaf]
                low[c, j], high[c, j] = count, one
                prices[c] += set_price(forms, j, count, first, second, one)
    return Closures(low, high, prices)


class Sides(NamedTuple):
    """Workspace to cut the values of a class in two.

    Args:
        values: The values of the class.
        sums: The number of records of each value of the column.
        keys: The sort keys of the values.
        order: The ranks of the values.
        workspace: Workspace for sorting.
    """

    values: NDArray[np.int32]
    sums: NDArray[np.int64]
    keys: NDArray[np.int64]
    order: NDArray[np.int64]
    workspace: NDArray[np.int64]


@kernel
def split_column(
    forms: Forms,
    column: int,
    leaves: NDArray[np.int32],
    counts: NDArray[np.int64],
    offsets: NDArray[np.int64],
    nodes: NDArray[np.int32],
    least: int,
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Split each class, a slice of the entries, by one column; return each entry's child and each class's first child.

    In a tree a class is split into the children of its node (`nodes`), in a range or a set into two sides (see `_cut`).
    A class that cannot be split becomes one child. O(entries x height); for ranges and sets O(entries x log entries).
    """
    start, n = forms.nodes[column], offsets.shape[0] - 1
    size = forms.nodes[column + 1] - start
    child = np.empty(leaves.shape[0], dtype=np.int32)
    firsts = np.zeros(n + 1, dtype=np.int64)
    numbers = np.empty(size, dtype=np.int32)
    stamps = np.full(size, -1, dtype=np.int64)
    sides = Sides(
        np.empty(size, dtype=np.int32),
        np.empty(size, dtype=np.int64),
        np.empty(size, dtype=np.int64),
        np.empty(size, dtype=np.int64),
        np.empty(size, dtype=np.int64),
    )
    for c in range(n):
        firsts[c + 1] = firsts[c]
        if forms.kinds[column] != TREE:
            n_values = 0
            for i in range(offsets[c], offsets[c + 1]):
                leaf = leaves[i, column]
                if stamps[leaf] != c:
                    stamps[leaf] = c
                    sides.values[n_values] = leaf
                    sides.sums[leaf] = 0
                    n_values += 1
                sides.sums[leaf] += counts[i]
            firsts[c + 1] += _cut(forms, column, least, n_values, sides, numbers)
            for i in range(offsets[c], offsets[c + 1]):
                child[i] = firsts[c] + numbers[leaves[i, column]]
            continue
        for i in range(offsets[c], offsets[c + 1]):
            node = leaves[i, column]
            while node != nodes[c] and forms.parent[start + node] != nodes[c]:
                node = forms.parent[start + node]
            if stamps[node] != c:
                stamps[node] = c
                numbers[node] = firsts[c + 1]
                firsts[c + 1] += 1
            child[i] = numbers[node]
    return child, firsts


@inner_kernel
def _cut(forms: Forms, column: int, least: int, size: int, sides: Sides, numbers: NDArray[np.int32]) -> int:
    """Write the side, 0 or 1, of each value of a class so that the two sides cost least; return the number of sides.

    Each side has at least `least` records; if that is impossible, all values are on side 0. A range is cut between two
    of its values. A set is cut in the order of frequency, the most frequent values first, since of two sets the smaller
    one should have more records. Of equal costs the most even cut is taken. Missing values, if there are others, are a
    side of their own.
    """
    start, values, sums, ranks = forms.nodes[column], sides.values, sides.sums, sides.order
    sort_values(values, size)
    for v in range(size):
        numbers[values[v]] = 0
    if size > 1 and values[size - 1] == forms.missing[column]:
        numbers[values[size - 1]] = 1
        return 2
    ranges = forms.kinds[column] == RANGES
    total, one, two, before = 0, 0.0, 0.0, 0
    for v in range(size):
        ranks[v], sides.keys[v] = v, -sums[values[v]]
        total += sums[values[v]]
        one += forms.adds[0, start + values[v]]
        two += forms.adds[1, start + values[v]]
    if not ranges:
        sort_indices(sides.keys, size, ranks, sides.workspace)
    first, second = 0.0, 0.0
    best, best_cost, best_gap = -1, np.inf, total
    for r in range(size - 1):
        value = values[ranks[r]]
        before += sums[value]
        first += forms.adds[0, start + value]
        second += forms.adds[1, start + value]
        if before < least or total - before < least:
            continue
        if ranges:
            left = range_price(forms, column, values[0], values[r])
            right = range_price(forms, column, values[r + 1], values[size - 1])
        else:
            left = set_price(forms, column, r + 1, first, second, value)
            right = set_price(forms, column, size - r - 1, one - first, two - second, values[ranks[r + 1]])
        cost, gap = before * left + (total - before) * right, abs(total - 2 * before)
        if cost < best_cost or (cost == best_cost and gap < best_gap):
            best, best_cost, best_gap = r, cost, gap
    if best < 0:
        return 1
    for r in range(best + 1, size):
        numbers[values[ranks[r]]] = 1
    return 2


class Needy(NamedTuple):
    """Failing groups, at most one of each class, and how many records each needs from the other groups of its class.

    Args:
        classes: The classes.
        groups: The failing group of each class.
        wanted: The number of records that it needs.
    """

    classes: NDArray[np.int64]
    groups: NDArray[np.int32]
    wanted: NDArray[np.int64]


class Queue(NamedTuple):
    """The entries of a class in the order in which they give records, and workspaces to find it.

    Args:
        prices: The price of the failing group if only this entry joins it.
        order: The entries, the cheapest first.
        workspace: Workspace for sorting.
        own: The leaves of the failing group in one column.
        stamps: The class for which each leaf was last seen in the failing group.
    """

    prices: NDArray[np.float64]
    order: NDArray[np.int64]
    workspace: NDArray[np.int64]
    own: NDArray[np.int32]
    stamps: NDArray[np.int64]


@kernel
def move_back(
    forms: Forms,
    needy: Needy,
    leaves: NDArray[np.int32],
    profiles: NDArray[np.int32],
    counts: NDArray[np.int64],
    offsets: NDArray[np.int64],
    groups: NDArray[np.int32],
    spare: NDArray[np.int64],
    totals: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Choose the records that failing groups get from other groups of the same class that can spare some.

    The sensitive tuples of which the failing group has the smallest share of the table (`totals`) come first, until the
    shares are even. Of one tuple, those records come first that raise the price of the failing group least.

    Returns:
        The entries that give records, how many each gives, and how many records each failing group gets.
    """
    have, available = np.zeros(totals.shape[0], dtype=np.int64), np.zeros(totals.shape[0], dtype=np.int64)
    take, stamps = np.zeros(totals.shape[0], dtype=np.int64), np.full(totals.shape[0], -1, dtype=np.int64)
    seen = np.empty(totals.shape[0], dtype=np.int32)
    spare = spare.copy()
    givers, moved = np.empty(leaves.shape[0], dtype=np.int64), np.empty(leaves.shape[0], dtype=np.int64)
    got = np.zeros(needy.classes.shape[0], dtype=np.int64)
    longest = 0
    for i in range(needy.classes.shape[0]):
        longest = max(longest, offsets[needy.classes[i] + 1] - offsets[needy.classes[i]])
    queue = Queue(
        np.empty(longest, dtype=np.float64),
        np.empty(longest, dtype=np.int64),
        np.empty(longest, dtype=np.int64),
        np.empty(forms.parent.shape[0], dtype=np.int32),
        np.full(forms.parent.shape[0], -1, dtype=np.int64),
    )
    size = 0
    for i in range(needy.classes.shape[0]):
        a, b, failing = offsets[needy.classes[i]], offsets[needy.classes[i] + 1], needy.groups[i]
        n_seen = 0
        for p in range(a, b):
            profile = profiles[p]
            if stamps[profile] != i:
                stamps[profile] = i
                have[profile], available[profile] = 0, 0
                seen[n_seen] = profile
                n_seen += 1
            if groups[p] == failing:
                have[profile] += counts[p]
            elif spare[groups[p]] > 0:
                available[profile] += counts[p]
        sort_values(seen, n_seen)
        _even_out(seen[:n_seen], have, available, totals, needy.wanted[i], take)
        _line_up(forms, leaves[a:b], groups[a:b], failing, i, queue)
        for turn in range(b - a):
            p = queue.order[turn] + a
            most = min(counts[p], spare[groups[p]], take[profiles[p]])
            if groups[p] == failing or most <= 0:
                continue
            givers[size], moved[size] = p, most
            size += 1
            spare[groups[p]] -= most
            take[profiles[p]] -= most
            got[i] += most
    return givers[:size].copy(), moved[:size].copy(), got


@inner_kernel
def _even_out(
    seen: NDArray[np.int32],
    have: NDArray[np.int64],
    available: NDArray[np.int64],
    totals: NDArray[np.int64],
    wanted: int,
    take: NDArray[np.int64],
) -> None:
    """Write into `take` how many of the available records to add to `have` so that have / totals becomes even.

    At most `wanted` in all. The level to which the shares are raised is found by bisection. O(seen).
    """
    left = wanted
    for v in seen:
        take[v] = available[v]
        left -= available[v]
    if left >= 0:
        return
    below, above = 0.0, 1.0  # shares of the totals; no share is above 1
    for _ in range(50):
        middle = (below + above) / 2
        added = 0
        for v in seen:
            added += min(max(np.int64(middle * totals[v]) - have[v], 0), available[v])
        if added < wanted:
            below = middle
        else:
            above = middle
    left = wanted
    for v in seen:
        take[v] = min(max(np.int64(below * totals[v]) - have[v], 0), available[v])
        left -= take[v]
    for v in seen:
        more = min(min(max(np.int64(above * totals[v]) - have[v], 0), available[v]) - take[v], left)
        if more > 0:
            take[v] += more
            left -= more


@inner_kernel
def _line_up(
    forms: Forms, leaves: NDArray[np.int32], groups: NDArray[np.int32], failing: int, turn: int, queue: Queue
) -> None:
    """Sort the entries of a class by the price of the failing group if only that entry joins it."""
    n, m = leaves.shape
    for p in range(n):
        queue.prices[p] = 0.0
    for j in range(m):
        start, size = forms.nodes[j], 0
        for p in range(n):
            leaf = leaves[p, j]
            if groups[p] == failing and queue.stamps[start + leaf] != turn:
                queue.stamps[start + leaf] = turn
                queue.own[size] = leaf
                size += 1
        sort_values(queue.own, size)
        low, high = queue.own[0], queue.own[size - 1]
        node, first, second = low, 0.0, 0.0
        for v in range(size):
            leaf = queue.own[v]
            if forms.kinds[j] == TREE:
                node = meet(forms.parent, start, node, leaf)
            first += forms.adds[0, start + leaf]
            second += forms.adds[1, start + leaf]
        for p in range(n):
            leaf = leaves[p, j]
            if forms.kinds[j] == TREE:
                queue.prices[p] += forms.prices[start + meet(forms.parent, start, node, leaf)]
            elif forms.kinds[j] == RANGES:
                queue.prices[p] += range_price(forms, j, min(low, leaf), max(high, leaf))
            else:
                new = queue.stamps[start + leaf] != turn
                one = first + forms.adds[0, start + leaf] if new else first
                two = second + forms.adds[1, start + leaf] if new else second
                queue.prices[p] += set_price(forms, j, size + 1 if new else size, one, two, max(high, leaf))
    sort_indices(queue.prices, n, queue.order, queue.workspace)
