"""What it costs to cover two records, in whole units: the weights of a graph's edges."""

from dataclasses import dataclass
from math import gcd

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.local.closures import Forms
from shoal.kernels.matching.edges import Duals, EdgeWeights
from shoal.search.bounds.grid import PriceGrid

_MOST = 2**44  # the largest weight in units: the edges of a record, up to 30,000, add up within 64 bits


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """The records as nodes of a graph; an edge weighs what covers both ends.

    Args:
        weights: The weights, in units.
        unit: A unit, in the unit of the measure.
        exact: Whether the weights are exact; else they are rounded down, by less than a unit for each column.
        omitted: The weight of a record without edges.
        heaviest: An upper bound on the weight of an edge.
        fine: How many fine units make a unit; bounds are computed in fine units.
        round_trip: A divisor of the weight of every cycle, and of an omitted record: around a cycle, a binary column
            changes an even number of times.
    """

    weights: EdgeWeights
    unit: float
    exact: bool
    omitted: int
    heaviest: int
    fine: int
    round_trip: int

    @classmethod
    def of(
        cls,
        codes: NDArray[np.int32],
        forms: Forms,
        amounts: NDArray[np.float64],
        binary: NDArray[np.bool_],
        omitted: float,
    ) -> "Pairs":
        """Return the graph of some records.

        Args:
            codes: The leaves of each record.
            forms: The trees of the columns.
            amounts: What each node adds to a weight: no less than the nodes below it, and not negative.
            binary: Which columns have two kinds of values.
            omitted: The weight of an omitted record.
        """
        together = np.append(amounts, omitted)
        grid = PriceGrid.of(together)
        units, unit, exact = grid.whole(together), grid.unit, grid.exact
        common = gcd(*units.tolist()) or 1
        units, unit = units // common, unit * common
        while (heaviest := _heaviest(forms, units[:-1], int(units[-1]))) > _MOST:
            units, unit, exact = units // 2, unit * 2, False
        weights = EdgeWeights(
            np.ascontiguousarray((codes + forms.nodes[:-1]).T.astype(np.int32)), forms.nodes, forms.parent, units[:-1]
        )
        fine = 1 << ((_MOST // max(heaviest, 1)).bit_length() - 1)
        twice = np.repeat(1 + binary, np.diff(forms.nodes))
        round_trip = gcd(*(units[:-1] * twice).tolist(), int(units[-1])) or 1
        return cls(weights, unit, exact, int(units[-1]), heaviest, fine, round_trip)

    @property
    def n(self) -> int:
        """The number of records."""
        return self.weights.leaf_index.shape[1]

    @property
    def finely(self) -> EdgeWeights:
        """The weights in fine units."""
        return self.weights._replace(prices=self.weights.prices * self.fine)

    def free(self) -> Duals:
        """Return dual values of 0."""
        none, starts = np.zeros(0, dtype=np.int64), np.zeros(self.n + 1, dtype=np.int64)
        few = none.astype(np.int32)
        return Duals(np.zeros(self.n, dtype=np.int64), starts[:1], few, none, starts, few, starts, few, none)


def _heaviest(forms: Forms, units: NDArray[np.int64], omitted: int) -> int:
    tops = [int(units[start:end].max(initial=0)) for start, end in zip(forms.nodes[:-1], forms.nodes[1:], strict=True)]
    return max(sum(tops), omitted)
