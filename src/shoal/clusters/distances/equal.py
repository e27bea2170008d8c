"""Equal: values are the same or not."""

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
    """Two different values are 1 apart: n equidistant points (001 s.1). A missing value is a value like others.

    A metric: of three values with x different from z, y differs from one of the two.
    """

    name: ClassVar[str] = "equal"
    any_value: ClassVar[bool] = True

    def axis(self, columns: Sequence[QuasiColumn], at: int, folder: Path = Path()) -> Axis:
        """Number the values."""
        leaves = np.arange(columns[at].hierarchy.n_leaves, dtype=np.float64)
        return Axis(EQUAL, (at,), (leaves,), columns[at].weight)
