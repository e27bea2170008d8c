"""Closed patterns of any form: the closures of sets of points, and the points in them."""

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import inner_kernel, kernel
from shoal.kernels.grouping import mix
from shoal.kernels.local.states import Columns, join_into, joined_price


@inner_kernel
def _hashed(states: NDArray[np.int64], row: int) -> np.uint64:
    number = np.uint64(0)
    for f in range(states.shape[1]):
        number = mix(number ^ np.uint64(states[row, f]))
    return number


@inner_kernel
def _alike(one: NDArray[np.int64], i: int, other: NDArray[np.int64], k: int) -> bool:
    different = 0
    for f in range(one.shape[1]):
        different |= one[i, f] ^ other[k, f]
    return different == 0


@inner_kernel
def _keep_new(found: NDArray[np.int64], count: int, table: NDArray[np.int32]) -> int:
    """Return `count + 1` if the row at `count` equals none before it, else `count`."""
    last = np.uint64(table.shape[0] - 1)
    slot = _hashed(found, count) & last
    while table[slot] >= 0:
        if _alike(found, table[slot], found, count):
            return count
        slot = (slot + np.uint64(1)) & last
    table[slot] = count
    return count + 1


@kernel
def closures_of_sets(columns: Columns, states: NDArray[np.int64], most: int) -> NDArray[np.int64]:
    """Return the distinct closures of all sets of the states, or none if there are more than `most`.

    The closures of sets of the first i states are those of the first i - 1, and each of these joined with state i.
    O(closures x states).
    """
    found = np.empty((most + 2, states.shape[1]), dtype=np.int64)
    size = 16
    while size < 4 * most:
        size *= 2
    table = np.full(size, -1, dtype=np.int32)
    count = 0
    for i in range(states.shape[0]):
        for f in range(states.shape[1]):
            found[count, f] = states[i, f]
        known, count = count, _keep_new(found, count, table)
        for other in range(known):
            if count > most:
                break
            join_into(columns, found, count, found, other, states, i)
            count = _keep_new(found, count, table)
        if count > most:
            return found[:0].copy()
    return found[:count].copy()


@kernel
def supports(
    columns: Columns, closed: NDArray[np.int64], states: NDArray[np.int64], counts: NDArray[np.int64], k: int, most: int
) -> tuple[NDArray[np.bool_], NDArray[np.int64], NDArray[np.int32]]:
    """Return which closures have at least `k` records, where the points of each of these end, and the points.

    Nothing is listed if there are more than `most` points in all. O(closures x points).
    """
    kept = np.zeros(closed.shape[0], dtype=np.bool_)
    ends = np.zeros(closed.shape[0], dtype=np.int64)
    members = np.empty(most + states.shape[0], dtype=np.int32)
    joined = np.empty((1, states.shape[1]), dtype=np.int64)
    n_kept, n_members = 0, 0
    for p in range(closed.shape[0]):
        begin, size = n_members, 0
        for i in range(states.shape[0]):
            join_into(columns, joined, 0, closed, p, states, i)
            if _alike(joined, 0, closed, p):
                members[n_members] = i
                n_members += 1
                size += counts[i]
        if size < k:
            n_members = begin
            continue
        if n_members > most:
            return kept[:0].copy(), ends[:0].copy(), members[:0].copy()
        kept[p] = True
        ends[n_kept] = n_members
        n_kept += 1
    return kept, ends[:n_kept].copy(), members[:n_members].copy()


@kernel
def support_prices(
    columns: Columns, states: NDArray[np.int64], ends: NDArray[np.int64], members: NDArray[np.int32]
) -> NDArray[np.float64]:
    """Return the price of the closure of each list of points; list `p` ends at `ends[p]`. O(members)."""
    prices = np.empty(ends.shape[0])
    closed = np.empty((1, states.shape[1]), dtype=np.int64)
    begin = 0
    for p in range(ends.shape[0]):
        join_into(columns, closed, 0, states, members[begin], states, members[begin])
        for i in range(begin + 1, ends[p]):
            join_into(columns, closed, 0, closed, 0, states, members[i])
        prices[p] = joined_price(columns, closed, 0, closed, 0)
        begin = ends[p]
    return prices


@kernel
def excesses(
    charges: NDArray[np.int64],
    counts: NDArray[np.int64],
    prices: NDArray[np.int64],
    begins: NDArray[np.int64],
    members: NDArray[np.int64],
    k: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the largest amount by which the charges of at least `k` records of each pattern exceed their price.

    Returned as well is the same for each member of a pattern if one of its records must be among them. O(members log
    members).
    """
    totals = np.zeros(prices.shape[0], dtype=np.int64)
    forced = np.zeros(members.shape[0], dtype=np.int64)
    for p in range(prices.shape[0]):
        begin, end = begins[p], begins[p + 1]
        total, size = 0, 0
        for i in range(begin, end):
            gain = charges[members[i]] - prices[p]
            if gain > 0:
                total += gain * counts[members[i]]
                size += counts[members[i]]
        last = 0  # the gain of the last record that was taken only to reach k
        if size < k:
            gains = np.empty(end - begin, dtype=np.int64)
            for i in range(begin, end):
                gains[i - begin] = charges[members[i]] - prices[p]
            for i in np.argsort(-gains):
                if size >= k:
                    break
                if gains[i] <= 0:
                    taken = min(counts[members[begin + i]], k - size)
                    total += taken * gains[i]
                    size += taken
                    last = gains[i]
        totals[p] = total
        for i in range(begin, end):
            gain = charges[members[i]] - prices[p]
            forced[i] = total + min(gain - last, 0)
    return totals, forced
