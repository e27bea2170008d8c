"""Promises: how diverse the sensitive values of a class can be asked to be."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_WISHED = 3  # different values in each class, if that costs little
_DEAR = 4  # times k: a mean size of classes above which one value less is asked


@dataclass(frozen=True, slots=True)
class Diversity:
    """The number of different values that each class must show.

    Args:
        l: That number; 1 asks nothing.
        classes: The largest number of classes that can show so many.
    """

    l: int  # noqa: E741  (the paper's letter)
    classes: int


def most_classes(counts: NDArray[np.int64], needed: int) -> int:
    """Return into how many classes records can be put at most so that each shows `needed` different values.

    A value helps each class once. So `c` classes need `sum(min(count, c)) >= needed * c`, and dealing the values out in
    turn shows that this is enough. The condition fails for all larger `c` once it fails.
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
    """Return the diversity to suggest: 3 values, or 2 where 3 would force large classes or there are no more."""
    held = counts[counts > 0]
    n = int(held.sum())
    for wished in range(_WISHED, 1, -1):
        classes = most_classes(held, wished)
        if classes and (n <= _DEAR * k * classes or wished == 2):
            return Diversity(wished, classes)
    return Diversity(1, n)
