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

    Joining classes adds their sizes and loses no person, so a class that is large enough stays so whatever joins
    it: the model is monotone under generalization, with suppression too (002 Theorem 3.4).
    """

    name: ClassVar[str] = "k-anonymity"
    reference: ClassVar[str] = "Samarati 2001; Sweeney 2002; 002 Definition 2.3"
    monotone: ClassVar[bool] = True
    absorbing: ClassVar[bool] = True
    by_sets: ClassVar[bool] = True
    thresholds: ClassVar[tuple[str, ...]] = ("k",)
    plain: ClassVar[tuple[str, ...]] = ("entity",)

    k: Annotated[int, Field(ge=1)]
    entity: Annotated[str, Field(min_length=1)] | None = None

    @property
    def least_size(self) -> int:
        """`k`, since every person has at least one record."""
        return self.k

    @property
    def sensitive_columns(self) -> tuple[str, ...]:
        """The entity column, if persons are counted."""
        return () if self.entity is None else (self.entity,)

    def counted(self) -> tuple[PrivacyModel, ...]:
        """Return the promise as searches know it: a least number of records, and a least number of distinct persons."""
        records = KAnonymity(k=self.k)
        return (records,) if self.entity is None else (records, Persons(l=self.k, column=self.entity))

    def holds(self, groups: Grouping) -> NDArray[np.bool_]:
        """Compare the sizes with `k`."""
        return self._sizes(groups) >= self.k

    def achieved(self, groups: Grouping) -> Measured:
        """Return the size of the smallest class."""
        sizes = self._sizes(groups)
        return {"k": int(sizes.min(initial=int(sizes.sum())))}

    def _sizes(self, groups: Grouping) -> NDArray[np.int64]:
        return groups.sizes if self.entity is None else groups.histogram(self.entity).distinct
