"""The non-uniform entropy measure."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.classes.tally import QuasiColumn
from shoal.kernels.prices import SHARE
from shoal.measures.entropy import by_records
from shoal.measures.measure import CellCosts, CellMeasure


@dataclass(frozen=True, slots=True)
class NonuniformEntropy(CellMeasure):
    """A cell costs -log2 Pr(its value | node): the rarer a value in its node, the more it loses.

    The price depends on the value as well as on the node, but splits into two parts. With
    I(node) = -log2 Pr(node), and since the value lies below the node,

        -log2 Pr(value | node) = -log2 (Pr(value) / Pr(node)) = I(value) - I(node).

    The sum of I(value) over all records does not depend on the release, and is the `offset`; the node
    then costs -I(node), and the root and a suppressed record cost -I(root) = 0.

    Monotone (Lemma 4.12): a node above has more records, so a smaller I and a higher price, 0 at most. A
    node without records is never published; it is priced as if it had one record, which keeps that order.

    Equals `entropy` where the cells of each column are alike or disjoint, as with one level per column
    and nothing suppressed (Lemma 4.13).
    """

    name: ClassVar[str] = "nonuniform-entropy"
    reference: ClassVar[str] = "Gionis and Tassa 2009, Definition 4.11"
    words: ClassVar[str] = "how many bits are needed for each value, more for rare ones"
    monotone: ClassVar[bool] = True

    def costs(self, column: QuasiColumn) -> CellCosts:
        """Price each node by the share of records below it, and the column by its entropy."""
        hierarchy, counts = column.hierarchy, column.leaf_counts
        n_records = max(int(counts.sum()), 1)
        prices = []
        for level, codes in enumerate(hierarchy.codes):
            records = np.bincount(codes, weights=counts, minlength=hierarchy.size(level))
            prices.append(np.log2(np.maximum(records, 1) / n_records))
        rule = by_records(column, SHARE, n_records)
        return CellCosts(tuple(prices), 0.0, -float(counts @ prices[0]), rule)
