"""The average class size."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.classes.grouping import Grouping
from shoal.classes.recoding import Recoding
from shoal.classes.tally import QuasiColumn
from shoal.measures.measure import ClassMeasure


@dataclass(frozen=True, slots=True)
class ClassSize(ClassMeasure):
    """The average size of the released classes; a suppressed record counts as if its class were the whole table.

    Let N records be in C classes, and a share s of the records be suppressed, so that R = (1 - s) N are
    released, in P classes. The loss is (1 - s) R / P + s N = N ((1 - s)^2 / P + s), and N if P = 0.

    Monotone: with s = 0 it is N / P, and joining classes lowers P.

    The floor is N / C. A generalization has at most C classes. If nothing is suppressed, its loss is
    N / P >= N / C. If all is, it is N >= N / C. Otherwise at least one class is suppressed, so
    1 <= P <= C - 1, and f(s) = (1 - s)^2 / P + s has the slope 1 - 2 (1 - s) / P. For P >= 2 that is
    never negative, so f(s) >= f(0) = 1 / P > 1 / C. For P = 1 the least is f(1/2) = 3/4 > 1/2 >= 1 / C.
    """

    name: ClassVar[str] = "class-size"
    reference: ClassVar[str] = "LeFevre et al. 2006, average class size"
    words: ClassVar[str] = "how many records a class has on average"
    monotone: ClassVar[bool] = True

    def total(self, groups: Grouping, recoding: Recoding, released: NDArray[np.bool_]) -> float:
        """Return the average class size, weighted with the suppressed records."""
        n_records, n_classes = groups.n_records, int(np.count_nonzero(released))
        if n_classes == 0:
            return float(n_records)
        n_released = int(groups.sizes[released].sum())
        kept = n_released / n_records
        return kept * n_released / n_classes + (1 - kept) * n_records

    def floor(self, groups: Grouping, recoding: Recoding) -> float:
        """Release all classes."""
        return groups.n_records / max(groups.n_classes, 1)

    def full(self, n_records: int, columns: tuple[QuasiColumn, ...]) -> float:
        """Charge a suppressed record 1: s N in total for the s N suppressed records."""
        return 1.0
