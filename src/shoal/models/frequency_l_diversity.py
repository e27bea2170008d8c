"""Frequency l-diversity."""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from shoal.classes.grouping import Histogram
from shoal.classes.tally import SensitiveColumn
from shoal.foundation.exact import ExactNumber, at_most
from shoal.models.linear import Linear
from shoal.models.model import Measured, SensitiveModel, fewest_to_remove
from shoal.models.sufficient_test import SufficientTest


@dataclass(frozen=True, slots=True, kw_only=True)
class FrequencyLDiversity(SensitiveModel):
    """No value of `column` has more than one in `l` records of a class.

    A class of N records keeps the promise if its most frequent value has at most N / l of them.

    The share of a value in a union of classes is a mediant of its shares in them, so it does not exceed the
    largest of these: the model is monotone. It is not with suppression: a class that shows one value only
    may join, and its value then exceeds the share.
    """

    name: ClassVar[str] = "frequency-l-diversity"
    reference: ClassVar[str] = "Machanavajjhala et al. 2006; 004 section 2.1"
    monotone: ClassVar[bool] = True
    absorbing: ClassVar[bool] = False
    evened: ClassVar[bool] = True
    thresholds: ClassVar[tuple[str, ...]] = ("l",)

    l: Annotated[ExactNumber, Field(ge=1)]  # noqa: E741  (the paper's letter)

    @property
    def least_size(self) -> int:
        """One record is at most 1 / l of its class."""
        return ceil(self.l)

    def sufficient_test(self, column: SensitiveColumn, reference: NDArray[np.int64]) -> SufficientTest | None:
        """Limit the share of every value."""
        return SufficientTest.shares([1 / Fraction(self.l)] * len(column.values))

    def linear(self, column: SensitiveColumn, reference: NDArray[np.int64]) -> Linear | None:
        """Limit the share of every value."""
        return Linear.shares([1 / Fraction(self.l)] * len(column.values))

    def passes(self, blocks: Histogram) -> NDArray[np.bool_]:
        """Compare the most frequent value of each block with its share of the records."""
        return at_most(blocks.largest, blocks.sizes, 1 / Fraction(self.l))

    def forfeited(self, blocks: Histogram, share: Fraction) -> NDArray[np.int64]:
        """Count the excess records of the most frequent value."""
        return fewest_to_remove(blocks.largest, blocks.sizes, np.full(len(blocks.sizes), 1 / float(self.l)))

    def measured(self, blocks: Histogram) -> Measured:
        """Return the least ratio, over the blocks, of all records to those of the most frequent value."""
        if not len(blocks.sizes):
            return {"l": float(len(blocks.reference))}
        worst = int(np.argmin(blocks.sizes / blocks.largest))
        return {"l": int(blocks.sizes[worst]) / int(blocks.largest[worst])}
