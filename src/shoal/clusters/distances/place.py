"""Place: the great-circle distance between two places on the earth."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from shoal.classes.tally import QuasiColumn
from shoal.clusters.distances.reading import Numbers, occurring_leaves, read_numbers
from shoal.clusters.distances.spec import DistanceSpec
from shoal.clusters.metric import Axis
from shoal.foundation.errors import SpecError
from shoal.kernels.clusters.metrics import EARTH
from shoal.tables.hierarchies.numeric import count_others

_DECIMALS = 10  # of a degree: a hundredth of a millimetre, and more than a float of kilometres can tell


@dataclass(frozen=True, slots=True, kw_only=True)
class Place(DistanceSpec):
    """The distance of two places is the great-circle distance in kilometres (Aggarwal et al. 2010, section 1).

    It is given for the column of latitudes, names the column of longitudes, and applies to both; the weight is that of
    the latitudes. The earth is taken as a sphere of radius 6371.0088 km, which is accurate to half a percent.

    It is a metric: the length of the shortest path between points of a sphere.

    Args:
        longitude: The column of longitudes.
        unit: The number of kilometres that count as distance 1.
    """

    name: ClassVar[str] = "place"

    longitude: str
    unit: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 1.0

    @property
    def partner(self) -> str | None:
        """The column of longitudes."""
        return self.longitude

    @property
    def unit_given(self) -> bool:
        """Always."""
        return True

    def axis(self, columns: Sequence[QuasiColumn], at: int, folder: Path = Path()) -> Axis:
        """Read latitudes and longitudes in degrees."""
        names = [column.name for column in columns]
        if self.longitude not in names or self.longitude == names[at]:
            raise SpecError(
                f"The distance 'place' of column '{names[at]}' needs another quasi column of longitudes: "
                f"'{self.longitude}' is none."
            )
        both = (at, names.index(self.longitude))
        found = [_degrees(columns[number], most) for number, most in zip(both, (90, 180), strict=True)]
        decimals = min(max(one.published for one in found), _DECIMALS)
        leaves = tuple(one.numbers for one in found)
        return Axis(EARTH, both, leaves, columns[at].weight / self.unit, decimals=decimals)


def _degrees(column: QuasiColumn, most: int) -> Numbers:
    """Return the values of a column as degrees."""
    if column.hierarchy.missing_leaf >= 0:
        raise SpecError(
            f"Column '{column.name}' has missing values, and an unknown place has no distance from others. "
            "Use missing = 'drop', or another distance than 'place'."
        )
    values = occurring_leaves(column)
    known = [value for value in values if value is not None]
    found, wrong = read_numbers(values), count_others(known)
    if found is not None:
        wrong = int(np.count_nonzero(np.abs(found.numbers) > most))
    if found is None or wrong:
        raise SpecError(
            f"Column '{column.name}' needs degrees from -{most} to {most}, as decimal numbers: {wrong} of its "
            f"{len(known)} different values are none (they are not shown here, since they are data)."
        )
    return found
