"""Charges of records (dual values), and by how much the most charged class of a pattern exceeds its cost."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import inner_kernel, kernel

ANY_VALUES = np.zeros(0, dtype=np.int32)
"""For charges that do not look at sensitive values."""


class Charges(NamedTuple):
    """The charge of each point's records, and a lower bound on their price in any class.

    Args:
        own: The charge of each record of a point; changes.
        floors: A lower bound on the price of every class with this point.
        counts: The number of records of each point.
        k: The least number of records of a class.
        values: The sensitive value of each point, where a class is made of groups of k to 2k - 1 records with different
            values; it has no points where a class is any k records or more.
    """

    own: NDArray[np.float64]
    floors: NDArray[np.float64]
    counts: NDArray[np.int64]
    k: int
    values: NDArray[np.int32] = ANY_VALUES


class Others(NamedTuple):
    """A min-heap by surplus of the points that fill a class up to k records; or the points of a group, best first.

    Args:
        points: The points.
        surpluses: Charge minus price, never above 0 in the heap.
        found: Workspace: the values that occur.
        best: Workspace: the best point of each value; -1 between two uses.
        tops: Workspace: its surplus.
    """

    points: NDArray[np.int32]
    surpluses: NDArray[np.float64]
    found: NDArray[np.int32]
    best: NDArray[np.int32]
    tops: NDArray[np.float64]


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
    n_values = 0
    for value in charges.values:
        n_values = max(n_values, value + 1)
    return Others(
        np.empty(2 * charges.k + 2, dtype=np.int32),
        np.empty(2 * charges.k + 2, dtype=np.float64),
        np.empty(n_values, dtype=np.int32),
        np.full(n_values, -1, dtype=np.int32),
        np.empty(n_values, dtype=np.float64),
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

    Where charges look at sensitive values, it is the excess of a group (`group_excess`).
    """
    if charges.values.shape[0] > 0:
        return group_excess(charges, price, members, others)
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
def group_excess(charges: Charges, price: float, members: NDArray[np.int32], others: Others) -> Excess:
    """Return the largest amount by which k to 2k - 1 of these records with different values are charged too much.

    Of each value the record with the largest surplus counts. The group has the k values with the largest ones, and of
    the others those with a positive one, up to 2k - 1. Without k values there is no group, and the excess is infinitely
    negative. O(members + values x k).
    """
    points, surpluses, best, tops = others.points, others.surpluses, others.best, others.tops
    n_found = 0
    for i in members:
        value = charges.values[i]
        surplus = charges.own[i] - max(price, charges.floors[i])
        if best[value] < 0:
            others.found[n_found] = value
            n_found += 1
        elif surplus <= tops[value]:
            continue
        best[value], tops[value] = i, surplus
    size = 0
    for f in range(n_found):
        value = others.found[f]
        point, surplus = best[value], tops[value]
        best[value] = -1
        slot = size
        if size == 2 * charges.k - 1:
            slot -= 1
            if surplus <= surpluses[slot]:
                continue
        else:
            size += 1
        while slot > 0 and surpluses[slot - 1] < surplus:
            points[slot], surpluses[slot] = points[slot - 1], surpluses[slot - 1]
            slot -= 1
        points[slot], surpluses[slot] = point, surplus
    if size < charges.k:
        return Excess(-np.inf, 0.0, 0, 0, 0, -np.inf)
    total, above, records, chosen = 0.0, 0.0, 0, 0
    while chosen < size and (chosen < charges.k or surpluses[chosen] > 0):
        total += surpluses[chosen]
        if surpluses[chosen] > 0:
            above += surpluses[chosen]
            records += 1
        chosen += 1
    return Excess(total, above, records, chosen, 1, surpluses[charges.k - 1])
