"""Iyengar's loss metric, with a factor between generalization and suppression."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, ClassVar

from pydantic import Field

from shoal.classes.tally import QuasiColumn
from shoal.foundation.exact import ExactNumber
from shoal.measures.lm import Lm
from shoal.measures.measure import CellCosts, CellMeasure, SubsetRule


@dataclass(frozen=True, slots=True)
class BalancedLm(CellMeasure):
    """A cell costs as in `lm`; `gs` weighs generalization against suppression.

    Up to 1/2, the price of a suppressed record is multiplied by 2 gs: near 0, suppression costs almost nothing. Above
    1/2, the price of a cell is multiplied by 2 (1 - gs): with 1, generalization costs nothing. With 1/2, both count in
    full, as in `lm`.

    Not monotone: below 1/2 a cell may cost more than suppressing its record.

    Args:
        gs: The factor, above 0 and at most 1.
    """

    name: ClassVar[str] = "balanced-lm"
    reference: ClassVar[str] = "Iyengar 2002; ARX, the generalization/suppression factor"
    words: ClassVar[str] = "as lm, with a factor between generalization and suppression"
    monotone: ClassVar[bool] = False
    weighable: ClassVar[bool] = True

    gs: Annotated[ExactNumber, Field(gt=0, le=1)] = Fraction(1, 2)

    def costs(self, column: QuasiColumn) -> CellCosts:
        """Price every node by what it covers, times its factor."""
        gs = float(self.gs)
        cells, suppressed = min(2 * (1 - gs), 1.0), min(2 * gs, 1.0)
        own = Lm().costs(column)
        rule = None if own.rule is None else _times(own.rule, cells)
        return CellCosts(tuple(level * cells for level in own.by_level), own.full * suppressed, rule=rule)


def _times(rule: SubsetRule, factor: float) -> SubsetRule:
    """Return a linear rule whose prices are multiplied by a factor."""
    places = None if rule.places is None else (rule.places[0] * factor, rule.places[1] * factor)
    return SubsetRule(rule.code, rule.firsts * factor, rule.seconds, rule.constant * factor, places)
