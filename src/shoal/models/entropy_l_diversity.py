"""Entropy l-diversity."""

from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from math import ceil, gcd, log
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from shoal.classes.grouping import Histogram
from shoal.classes.tally import SensitiveColumn
from shoal.foundation.exact import ExactNumber
from shoal.models.caps import Caps
from shoal.models.model import Measured, SensitiveModel
from shoal.models.sufficient_test import SufficientTest

_DIGITS = 60
_HALVINGS = 50  # until the largest share that an entropy allows is known


@dataclass(frozen=True, slots=True, kw_only=True)
class EntropyLDiversity(SensitiveModel):
    """The entropy of `column` in each class is at least that of `l` equally likely values.

    With the shares p of the values in a class: -sum(p * ln p) >= ln l.

    Entropy is concave, and the shares in a union of classes are a weighted mean of the shares in the parts,
    so the entropy of the union is at least that of the part with the least: the model is monotone. It is
    not with suppression: a large class that shows one value only may join, and the entropy of the union
    comes as close to 0 as its size makes it.

    It is not defined for persons with several values: see `records_only`.
    """

    name: ClassVar[str] = "entropy-l-diversity"
    reference: ClassVar[str] = "Machanavajjhala et al. 2006"
    monotone: ClassVar[bool] = True
    absorbing: ClassVar[bool] = False
    evened: ClassVar[bool] = True
    thresholds: ClassVar[tuple[str, ...]] = ("l",)

    l: Annotated[ExactNumber, Field(ge=1)]  # noqa: E741  (the paper's letter)

    @property
    def least_size(self) -> int:
        """The entropy of n records is at most log(n)."""
        return ceil(self.l)

    @property
    def records_only(self) -> str | None:
        """Entropy is that of one value for each."""
        return (
            "entropy is that of one value for each person, and where persons hold several it may be high although all "
            "of them hold one and the same: choose 'recursive-cl-diversity' or 'frequency-l-diversity', which count "
            "persons, or per = 'record'"
        )

    def sufficient_test(self, column: SensitiveColumn, reference: NDArray[np.int64]) -> SufficientTest | None:
        """Compare the entropy."""
        return SufficientTest.entropy(Fraction(self.l))

    def caps(self, column: SensitiveColumn, reference: NDArray[np.int64], share: Fraction) -> Caps | None:
        """Cap every value: if one has the share p, the entropy is largest if all others are equally frequent.

        From the share at which all values are equally frequent on, that entropy falls with p.
        """
        others, least = int(np.count_nonzero(reference)) - 1, log(float(self.l))
        if others < 1 or log(others + 1) < least:
            return None
        low, high = 1 / (others + 1), 1.0
        for _ in range(_HALVINGS):
            p = (low + high) / 2
            entropy = -p * log(p) - (1 - p) * log((1 - p) / others)
            low, high = (p, high) if entropy >= least - 1e-12 else (low, p)
        return Caps((min(Fraction(high + 1e-9), Fraction(1)),) * len(column.values))

    def passes(self, blocks: Histogram) -> NDArray[np.bool_]:
        """Compare in floats with an error bound; decide close cases exactly."""
        logs = np.log(blocks.sizes)
        gaps = entropies(blocks) - np.log(float(self.l))
        slack = 1e-14 * (blocks.distinct + 100) * (logs + 1 + abs(np.log(float(self.l))))
        even = blocks.largest * blocks.distinct == blocks.sizes
        kept: NDArray[np.bool_] = np.where(even, blocks.distinct >= ceil(self.l), gaps >= 0)
        verdicts: dict[tuple[int, ...], bool] = {}
        for number in np.flatnonzero(~even & (np.abs(gaps) <= slack)):
            counts = reduced(blocks.of_class(int(number))[1])
            if counts not in verdicts:
                verdicts[counts] = diverse(counts, Fraction(self.l))
            kept[number] = verdicts[counts]
        return kept

    def forfeited(self, blocks: Histogram, share: Fraction) -> NDArray[np.int64]:
        """Give up a block with fewer values than `l`, and at least one record of any other that fails."""
        return np.where(blocks.distinct < ceil(self.l), blocks.sizes, np.where(self.passes(blocks), 0, 1))

    def measured(self, blocks: Histogram) -> Measured:
        """Return the least exp(entropy) of any block: the equivalent number of equally likely values."""
        if not len(blocks.sizes):
            return {"l": float(len(blocks.reference))}
        counts = reduced(blocks.of_class(int(np.argmin(entropies(blocks))))[1])
        with localcontext() as context:
            context.prec = _DIGITS
            return {"l": float(_entropy(counts).exp())}


def entropies(blocks: Histogram) -> NDArray[np.float64]:
    """Return the entropy of each block in natural units: ln N - sum(c * ln c) / N."""
    inner = np.add.reduceat(blocks.counts * np.log(blocks.counts), blocks.offsets[:-1])
    return np.log(blocks.sizes) - inner / blocks.sizes


def reduced(counts: NDArray[np.int64]) -> tuple[int, ...]:
    """Return the counts in ascending order, divided by their greatest common divisor."""
    numbers = sorted(int(count) for count in counts)
    divisor = gcd(*numbers)
    return tuple(number // divisor for number in numbers)


def diverse(counts: tuple[int, ...], l: Fraction) -> bool:  # noqa: E741  (the paper's letter)
    """Tell exactly whether the entropy of `counts` is at least ln `l`.

    Decimals of growing precision tell the two apart, unless they are equal. With the sum D of the counts
    that is D^D = l^D * prod(c^c), an equation between products of powers.
    """
    digits = _DIGITS
    while True:
        with localcontext() as context:
            context.prec = digits
            gap = _entropy(counts) - (Decimal(l.numerator) / Decimal(l.denominator)).ln()
        if abs(gap) > Decimal(10) ** (20 - digits):
            return gap > 0
        if digits == _DIGITS and _ties(counts, l):
            return True
        digits *= 2


def _ties(counts: tuple[int, ...], l: Fraction) -> bool:  # noqa: E741  (the paper's letter)
    """Tell whether D^D = l^D * prod(c^c), by splitting all bases into coprime ones: then no power may be left."""
    total = sum(counts)
    waiting = [(total, total), (l.denominator, total), (l.numerator, -total), *((count, -count) for count in counts)]
    coprime: dict[int, int] = {}
    while waiting:
        base, power = waiting.pop()
        other = next((known for known in coprime if gcd(base, known) > 1), None)
        if other is not None:
            shared, known_power = gcd(base, other), coprime.pop(other)
            waiting += [(base // shared, power), (shared, power + known_power), (other // shared, known_power)]
        elif base > 1:
            coprime[base] = power
    return not any(coprime.values())


def _entropy(counts: tuple[int, ...]) -> Decimal:
    total = Decimal(sum(counts))
    return total.ln() - sum((count * Decimal(count).ln() for count in counts), Decimal(0)) / total
