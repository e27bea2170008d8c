"""The dual of a partition: what each record may be charged so that no class is charged more than it costs."""

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import inner_kernel, kernel
from shoal.kernels.bounds.charges import Charges, Excess, Others, excess
from shoal.kernels.bounds.families import PatternList

_TIMES = 3  # how often a pattern that is charged too much is projected before its charges are cut


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
def sweep(charges: Charges, patterns: PatternList, quiet: NDArray[np.float64], raised: float, forward: bool) -> None:
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
def penalty(charges: Charges, patterns: PatternList) -> float:
    """Return the sum of what the patterns exceed their prices by. O(members x log k)."""
    total = 0.0
    others = Others(np.empty(charges.k + 2, dtype=np.int32), np.empty(charges.k + 2))
    for p in range(patterns.prices.shape[0]):
        members = patterns.members[patterns.begins[p] : patterns.begins[p + 1]]
        total += max(excess(charges, patterns.prices[p], members, others).total, 0.0)
    return total
