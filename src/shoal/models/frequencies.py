"""Frequencies: how far counts are above a share, and what must go until they are not."""

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.classes.grouping import Histogram

_ROUNDS = 4  # more of them found little more
_MOST_RECORDS = 2_000  # of a class that is tried: larger ones may be needed, and are not told


def fewest_to_remove(counts: NDArray[Any], sizes: NDArray[Any], shares: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the fewest records to remove from groups of `sizes` so that `counts` are at most `shares` of the rest.

    Removing x counted records leaves (count - x) <= share * (size - x), so x >= (count - share * size) / (1 - share).
    The result is rounded down slightly, so that it stays a lower bound in floats; no count is above a share of 1.
    """
    apart = np.maximum(counts - shares * sizes, 0) / np.maximum(1 - shares, 1e-12)
    return np.clip(np.ceil(apart - 1e-6), 0, sizes).astype(np.int64)


def too_frequent(blocks: Histogram, times: float, share: Fraction) -> NDArray[np.int64]:
    """Return a lower bound on the records to remove from each block so that no value exceeds `times` its share.

    If a share of the table may be suppressed, a value's share of the rest may grow by the factor 1 / (1 - share), which
    gives each value a limit c. If x of n records are removed, a value keeps at most c (n - x): of those with more, all
    above that were removed, and these add up to at most x. The sum is convex in x and grows with it, so that two steps
    from x = 0 stay below the least x: to where the values that are too frequent now no longer are (Newton's), and to
    the sum itself, in whole records. A few of them come near enough.
    """
    table = float(blocks.total) * max(1 - float(share), 1e-9)
    limits, owners = np.minimum(blocks.reference[blocks.values] * (times / table), 1.0), blocks.owners
    failing = np.zeros(len(blocks.sizes), dtype=np.bool_)
    failing[owners[blocks.counts > limits * blocks.sizes[owners] + 1e-6]] = True
    lost = np.zeros(len(blocks.sizes), dtype=np.int64)
    if failing.any():
        entries, lengths = failing[owners], blocks.distinct[failing]
        lost[failing] = _fewest_of_all(blocks.counts[entries], limits[entries], lengths, blocks.sizes[failing])
    return lost


def _fewest_of_all(
    counts: NDArray[np.int64], limits: NDArray[np.float64], lengths: NDArray[np.int64], sizes: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return a lower bound on the records to remove from blocks of so many entries until none is above its limit."""
    starts, owners = np.cumsum(lengths) - lengths, np.repeat(np.arange(len(sizes)), lengths)
    lost = np.zeros(len(sizes))
    for _ in range(_ROUNDS):
        above = counts - limits * (sizes - lost)[owners]
        over = above > 1e-6
        held, shares = (np.add.reduceat(np.where(over, part, 0.0), starts) for part in (counts, limits))
        newton = np.where(shares < 1, (held - shares * sizes) / np.maximum(1 - shares, 1e-12), 0.0)
        whole = np.add.reduceat(np.where(over, np.ceil(above - 1e-6), 0.0), starts)
        more = np.maximum(np.ceil(newton - 1e-6), whole)
        if not (more > lost).any():
            break
        lost = np.maximum(lost, more)
    return np.minimum(lost, sizes).astype(np.int64)


def fewest_between(least: NDArray[np.float64], most: NDArray[np.float64], n_records: int) -> int:
    """Return a number of records below which no class has, of each value, a share between two limits.

    Args:
        least: The least share of each value; a value whose least share is above 0 is in every class.
        most: The largest share of each value.
        n_records: The number of records of the table.
    """
    for size in range(1, min(n_records, _MOST_RECORDS)):
        low = np.where(least > 0, np.maximum(np.ceil(least * size - 1e-9), 1), 0)
        high = np.floor(np.minimum(most, 1.0) * size + 1e-9)
        if (low <= high).all() and low.sum() <= size <= high.sum():
            return size
    return min(n_records, _MOST_RECORDS)


def largest_shares(reference: NDArray[np.int64], share: Fraction) -> NDArray[np.float64]:
    """Return the largest share that each value may have, if a share of the records of a table may be suppressed."""
    return np.asarray(reference / max(int(reference.sum()), 1) / max(1 - float(share), 1e-9))


def largest_ratio(numerators: NDArray[np.int64], denominators: NDArray[np.int64]) -> float | str:
    """Return the largest ratio, rounded once; `infinite` for a positive number over 0, and 0 if there is no ratio."""
    if np.any((denominators == 0) & (numerators > 0)):
        return "infinite"
    some = denominators > 0
    if not some.any():
        return 0.0
    best = int(np.argmax(numerators[some] / denominators[some]))
    return int(numerators[some][best]) / int(denominators[some][best])
