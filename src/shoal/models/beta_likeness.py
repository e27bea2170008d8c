"""beta-likeness."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from shoal.classes.grouping import Histogram
from shoal.classes.tally import SensitiveColumn
from shoal.foundation.exact import ExactNumber, at_most, compare_log
from shoal.models.caps import Caps, largest_caps
from shoal.models.frequencies import fewest_between, largest_ratio, largest_shares, lost_together, too_frequent
from shoal.models.linear import Linear
from shoal.models.model import Measured, SensitiveModel, ShareRanges
from shoal.models.sufficient_test import SufficientTest


@dataclass(frozen=True, slots=True, kw_only=True)
class BetaLikeness(SensitiveModel):
    """No value of `column` is much likelier in a class than in the whole table.

    With the shares p of a value in a class and q in the table, wherever p > q: (p - q) / q <= beta. The
    enhanced kind also asks for (p - q) / q <= -ln q, which keeps frequent values from becoming certain.

    Both are an upper limit on p, for each value. The share in a union of classes is a mediant of the shares
    in the parts, so it stays below the limit: the model is monotone. It is not with suppression: a class
    that shows one value only may join, and suppressing classes changes q.

    With an `entity`, p is the share of the persons of a class who hold the value, and q that of the persons of all
    classes, so that it is the belief that a person holds the value which rises by the factor 1 + beta at most.
    """

    name: ClassVar[str] = "beta-likeness"
    reference: ClassVar[str] = "Cao and Karras 2012"
    monotone: ClassVar[bool] = True
    absorbing: ClassVar[bool] = False
    relative: ClassVar[bool] = True
    thresholds: ClassVar[tuple[str, ...]] = ("beta",)
    plain: ClassVar[tuple[str, ...]] = (*SensitiveModel.plain, "kind")

    beta: Annotated[ExactNumber, Field(gt=0)]
    kind: Literal["basic", "enhanced"] = "basic"

    def sufficient_test(self, column: SensitiveColumn, reference: NDArray[np.int64]) -> SufficientTest | None:
        """Limit the share of every value by its share in the table."""
        total = max(int(reference.sum()), 1)
        limits = [Fraction(int(count), total) * (1 + self._gain(int(count), total)) for count in reference]
        return SufficientTest.shares(limits)

    def _gain(self, count: int, total: int) -> Fraction:
        """Return the largest allowed gain of a value; the logarithm is rounded down slightly."""
        if self.kind == "basic" or count == 0:
            return Fraction(self.beta)
        return min(Fraction(self.beta), max(Fraction(math.log(total / count) * (1 - 1e-9)), Fraction(0)))

    def linear(self, column: SensitiveColumn, reference: NDArray[np.int64]) -> Linear | None:
        """Limit the share of every value by its share in the table; a logarithm is rounded up slightly."""
        total = max(int(reference.sum()), 1)
        gains = [Fraction(self.beta)] * len(reference)
        if self.kind == "enhanced":
            logarithms = [math.log(total / count) if count else 0.0 for count in reference.tolist()]
            gains = [min(gain, Fraction(most * (1 + 1e-12))) for gain, most in zip(gains, logarithms, strict=True)]
        shares = [Fraction(int(count), total) for count in reference]
        return Linear.shares([share * (1 + gain) for share, gain in zip(shares, gains, strict=True)])

    def passes(self, blocks: Histogram) -> NDArray[np.bool_]:
        """Compare the gain of each value in each block with its limit."""
        gains, bases = _gains(blocks)
        within = at_most(gains, bases, Fraction(self.beta))
        if self.kind == "enhanced":
            within &= _within_logarithm(blocks, gains, bases)
        kept = np.ones(len(blocks.sizes), dtype=np.bool_)
        kept[blocks.owners[~within]] = False
        return kept

    def forfeited(self, blocks: Histogram, share: Fraction) -> NDArray[np.int64]:
        """Count the excess records of a value, even if all suppressed records of the table have other values."""
        return too_frequent(blocks, 1 + float(self.beta), share)

    def forfeited_together(self, blocks: Histogram, share: Fraction, lost: NDArray[np.int64]) -> NDArray[np.int64]:
        """Count what all blocks lose of each value: its share of the release is the lower for it."""
        return lost_together(blocks, 1 + float(self.beta), share, lost)

    def fewest_records(self, column: SensitiveColumn, reference: NDArray[np.int64], share: Fraction) -> int:
        """Count how few records may have shares below the limits, at the largest shares of the release."""
        if self.entity is not None:
            return 1
        most = largest_shares(reference, share) * (1 + float(self.beta))
        return fewest_between(np.zeros(len(most)), most, int(reference.sum()))

    def caps(self, column: SensitiveColumn, reference: NDArray[np.int64], share: Fraction) -> Caps | None:
        """Cap each value by its limit at its largest share of the release, since limits grow with it."""
        if self.entity is not None:
            return None
        shares, beta = largest_caps(reference, share), Fraction(self.beta)
        if self.kind == "basic":
            return Caps(tuple(one * (1 + beta) for one in shares))
        gains = {one: min(beta, Fraction(-math.log(one) + 1e-9)) if one else beta for one in set(shares)}
        return Caps(tuple(one * (1 + gains[one]) for one in shares))

    def may_pass(self, blocks: Histogram, shares: ShareRanges) -> NDArray[np.bool_]:
        """Compare the share of every value with its limit at the largest share of the release.

        The limits q (1 + beta) and q (1 - ln q) grow with q.
        """
        most = np.minimum(shares(np.eye(len(blocks.reference), dtype=np.bool_))[1], 1.0)
        limits = most * (1 + float(self.beta))
        if self.kind == "enhanced":
            limits = np.minimum(limits, most * (1 - np.log(np.maximum(most, 1e-300))))
        wrong = blocks.counts / blocks.sizes[blocks.owners] > limits[blocks.values] + 1e-9
        kept = np.ones(len(blocks.sizes), dtype=np.bool_)
        kept[blocks.owners[wrong]] = False
        return kept

    def measured(self, blocks: Histogram) -> Measured:
        """Return the largest gain of any value, or `infinite` if no `beta` is large enough."""
        gains, bases = _gains(blocks)
        if self.kind == "enhanced" and not _within_logarithm(blocks, gains, bases).all():
            return {"beta": "infinite"}
        return {"beta": largest_ratio(np.maximum(gains, 0), bases)}


def _gains(blocks: Histogram) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return p - q and q for each entry, both times the records of the block and of the table."""
    total = blocks.total
    bases = blocks.reference[blocks.values] * blocks.sizes[blocks.owners]
    return blocks.counts * total - bases, bases


def _within_logarithm(blocks: Histogram, gains: NDArray[np.int64], bases: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return where the gain is at most -ln q or not positive; by floats, and by `compare_log` if they are too close."""
    total = blocks.total
    within: NDArray[np.bool_] = gains <= 0
    rising = np.flatnonzero(~within & (bases > 0))
    parts = blocks.reference[blocks.values[rising]]
    gaps = np.log(total / parts) - gains[rising] / bases[rising]
    within[rising] = gaps >= 0
    for place in np.flatnonzero(np.abs(gaps) <= 1e-9 * (1 + gains[rising] / bases[rising])):
        entry = rising[place]
        gain = Fraction(int(gains[entry]), int(bases[entry]))
        within[entry] = compare_log(Fraction(total, int(parts[place])), gain) >= 0
    return within
