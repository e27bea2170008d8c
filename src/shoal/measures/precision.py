"""Sweeney's precision, turned into a loss."""

from dataclasses import dataclass
from typing import ClassVar

from shoal.classes.tally import QuasiColumn
from shoal.measures.measure import CellCosts, CellMeasure
from shoal.measures.relative_distance import RelativeDistance


@dataclass(frozen=True, slots=True)
class Precision(CellMeasure):
    """One minus the precision: the average over cells of steps taken / height.

    A cell costs its relative distance divided by the number of records. So the loss of a column is
    1 - Prec of that column, `total` is their weighted sum, and `share` their weighted mean: with equal
    weights it is 1 - Prec of the table. Monotone, as relative distance is; the two rank releases alike.
    """

    name: ClassVar[str] = "precision"
    reference: ClassVar[str] = "Sweeney 2002, precision metric Prec"
    words: ClassVar[str] = "how many of all generalization steps were taken"
    monotone: ClassVar[bool] = True
    weighable: ClassVar[bool] = True

    def costs(self, column: QuasiColumn) -> CellCosts:
        """Spread the relative distance over the records."""
        n_records = max(int(column.leaf_counts.sum()), 1)
        steps = RelativeDistance().costs(column)
        return CellCosts(tuple(level / n_records for level in steps.by_level), steps.full / n_records)
