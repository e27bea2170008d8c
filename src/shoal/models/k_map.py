"""k-map."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from shoal.classes.grouping import Grouping
from shoal.models.model import Measured, PopulationModel


@dataclass(frozen=True, slots=True, kw_only=True)
class KMap(PopulationModel):
    """The cell of each class covers at least `k` records of the outside table `population`.

    The cell of a union covers what the cells of its parts cover, and perhaps more, so a class that keeps the
    promise keeps it whatever joins it: the model is monotone, with suppression too.
    """

    name: ClassVar[str] = "k-map"
    reference: ClassVar[str] = "Sweeney 2002"
    monotone: ClassVar[bool] = True
    absorbing: ClassVar[bool] = True
    thresholds: ClassVar[tuple[str, ...]] = ("k",)

    k: Annotated[int, Field(ge=1)]

    def holds(self, groups: Grouping) -> NDArray[np.bool_]:
        """Compare the records of the outside table with `k`."""
        return self.covered(groups) >= self.k

    def achieved(self, groups: Grouping) -> Measured:
        """Return the fewest records of the outside table in the cell of any class."""
        covered = self.covered(groups)
        return {"k": int(covered.min()) if len(covered) else groups.outside[self.population]}
