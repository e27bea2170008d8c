"""Distinct l-diversity."""

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from shoal.classes.grouping import Histogram
from shoal.classes.person_values import PersonValues
from shoal.classes.tally import SensitiveColumn
from shoal.models.linear import Linear
from shoal.models.model import Measured, PrivacyModel, SensitiveModel, check_members
from shoal.models.sufficient_test import SufficientTest


@dataclass(frozen=True, slots=True, kw_only=True)
class DistinctLDiversity(SensitiveModel):
    """Each class shows at least `l` different values of `column`.

    Joining classes never loses a value, so a class that is diverse stays so whatever joins it: the model
    is monotone under generalization, with suppression too.

    With an `entity`, the persons who hold one of the `l` - 1 most frequent values, counted once for each such value,
    are fewer than the persons of the class. So for any `l` - 1 values there is a person who holds none of them: an
    attacker who rules out `l` - 2 values is not sure of another one. If nobody holds two values, the class has `l`.

    With `members`, the most records that one person or household has, a class shows at least (`l` - 1) `members` + 1
    values: no `l` - 1 of them hold all values of the class.
    """

    name: ClassVar[str] = "distinct-l-diversity"
    reference: ClassVar[str] = "Machanavajjhala et al. 2006; Ciriani et al. 2007, Definition 5.1"
    monotone: ClassVar[bool] = True
    absorbing: ClassVar[bool] = True
    evened: ClassVar[bool] = True
    by_sets: ClassVar[bool] = True
    thresholds: ClassVar[tuple[str, ...]] = ("l",)

    l: Annotated[int, Field(ge=1)]  # noqa: E741  (the paper's letter)
    members: Annotated[int, Field(ge=1)] | None = None

    def __post_init__(self) -> None:
        """Check that persons are counted, or what is known of their records."""
        SensitiveModel.__post_init__(self)
        check_members(self.entity, self.members)

    @property
    def values_asked(self) -> int:
        """How many values a class must show."""
        return (self.l - 1) * (self.members or 1) + 1

    @property
    def least_size(self) -> int:
        """Different values are in different records."""
        return self.values_asked

    def counted(self) -> tuple[PrivacyModel, ...]:
        """Return the promise as searches know it: of records."""
        return (replace(self, l=self.values_asked, members=None),)

    def sufficient_test(self, column: SensitiveColumn, reference: NDArray[np.int64]) -> SufficientTest | None:
        """Count the values."""
        return SufficientTest.distinct(self.values_asked)

    def linear(self, column: SensitiveColumn, reference: NDArray[np.int64]) -> Linear | None:
        """Count the values."""
        return Linear.distinct(self.values_asked, len(column.values))

    def passes_for(self, persons: PersonValues) -> NDArray[np.bool_]:
        """Compare the holders of the most frequent values with the persons."""
        return persons.holders().needed >= self.l

    def measured_for(self, persons: PersonValues) -> Measured:
        """Return the largest `l` that every class keeps."""
        blocks = persons.holders()
        return {"l": int(blocks.needed.min(initial=len(blocks.reference)))}

    def passes(self, blocks: Histogram) -> NDArray[np.bool_]:
        """Count the different values of each block."""
        return blocks.distinct >= self.values_asked

    def measured(self, blocks: Histogram) -> Measured:
        """Return the fewest different values of any block; with members, of how many persons at least these are."""
        fewest = int(blocks.distinct.min(initial=len(blocks.reference)))
        return {"l": -(-fewest // (self.members or 1))}
