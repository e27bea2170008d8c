"""Caps: what a promise on a sensitive column says of the shares that values have in a class, for lower bounds."""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil

import numpy as np
from numpy.typing import NDArray

PARTS = 1024
"""The caps of some records are whole parts of a record, rounded up."""


@dataclass(frozen=True, slots=True)
class Caps:
    """In each class that keeps the promise, what the shares of all values exceed `most` by adds up to `spare` at most.

    Shares that satisfy this are a convex set, so that joined classes satisfy it, too.

    Args:
        most: The cap of each value; any class may have shares up to it.
        spare: What all values together may have above their caps.
    """

    most: tuple[Fraction, ...]
    spare: Fraction = Fraction(0)

    @property
    def needed(self) -> int:
        """The number of values that a class has at least."""
        reached, needed = self.spare, 0
        for cap in sorted(self.most, reverse=True):
            if reached >= 1:
                break
            reached, needed = reached + cap, needed + 1
        return max(needed, 1)

    def stricter(self, other: "Caps | None") -> bool:
        """Return whether these caps ask for more values than others, or leave less room; without others, for any."""
        if min(self.most) + self.spare >= 1:
            return False
        if other is None:
            return True
        mine, theirs = ((one.needed, -one.spare - sum(one.most)) for one in (self, other))
        return mine > theirs

    def of(self, n_records: int) -> tuple[NDArray[np.int64], int]:
        """Return the caps and the rest of a class of so many records, in parts of a record, rounded up."""
        scale = n_records * PARTS
        known = {cap: min(ceil(cap * scale), scale) for cap in set(self.most)}
        return np.array([known[cap] for cap in self.most], dtype=np.int64), min(ceil(self.spare * scale), scale)


def largest_caps(reference: NDArray[np.int64], share: Fraction) -> list[Fraction]:
    """Return the largest share that each value may have in a release, if a share of the records may be suppressed.

    All suppressed records may have other values.
    """
    total = max(int(reference.sum()), 1) * max(1 - share, Fraction(1, 10**9))
    known = {int(count): min(int(count) / total, Fraction(1)) for count in np.unique(reference)}
    return [known[count] for count in reference.tolist()]
