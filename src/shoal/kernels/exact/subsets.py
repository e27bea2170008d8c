"""The best partition of some records by dynamic programming over all subsets of them.

Records of one kind are alike. A subset is a number in a mixed radix: its digit for kind `i` is the number of its
records of that kind, with place value `radix[i]`; the last kind has the largest. So removing a part of a subset is a
subtraction.
"""

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import inner_kernel, kernel
from shoal.kernels.local.states import Columns, join_into, joined_price


@inner_kernel
def lowest_set_bit(number: int) -> int:
    """Return the index of the lowest set bit."""
    index = 0
    while (number >> index) & 1 == 0:
        index += 1
    return index


@kernel
def closure_prices(columns: Columns, states: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the price of the closure of every set of the states, indexed by its bits. O(sets x fields).

    The sets are counted up. The closure of a set is that of the set without its lowest bit, joined with the state of
    that bit. It is stored under its lowest bit, where nothing else is written before it is used.
    """
    n = states.shape[0]
    prices = np.zeros(1 << n)
    closed = np.empty((n, states.shape[1]), dtype=np.int64)
    for bits in range(1, 1 << n):
        low, rest = lowest_set_bit(bits), bits & (bits - 1)
        if rest == 0:
            join_into(columns, closed, low, states, low, states, low)
        else:
            join_into(columns, closed, low, closed, lowest_set_bit(rest), states, low)
        prices[bits] = joined_price(columns, closed, low, closed, low)
    return prices


@kernel
def class_costs(
    counts: NDArray[np.int64],
    prices: NDArray[np.float64],
    weights: NDArray[np.int64],
    passing: NDArray[np.bool_],
    most: int,
) -> NDArray[np.float64]:
    """Return the cost of each subset as a class, infinite if it may not be one. O(subsets).

    `passing` tells which profiles of a class pass; a record of kind `i` adds `weights[i]` to the number of the profile.
    A class has at most `most` records.
    """
    n_subsets = 1
    for count in counts:
        n_subsets *= count + 1
    costs = np.full(n_subsets, np.inf)
    digits = np.zeros(counts.shape[0], dtype=np.int64)
    bits, size, profile = 0, 0, 0
    for subset in range(1, n_subsets):
        i = 0
        while digits[i] == counts[i]:
            size -= digits[i]
            profile -= digits[i] * weights[i]
            digits[i] = 0
            bits &= ~(1 << i)
            i += 1
        digits[i] += 1
        bits |= 1 << i
        size += 1
        profile += weights[i]
        if size <= most and passing[profile]:
            costs[subset] = size * prices[bits]
    return costs


@kernel
def best_partitions(
    counts: NDArray[np.int64],
    costs: NDArray[np.float64],
    most: int,
    begin: int,
    end: int,
    best: NDArray[np.float64],
    chosen: NDArray[np.int64],
) -> None:
    """Write the least loss of a partition of each subset from `begin` to `end`, and one class of it.

    One class has a record of the last kind of the subset. So all parts with such a record, of at most `most` records,
    are tried, each with the best partition of the rest, which is a smaller number. The results of all subsets before
    `begin` must be known.

    O(pairs of subsets).
    """
    n = counts.shape[0]
    radix, digits = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    taken, kinds = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    factor = 1
    for i in range(n):
        radix[i] = factor
        digits[i] = (begin // factor) % (counts[i] + 1)
        factor *= counts[i] + 1
    for subset in range(begin, end):
        if subset > begin:
            i = 0
            while digits[i] == counts[i]:
                digits[i] = 0
                i += 1
            digits[i] += 1
        m = 0
        for i in range(n):
            if digits[i] > 0:
                kinds[m] = i
                taken[m] = 0
                m += 1
        if m == 0:
            continue
        taken[m - 1] = 1
        own, size = radix[kinds[m - 1]], 1
        least, choice = np.inf, 0
        while True:
            loss = costs[own] + best[subset - own]
            if loss < least:
                least, choice = loss, own
            j = 0
            while j < m and (taken[j] == digits[kinds[j]] or size == most):
                floor = 1 if j == m - 1 else 0
                size -= taken[j] - floor
                own -= (taken[j] - floor) * radix[kinds[j]]
                taken[j] = floor
                j += 1
            if j == m:
                break
            taken[j] += 1
            size += 1
            own += radix[kinds[j]]
        best[subset] = least
        chosen[subset] = choice
