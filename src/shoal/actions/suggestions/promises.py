"""Promises: the diversity of sensitive values that a table allows."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_WISHED = 3  # distinct values to require in each class, if that costs little
_DEAR = 4  # times k: if classes must be larger than this on average, one value less is required


@dataclass(frozen=True, slots=True)
class Diversity:
    """The number of distinct values that each class must have.

    Args:
        l: That number; 1 requires nothing.
        classes: The largest possible number of classes with that many values.
    """

    l: int  # noqa: E741  (the paper's letter)
    classes: int


def most_classes(counts: NDArray[np.int64], needed: int) -> int:
    """Return the largest number of classes such that each can have `needed` distinct values.

    A value counts once in each class. So `c` classes need `sum(min(count, c)) >= needed * c`, and dealing out the
    values in turn shows that this suffices. If the condition fails for some `c`, it fails for all larger ones.
    """
    low, high = 0, int(counts.sum()) // max(needed, 1)
    while low < high:
        middle = (low + high + 1) // 2
        if int(np.minimum(counts, middle).sum()) >= needed * middle:
            low = middle
        else:
            high = middle - 1
    return low


def fitting_diversity(counts: NDArray[np.int64], k: int) -> Diversity:
    """Return the diversity to suggest: 3 values, or fewer if 3 would force large classes or do not exist."""
    present = counts[counts > 0]
    n = int(present.sum())
    for wished in range(_WISHED, 1, -1):
        classes = most_classes(present, wished)
        if classes and (n <= _DEAR * k * classes or wished == 2):
            return Diversity(wished, classes)
    return Diversity(1, n)
