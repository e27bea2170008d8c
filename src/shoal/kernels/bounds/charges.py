"""Charges of records (dual values), and by how much the most charged class of a pattern exceeds its cost."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import inner_kernel


class Charges(NamedTuple):
    """The charge of each point's records, and a lower bound on their price in any class.

    Args:
        own: The charge of each record of a point; changes.
        floors: A lower bound on the price of every class with this point.
        counts: The number of records of each point.
        k: The least number of records of a class.
    """

    own: NDArray[np.float64]
    floors: NDArray[np.float64]
    counts: NDArray[np.int64]
    k: int


class Others(NamedTuple):
    """A min-heap by surplus of the points that fill a class up to k records.

    Args:
        points: The points.
        surpluses: Charge minus price, never above 0.
    """

    points: NDArray[np.int32]
    surpluses: NDArray[np.float64]


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
    """
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
