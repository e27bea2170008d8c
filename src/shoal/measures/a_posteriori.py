"""The a-posteriori entropy."""

from dataclasses import dataclass
from math import log2
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.classes.grouping import Grouping
from shoal.classes.recoding import Recoding
from shoal.classes.tally import QuasiColumn
from shoal.measures.measure import ClassSumMeasure


@dataclass(frozen=True, slots=True)
class APosteriori(ClassSumMeasure):
    """The bits needed to tell which record of the table each released one is, given all records of the table.

    That is log2 of the size of its class, and log2 of the number of all records for a suppressed one. With one level
    for each column, the records that fit a class are exactly its own, and the orders of the table's records that fit
    the release are those that permute each class. So this is the entropy of the a-posteriori probabilities of Gionis
    and Tassa 2009, section 4.2.1, and that of a row given its cells, with the columns as dependent on each other as
    they are in the table; minus the bits that distinguish equal records, which are the same for every release of a
    table.

    Monotone: (a + b) log(a + b) >= a log a + b log b, so joining classes never lowers the sum; and no class has more
    records than the table.
    """

    name: ClassVar[str] = "a-posteriori"
    reference: ClassVar[str] = "Gionis and Tassa 2009, section 4.2.1"
    words: ClassVar[str] = "how many bits are needed to tell which record each one is"
    monotone: ClassVar[bool] = True

    def prices(self, groups: Grouping, recoding: Recoding) -> NDArray[np.float64]:
        """Multiply the sizes by their logarithms."""
        sizes = groups.sizes.astype(np.float64)
        return sizes * np.log2(np.maximum(sizes, 1.0))

    def full(self, n_records: int, columns: tuple[QuasiColumn, ...]) -> float:
        """Charge a suppressed record the logarithm of all; the only record of a table a bit."""
        return log2(max(n_records, 2))
