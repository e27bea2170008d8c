"""Sample uniqueness."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from shoal.foundation.exact import ExactNumber
from shoal.models.table_model import LinearTableModel


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleUniqueness(LinearTableModel):
    """The share of the records that are alone in their class is at most `most`.

    Joining classes never leaves more records alone: the model is monotone. It is not with suppression, which may remove
    records that are not alone.
    """

    name: ClassVar[str] = "sample-uniqueness"
    reference: ClassVar[str] = "Skinner and Elliot 2002; ARX, sample uniqueness"
    monotone: ClassVar[bool] = True

    most: Annotated[ExactNumber, Field(ge=0, le=1)]

    @property
    def limit(self) -> Fraction:
        """The largest share."""
        return Fraction(self.most)

    @property
    def enough(self) -> int:
        """Two records, unless all may be alone."""
        return 1 if self.limit == 1 else 2

    def counted_in(self, sizes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Count the records that are alone."""
        return (sizes == 1).astype(np.int64)
