"""The residue: few records to take out of classes of equal records, so that both keep frequency l-diversity."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Residue:
    """The records that are taken out.

    Args:
        taken: `taken[class, value]`, the number of records of a class with a sensitive value.
        least: How many records of the table are not published as they are, at least, in any release without suppressed
            records.
    """

    taken: NDArray[np.int64]
    least: int

    @property
    def size(self) -> int:
        """The number of records."""
        return int(self.taken.sum())


def residue_of(counts: NDArray[np.int64], share: Fraction, k: int = 1) -> Residue:
    """Return a residue, in the three phases of Xiao, Yi and Tao 2010.

    1. Each class loses what exceeds the share, and all if fewer than k records are left. Whatever part of a class keeps
       the promise, the other part has all of that: a value that is above its share in what is left is above it in every
       part of that. In a release, the records that are published as they are are such parts, so the others have at
       least as many of each value. The others are classes that keep the promise, so all together have at least as many
       records as their most frequent value needs. That is the least number of records that are not published as they
       are.
    2. While the residue has too few records beside its most frequent values, classes give other ones: single records
       where they can spare them, else one of each of their own most frequent values, if none of those is one of the
       residue's. Then the residue needs no more records than before.
    3. If no class can do so, one gives a record of each of its most frequent values, few of which are the residue's; or
       all of its records.

    All classes together keep the promise, so it ends.

    Args:
        counts: `counts[class, value]`, the number of records; all classes together keep the promise.
        share: The largest share of a class that a value may have.
        k: The least number of records of a class.
    """
    kept = _evened(counts, share)
    kept = np.where((kept.sum(axis=1) < k)[:, None], 0, kept)
    total = (counts - kept).sum(axis=0)
    least = max(int(total.sum()), _needed(total, share, k))
    while kept.any() and int(total.sum()) < _needed(total, share, k):
        given = _spared(kept, total, share, k)
        if not given.any():
            given = _of_pillars(kept, total, share, k)
        kept = kept - given
        total = total + given.sum(axis=0)
    return Residue(counts - kept, least)


def _needed(total: NDArray[np.int64], share: Fraction, k: int) -> int:
    """Return how many records a class must have if it has so many of each value; none if it has none."""
    most = int(total.max(initial=0))
    return max(-(-most * share.denominator // share.numerator), k) if most > 0 else 0


def _evened(counts: NDArray[np.int64], share: Fraction) -> NDArray[np.int64]:
    """Return the largest part of each class that keeps the promise."""
    kept = counts
    while True:
        caps = kept.sum(axis=1) * share.numerator // share.denominator
        less = np.minimum(kept, caps[:, None])
        if np.array_equal(less, kept):
            return kept
        kept = less


def _spared(kept: NDArray[np.int64], total: NDArray[np.int64], share: Fraction, k: int) -> NDArray[np.int64]:
    """Return records that classes can spare, of values that the residue has fewest of; no more than it lacks."""
    given, most = np.zeros_like(kept), int(total.max())
    lacking = _needed(total, share, k) - int(total.sum())
    high = kept.max(axis=1)
    spare = kept.sum(axis=1) - np.maximum(-(-high * share.denominator // share.numerator), k)
    now = total.copy()
    for one in np.flatnonzero(spare > 0):
        left = int(spare[one])
        for value in np.argsort(now, kind="stable"):
            amount = min(left, lacking, int(kept[one, value]), most - int(now[value]))
            given[one, value] += amount
            now[value] += amount
            left, lacking = left - amount, lacking - amount
        if lacking == 0:
            break
    return given


def _of_pillars(kept: NDArray[np.int64], total: NDArray[np.int64], share: Fraction, k: int) -> NDArray[np.int64]:
    """Return a record of each of the most frequent values of one class, or all of its records."""
    sizes, high = kept.sum(axis=1), kept.max(axis=1)
    pillars = (kept == high[:, None]) & (high > 0)[:, None]
    number = pillars.sum(axis=1)
    left = sizes - number
    allowed = (left * share.numerator >= (high - 1) * share.denominator) & ((left >= k) | (left == 0))
    alike = (pillars & (total == total.max())).sum(axis=1)
    given, some = np.zeros_like(kept), sizes > 0
    if (some & allowed).any():
        order = np.lexsort((-number, alike, ~(some & allowed)))
        given[order[0]] = pillars[order[0]]
    else:
        order = np.lexsort((sizes, ~some))
        given[order[0]] = kept[order[0]]
    return given
