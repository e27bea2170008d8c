"""The ambiguity measure."""

import math
import sys
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.classes.grouping import Grouping
from shoal.classes.recoding import Recoding
from shoal.classes.tally import QuasiColumn
from shoal.foundation.errors import SpecError
from shoal.measures.measure import ClassSumMeasure


@dataclass(frozen=True, slots=True)
class Ambiguity(ClassSumMeasure):
    """A record costs the number of original tuples that it may stand for.

    That is the product, over the columns, of the leaves below its node; a suppressed record may be any
    tuple of the domains. So a class of n records costs n times its product. Monotone: a coarser node has
    more leaves, so no record's product falls, and none exceeds that of the domains.
    """

    name: ClassVar[str] = "ambiguity"
    reference: ClassVar[str] = "Goldberger and Tassa 2010"
    words: ClassVar[str] = "how many original rows each record may stand for"
    monotone: ClassVar[bool] = True

    def prices(self, groups: Grouping, recoding: Recoding) -> NDArray[np.float64]:
        """Multiply the leaves below the nodes of each class by its size."""
        self.full(groups.n_records, recoding.columns)  # raises a SpecError if the products may overflow
        prices = groups.sizes.astype(np.float64)
        for number, column in enumerate(recoding.columns):
            prices *= recoding.shown[number].leaves(column.hierarchy)[recoding.cells[:, number]]
        return prices

    def full(self, n_records: int, columns: tuple[QuasiColumn, ...]) -> float:
        """Multiply the sizes of the domains; a SpecError if a float cannot hold the sum over all records."""
        tuples = math.prod(column.hierarchy.n_leaves for column in columns)
        if tuples * max(n_records, 1) > sys.float_info.max:
            raise SpecError(
                f"The measure 'ambiguity' cannot count the tuples of {len(columns)} quasi columns: there are more "
                "than 1e308. Use fewer quasi columns, or another measure, such as 'lm'."
            )
        return float(tuples)
