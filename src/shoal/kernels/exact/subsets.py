"""Subsets: the best partition of some records, from the best ones of all subsets of them.

A subset of records of several kinds is a number with a digit for each kind: how many of its records there are. The
digit of kind `i` counts `radix[i]`; the last kind has the largest. So taking a part of a subset away is a subtraction.
"""

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import inner_kernel, kernel
from shoal.kernels.local.states import Columns, join_into, joined_price


@inner_kernel
def lowest_bit(number: int) -> int:
    """Return the place of the lowest bit that is set."""
    place = 0
    while (number >> place) & 1 == 0:
        place += 1
    return place


@kernel
def closure_prices(columns: Columns, states: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the price of the closure of every set of the states, by its bits. O(sets x fields).

    Sets are counted up. What is closed for a set is that of the set without its lowest bit, joined with that bit; it is
    kept under that bit, where nothing else is written before it is needed.
    """
    n = states.shape[0]
    prices = np.zeros(1 << n)
    closed = np.empty((n, states.shape[1]), dtype=np.int64)
    for bits in range(1, 1 << n):
        low, rest = lowest_bit(bits), bits & (bits - 1)
        if rest == 0:
            join_into(columns, closed, low, states, low, states, low)
        else:
            join_into(columns, closed, low, closed, lowest_bit(rest), states, low)
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
    """Return what each subset costs as a class, infinity if it may not be one. O(subsets).

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
    """Find the least loss of splitting each subset from `begin` to `end`, and a class of it. O(pairs of subsets).

    One of the classes has a record of the last kind of the subset: go through all that have, of at most `most` records,
    with the best for the rest, which is a smaller number. All before `begin` must be known.
    """
    n = counts.shape[0]
    radix, digits = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    taken, places = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
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
                places[m] = i
                taken[m] = 0
                m += 1
        if m == 0:
            continue
        taken[m - 1] = 1
        own, size = radix[places[m - 1]], 1
        least, choice = np.inf, 0
        while True:
            loss = costs[own] + best[subset - own]
            if loss < least:
                least, choice = loss, own
            j = 0
            while j < m and (taken[j] == digits[places[j]] or size == most):
                floor = 1 if j == m - 1 else 0
                size -= taken[j] - floor
                own -= (taken[j] - floor) * radix[places[j]]
                taken[j] = floor
                j += 1
            if j == m:
                break
            taken[j] += 1
            size += 1
            own += radix[places[j]]
        best[subset] = least
        chosen[subset] = choice
