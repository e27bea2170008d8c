"""The geometric mean of the losses of the columns."""

from dataclasses import dataclass
from math import exp, fsum, log1p
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.classes.grouping import Grouping
from shoal.classes.recoding import Recoding
from shoal.classes.tally import QuasiColumn
from shoal.measures.lm import Lm
from shoal.measures.measure import ClassMeasure


@dataclass(frozen=True, slots=True)
class GeometricMean(ClassMeasure):
    """The geometric mean of 1 + the loss of each column by `lm`, minus 1: ((1 + l1) (1 + l2) ...)^(1/m) - 1.

    The loss of a column is relative to suppressing all records, from 0 to 1. The mean is at most the arithmetic one,
    and equal to it if all columns lose the same: losing more in one column costs less than losing the same amount
    spread over all of them.

    Monotone: the mean grows with the loss of each column. So the loss with nothing suppressed is a `floor`.
    """

    name: ClassVar[str] = "geometric-mean"
    reference: ClassVar[str] = "Iyengar 2002; ARX, the geometric mean as aggregate function"
    words: ClassVar[str] = "the geometric mean of the columns' losses by lm"
    monotone: ClassVar[bool] = True

    def total(self, groups: Grouping, recoding: Recoding, released: NDArray[np.bool_]) -> float:
        """Price each column, and take the mean."""
        n_records = max(groups.n_records, 1)
        suppressed = int(groups.sizes[~released].sum())
        logarithms = []
        for number, column in enumerate(recoding.columns):
            prices = Lm().costs(column).of(column, recoding.shown[number])[recoding.cells[:, number]]
            paid = float(prices[released] @ groups.sizes[released]) + suppressed
            logarithms.append(log1p(paid / n_records))
        return exp(fsum(logarithms) / len(logarithms)) - 1 if logarithms else 0.0

    def floor(self, groups: Grouping, recoding: Recoding) -> float:
        """Release all classes."""
        return self.total(groups, recoding, np.ones(groups.n_classes, dtype=np.bool_))

    def full(self, n_records: int, columns: tuple[QuasiColumn, ...]) -> float:
        """Charge a suppressed record its share: no column loses less, and so neither does the mean."""
        return 1 / max(n_records, 1)
