"""The dual of a partition: charges of records such that no class is charged more than it costs."""

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import inner_kernel, kernel
from shoal.kernels.bounds.charges import Charges, Excess, Others, excess, make_others
from shoal.kernels.bounds.families import PatternList

_TIMES = 3  # how often a pattern with an excess is projected before its charges are cut


@inner_kernel
def project_charges(charges: Charges, price: float, members: NDArray[np.int32], others: Others, found: Excess) -> None:
    """Move the charges of the class with the excess to the nearest ones without excess, in L2 over its records."""
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
def clip_charges(charges: Charges, price: float, members: NDArray[np.int32], others: Others, found: Excess) -> None:
    """Move the charges of capped records with an excess to the nearest ones without, and clip those of the same values.

    What is charged less than any of the records of its value was is lowered to the least charge that one of them has
    then, so that it does not take its place.
    """
    norm = 0.0
    for b in range(found.others):
        share = others.amounts[b] / charges.parts
        norm += share * share / charges.counts[others.points[b]]
    step = found.total / norm
    for b in range(found.others):
        i = others.points[b]
        value = charges.values[i]
        bar = others.surpluses[b] - step * others.amounts[b] / charges.parts / charges.counts[i]
        if others.sizes[value] == 0:
            others.sizes[value] = 1
            others.tops[value, 0] = bar
        others.tops[value, 0] = min(others.tops[value, 0], bar)
        others.places[value] = b
    for i in members:
        value = charges.values[i]
        if others.sizes[value] > 0:
            base = max(price, charges.floors[i])
            if charges.own[i] - base <= others.surpluses[others.places[value]]:
                charges.own[i] = min(charges.own[i], base + others.tops[value, 0])
    for b in range(found.others):
        i = others.points[b]
        value = charges.values[i]
        if others.surpluses[b] > others.surpluses[others.places[value]]:
            charges.own[i] -= step * others.amounts[b] / charges.parts / charges.counts[i]
    for b in range(found.others):
        others.sizes[charges.values[others.points[b]]] = 0


@inner_kernel
def cut_charges(charges: Charges, price: float, members: NDArray[np.int32], found: Excess) -> None:
    """Scale down the positive surpluses of a pattern until none of its classes exceeds its cost.

    All records with a positive surplus are in the class with the largest excess, and stay ahead of the others. So the
    sum of the charges falls by exactly the excess. Under caps positive surpluses stay ahead and in their order, so that
    the greedy method chooses the same, and its excess is none then.
    """
    share = max(1.0 - found.total / found.above, 0.0)
    for i in members:
        bar = max(price, charges.floors[i])
        if charges.own[i] > bar:
            charges.own[i] = bar + share * (charges.own[i] - bar)


@kernel
def lower_charges(
    charges: Charges, patterns: PatternList, quiet: NDArray[np.float64], raised: float, forward: bool
) -> None:
    """Lower the charges until no class of any pattern is charged more than it costs.

    Charges only fall here, and a pattern without excess keeps none when charges fall. So one pass is enough.

    A pattern may be skipped while the charges have risen by less than its margin since its last visit. Let its excess
    be g <= 0 with fewer than k records above the price, and let the k-th best record have the surplus -s. If all
    charges rise by at most d <= min(-g / k, s), then the best k records gain at most k d <= -g, and none of the others
    comes to be above the price: there is still no excess. Under caps the excess is always that of k records, so that
    d <= -g / k is enough.

    Args:
        charges: The charges.
        patterns: The patterns.
        quiet: For each pattern, the total rise of the charges below which it is skipped.
        raised: The total rise of the charges so far.
        forward: Whether to start with the first pattern; else with the last.
    """
    n_patterns = patterns.prices.shape[0]
    others = make_others(charges)
    for turn in range(n_patterns):
        p = turn if forward else n_patterns - 1 - turn
        if raised < quiet[p]:
            continue
        members, price = patterns.members[patterns.begins[p] : patterns.begins[p + 1]], patterns.prices[p]
        for time in range(_TIMES + 1):
            found = excess(charges, price, members, others)
            if found.total <= 0:
                quiet[p] = raised
                if charges.values.shape[0] > 0:
                    quiet[p] += -found.total / charges.k
                elif found.records < charges.k:
                    quiet[p] += min(-found.total / charges.k, -found.last)
                break
            if time < _TIMES and charges.values.shape[0] > 0:
                clip_charges(charges, price, members, others, found)
            elif time < _TIMES:
                project_charges(charges, price, members, others, found)
            else:
                cut_charges(charges, price, members, found)
                quiet[p] = raised


@kernel
def total_excess(charges: Charges, patterns: PatternList) -> float:
    """Return the sum of the excesses of all patterns. O(members x log k).

    The classes of a release that have the same pattern are one class of that pattern together. Under caps, n records
    have at most n / k times the excess of k records.
    """
    total = 0.0
    others = make_others(charges)
    for p in range(patterns.prices.shape[0]):
        members = patterns.members[patterns.begins[p] : patterns.begins[p + 1]]
        times = 1.0
        if charges.values.shape[0] > 0:
            size = 0
            for i in members:
                size += charges.counts[i]
            times = size / charges.k
        total += times * max(excess(charges, patterns.prices[p], members, others).total, 0.0)
    return total
