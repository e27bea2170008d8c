"""Frequency l-diversity."""

from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from shoal.classes.grouping import Histogram
from shoal.classes.tally import SensitiveColumn
from shoal.foundation.exact import ExactNumber, at_most
from shoal.models.frequencies import fewest_to_remove
from shoal.models.linear import Linear
from shoal.models.model import Measured, PrivacyModel, SensitiveModel, check_members
from shoal.models.sufficient_test import SufficientTest


@dataclass(frozen=True, slots=True, kw_only=True)
class FrequencyLDiversity(SensitiveModel):
    """No value of `column` has more than one in `l` records of a class.

    A class of N records keeps the promise if its most frequent value has at most N / l of them.

    The share of a value in a union of classes is a mediant of its shares in them, so it does not exceed the
    largest of these: the model is monotone. It is not with suppression: a class that shows one value only
    may join, and its value then exceeds the share.

    With an `entity`, at most one in `l` persons of a class holds any one value, in any of their records in it.

    With `members`, the most records that one person or household has, a value has at most one in `l` `members` of the
    records: so at most one in `l` of the persons or households of a class hold it.
    """

    name: ClassVar[str] = "frequency-l-diversity"
    reference: ClassVar[str] = "Machanavajjhala et al. 2006; Liang and Yuan 2013, section 2.1"
    monotone: ClassVar[bool] = True
    absorbing: ClassVar[bool] = False
    evened: ClassVar[bool] = True
    thresholds: ClassVar[tuple[str, ...]] = ("l",)

    l: Annotated[ExactNumber, Field(ge=1)]  # noqa: E741  (the paper's letter)
    members: Annotated[int, Field(ge=1)] | None = None

    def __post_init__(self) -> None:
        """Check that persons are counted, or what is known of their records."""
        SensitiveModel.__post_init__(self)
        check_members(self.entity, self.members)

    @property
    def share(self) -> Fraction:
        """The largest share of the records of a class that a value may have."""
        return 1 / (Fraction(self.l) * (self.members or 1))

    @property
    def largest_share(self) -> Fraction | None:
        """That share, of each value."""
        return self.share

    @property
    def least_size(self) -> int:
        """One record is at most that share of its class."""
        return ceil(1 / self.share)

    def counted(self) -> tuple[PrivacyModel, ...]:
        """Return the promise as searches know it: of records."""
        return (replace(self, l=1 / self.share, members=None),)

    def sufficient_test(self, column: SensitiveColumn, reference: NDArray[np.int64]) -> SufficientTest | None:
        """Limit the share of every value."""
        return SufficientTest.shares([self.share] * len(column.values))

    def linear(self, column: SensitiveColumn, reference: NDArray[np.int64]) -> Linear | None:
        """Limit the share of every value."""
        return Linear.shares([self.share] * len(column.values))

    def passes(self, blocks: Histogram) -> NDArray[np.bool_]:
        """Compare the most frequent value of each block with its share of the records."""
        return at_most(blocks.largest, blocks.sizes, self.share)

    def forfeited(self, blocks: Histogram, share: Fraction) -> NDArray[np.int64]:
        """Count the excess records of the most frequent value."""
        return fewest_to_remove(blocks.largest, blocks.sizes, np.full(len(blocks.sizes), float(self.share)))

    def measured(self, blocks: Histogram) -> Measured:
        """Return the least ratio, over the blocks, of all records to those of the most frequent value, by members."""
        if not len(blocks.sizes):
            return {"l": float(len(blocks.reference))}
        worst = int(np.argmin(blocks.sizes / blocks.largest))
        return {"l": int(blocks.sizes[worst]) / (int(blocks.largest[worst]) * (self.members or 1))}
