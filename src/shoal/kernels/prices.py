"""Prices of packed keys and of subsets of values."""

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import inner_kernel, kernel


@kernel
def unpack(
    words: NDArray[np.uint64], at: NDArray[np.int64], shifts: NDArray[np.uint64], masks: NDArray[np.uint64]
) -> NDArray[np.int32]:
    """Return `codes[class, column]`, the code of each column in each packed key. O(classes x columns)."""
    codes = np.empty((words.shape[1], at.shape[0]), dtype=np.int32)
    for i in range(words.shape[1]):
        for j in range(at.shape[0]):
            codes[i, j] = np.int32((words[at[j], i] >> shifts[j]) & masks[j])
    return codes


@kernel
def price_rows(codes: NDArray[np.int32], prices: NDArray[np.float64], starts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return, for each row, the sum over its columns of `prices[starts[j] + codes[i, j]]`. O(rows x columns)."""
    sums = np.zeros(codes.shape[0], dtype=np.float64)
    for i in range(codes.shape[0]):
        for j in range(codes.shape[1]):
            sums[i] += prices[starts[j] + codes[i, j]]
    return sums


LINEAR, ENTROPY, BITS, SHARE = range(4)  # rules that turn the two sums of a subset into its price


@inner_kernel
def price_subset(rule: int, first: float, second: float, constant: float) -> float:
    """Return the price of a subset of values from two sums over them, by one of the rules. O(1)."""
    if rule == LINEAR:
        return first + constant
    if rule == SHARE:
        return np.log2(max(first, 1.0) / constant)
    if first <= 0:
        return 0.0
    bits = max(first * np.log2(first) - second, 0.0)
    return bits / first if rule == ENTROPY else bits / constant


@kernel
def price_subsets(
    rule: int, firsts: NDArray[np.float64], seconds: NDArray[np.float64], constant: float
) -> NDArray[np.float64]:
    """Return the price of each subset. O(subsets)."""
    prices = np.empty(firsts.shape[0], dtype=np.float64)
    for i in range(firsts.shape[0]):
        prices[i] = price_subset(rule, firsts[i], seconds[i], constant)
    return prices
