"""Recursive (c, l)-diversity."""

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
from shoal.models.frequencies import largest_ratio
from shoal.models.linear import Linear
from shoal.models.model import Measured, SensitiveModel
from shoal.models.sufficient_test import SufficientTest


@dataclass(frozen=True, slots=True, kw_only=True)
class RecursiveClDiversity(SensitiveModel):
    """The most frequent value of `column` is not too frequent in a class, even if l - 2 values are ruled out.

    With the counts of a class in descending order, r1 >= r2 >= ... >= rm: r1 < c * (rl + ... + rm). The sum
    of a class with fewer than `l` values is 0, so such a class fails.

    Put otherwise: r1 + c * (r1 + ... + r(l-1)) < c * N. The sum of the largest counts of a union is at most
    that of one part plus that of the other, and N adds up, so both sides of the parts add up to the
    inequality of the union: the model is monotone. It is not with suppression: a class that shows one value
    only may join and raise r1 alone. The inequality is strict, so the `c` that a release reaches is a limit that it
    stays below, not one that it meets.

    With an `entity`, r1 >= r2 >= ... are how many persons hold each value, and the sum is N - r1 - ... - r(l-1), with
    the N persons of the class: at least so many hold none of these values. So if any l - 2 values are ruled out, the
    odds that a person holds another one are below c: at most r1 do, and at least the sum hold neither it nor those.
    """

    name: ClassVar[str] = "recursive-cl-diversity"
    reference: ClassVar[str] = "Machanavajjhala et al. 2006"
    monotone: ClassVar[bool] = True
    absorbing: ClassVar[bool] = False
    evened: ClassVar[bool] = True
    thresholds: ClassVar[tuple[str, ...]] = ("c",)

    c: Annotated[ExactNumber, Field(gt=0)]
    l: Annotated[int, Field(ge=1)]  # noqa: E741  (the paper's letter)

    @property
    def least_size(self) -> int:
        """`l`, since the tail of a class with fewer than l values is 0."""
        return self.l

    def sufficient_test(self, column: SensitiveColumn, reference: NDArray[np.int64]) -> SufficientTest | None:
        """Compare the most frequent value with the tail."""
        return SufficientTest.tail(Fraction(self.c), self.l)

    def linear(self, column: SensitiveColumn, reference: NDArray[np.int64]) -> Linear | None:
        """Compare the most frequent value with the tail."""
        return Linear.tail(Fraction(self.c), self.l, len(column.values))

    def caps(self, column: SensitiveColumn, reference: NDArray[np.int64], share: Fraction) -> Caps | None:
        """Cap every value: what the most frequent one has is less than c times what the others have."""
        if self.entity is not None:
            return None
        c = Fraction(self.c)
        return Caps((c / (1 + c) if self.l > 1 else min(c, Fraction(1)),) * len(column.values))

    def passes(self, blocks: Histogram) -> NDArray[np.bool_]:
        """Compare the most frequent value of each block with the tail of the others."""
        return ~at_most(self._tails(blocks), blocks.largest, 1 / Fraction(self.c))

    def forfeited(self, blocks: Histogram, share: Fraction) -> NDArray[np.int64]:
        """Count the excess records of the most frequent value over the tail, which cannot grow."""
        tails = self._tails(blocks)
        lost = np.clip(np.floor(blocks.largest - float(self.c) * tails - 1e-6) + 1, 0, blocks.sizes)
        return np.where(tails == 0, blocks.sizes, lost).astype(np.int64)

    def measured(self, blocks: Histogram) -> Measured:
        """Return the largest r1 / (rl + ... + rm) of any block; every larger `c` holds."""
        return {"c": largest_ratio(blocks.largest, self._tails(blocks))}

    def _tails(self, blocks: Histogram) -> NDArray[np.int64]:
        """Return rl + ... + rm for each block: what the l - 1 most frequent values leave."""
        return blocks.beyond(self.l - 1)
