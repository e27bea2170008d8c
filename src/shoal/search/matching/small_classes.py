"""The costs of classes of two or three records, as whole numbers."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.local.closures import Forms
from shoal.kernels.local.leftovers import joined_prices
from shoal.kernels.local.specialization import Closures, close_classes
from shoal.search.bounds.grid import PriceGrid

_FINE = 2**20  # parts of a common unit: dual values of records are fractions of it


def row_pair_prices(forms: Forms, codes: NDArray[np.int32]) -> NDArray[np.float64]:
    """Return the price of the closure of each two rows of codes."""
    prices = np.zeros((len(codes), len(codes)))
    for j in range(codes.shape[1]):
        leaves, inverse = np.unique(codes[:, j], return_inverse=True)
        table = np.empty((len(leaves), len(leaves)))
        seen = np.zeros(int(leaves.max(initial=0)) + 1, dtype=np.bool_)
        for row, leaf in enumerate(leaves):
            seen[leaf] = True
            table[row] = joined_prices(forms, j, seen)[leaves]
            seen[leaf] = False
        prices += table[inverse.reshape(-1, 1), inverse.reshape(1, -1)]
    return prices


def set_prices(forms: Forms, codes: NDArray[np.int32], sets: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the price of the closure of each set of rows of codes; `sets[number]` are its rows."""
    n_sets, size = sets.shape
    nothing = np.full((1, codes.shape[1]), -1, dtype=np.int32)
    whole = Closures(nothing, nothing, np.zeros(1))  # no class covers as much, so all members are visited
    offsets = np.arange(n_sets + 1, dtype=np.int64) * size
    owners = np.zeros(n_sets, dtype=np.int64)
    return close_classes(forms, codes, sets.reshape(-1).astype(np.int64), offsets, owners, whole).prices


@dataclass(frozen=True, slots=True, eq=False)
class SmallClasses:
    """Classes of two and three records, and their costs, in whole numbers of a small unit.

    Records that may take each other's place in every class are one kind. A class is given by the kinds of its records.

    Args:
        forms: What the columns publish, and the prices.
        codes: The codes of the distinct points.
        point: The point of each kind.
        copies: The number of records of each kind.
        grid: The unit of prices.
        pairs: The cost of each two kinds of records as a class; `apart` where that is not allowed.
    """

    forms: Forms
    codes: NDArray[np.int32]
    point: NDArray[np.int64]
    copies: NDArray[np.int64]
    grid: PriceGrid
    pairs: NDArray[np.int64]

    @classmethod
    def of(
        cls,
        forms: Forms,
        codes: NDArray[np.int32],
        point: NDArray[np.int64],
        copies: NDArray[np.int64],
        labels: NDArray[np.int64] | None = None,
    ) -> "SmallClasses":
        """Return the costs of all pairs of kinds.

        Args:
            forms: What the columns publish, and the prices.
            codes: The codes of the distinct points.
            point: The point of each kind.
            copies: The number of records of each kind.
            labels: The label of each kind: records with the same one are never in a class together. If None, any are.
        """
        grid = PriceGrid.of_forms(forms)
        own = cls(forms, codes, point, copies, grid, np.zeros((0, 0), dtype=np.int64))
        between = own.fine(2 * row_pair_prices(forms, codes))[np.ix_(point, point)]
        if labels is None:
            between[np.diag(copies < 2)] = own.apart
        else:
            between[labels[:, None] == labels[None, :]] = own.apart
        return cls(forms, codes, point, copies, grid, between)

    @property
    def n_records(self) -> int:
        """The number of records of all kinds."""
        return int(self.copies.sum())

    @property
    def parts(self) -> int:
        """The parts of a unit of the grid that costs are counted in."""
        return _FINE if self.grid.exact else 1

    @property
    def apart(self) -> int:
        """A cost above that of any class."""
        return 2**61

    @property
    def suppressed(self) -> int:
        """The cost of a suppressed record."""
        return int(self.fine(np.array([self.forms.full]))[0])

    def fine(self, amounts: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return sums of prices in the small unit."""
        return self.grid.whole(amounts) * self.parts

    @property
    def unit(self) -> float:
        """The small unit, in the unit of the measure."""
        return self.grid.unit / self.parts

    def triples(self, sets: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the costs of classes of three records, given by their kinds."""
        return self.fine(3 * set_prices(self.forms, self.codes, self.point[sets]))
