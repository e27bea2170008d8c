"""Average risk."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from shoal.foundation.exact import ExactNumber
from shoal.models.table_model import LinearTableModel


@dataclass(frozen=True, slots=True, kw_only=True)
class AverageRisk(LinearTableModel):
    """The mean of 1 / class size over all records is at most `most`: the marketer's risk.

    The records of a class add up to 1, so the mean is the number of classes divided by the number of records. Joining
    classes reduces their number: the model is monotone. It is not with suppression, which may remove a large class.
    """

    name: ClassVar[str] = "average-risk"
    reference: ClassVar[str] = "El Emam and Arbuckle 2013; the marketer's risk of Dankar and El Emam 2010"
    monotone: ClassVar[bool] = True

    most: Annotated[ExactNumber, Field(gt=0, le=1)]

    @property
    def limit(self) -> Fraction:
        """The largest mean."""
        return Fraction(self.most)

    @property
    def enough(self) -> int:
        """The least size whose inverse is at most the limit."""
        return -(-self.limit.denominator // self.limit.numerator)

    def counted_in(self, sizes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Count classes."""
        return np.ones(len(sizes), dtype=np.int64)
