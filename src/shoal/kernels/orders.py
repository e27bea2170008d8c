"""Sorting, and searching what is sorted: short loops that compile much faster than those of the library."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import inner_kernel

_RUN = 16  # runs of so many keys are sorted by insertion, then merged


@inner_kernel
def sort_values(values: NDArray[np.int32], n: int) -> None:
    """Sort the first `n` values in place. Shell sort, O(n^1.5)."""
    gap = 1
    while 3 * gap + 1 < n:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, n):
            value, j = values[i], i
            while j >= gap and values[j - gap] > value:
                values[j] = values[j - gap]
                j -= gap
            values[j] = value
        gap //= 3


@inner_kernel
def sort_indices(keys: NDArray[Any], n: int, order: NDArray[np.int64], workspace: NDArray[np.int64]) -> None:
    """Write the indices of the first `n` keys into `order`, sorted by key, equal keys by index. O(n log n)."""
    for begin in range(0, n, _RUN):
        for i in range(begin, min(begin + _RUN, n)):
            key, j = keys[i], i
            while j > begin and keys[order[j - 1]] > key:
                order[j] = order[j - 1]
                j -= 1
            order[j] = i
    run = _RUN
    while run < n:
        for begin in range(0, n, 2 * run):
            middle, end = min(begin + run, n), min(begin + 2 * run, n)
            for i in range(begin, middle):
                workspace[i] = order[i]
            left, right = begin, middle
            for i in range(begin, end):
                if left == middle:
                    break  # the rest of the right run is in place already
                if right < end and keys[order[right]] < keys[workspace[left]]:
                    order[i] = order[right]
                    right += 1
                else:
                    order[i] = workspace[left]
                    left += 1
        run *= 2


@inner_kernel
def first_at_least(values: NDArray[Any], begin: int, end: int, value: int) -> int:
    """Return where the first value that is not less than `value` stands in an ascending part; `end` if none is.

    O(log n).
    """
    first, last = begin, end
    while first < last:
        middle = (first + last) // 2
        if values[middle] < value:
            first = middle + 1
        else:
            last = middle
    return first
