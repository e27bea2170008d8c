"""Samarati's maximum distribution, turned into a loss."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.classes.grouping import Grouping
from shoal.classes.recoding import Recoding
from shoal.classes.tally import QuasiColumn
from shoal.measures.measure import ClassSumMeasure


@dataclass(frozen=True, slots=True)
class Distribution(ClassSumMeasure):
    """The number of records minus the number of released classes: lowest if the most distinct tuples remain.

    A class of n records costs n - 1 and a suppressed record 1. Monotone: joining two classes costs 1 more,
    a + b - 1 = (a - 1) + (b - 1) + 1; and a class costs 1 less than suppressing it.
    """

    name: ClassVar[str] = "distribution"
    reference: ClassVar[str] = "Samarati 2001, maximum distribution"
    words: ClassVar[str] = "how many distinct rows are lost"
    monotone: ClassVar[bool] = True

    def prices(self, groups: Grouping, recoding: Recoding) -> NDArray[np.float64]:
        """Count all records of a class but one."""
        return groups.sizes.astype(np.float64) - 1

    def full(self, n_records: int, columns: tuple[QuasiColumn, ...]) -> float:
        """Count the record."""
        return 1.0
