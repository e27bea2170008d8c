"""Dependence: whether a column follows from another, record by record."""

import numpy as np
from numpy.typing import NDArray


def follows(source: NDArray[np.integer], target: NDArray[np.integer]) -> bool:
    """Tell whether equal codes of the source mean equal codes of the target. O(records).

    The target's code is written at each source code, and compared with all of them.
    """
    at = np.empty(int(source.max(initial=0)) + 1, dtype=target.dtype)
    at[source] = target
    return bool((at[source] == target).all())


def says_the_same(first: NDArray[np.integer], second: NDArray[np.integer]) -> bool:
    """Tell whether two columns are the same in other words: each follows from the other, and records share values.

    Where nearly every record has a value of its own, they follow from each other by chance: then nothing is said.
    """
    shared = len(np.unique(first)) <= len(first) / 2
    return shared and follows(first, second) and follows(second, first)
