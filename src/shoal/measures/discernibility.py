"""The discernibility metric."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.classes.grouping import Grouping
from shoal.classes.recoding import Recoding
from shoal.classes.tally import QuasiColumn
from shoal.measures.measure import ClassSumMeasure


@dataclass(frozen=True, slots=True)
class Discernibility(ClassSumMeasure):
    """A record costs the number of records it is indistinguishable from: the size of its class, or all if suppressed.

    So a class of n records costs n * n. Monotone: (a + b)^2 >= a^2 + b^2, so joining classes never lowers
    the sum; and a class of n out of N records costs n * n <= n * N, what suppressing it does.
    """

    name: ClassVar[str] = "discernibility"
    reference: ClassVar[str] = "Bayardo and Agrawal 2005"
    words: ClassVar[str] = "how many records are indistinguishable from each record"
    monotone: ClassVar[bool] = True

    def prices(self, groups: Grouping, recoding: Recoding) -> NDArray[np.float64]:
        """Square the sizes."""
        return groups.sizes.astype(np.float64) ** 2

    def full(self, n_records: int, columns: tuple[QuasiColumn, ...]) -> float:
        """Charge a suppressed record with the whole table."""
        return float(n_records)
