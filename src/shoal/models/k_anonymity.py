"""k-anonymity."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from shoal.classes.grouping import Grouping
from shoal.models.model import Measured, PrivacyModel
from shoal.models.persons import Persons


@dataclass(frozen=True, slots=True, kw_only=True)
class KAnonymity(PrivacyModel):
    """Each class has at least `k` records; with an `entity`, records of at least `k` persons.

    With `members`, the most records that one household has, each class has records of at least `k` households: it has
    at least (`k` - 1) `members` + 1 records, and `k` - 1 households have fewer.

    Joining classes adds their sizes and loses no person, so a class that is large enough stays so whatever joins
    it: the model is monotone under generalization, with suppression too (Ciriani et al. 2007, Theorem 3.4).
    """

    name: ClassVar[str] = "k-anonymity"
    reference: ClassVar[str] = "Samarati 2001; Sweeney 2002; Ciriani et al. 2007, Definition 2.3"
    monotone: ClassVar[bool] = True
    absorbing: ClassVar[bool] = True
    by_sets: ClassVar[bool] = True
    thresholds: ClassVar[tuple[str, ...]] = ("k",)
    plain: ClassVar[tuple[str, ...]] = ("entity",)

    k: Annotated[int, Field(ge=1)]
    entity: Annotated[str, Field(min_length=1)] | None = None
    members: Annotated[int, Field(ge=1)] | None = None

    @property
    def least_size(self) -> int:
        """`k`, since every person has at least one record; for households, one more than `k` - 1 of them may have."""
        return (self.k - 1) * (self.members or 1) + 1

    @property
    def sensitive_columns(self) -> tuple[str, ...]:
        """The entity column, if persons are counted."""
        return () if self.entity is None else (self.entity,)

    @property
    def entity_column(self) -> str | None:
        """As was asked for."""
        return self.entity

    def counted(self) -> tuple[PrivacyModel, ...]:
        """Return the promise as searches know it: a least number of records, and a least number of distinct persons."""
        records = KAnonymity(k=self.least_size)
        return (records,) if self.entity is None else (records, Persons(l=self.k, column=self.entity))

    def holds(self, groups: Grouping) -> NDArray[np.bool_]:
        """Compare the sizes with the least."""
        return self._sizes(groups) >= self.least_size

    def achieved(self, groups: Grouping) -> Measured:
        """Return the size of the smallest class, in households if it is so asked."""
        sizes = self._sizes(groups)
        smallest = int(sizes.min(initial=int(sizes.sum())))
        return {"k": -(-smallest // (self.members or 1))}

    def _sizes(self, groups: Grouping) -> NDArray[np.int64]:
        return groups.sizes if self.entity is None else groups.histogram(self.entity).distinct
