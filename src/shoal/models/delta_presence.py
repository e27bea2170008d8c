"""delta-presence."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from shoal.classes.grouping import Grouping
from shoal.foundation.errors import FieldError
from shoal.foundation.exact import ExactNumber, at_most
from shoal.models.frequencies import largest_ratio
from shoal.models.model import Measured, PopulationModel


@dataclass(frozen=True, slots=True, kw_only=True)
class DeltaPresence(PopulationModel):
    """The probability that a person of the outside table `population` is in the release is from `least` to `most`.

    A cell with n released records among P of the outside table gives each of the latter the probability
    n / P: least <= n / P <= most. Where nothing was released it is 0, so with `least` above 0 no record of
    the outside table may lie in a cell without a class. More released records than P is a failure.

    The ratio of a union of cells is a mediant of the ratios of the parts, so it stays between the smallest
    and the largest of them; records of the outside table that a coarser cell takes in besides are there only
    if `least` is 0, and lower the ratio: the model is monotone. It is not with suppression: a class whose
    ratio is too high may join, and suppressing a class leaves its records of the outside table at 0.
    """

    name: ClassVar[str] = "delta-presence"
    reference: ClassVar[str] = "Nergiz, Atzori and Clifton 2007"
    monotone: ClassVar[bool] = True
    absorbing: ClassVar[bool] = False
    relative: ClassVar[bool] = True
    thresholds: ClassVar[tuple[str, ...]] = ("least", "most")

    least: Annotated[ExactNumber, Field(ge=0, le=1)]
    most: Annotated[ExactNumber, Field(ge=0, le=1)]

    def __post_init__(self) -> None:
        """Refuse an empty range."""
        PopulationModel.__post_init__(self)
        if self.least > self.most:
            raise FieldError(f"'least' is {float(self.least)}, above 'most', which is {float(self.most)}")

    def holds(self, groups: Grouping) -> NDArray[np.bool_]:
        """Compare the share that was released of each cell with both limits."""
        covered = self.covered(groups)
        if self.least > 0 and groups.outside[self.population] > 0:
            return np.zeros(groups.n_classes, dtype=np.bool_)
        kept: NDArray[np.bool_] = (covered > 0) & at_most(groups.sizes, covered, Fraction(self.most))
        if self.least > 0:
            kept &= at_most(covered, groups.sizes, 1 / Fraction(self.least))
        return kept

    def forfeits(self, groups: Grouping, share: Fraction) -> NDArray[np.int64]:
        """Count the records beyond the largest share; all are lost below the smallest, or if cells lack a class."""
        covered = self.covered(groups)
        over = np.clip(np.ceil(groups.sizes - float(self.most) * covered - 1e-6), 0, groups.sizes).astype(np.int64)
        if self.least == 0:
            return over
        if groups.outside[self.population] > 0:
            return groups.sizes
        return np.where(at_most(covered, groups.sizes, 1 / Fraction(self.least)), over, groups.sizes)

    def achieved(self, groups: Grouping) -> Measured:
        """Return the smallest and the largest share of any cell, those without a class included."""
        covered = self.covered(groups)
        least: float | str = 0.0
        if groups.n_classes and groups.outside[self.population] == 0:
            worst = int(np.argmax(covered / groups.sizes))
            least = int(groups.sizes[worst]) / int(covered[worst]) if covered[worst] else "infinite"
        return {"least": least, "most": largest_ratio(groups.sizes, covered)}
