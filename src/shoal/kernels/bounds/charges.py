"""Charges of records (dual values), and by how much the most charged class of a pattern exceeds its cost."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import inner_kernel, kernel

ANY_VALUES = np.zeros(0, dtype=np.int32)
"""For charges that do not look at sensitive values."""
NO_CAPS = np.zeros(0, dtype=np.int64)
"""Their caps."""


class Charges(NamedTuple):
    """The charge of each point's records, and a lower bound on their price in any class.

    Args:
        own: The charge of each record of a point; changes.
        floors: A lower bound on the price of every class with this point.
        counts: The number of records of each point.
        k: The least number of records of a class.
        values: The sensitive value of each point, where shares of values are capped; it has no points where a class is
            any k records or more.
        caps: How many parts of a record each value may have among k records (see `capped_excess`).
        spare: How many parts of a record all values together may have above their caps.
        parts: How many parts a record has.
    """

    own: NDArray[np.float64]
    floors: NDArray[np.float64]
    counts: NDArray[np.int64]
    k: int
    values: NDArray[np.int32] = ANY_VALUES
    caps: NDArray[np.int64] = NO_CAPS
    spare: int = 0
    parts: int = 1


class Others(NamedTuple):
    """A min-heap by surplus of the points that fill a class up to k records; or the points of k capped records.

    Args:
        points: The points.
        surpluses: Charge minus price, never above 0 in the heap.
        amounts: For capped records, how many parts of a record each point has among them.
        best: Workspace for capped records: the points of each value with the largest surpluses, in falling order.
        tops: Workspace: their surpluses.
        sizes: Workspace: how many of them there are; 0 between two uses.
        found: Workspace: the values that occur.
        room: Workspace: for each value what is left of its cap.
        places: Workspace: which of its points is next; for `clip_charges`, where it is in `points`.
    """

    points: NDArray[np.int32]
    surpluses: NDArray[np.float64]
    amounts: NDArray[np.int64]
    best: NDArray[np.int32]
    tops: NDArray[np.float64]
    sizes: NDArray[np.int64]
    found: NDArray[np.int32]
    room: NDArray[np.int64]
    places: NDArray[np.int64]


class Excess(NamedTuple):
    """By how much the most charged class of a pattern exceeds its cost.

    Args:
        total: The excess, over all records of that class.
        above: The part of the records that are charged more than the price.
        records: The number of these records.
        others: The number of other points in that class.
        taken: How many records of the root of the heap are in it.
        last: The surplus of the root.
    """

    total: float
    above: float
    records: int
    others: int
    taken: int
    last: float


@kernel
def make_others(charges: Charges) -> Others:
    """Return a workspace."""
    n_values, depth = charges.caps.shape[0], 1
    for cap in charges.caps:
        depth = max(depth, min(charges.k, -((-cap - charges.spare) // charges.parts)))
    length = max(2 * charges.k + 2, n_values * depth)
    return Others(
        np.empty(length, dtype=np.int32),
        np.empty(length, dtype=np.float64),
        np.empty(length, dtype=np.int64),
        np.empty((n_values, depth), dtype=np.int32),
        np.empty((n_values, depth), dtype=np.float64),
        np.zeros(n_values, dtype=np.int64),
        np.empty(n_values, dtype=np.int32),
        np.empty(n_values, dtype=np.int64),
        np.empty(n_values, dtype=np.int64),
    )


@inner_kernel
def sift(others: Others, slot: int, size: int, point: int, surplus: float) -> None:
    """Put a point at slot `slot` of a heap and move it down until no smaller one is below it. O(log size)."""
    while True:
        child = 2 * slot + 1
        if child >= size:
            break
        if child + 1 < size and others.surpluses[child + 1] < others.surpluses[child]:
            child += 1
        if others.surpluses[child] >= surplus:
            break
        others.points[slot], others.surpluses[slot] = others.points[child], others.surpluses[child]
        slot = child
    others.points[slot], others.surpluses[slot] = point, surplus


@inner_kernel
def climb(others: Others, slot: int, point: int, surplus: float) -> None:
    """Put a point at the last slot of a heap and move it up until no larger one is above it. O(log slot)."""
    while slot > 0 and others.surpluses[(slot - 1) // 2] > surplus:
        above = (slot - 1) // 2
        others.points[slot], others.surpluses[slot] = others.points[above], others.surpluses[above]
        slot = above
    others.points[slot], others.surpluses[slot] = point, surplus


@inner_kernel
def excess(charges: Charges, price: float, members: NDArray[np.int32], others: Others) -> Excess:
    """Return the largest amount by which a class of at least k of these records is charged above its cost.

    That class has all records with a positive surplus and, if these are fewer than k, the others with the largest
    surpluses. The heap keeps as few other points as have the records that are lacking. O(members x log k).

    Where shares of values are capped, it is the excess of k records (`capped_excess`).
    """
    if charges.values.shape[0] > 0:
        return capped_excess(charges, price, members, others)
    above, records, size, held = 0.0, 0, 0, 0
    for i in members:
        surplus = charges.own[i] - max(price, charges.floors[i])
        if surplus > 0:
            above += charges.counts[i] * surplus
            records += charges.counts[i]
        elif held < charges.k - records or (size > 0 and surplus > others.surpluses[0]):
            climb(others, size, i, surplus)
            size += 1
            held += charges.counts[i]
        while size > 0 and held - charges.counts[others.points[0]] >= charges.k - records:
            held -= charges.counts[others.points[0]]
            size -= 1
            sift(others, 0, size, others.points[size], others.surpluses[size])
    if size == 0:
        return Excess(above, above, records, 0, 0, 0.0)
    total = above
    for b in range(1, size):
        total += charges.counts[others.points[b]] * others.surpluses[b]
    taken = charges.k - records - (held - charges.counts[others.points[0]])
    total += taken * others.surpluses[0]
    return Excess(total, above, records, size, taken, others.surpluses[0])


@inner_kernel
def keep_best(charges: Charges, price: float, members: NDArray[np.int32], others: Others) -> int:
    """Keep the points of each value with the largest surpluses, in falling order; return how many values occur."""
    n_found = 0
    for i in members:
        value = charges.values[i]
        surplus = charges.own[i] - max(price, charges.floors[i])
        size = others.sizes[value]
        if size == 0:
            others.found[n_found] = value
            n_found += 1
        tops, best = others.tops[value], others.best[value]
        if size == tops.shape[0]:
            size -= 1
            if surplus <= tops[size]:
                continue
        slot = size
        while slot > 0 and tops[slot - 1] < surplus:
            tops[slot], best[slot] = tops[slot - 1], best[slot - 1]
            slot -= 1
        tops[slot], best[slot] = surplus, i
        others.sizes[value] = size + 1
    return n_found


@inner_kernel
def capped_excess(charges: Charges, price: float, members: NDArray[np.int32], others: Others) -> Excess:
    """Return the largest amount by which k of these records, or parts of records, are charged too much under the caps.

    What the values have above their caps is at most `spare`. So the allowed amounts are the bases of a polymatroid, and
    the greedy method is right: of the records, the one with the largest surplus first, each as much as is allowed. If
    that is less than k records, the excess is infinitely negative. Of each value only the largest surpluses are kept,
    as many as its cap and all of `spare` could take.

    O(members x log of those + values x those of all values).
    """
    n_found = keep_best(charges, price, members, others)
    for f in range(n_found):
        value = others.found[f]
        others.room[value], others.places[value] = charges.caps[value], 0
    left, spare, size = charges.k * charges.parts, charges.spare, 0
    total, above, last = 0.0, 0.0, -np.inf
    while left > 0:
        chosen, surplus = -1, -np.inf
        for f in range(n_found):
            value = others.found[f]
            place = others.places[value]
            if place < others.sizes[value] and (chosen < 0 or others.tops[value, place] > surplus):
                chosen, surplus = value, others.tops[value, place]
        if chosen < 0:
            break
        point = others.best[chosen, others.places[chosen]]
        amount = min(charges.counts[point] * charges.parts, others.room[chosen] + spare, left)
        if amount == 0:
            others.places[chosen] = others.sizes[chosen]
            continue
        others.places[chosen] += 1
        spare -= max(amount - others.room[chosen], 0)
        others.room[chosen] = max(others.room[chosen] - amount, 0)
        left -= amount
        others.points[size], others.surpluses[size], others.amounts[size] = point, surplus, amount
        size += 1
        total += amount * surplus / charges.parts
        above += amount * max(surplus, 0.0) / charges.parts
        last = surplus
    for f in range(n_found):
        others.sizes[others.found[f]] = 0
    if left > 0:
        return Excess(-np.inf, 0.0, 0, 0, 0, -np.inf)
    return Excess(total, above, 0, size, 0, last)


@inner_kernel
def possible(charges: Charges, members: NDArray[np.int32], others: Others) -> bool:
    """Return whether some k of these records, or parts of records, are allowed by the caps. O(members)."""
    n_found, filled, more = 0, 0, 0
    for i in members:
        value = charges.values[i]
        if others.sizes[value] == 0:
            others.found[n_found] = value
            n_found += 1
        others.sizes[value] += charges.counts[i]
    for f in range(n_found):
        value = others.found[f]
        amount = others.sizes[value] * charges.parts
        others.sizes[value] = 0
        filled += min(amount, charges.caps[value])
        more += max(amount - charges.caps[value], 0)
    return bool(filled + min(more, charges.spare) >= charges.k * charges.parts)
