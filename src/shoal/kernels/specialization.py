"""Specialization: classes parted in one column, their closures, and records that are moved back."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import kernel
from shoal.kernels.closures import RANGES, TREE, Forms, meet, range_price, set_price


class Closures(NamedTuple):
    """What each class covers in each column, and what a record of it pays.

    Args:
        low: The node in a tree, the first leaf of a range, the number of leaves of a set.
        high: The last leaf of a range or a set.
        prices: The price of a record, over all columns.
    """

    low: NDArray[np.int32]
    high: NDArray[np.int32]
    prices: NDArray[np.float64]


@kernel
def sort_by_class(classes: NDArray[np.int32], n_classes: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the entries class by class, in their order, and where each class begins; a negative class is left out."""
    offsets = np.zeros(n_classes + 1, dtype=np.int64)
    for i in range(classes.shape[0]):
        if classes[i] >= 0:
            offsets[classes[i] + 1] += 1
    for c in range(n_classes):
        offsets[c + 1] += offsets[c]
    place = offsets[:-1].copy()
    order = np.empty(offsets[-1], dtype=np.int64)
    for i in range(classes.shape[0]):
        if classes[i] >= 0:
            order[place[classes[i]]] = i
            place[classes[i]] += 1
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
    """Return the closure of each class, whose entries are `order[offsets[c]]` to `order[offsets[c + 1] - 1]`.

    No class covers more than `above` does for its owner, so that a column is done once it covers as much. At worst
    O(entries x columns x height).
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


@kernel
def part_column(
    forms: Forms,
    column: int,
    leaves: NDArray[np.int32],
    counts: NDArray[np.int64],
    offsets: NDArray[np.int64],
    nodes: NDArray[np.int32],
    least: int,
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Part each class, a slice of the entries, by one column; return each entry's child, and each class's first child.

    A tree parts a class into the children of its node (`nodes`), a range or a set into two sides (see `_cut`). A
    class that cannot be parted is a child of its own. O(entries x height), ranges and sets O(entries x log entries).
    """
    start, n = forms.nodes[column], offsets.shape[0] - 1
    child = np.empty(leaves.shape[0], dtype=np.int32)
    firsts = np.zeros(n + 1, dtype=np.int64)
    numbers = np.empty(forms.nodes[column + 1] - start, dtype=np.int32)
    stamps = np.full(numbers.shape[0], -1, dtype=np.int64)
    for c in range(n):
        firsts[c + 1] = firsts[c]
        if forms.kinds[column] != TREE:
            sides = _cut(
                forms, column, leaves[offsets[c] : offsets[c + 1], column], counts[offsets[c] : offsets[c + 1]], least
            )
            for i in range(sides.shape[0]):
                child[offsets[c] + i] = firsts[c] + sides[i]
                firsts[c + 1] = max(firsts[c + 1], firsts[c] + sides[i] + 1)
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


@kernel
def _cut(
    forms: Forms, column: int, leaves: NDArray[np.int32], counts: NDArray[np.int64], least: int
) -> NDArray[np.int32]:
    """Return the side, 0 or 1, of each entry of a class: the two of `least` records or more that cost least.

    A range is cut between two of its values. A set is cut in the order of frequency, the most frequent first, since
    of two sets the smaller should have the more records. Of equal cuts the most even is taken. Missing values, if
    there are others, are a side of their own. All are on side 0 if there is no such cut.
    """
    start, n = forms.nodes[column], leaves.shape[0]
    sides = np.zeros(n, dtype=np.int32)
    order = np.argsort(leaves, kind="mergesort")
    values, sums = np.empty(n, dtype=np.int32), np.zeros(n, dtype=np.int64)
    size = 0
    for i in order:
        if size == 0 or values[size - 1] != leaves[i]:
            values[size] = leaves[i]
            size += 1
        sums[size - 1] += counts[i]
    if size > 1 and values[size - 1] == forms.missing[column]:
        for i in range(n):
            sides[i] = leaves[i] == values[size - 1]
        return sides
    values, sums = values[:size], sums[:size]
    ranges = forms.kinds[column] == RANGES
    ranks = np.arange(size) if ranges else np.argsort(-sums, kind="mergesort")
    total, one, two, before = sums.sum(), 0.0, 0.0, 0
    for value in values:
        one += forms.adds[0, start + value]
        two += forms.adds[1, start + value]
    first, second = 0.0, 0.0
    best, best_cost, best_gap = -1, np.inf, total
    for r in range(size - 1):
        value = values[ranks[r]]
        before += sums[ranks[r]]
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
    if best >= 0:
        on_left = np.zeros(size, dtype=np.bool_)
        on_left[ranks[: best + 1]] = True
        for i in range(n):
            sides[i] = not on_left[np.searchsorted(values, leaves[i])]
    return sides


