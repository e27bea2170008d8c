"""Exchanges of two records of different classes, and the prices that they go by."""

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import inner_kernel, kernel
from shoal.kernels.local.classes import copy_state
from shoal.kernels.local.states import Columns, join_into, joined_price


@kernel
def close_members(
    columns: Columns,
    states: NDArray[np.int64],
    offsets: NDArray[np.int64],
    members: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Return the closure of each class, whose members are `members[offsets[c]:offsets[c + 1]]`. O(members x fields).

    A class without members has a row of zeros, which means nothing.
    """
    closed = np.zeros((offsets.shape[0] - 1, states.shape[1]), dtype=np.int64)
    for c in range(closed.shape[0]):
        if offsets[c] < offsets[c + 1]:
            close_without(columns, states, members, offsets[c], offsets[c + 1], -1, closed, c)
    return closed


@kernel
def join_prices(
    columns: Columns, left: NDArray[np.int64], right: NDArray[np.int64], known: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return `prices[i, k]`, by how much joining `right[k]` raises the price of `left[i]`, which is `known[i]`."""
    prices = np.empty((left.shape[0], right.shape[0]))
    for i in range(left.shape[0]):
        for k in range(right.shape[0]):
            prices[i, k] = joined_price(columns, left, i, right, k) - known[i]
    return prices


@kernel
def own_prices(columns: Columns, closed: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the price of a record of each class. O(classes x fields)."""
    prices = np.empty(closed.shape[0])
    for c in range(closed.shape[0]):
        prices[c] = joined_price(columns, closed, c, closed, c)
    return prices


@kernel
def exchange_alike(
    columns: Columns,
    states: NDArray[np.int64],
    label: NDArray[np.int64],
    offsets: NDArray[np.int64],
    members: NDArray[np.int64],
    prices: NDArray[np.float64],
    rank: NDArray[np.int64],
    pool: NDArray[np.int64],
    starts: NDArray[np.int64],
    queue: NDArray[np.int64],
    place: NDArray[np.int64],
    turn: int,
    window: int,
) -> int:
    """Exchange records of one pool between their classes where that lowers the loss; return how often it did.

    Each record of a pool is compared with those of its pool that are, in the given order, next to another member of its
    class. All arrays are changed in place. O(records x (window x fields + log records)), and the sizes of the classes
    for each that is tried.

    Args:
        columns: The meaning of states.
        states: The closure of each record alone.
        label: The class of each record, or -1.
        offsets: Where the members of each class begin.
        members: The members of each class.
        prices: The price of a record of each class.
        rank: The place of each record in the order.
        pool: The pool of each record, or -1: two of one pool may be exchanged.
        starts: Where each pool begins in `queue`.
        queue: The records of each pool, in the order.
        place: The place of each record in `members`.
        turn: Which other member of a class is gone by.
        window: How many records of the pool are tried on either side.
    """
    spare = np.zeros((4, states.shape[1]), dtype=np.int64)
    done = 0
    for at in range(queue.shape[0]):
        a = queue[at]
        first = label[a]
        size = offsets[first + 1] - offsets[first]
        if size < 2 or prices[first] <= 0.0:
            continue
        other = members[offsets[first] + (place[a] - offsets[first] + 1 + turn % (size - 1)) % size]
        begin, end = starts[pool[a]], starts[pool[a] + 1]
        low, high = begin, end
        while low < high:
            middle = (low + high) // 2
            if rank[queue[middle]] < rank[other]:
                low = middle + 1
            else:
                high = middle
        close_without(columns, states, members, offsets[first], offsets[first + 1], a, spare, 0)
        best, chosen = 1e-12, np.int64(-1)
        for near in range(max(begin, low - window), min(end, low + window)):
            b = queue[near]
            second = label[b]
            if second == first:
                continue
            gained = size * (prices[first] - joined_price(columns, spare, 0, states, b))
            if gained <= best:
                continue
            close_without(columns, states, members, offsets[second], offsets[second + 1], b, spare, 1)
            wide = offsets[second + 1] - offsets[second]
            after = joined_price(columns, states, a, states, a)
            if wide > 1:
                after = joined_price(columns, spare, 1, states, a)
            gained += wide * (prices[second] - after)
            if gained > best:
                best, chosen = gained, b
        if chosen >= 0:
            second = label[chosen]
            members[place[a]], members[place[chosen]] = chosen, a
            place[a], place[chosen] = place[chosen], place[a]
            label[a], label[chosen] = second, first
            close_without(columns, states, members, offsets[first], offsets[first + 1], -1, spare, 2)
            prices[first] = joined_price(columns, spare, 2, spare, 2)
            close_without(columns, states, members, offsets[second], offsets[second + 1], -1, spare, 3)
            prices[second] = joined_price(columns, spare, 3, spare, 3)
            done += 1
    return done


@inner_kernel
def close_without(
    columns: Columns,
    states: NDArray[np.int64],
    members: NDArray[np.int64],
    begin: int,
    end: int,
    left: int,
    target: NDArray[np.int64],
    t: int,
) -> None:
    """Write the closure of some members but one, or of all if `left` is -1, into row `t`. O(members x fields)."""
    some = False
    for i in range(begin, end):
        if members[i] == left:
            continue
        if some:
            join_into(columns, target, t, target, t, states, members[i])
        else:
            copy_state(target, t, states, members[i])
            some = True
