"""delta-disclosure privacy."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from shoal.classes.grouping import Histogram
from shoal.classes.tally import SensitiveColumn
from shoal.foundation.exact import ExactNumber, compare_log
from shoal.models.caps import Caps, largest_caps
from shoal.models.frequencies import fewest_between, largest_shares, lost_together, too_frequent, too_rare
from shoal.models.linear import Linear
from shoal.models.model import Measured, SensitiveModel, ShareRanges
from shoal.models.sufficient_test import SufficientTest


@dataclass(frozen=True, slots=True, kw_only=True)
class DeltaDisclosure(SensitiveModel):
    """No value of `column` is much likelier or much less likely in a class than in the whole table.

    With the shares p of a value in a class and q in the table, for every value of the table:
    |ln(p / q)| < delta. A value that the class does not show makes that infinite, so the class fails.

    It asks q / e^delta < p < q * e^delta, for each value. The share in a union of classes is a mediant of
    the shares in the parts, so it stays within: the model is monotone. It is not with suppression: a class
    that shows one value only may join, and suppressing classes changes q. The inequality is strict, so the `delta` that
    a release reaches is a limit that it stays below.

    With an `entity`, p is the share of the persons of a class who hold the value, and q that of the persons of all
    classes.
    """

    name: ClassVar[str] = "delta-disclosure"
    reference: ClassVar[str] = "Brickell and Shmatikov 2008"
    monotone: ClassVar[bool] = True
    absorbing: ClassVar[bool] = False
    relative: ClassVar[bool] = True
    thresholds: ClassVar[tuple[str, ...]] = ("delta",)

    delta: Annotated[ExactNumber, Field(gt=0)]

    @property
    def _times(self) -> float:
        """By what factor a share may rise or fall; e^100 is more than any share can."""
        return math.exp(min(float(self.delta), 100.0))

    def sufficient_test(self, column: SensitiveColumn, reference: NDArray[np.int64]) -> SufficientTest | None:
        """Limit the share of every value by its share in the table, from above and below."""
        total = max(int(reference.sum()), 1)
        most = Fraction(self._times * (1 - 1e-9))
        shares = [Fraction(int(count), total) for count in reference]
        return SufficientTest.shares([share * most for share in shares], [share / most for share in shares])

    def linear(self, column: SensitiveColumn, reference: NDArray[np.int64]) -> Linear | None:
        """Limit the share of every value by its share in the table, from above and below, slightly too loosely."""
        total = max(int(reference.sum()), 1)
        most = Fraction(self._times * (1 + 1e-12))
        shares = [Fraction(int(count), total) for count in reference]
        return Linear.shares([share * most for share in shares], [share / most for share in shares])

    def passes(self, blocks: Histogram) -> NDArray[np.bool_]:
        """Fail blocks that lack a value; compare logarithms in floats, and exactly if they are too close."""
        kept = _complete(blocks)
        gaps = _surprises(blocks) - float(self.delta)
        within: NDArray[np.bool_] = gaps < 0
        for entry in np.flatnonzero(np.abs(gaps) <= 1e-9 * (1 + float(self.delta))):
            within[entry] = self._below(blocks, int(entry))
        kept[blocks.owners[~within]] = False
        return kept

    def forfeited(self, blocks: Histogram, share: Fraction) -> NDArray[np.int64]:
        """Count the excess records of a value, and those that are too many beside a rare one which the table keeps."""
        return np.maximum(too_frequent(blocks, self._times, share), too_rare(blocks, self._times, share))

    def forfeited_together(self, blocks: Histogram, share: Fraction, lost: NDArray[np.int64]) -> NDArray[np.int64]:
        """Count what all blocks lose of each value: its share of the release is the lower for it."""
        return lost_together(blocks, self._times, share, lost, rare=True)

    def fewest_records(self, column: SensitiveColumn, reference: NDArray[np.int64], share: Fraction) -> int:
        """Count how few records may have all values that stay in the release, each with a share within the limits."""
        if self.entity is not None:
            return 1
        total = int(reference.sum())
        gone = int(share * total)
        low = np.maximum(reference - gone, 0) / max(total - gone, 1) / self._times
        return fewest_between(low, largest_shares(reference, share) * self._times, total)

    def caps(self, column: SensitiveColumn, reference: NDArray[np.int64], share: Fraction) -> Caps | None:
        """Cap each value by its limit at its largest share of the release."""
        if self.entity is not None:
            return None
        times = Fraction(self._times * (1 + 1e-9))
        return Caps(tuple(one * times for one in largest_caps(reference, share)))

    def may_pass(self, blocks: Histogram, shares: ShareRanges) -> NDArray[np.bool_]:
        """Compare the share of every value with its largest and its least share of the release."""
        low, high = shares(np.eye(len(blocks.reference), dtype=np.bool_))
        most = math.exp(min(float(self.delta), 700.0))
        own = blocks.dense()
        wrong = (own > high * most + 1e-9) | (own * most < low - 1e-9)
        return np.asarray(~wrong.any(axis=1))

    def measured(self, blocks: Histogram) -> Measured:
        """Return the largest |ln(p / q)|; every larger `delta` holds."""
        if not _complete(blocks).all():
            return {"delta": "infinite"}
        return {"delta": float(_surprises(blocks).max(initial=0.0))}

    def _below(self, blocks: Histogram, entry: int) -> bool:
        size = int(blocks.sizes[blocks.owners[entry]])
        part = int(blocks.reference[blocks.values[entry]])
        ratio = Fraction(int(blocks.counts[entry]) * blocks.total, size * part)
        return compare_log(max(ratio, 1 / ratio), Fraction(self.delta)) < 0


def _complete(blocks: Histogram) -> NDArray[np.bool_]:
    """Return which blocks show every value of the table, and no other."""
    kept: NDArray[np.bool_] = blocks.distinct == np.count_nonzero(blocks.reference)
    kept[blocks.owners[blocks.reference[blocks.values] == 0]] = False
    return kept


def _surprises(blocks: Histogram) -> NDArray[np.float64]:
    """Return |ln(p / q)| for each entry; 0 where the table does not have the value."""
    parts = blocks.reference[blocks.values]
    known = parts > 0
    surprises = np.zeros(len(parts))
    expected = parts[known] * (blocks.sizes[blocks.owners[known]] / blocks.total)
    surprises[known] = np.abs(np.log(blocks.counts[known] / expected))
    return surprises
