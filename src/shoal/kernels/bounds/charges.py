"""What records are charged, and by how much the class of a pattern that is charged most exceeds its price."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import inner_kernel


class Charges(NamedTuple):
    """What each record of a point is charged, and what it is known to pay at least, whatever its class.

    Args:
        own: The charges, which change.
        floors: A lower bound on the price of every class with this point.
        counts: The number of records of each point.
        k: The number of records of a class, at least.
    """

    own: NDArray[np.float64]
    floors: NDArray[np.float64]
    counts: NDArray[np.int64]
    k: int


class Others(NamedTuple):
    """The points that fill a class up to k records, a heap whose root has the least surplus.

    Args:
        points: The points.
        surpluses: Charge less price, none above 0.
    """

    points: NDArray[np.int32]
    surpluses: NDArray[np.float64]


class Excess(NamedTuple):
    """By how much the class of a pattern that is charged most exceeds its price.

    Args:
        total: The excess, over all records of that class.
        above: The part of those that are charged more than the price.
        records: Their number.
        others: The number of other points in that class.
        taken: How many records of the root of these are in it.
        last: The surplus of the root.
    """

    total: float
    above: float
    records: int
    others: int
    taken: int
    last: float


@inner_kernel
def sift(others: Others, place: int, size: int, point: int, surplus: float) -> None:
    """Put a point at a place of a heap from which smaller ones below move up. O(log size)."""
    while True:
        child = 2 * place + 1
        if child >= size:
            break
        if child + 1 < size and others.surpluses[child + 1] < others.surpluses[child]:
            child += 1
        if others.surpluses[child] >= surplus:
            break
        others.points[place], others.surpluses[place] = others.points[child], others.surpluses[child]
        place = child
    others.points[place], others.surpluses[place] = point, surplus


@inner_kernel
def climb(others: Others, place: int, point: int, surplus: float) -> None:
    """Put a point at the last place of a heap; larger ones above move down. O(log place)."""
    while place > 0 and others.surpluses[(place - 1) // 2] > surplus:
        above = (place - 1) // 2
        others.points[place], others.surpluses[place] = others.points[above], others.surpluses[above]
        place = above
    others.points[place], others.surpluses[place] = point, surplus


@inner_kernel
def excess(charges: Charges, price: float, members: NDArray[np.int32], others: Others) -> Excess:
    """Return the most by which a class of at least k of these records is charged above its price.

    That class has all records with a surplus above 0 and, if they are fewer than k, the largest of the others. The
    heap keeps as few of these as have the records that are wanting. O(members x log k).
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
