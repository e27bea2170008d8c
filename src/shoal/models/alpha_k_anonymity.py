"""(alpha, k)-anonymity."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from shoal.classes.grouping import Histogram
from shoal.classes.tally import SensitiveColumn
from shoal.foundation.exact import ExactNumber, at_most
from shoal.models.caps import Caps
from shoal.models.frequencies import fewest_to_remove, largest_ratio
from shoal.models.linear import Linear
from shoal.models.model import Measured, SensitiveModel
from shoal.models.sufficient_test import SufficientTest


@dataclass(frozen=True, slots=True, kw_only=True)
class AlphaKAnonymity(SensitiveModel):
    """Each class has at least `k` records, and no value of `column` has more than the share `alpha` of them.

    With an `entity`, each class has at least `k` persons, and no value is held by more than the share `alpha` of them.

    With a `value`, only the share of that value is limited; a value that does not occur limits nothing.

    Sizes add up when classes are joined, and the share of a value in the union is a mediant of its shares in
    the parts, so it does not exceed the largest of these: the model is monotone. It is not with suppression:
    a class that shows the value only may join, and raise its share above `alpha`.
    """

    name: ClassVar[str] = "alpha-k-anonymity"
    reference: ClassVar[str] = "Wong et al. 2006; Ciriani et al. 2007, Definition 5.2"
    monotone: ClassVar[bool] = True
    absorbing: ClassVar[bool] = False
    evened: ClassVar[bool] = True
    thresholds: ClassVar[tuple[str, ...]] = ("alpha", "k")
    told_values: ClassVar[tuple[str, ...]] = ("value",)

    alpha: Annotated[ExactNumber, Field(gt=0, le=1)]
    k: Annotated[int, Field(ge=1)]
    value: str | None = None

    @property
    def records_asked(self) -> int:
        """The k of the promise."""
        return self.k

    @property
    def largest_share(self) -> Fraction | None:
        """That share, unless it is limited for one value alone."""
        return Fraction(self.alpha) if self.value is None else None

    @property
    def least_size(self) -> int:
        """The second half of the promise."""
        return self.k

    def sufficient_test(self, column: SensitiveColumn, reference: NDArray[np.int64]) -> SufficientTest | None:
        """Limit the share of the value, or of every value."""
        return SufficientTest.shares([Fraction(self.alpha) if one else Fraction(1) for one in self.limited(column)])

    def linear(self, column: SensitiveColumn, reference: NDArray[np.int64]) -> Linear | None:
        """Limit the share of the value, or of every value."""
        return Linear.shares([Fraction(self.alpha) if one else Fraction(1) for one in self.limited(column)])

    def limited(self, column: SensitiveColumn) -> NDArray[np.bool_]:
        """Return the value, or every value."""
        return np.array([self.value in (None, value) for value in column.values], dtype=np.bool_)

    def caps(self, column: SensitiveColumn, reference: NDArray[np.int64], share: Fraction) -> Caps | None:
        """Cap the value, or every value."""
        if self.entity is not None:
            return None
        return Caps(tuple(Fraction(self.alpha) if one else Fraction(1) for one in self.limited(column)))

    def passes(self, blocks: Histogram) -> NDArray[np.bool_]:
        """Compare the limited counts with their share of the records, and the records with `k`."""
        return at_most(self._limited(blocks), blocks.sizes, Fraction(self.alpha)) & (blocks.sizes >= self.k)

    def forfeited(self, blocks: Histogram, share: Fraction) -> NDArray[np.int64]:
        """Count the records of the limited value that are too many; too few records left are none."""
        lost = fewest_to_remove(self._limited(blocks), blocks.sizes, np.full(len(blocks.sizes), float(self.alpha)))
        return np.where(blocks.sizes - lost < self.k, blocks.sizes, lost)

    def measured(self, blocks: Histogram) -> Measured:
        """Return the largest share and the fewest records of any block."""
        return {
            "alpha": largest_ratio(self._limited(blocks), blocks.sizes),
            "k": int(blocks.sizes.min(initial=int(blocks.sizes.sum()))),
        }

    def _limited(self, blocks: Histogram) -> NDArray[np.int64]:
        """Return the count in each block of the value that is limited, or of its most frequent one."""
        if self.value is None:
            return blocks.largest
        counts = np.zeros(len(blocks.sizes), dtype=np.int64)
        if self.value in blocks.column.values:
            shown = blocks.values == blocks.column.values.index(self.value)
            counts[blocks.owners[shown]] = blocks.counts[shown]
        return counts
