"""Samarati's minimum suppression."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.classes.grouping import Grouping
from shoal.classes.recoding import Recoding
from shoal.classes.tally import QuasiColumn
from shoal.measures.measure import ClassSumMeasure


@dataclass(frozen=True, slots=True)
class Suppression(ClassSumMeasure):
    """The number of suppressed records; generalization is free.

    Monotone: while nothing is suppressed the loss is 0 throughout.
    """

    name: ClassVar[str] = "suppression"
    reference: ClassVar[str] = "Samarati 2001, minimum suppression"
    words: ClassVar[str] = "how many records are suppressed"
    monotone: ClassVar[bool] = True

    def prices(self, groups: Grouping, recoding: Recoding) -> NDArray[np.float64]:
        """Release for free."""
        return np.zeros(groups.n_classes)

    def full(self, n_records: int, columns: tuple[QuasiColumn, ...]) -> float:
        """Count the record."""
        return 1.0
