"""Prices as whole multiples of one unit, so that sums and comparisons of them are exact."""

from dataclasses import dataclass
from fractions import Fraction
from math import lcm

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.local.closures import TREE, Forms
from shoal.kernels.prices import LINEAR

_LARGEST = 2**40  # units in the largest price if there is no common unit: sums over a million records fit into 64 bits
_DENOMINATOR = 1_000  # the largest denominator of a single price
_COMMON = 10_000_000  # the largest common denominator of all prices
_ROUNDING = 1e-13  # the rounding error of a price, as a share of the largest one


@dataclass(frozen=True, slots=True)
class PriceGrid:
    """The multiples of one unit.

    Args:
        unit: The unit, in the unit of the measure.
        exact: Whether all prices are multiples of it, so that two different losses differ by at least one unit.
            Otherwise prices are rounded down, by less than a unit each, so that a lower bound remains one.
    """

    unit: float
    exact: bool

    @classmethod
    def of(cls, prices: NDArray[np.float64]) -> "PriceGrid":
        """Return the coarsest grid for prices of nodes, or a very fine one if they have no common unit."""
        different = np.unique(prices)
        largest = float(np.abs(different).max(initial=0.0))
        common = 1
        for price in different.tolist():
            near = Fraction(price).limit_denominator(_DENOMINATOR)
            common = lcm(common, near.denominator)
            if abs(float(near) - price) > _ROUNDING * largest or common > _COMMON:
                return cls.fine(different)
        return cls(1 / common, exact=True)

    @classmethod
    def of_forms(cls, forms: Forms) -> "PriceGrid":
        """Return the coarsest grid for all that can be published, and for suppressing a record."""
        prices, summed = [forms.prices, np.array([forms.full])], True
        for column in np.flatnonzero(forms.kinds != TREE):
            own = slice(forms.nodes[column], forms.nodes[column + 1])
            sums = [forms.lower[0, own], forms.upper[0, own], forms.adds[0, own], forms.constants[[column]]]
            prices.append(forms.weights[column] * np.concatenate(sums))
            summed = summed and forms.rules[column] == LINEAR
        if not summed:
            return cls.fine(np.concatenate([forms.tops, *prices]))
        return cls.of(np.concatenate(prices))

    @classmethod
    def fine(cls, prices: NDArray[np.float64]) -> "PriceGrid":
        """Return a grid for prices that have no common unit."""
        return cls((float(np.abs(prices).max(initial=0.0)) or 1.0) / _LARGEST, exact=False)

    def whole(self, amounts: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return sums of prices in units: as they are, or rounded down."""
        units = amounts / self.unit
        return (np.rint(units) if self.exact else np.floor(units)).astype(np.int64)

    def amount(self, units: int) -> float:
        """Return a whole number of units in the unit of the measure."""
        return units * self.unit
