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
    return _fewest_of_all(blocks, _most(blocks, times, share), np.zeros(len(blocks.sizes), dtype=np.int64))


def too_rare(blocks: Histogram, times: float, share: Fraction) -> NDArray[np.int64]:
    """Return a lower bound on the records to remove from each block until each value has its share over `times`.

    Of a value with m of N records, at least m - s are left beside N - s, if s records of the table are suppressed. Of a
    block no more are left than let the records that it has of the value be this share of them, over `times`.
    """
    return _crowded(blocks, times, share, np.zeros(len(blocks.reference)))


def lost_together(
    blocks: Histogram, times: float, share: Fraction, lost: NDArray[np.int64], *, rare: bool = False
) -> NDArray[np.int64]:
    """Raise lower bounds on the records to remove from disjoint blocks, by what all of them lose together.

    If a block loses x of n records, all of a value above c (n - x) are lost (see `too_frequent`). What blocks lose of
    a value is missing from its share of the release, so that its limit is lower than if the suppressed records had
    other values; and what they lose of other values is no loss of its own, so that its least share is higher. With
    these limits the blocks may lose more, and so on.

    Args:
        blocks: Disjoint blocks of the table.
        times: By what factor the share of a value in a block may be above that in the release.
        share: The share of the records of the table that may be suppressed.
        lost: What each block loses at least.
        rare: Whether its share may be below that in the release by the same factor alone.
    """
    if share == 0:
        return lost  # the table is the release, or its suppressed records are published as stars
    owners, values, sizes = blocks.owners, blocks.values, blocks.sizes
    limits, n_values = _most(blocks, times, share), len(blocks.reference)
    for _ in range(_ROUNDS):
        if not lost.any() or lost.sum() > share * blocks.total:
            break
        above = np.maximum(np.ceil(blocks.counts - limits * (sizes - lost)[owners] - 1e-6), 0.0)
        away = np.bincount(values, above, n_values)
        limits = _most(blocks, times, share, away)
        more = np.maximum(lost, np.bincount(owners, above, len(sizes)).astype(np.int64))
        if rare:
            more = np.maximum(more, _crowded(blocks, times, share, away))
        lost = np.minimum(more, sizes)
    return lost


def _most(blocks: Histogram, times: float, share: Fraction, away: NDArray[Any] | float = 0.0) -> NDArray[np.float64]:
    """Return the limit of the share of each entry, if so many records of each value are surely suppressed."""
    table = float(blocks.total) * max(1 - float(share), 1e-9)
    limits: NDArray[np.float64] = np.minimum((blocks.reference - away) * (times / table), 1.0)[blocks.values]
    return limits


def _crowded(blocks: Histogram, times: float, share: Fraction, away: NDArray[Any]) -> NDArray[np.int64]:
    """Return how many records are too many beside those of the rarest value of each block."""
    gone = float(share) * blocks.total
    others = float(away.sum()) - away
    left = np.maximum(blocks.reference - np.maximum(gone - others, 0.0) - 1e-6, 0.0)
    least = left / max(blocks.total - gone, 1e-9)
    shown = np.bincount(blocks.owners, weights=(least > 0)[blocks.values], minlength=len(blocks.sizes))
    most = np.full(len(blocks.counts), np.inf)
    np.divide(blocks.counts * times, least[blocks.values], out=most, where=least[blocks.values] > 0)
    crowded = blocks.sizes - np.minimum.reduceat(most, blocks.offsets[:-1]) if len(shown) else np.zeros(0)
    lost = np.clip(np.ceil(crowded - 1e-6), 0, blocks.sizes)
    return np.where(shown < np.count_nonzero(least), blocks.sizes, lost).astype(np.int64)


def _fewest_of_all(blocks: Histogram, limits: NDArray[np.float64], lost: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return a lower bound, no less than the given one, on the records to remove until no entry is above its limit."""
    owners, sizes, n_blocks = blocks.owners, blocks.sizes, len(blocks.sizes)
    for _ in range(_ROUNDS):
        above = blocks.counts - limits * (sizes - lost)[owners]
        over = np.flatnonzero(above > 1e-6)
        if not len(over):
            break
        at, shares = owners[over], np.bincount(owners[over], limits[over], n_blocks)
        held = np.bincount(at, blocks.counts[over], n_blocks)
        newton = np.where(shares < 1, (held - shares * sizes) / np.maximum(1 - shares, 1e-12), 0.0)
        whole = np.bincount(at, np.ceil(above[over] - 1e-6), n_blocks)
        more = np.minimum(np.maximum(np.ceil(newton - 1e-6), whole), sizes).astype(np.int64)
        if not (more > lost).any():
            break
        lost = np.maximum(lost, more)
    return lost


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
