"""Frequencies: how far counts are above a share, and what must go until they are not."""

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.classes.grouping import Histogram


def fewest_to_remove(counts: NDArray[Any], sizes: NDArray[Any], shares: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the fewest records to remove from groups of `sizes` so that `counts` are at most `shares` of the rest.

    Removing x counted records leaves (count - x) <= share * (size - x), so x >= (count - share * size) / (1 - share).
    The result is rounded down slightly, so that it stays a lower bound in floats; no count is above a share of 1.
    """
    apart = np.maximum(counts - shares * sizes, 0) / np.maximum(1 - shares, 1e-12)
    return np.clip(np.ceil(apart - 1e-6), 0, sizes).astype(np.int64)


def too_frequent(blocks: Histogram, times: float, share: Fraction) -> NDArray[np.int64]:
    """Return the fewest records to remove from each block so that no value exceeds `times` its share of the table.

    If a share of the table may be suppressed, a value's share of the rest may grow by the factor 1 / (1 - share).
    """
    table = float(blocks.total) * max(1 - float(share), 1e-9)
    owners = blocks.owners
    shares = blocks.reference[blocks.values].astype(np.float64) * (times / table)
    lost = fewest_to_remove(blocks.counts, blocks.sizes[owners], shares)
    return np.maximum.reduceat(lost, blocks.offsets[:-1])


def largest_ratio(numerators: NDArray[np.int64], denominators: NDArray[np.int64]) -> float | str:
    """Return the largest ratio, rounded once; `infinite` for a positive number over 0, and 0 if there is no ratio."""
    if np.any((denominators == 0) & (numerators > 0)):
        return "infinite"
    some = denominators > 0
    if not some.any():
        return 0.0
    best = int(np.argmax(numerators[some] / denominators[some]))
    return int(numerators[some][best]) / int(denominators[some][best])
