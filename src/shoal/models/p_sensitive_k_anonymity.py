"""p-sensitive k-anonymity."""

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
class PSensitiveKAnonymity(SensitiveModel):
    """Each class has at least `k` records and shows at least `p` different values of `column`.

    Joining classes adds their sizes and never loses a value, so a class that keeps both promises keeps them
    whatever joins it: the model is monotone, with suppression too.

    With an `entity`, each class has at least `k` persons, and fewer than all of them hold one of its `p` - 1 most
    frequent values, counted once for each value: as `distinct-l-diversity` with l = p.
    """

    name: ClassVar[str] = "p-sensitive-k-anonymity"
    reference: ClassVar[str] = "Truta and Vinay 2006; Ciriani et al. 2007, section 5"
    monotone: ClassVar[bool] = True
    absorbing: ClassVar[bool] = True
    evened: ClassVar[bool] = True
    by_sets: ClassVar[bool] = True
    thresholds: ClassVar[tuple[str, ...]] = ("p", "k")

    p: Annotated[int, Field(ge=1)]
    k: Annotated[int, Field(ge=1)]

    @property
    def records_asked(self) -> int:
        """The k of the promise."""
        return self.k

    @property
    def least_size(self) -> int:
        """Different values are in different records."""
        return max(self.p, self.k)

    def sufficient_test(self, column: SensitiveColumn, reference: NDArray[np.int64]) -> SufficientTest | None:
        """Count the values; the size is tested for all promises."""
        return SufficientTest.distinct(self.p)

    def linear(self, column: SensitiveColumn, reference: NDArray[np.int64]) -> Linear | None:
        """Count the values; the size is asked for all promises."""
        return Linear.distinct(self.p, len(column.values))

    def passes(self, blocks: Histogram) -> NDArray[np.bool_]:
        """Count the different values and the records of each block."""
        return (blocks.needed >= self.p) & (blocks.sizes >= self.k)

    def measured(self, blocks: Histogram) -> Measured:
        """Return the fewest different values and the fewest records of any block."""
        return {
            "p": int(blocks.needed.min(initial=len(blocks.reference))),
            "k": int(blocks.sizes.min(initial=int(blocks.sizes.sum()))),
        }
