"""Equal: the distance is 0 for equal values, else 1."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from shoal.classes.tally import QuasiColumn
from shoal.clusters.distances.spec import DistanceSpec
from shoal.clusters.metric import Axis
from shoal.kernels.clusters.metrics import EQUAL


@dataclass(frozen=True, slots=True, kw_only=True)
class Equal(DistanceSpec):
    """Two different values have distance 1 (Aggarwal et al. 2010, section 1). A missing value is a value like others.

    It is a metric: if x differs from z, then y differs from x or from z.
    """

    name: ClassVar[str] = "equal"
    any_value: ClassVar[bool] = True

    def axis(self, columns: Sequence[QuasiColumn], at: int, folder: Path = Path()) -> Axis:
        """Return the axis with a code for each value."""
        leaves = np.arange(columns[at].hierarchy.n_leaves, dtype=np.float64)
        return Axis(EQUAL, (at,), (leaves,), columns[at].weight)
