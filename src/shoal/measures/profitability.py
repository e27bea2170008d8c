"""Profitability: what a publisher gains by a release, minus the cost of attacks."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from shoal.classes.grouping import Grouping
from shoal.classes.recoding import Recoding
from shoal.classes.tally import QuasiColumn
from shoal.measures.measure import ClassSumMeasure


@dataclass(frozen=True, slots=True)
class Profitability(ClassSumMeasure):
    """The profit that the publisher loses, out of `benefit` for each record: the reverse of the publisher payout.

    A released record earns the benefit times the information that is left in its cells: 1 minus the sum over the
    columns of the logarithm of the number of values that the cell may stand for, divided by the same sum for suppressed
    cells. An attacker tries a record if the `gain` from identifying a person times the probability of success, 1 over
    the size of the class, is above the `effort`. Then the publisher loses `damage` times that probability. A suppressed
    record earns nothing.

    Not monotone: joined classes may lose more in their cells and still less in total, since fewer attacks are
    worthwhile or succeed; and publishing a class may cost more than suppressing it. The floor counts only what the
    cells lose, which never falls when classes are joined or suppressed.

    Args:
        benefit: What a record earns that is published unchanged.
        damage: What the publisher loses if a person is identified.
        gain: What the attacker gains from it.
        effort: What one attempt costs the attacker.
    """

    name: ClassVar[str] = "profitability"
    reference: ClassVar[str] = "Wan et al. 2015; ARX, publisher payout"
    words: ClassVar[str] = "how much profit the publisher loses through coarser cells and attacks"
    monotone: ClassVar[bool] = False

    benefit: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 1200.0
    damage: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 300.0
    gain: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 300.0
    effort: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 4.0

    def prices(self, groups: Grouping, recoding: Recoding) -> NDArray[np.float64]:
        """Add what the cells of each class lose and what attacks on it cost."""
        tried = self.gain > self.effort * groups.sizes
        return self._lost(groups, recoding) + np.where(tried, self.damage, 0.0)  # so much for n records, 1 / n each

    def floor(self, groups: Grouping, recoding: Recoding) -> float:
        """Return what the cells lose."""
        return float(self._lost(groups, recoding).sum())

    def full(self, n_records: int, columns: tuple[QuasiColumn, ...]) -> float:
        """Charge the benefit."""
        return self.benefit

    def _lost(self, groups: Grouping, recoding: Recoding) -> NDArray[np.float64]:
        """Return what the cells of each class lose of the benefit."""
        bits, most = np.zeros(groups.n_classes), 0.0
        for number, column in enumerate(recoding.columns):
            values = np.maximum(recoding.shown[number].leaves(column.hierarchy), 1)
            bits += np.log2(values)[recoding.cells[:, number]]
            most += float(np.log2(max(column.hierarchy.n_leaves, 1)))
        return self.benefit * groups.sizes * (bits / most if most > 0 else bits)
