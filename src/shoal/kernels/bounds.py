"""The dual of a partition: what each record may be charged so that no class is charged more than it costs."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import inner_kernel, kernel
from shoal.kernels.families import Patterns

_TIMES = 3  # how often a pattern that is charged too much is projected before its charges are cut


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


@inner_kernel
def project(charges: Charges, price: float, members: NDArray[np.int32], others: Others, found: Excess) -> None:
    """Lower the charges of the class that exceeds its price to the nearest ones, record by record, that do not."""
    norm = float(found.records)
    for b in range(found.others):
        count = charges.counts[others.points[b]]
        norm += found.taken * found.taken / count if b == 0 else count
    step = found.total / norm
    for i in members:
        if charges.own[i] > max(price, charges.floors[i]):
            charges.own[i] -= step
    for b in range(found.others):
        i = others.points[b]
        charges.own[i] -= step * (found.taken / charges.counts[i] if b == 0 else 1.0)


@inner_kernel
def cut(charges: Charges, price: float, members: NDArray[np.int32], found: Excess) -> None:
    """Shrink the surpluses of a pattern until no class of it exceeds its price.

    All with a surplus are in the class that exceeds it most, and stay ahead of the others. So this costs the sum of
    the charges exactly the excess.
    """
    share = max(1.0 - found.total / found.above, 0.0)
    for i in members:
        bar = max(price, charges.floors[i])
        if charges.own[i] > bar:
            charges.own[i] = bar + share * (charges.own[i] - bar)


@kernel
def sweep(charges: Charges, patterns: Patterns, quiet: NDArray[np.float64], raised: float, forward: bool) -> None:
    """Lower the charges until no class of any pattern is charged more than it costs.

    Charges only fall here, and a pattern that has no excess keeps none when they do. So one pass is enough.

    A pattern may be passed over while the charges have not risen by its margin since it was looked at. Let its
    excess be g <= 0 with fewer than k records above the price, and the k-th best record have a surplus -s. If all
    charges rise by at most d <= min(-g / k, s), then the best k records gain at most k d <= -g, and none of the others
    comes to be above the price: there is still no excess.

    Args:
        charges: The charges.
        patterns: The patterns.
        quiet: How much all charges together must have risen before a pattern is looked at again.
        raised: How much they have.
        forward: Whether to begin with the first pattern.
    """
    n_patterns = patterns.prices.shape[0]
    others = Others(np.empty(charges.k + 2, dtype=np.int32), np.empty(charges.k + 2))
    for turn in range(n_patterns):
        p = turn if forward else n_patterns - 1 - turn
        if raised < quiet[p]:
            continue
        members, price = patterns.members[patterns.begins[p] : patterns.begins[p + 1]], patterns.prices[p]
        for time in range(_TIMES + 1):
            found = excess(charges, price, members, others)
            if found.total <= 0:
                quiet[p] = raised
                if found.records < charges.k:
                    quiet[p] += min(-found.total / charges.k, -found.last)
                break
            if time < _TIMES:
                project(charges, price, members, others, found)
            else:
                cut(charges, price, members, found)
                quiet[p] = raised


@kernel
def penalty(charges: Charges, patterns: Patterns) -> float:
    """Return the sum of what the patterns exceed their prices by. O(members x log k)."""
    total = 0.0
    others = Others(np.empty(charges.k + 2, dtype=np.int32), np.empty(charges.k + 2))
    for p in range(patterns.prices.shape[0]):
        members = patterns.members[patterns.begins[p] : patterns.begins[p + 1]]
        total += max(excess(charges, patterns.prices[p], members, others).total, 0.0)
    return total
