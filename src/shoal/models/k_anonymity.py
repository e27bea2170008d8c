"""k-anonymity."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from shoal.grouping import Grouping
from shoal.models.model import Measured, PrivacyModel


@dataclass(frozen=True, slots=True, kw_only=True)
class KAnonymity(PrivacyModel):
    """Each class has at least `k` records.

    Joining classes adds their sizes, so a class that is large enough stays so whatever joins it: the
    model is monotone under generalization, with suppression too (002 Theorem 3.4).
    """

    name: ClassVar[str] = "k-anonymity"
    reference: ClassVar[str] = "Samarati 2001; Sweeney 2002; 002 Definition 2.3"
    monotone: ClassVar[bool] = True
    absorbing: ClassVar[bool] = True
    by_sets: ClassVar[bool] = True
    thresholds: ClassVar[tuple[str, ...]] = ("k",)

    k: Annotated[int, Field(ge=1)]

    @property
    def least_size(self) -> int:
        """The promise itself."""
        return self.k

    def holds(self, groups: Grouping) -> NDArray[np.bool_]:
        """Compare the sizes with `k`."""
        return groups.sizes >= self.k

    def achieved(self, groups: Grouping) -> Measured:
        """Return the size of the smallest class."""
        return {"k": int(groups.sizes.min(initial=groups.n_records))}
