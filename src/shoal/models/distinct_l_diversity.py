"""Distinct l-diversity."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from shoal.classes.grouping import Histogram
from shoal.classes.tally import SensitiveColumn
from shoal.models.linear import Linear
from shoal.models.model import Measured, SensitiveModel
from shoal.models.sufficient_test import SufficientTest


@dataclass(frozen=True, slots=True, kw_only=True)
class DistinctLDiversity(SensitiveModel):
    """Each class shows at least `l` different values of `column`.

    Joining classes never loses a value, so a class that is diverse stays so whatever joins it: the model
    is monotone under generalization, with suppression too.
    """

    name: ClassVar[str] = "distinct-l-diversity"
    reference: ClassVar[str] = "Machanavajjhala et al. 2006; 002 Definition 5.1"
    monotone: ClassVar[bool] = True
    absorbing: ClassVar[bool] = True
    evened: ClassVar[bool] = True
    by_sets: ClassVar[bool] = True
    thresholds: ClassVar[tuple[str, ...]] = ("l",)

    l: Annotated[int, Field(ge=1)]  # noqa: E741  (the paper's letter)

    @property
    def least_size(self) -> int:
        """Different values are in different records."""
        return self.l

    def sufficient_test(self, column: SensitiveColumn, reference: NDArray[np.int64]) -> SufficientTest | None:
        """Count the values."""
        return SufficientTest.distinct(self.l)

    def linear(self, column: SensitiveColumn, reference: NDArray[np.int64]) -> Linear | None:
        """Count the values."""
        return Linear.distinct(self.l, len(column.values))

    def passes(self, blocks: Histogram) -> NDArray[np.bool_]:
        """Count the different values of each block."""
        return blocks.distinct >= self.l

    def measured(self, blocks: Histogram) -> Measured:
        """Return the fewest different values of any block."""
        return {"l": int(blocks.distinct.min(initial=len(blocks.reference)))}
