"""k-map, estimated from the sample."""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Annotated, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from shoal.classes.grouping import Grouping
from shoal.foundation.exact import ExactNumber
from shoal.models.k_anonymity import KAnonymity
from shoal.models.model import Measured, PrivacyModel

_MOST = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class KMapEstimate(PrivacyModel):
    """Each class is so large that its cell is unlikely to have fewer than `k` persons in the population.

    The release is treated as a random sample of the fraction `fraction` of the population. The size of a class tests
    the hypothesis that the population has fewer than `k` persons in its cell: k' is the smallest size that, if it has,
    a sample reaches with a probability of at most `significance`, given that it contains any. The probability is that
    of `estimator`:

    - `binomial`: each of k - 1 persons is in the sample with the probability `fraction`;
    - `poisson`: the zero-truncated Poisson distribution with the mean k times `fraction`.

    A class of `k` records suffices in any case, so k' is at most `k`. The promise is k'-anonymity, and as that it is
    monotone, with suppression too. No float decides: k' is computed with integers, which enclose the exponential
    function of the second estimator as closely as needed.
    """

    name: ClassVar[str] = "k-map-estimate"
    reference: ClassVar[str] = "El Emam and Dankar 2008; Pannekoek 1999"
    monotone: ClassVar[bool] = True
    absorbing: ClassVar[bool] = True
    by_sets: ClassVar[bool] = True
    thresholds: ClassVar[tuple[str, ...]] = ("k",)
    plain: ClassVar[tuple[str, ...]] = ("estimator",)

    k: Annotated[int, Field(ge=1, le=_MOST)]
    fraction: Annotated[ExactNumber, Field(gt=0, le=1)]
    significance: Annotated[ExactNumber, Field(gt=0, lt=1)] = Fraction(1, 20)
    estimator: Literal["binomial", "poisson"] = "binomial"

    @property
    def estimated(self) -> bool:
        """Whether it is: not if the release is the whole population, or if k records are asked for anyway."""
        return self.least_size < self.k

    @property
    def least_size(self) -> int:
        """The size that a class must have."""
        return self._least(self.k)

    def counted(self) -> tuple[PrivacyModel, ...]:
        """Return k'-anonymity, which it is."""
        return (KAnonymity(k=self.least_size),)

    def holds(self, groups: Grouping) -> NDArray[np.bool_]:
        """Compare the sizes with the least."""
        return groups.sizes >= self.least_size

    def achieved(self, groups: Grouping) -> Measured:
        """Return the largest k, of at most 10,000, that the size of the smallest class speaks for."""
        smallest = int(groups.sizes.min(initial=int(groups.sizes.sum())))
        low, high = min(smallest, _MOST), _MOST + 1
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self._least(middle) <= smallest else (low, middle)
        return {"k": low}

    def _least(self, k: int) -> int:
        fraction, alpha = Fraction(self.fraction), Fraction(self.significance)
        if k == 1:
            return 1
        return min(k, (binomial_size if self.estimator == "binomial" else poisson_size)(k, fraction, alpha))


@lru_cache(maxsize=4096)
def binomial_size(k: int, fraction: Fraction, alpha: Fraction) -> int:
    """Return the least size that a sample of k - 1 persons shows with a probability of at most alpha, if it shows any.

    All is multiplied by b to the power of k - 1, where the fraction is a / b.
    """
    persons, a, b = k - 1, fraction.numerator, fraction.denominator
    if a == b:
        return k
    term = (b - a) ** persons  # of nobody
    left = whole = b**persons - term
    size = 1
    while left * alpha.denominator > whole * alpha.numerator:
        term = term * (persons - size + 1) * a // (size * (b - a))  # exact: it is a binomial coefficient times powers
        left -= term
        size += 1
    return size


@lru_cache(maxsize=4096)
def poisson_size(k: int, fraction: Fraction, alpha: Fraction) -> int:
    """Return the least size that a zero-truncated Poisson variable with mean k * fraction reaches with at most alpha.

    With S the sum of the terms mean^j / j! for j below the size, the probability is (e^mean - S) / (e^mean - 1). It is
    at most alpha if (1 - alpha) e^mean <= S - alpha. Both sides are enclosed in whole numbers of ever more digits until
    they part, which they do, since e^mean is irrational.
    """
    bits = 64
    while True:
        low, high = _sums(k * fraction, bits)
        kept, rest, unit = alpha.numerator, alpha.denominator - alpha.numerator, 1 << bits
        wanted_low, wanted_high = rest * low[-1] + kept * unit, rest * high[-1] + kept * unit
        surely = next((size for size, total in enumerate(low) if alpha.denominator * total >= wanted_high), None)
        perhaps = next((size for size, total in enumerate(high) if alpha.denominator * total >= wanted_low), None)
        if surely is not None and surely == perhaps:
            return surely
        bits *= 2


def _sums(mean: Fraction, bits: int) -> tuple[list[int], list[int]]:
    """Return bounds on the sums of the first 0, 1, 2, ... terms of e^mean, in units of 2^-bits; the last of e^mean."""
    low, high = [0], [0]
    least = most = 1 << bits
    number = 0
    while number <= 2 * mean or most > 1:
        low.append(low[-1] + least)
        high.append(high[-1] + most)
        number += 1
        least = least * mean.numerator // (mean.denominator * number)
        most = -(-most * mean.numerator // (mean.denominator * number))
    low.append(low[-1])
    high.append(high[-1] + 2 * most)  # the terms that are left are at most halved each time
    return low, high
