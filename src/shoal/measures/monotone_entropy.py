"""The monotone entropy measure."""

from dataclasses import dataclass
from typing import ClassVar

from shoal.classes.tally import QuasiColumn
from shoal.kernels.prices import BITS
from shoal.measures.entropy import bits_by_level, by_records
from shoal.measures.measure import CellCosts, CellMeasure


@dataclass(frozen=True, slots=True)
class MonotoneEntropy(CellMeasure):
    """A cell costs Pr(node) * H(X | node): the entropy of its node, times the share of records below it.

    Monotone (Lemma 4.10): the price is the sum, over all records of the node, of
    log2(records of the node / records of the leaf), divided by the number of records of the table. In a
    node above, that sum has more terms, none of them negative, and each of the old ones is as large or
    larger. With suppression hierarchies the measure is `entropy`.
    """

    name: ClassVar[str] = "monotone-entropy"
    reference: ClassVar[str] = "Gionis and Tassa 2009, Definition 4.8"
    words: ClassVar[str] = "how many bits are needed for each value, times the share of records in its node"
    monotone: ClassVar[bool] = True

    def costs(self, column: QuasiColumn) -> CellCosts:
        """Share the bits of each node among all records of the table."""
        n_records = max(int(column.leaf_counts.sum()), 1)
        prices = tuple(bits / n_records for bits, _ in bits_by_level(column))
        return CellCosts(prices, float(prices[-1][0]), rule=by_records(column, BITS, n_records))
