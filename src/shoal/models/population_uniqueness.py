"""Population uniqueness."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from shoal.classes.population_estimates import Estimator, Sample, uniques_by
from shoal.foundation.exact import ExactNumber
from shoal.models.table_model import TableModel


@dataclass(frozen=True, slots=True, kw_only=True)
class PopulationUniqueness(TableModel):
    """The estimated share of the persons of the population who are alone in their class there is at most `most`.

    The release is treated as a simple random sample of the fraction `fraction` of the population. How many persons are
    alone there is estimated from the sizes of the classes by a statistical model: `pitman`, `zayatz`, `snb`, or
    `dankar`, which chooses one of them by the sampling fraction. So the claim rests on that model. It is exact if
    nobody is alone in the release, since then nobody is alone in the population, and if the release is the whole
    population.

    It is not monotone: joining two classes of two records makes pairs look rare, and so the records that are alone look
    more as if they were alone in the population, too. Nor is it with suppression.
    """

    name: ClassVar[str] = "population-uniqueness"
    reference: ClassVar[str] = "Dankar, El Emam, Neisa and Roffey 2012"
    monotone: ClassVar[bool] = False
    plain: ClassVar[tuple[str, ...]] = ("estimator",)

    most: Annotated[ExactNumber, Field(ge=0, le=1)]
    fraction: Annotated[ExactNumber, Field(gt=0, le=1)]
    estimator: Estimator = "dankar"

    @property
    def estimated(self) -> bool:
        """Whether it is: not if the release is the whole population."""
        return self.fraction < 1

    @property
    def enough(self) -> int:
        """Two records: if nobody is alone in the sample, nobody of it is in the population."""
        return 1 if self.most == 1 else 2

    def kept(self, sizes: NDArray[np.int64]) -> bool:
        """Compare the share with the limit; exactly, unless it is estimated."""
        if not (sizes == 1).any() or self.most == 1:
            return True
        if self.fraction == 1:
            limit = Fraction(self.most)
            return int((sizes == 1).sum()) * limit.denominator <= int(sizes.sum()) * limit.numerator
        return self.reached(sizes) <= float(self.most)

    def reached(self, sizes: NDArray[np.int64]) -> float:
        """Return the estimated share."""
        alone = int((sizes == 1).sum())
        if alone == 0:
            return 0.0
        if self.fraction == 1:
            return alone / int(sizes.sum())
        sample = Sample.of(sizes, float(self.fraction))
        return min(uniques_by(sample, self.estimator) / sample.population, 1.0)
