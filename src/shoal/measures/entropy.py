"""The entropy measure."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.classes.tally import QuasiColumn
from shoal.kernels.prices import ENTROPY
from shoal.measures.measure import CellCosts, CellMeasure, SubsetRule


@dataclass(frozen=True, slots=True)
class Entropy(CellMeasure):
    """A cell costs the bits needed to determine its value: the conditional entropy H(X | node).

    X is the column's value in a record drawn at random from the table; a suppressed record pays H(X).

    Not monotone: where the values of a small node are evenly spread and one value dominates the table,
    the node costs more than the root (Example 4.7). So a release that publishes such nodes and hides the
    rest may cost more than suppressing everything; its `share` is then cut to 1. With one level per column
    and nothing suppressed that cannot be: the average of H(X | node) over a partition is at most H(X), and
    it never falls from one level to the next.
    """

    name: ClassVar[str] = "entropy"
    reference: ClassVar[str] = "Gionis and Tassa 2009, Definition 4.1"
    words: ClassVar[str] = "how many bits are needed for each value"
    monotone: ClassVar[bool] = False

    def costs(self, column: QuasiColumn) -> CellCosts:
        """Share the bits of each node among its records; a node without records costs nothing."""
        prices = tuple(bits / np.maximum(records, 1) for bits, records in bits_by_level(column))
        return CellCosts(prices, float(prices[-1][0]), rule=by_records(column, ENTROPY))


def by_records(column: QuasiColumn, code: int, constant: float = 0.0) -> SubsetRule:
    """Return a rule by the number of records n of each covered value: the sums of n and of n log2 n."""
    counts = column.leaf_counts.astype(np.float64)
    return SubsetRule(code, counts, counts * np.log2(np.maximum(counts, 1.0)), constant)


def bits_by_level(column: QuasiColumn) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Return, for each level, the total bits of all records of each node, and the number of its records.

    The bits are the sum of log2(records of the node / records of the leaf) over the records of the node,
    so that a node with one value in the data has exactly 0, and absent leaves add nothing.
    """
    counts = column.leaf_counts.astype(np.float64)
    found: list[tuple[NDArray[np.float64], NDArray[np.float64]]] = []
    for level, codes in enumerate(column.hierarchy.codes):
        size = column.hierarchy.size(level)
        records = np.bincount(codes, weights=counts, minlength=size).astype(np.float64)
        ratios = np.divide(records[codes], counts, out=np.ones_like(counts), where=counts > 0)
        bits = np.bincount(codes, weights=counts * np.log2(ratios), minlength=size).astype(np.float64)
        found.append((bits, records))
    return found