class Needy(NamedTuple):
    """Classes of which one group fails, and how many records it is to have from the others.

    Args:
        classes: The classes.
        groups: The failing group of each.
        wanted: The number of records.
    """

    classes: NDArray[np.int64]
    groups: NDArray[np.int32]
    wanted: NDArray[np.int64]


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
    """Take the wanted records from the groups that have some to spare, beside the failing one in the same class.

    The sensitive tuples that the failing group has least of, compared with the table (`totals`), come first, as many
    of each as makes them even; of the same tuple those come first that raise the failing group's price least.

    Returns:
        For each entry that gives records, its place and their number; and how many each failing group gets.
    """
    have, room = np.zeros(totals.shape[0], dtype=np.int64), np.zeros(totals.shape[0], dtype=np.int64)
    take = np.zeros(totals.shape[0], dtype=np.int64)
    spare = spare.copy()
    places, moved = np.empty(leaves.shape[0], dtype=np.int64), np.empty(leaves.shape[0], dtype=np.int64)
    got = np.zeros(needy.classes.shape[0], dtype=np.int64)
    size = 0
    for i in range(needy.classes.shape[0]):
        a, b, failing = offsets[needy.classes[i]], offsets[needy.classes[i] + 1], needy.groups[i]
        seen = np.unique(profiles[a:b])
        have[seen] = 0
        room[seen] = 0
        for p in range(a, b):
            if groups[p] == failing:
                have[profiles[p]] += counts[p]
            elif spare[groups[p]] > 0:
                room[profiles[p]] += counts[p]
        take[seen] = _even_out(have[seen], room[seen], totals[seen], needy.wanted[i])
        for p in _nearest(forms, leaves[a:b], groups[a:b], failing) + a:
            most = min(counts[p], spare[groups[p]], take[profiles[p]])
            if groups[p] == failing or most <= 0:
                continue
            places[size], moved[size] = p, most
            size += 1
            spare[groups[p]] -= most
            take[profiles[p]] -= most
            got[i] += most
    return places[:size].copy(), moved[:size].copy(), got


@kernel
def _even_out(
    have: NDArray[np.int64], room: NDArray[np.int64], totals: NDArray[np.int64], wanted: int
) -> NDArray[np.int64]:
    """Return how much to add to each of `have`, at most its `room` and `wanted` in all, to even out have / totals."""
    take = np.zeros(have.shape[0], dtype=np.int64)
    if room.sum() <= wanted:
        take[:] = room
        return take
    below, above = 0.0, 1.0  # shares of the totals: no group has more than the table
    for _ in range(50):
        middle = (below + above) / 2
        added = 0
        for v in range(have.shape[0]):
            added += min(max(np.int64(middle * totals[v]) - have[v], 0), room[v])
        if added < wanted:
            below = middle
        else:
            above = middle
    for v in range(have.shape[0]):
        take[v] = min(max(np.int64(below * totals[v]) - have[v], 0), room[v])
    left = wanted - take.sum()
    for v in range(have.shape[0]):
        more = min(min(max(np.int64(above * totals[v]) - have[v], 0), room[v]) - take[v], left)
        if more > 0:
            take[v] += more
            left -= more
    return take


@kernel
def _nearest(forms: Forms, leaves: NDArray[np.int32], groups: NDArray[np.int32], failing: int) -> NDArray[np.int64]:
    """Return the entries of a class in the order of the price of the failing group if they join it alone."""
    n, m = leaves.shape
    prices = np.zeros(n)
    mine = np.flatnonzero(groups == failing)
    for j in range(m):
        start = forms.nodes[j]
        own = np.unique(leaves[mine, j])
        if forms.kinds[j] == TREE:
            node = own[0]
            for leaf in own:
                node = meet(forms.parent, start, node, leaf)
            for p in range(n):
                prices[p] += forms.prices[start + meet(forms.parent, start, node, leaves[p, j])]
        elif forms.kinds[j] == RANGES:
            for p in range(n):
                prices[p] += range_price(forms, j, min(own[0], leaves[p, j]), max(own[-1], leaves[p, j]))
        else:
            first, second = 0.0, 0.0
            for leaf in own:
                first += forms.adds[0, start + leaf]
                second += forms.adds[1, start + leaf]
            for p in range(n):
                leaf = leaves[p, j]
                at = np.searchsorted(own, leaf)
                new = at == own.shape[0] or own[at] != leaf
                one = first + forms.adds[0, start + leaf] if new else first
                two = second + forms.adds[1, start + leaf] if new else second
                prices[p] += set_price(forms, j, own.shape[0] + new, one, two, max(own[-1], leaf))
    return np.argsort(prices, kind="mergesort")
