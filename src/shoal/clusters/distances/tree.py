"""Tree: the level of the column's hierarchy at which two values meet."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from shoal.classes.tally import QuasiColumn
from shoal.clusters.distances.spec import DistanceSpec
from shoal.clusters.metric import Axis
from shoal.kernels.clusters.metrics import TABLE, TREE

_LARGEST = 2048  # most values for a table of all pairs: 32 MB, and ten times as fast as climbing the tree


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree(DistanceSpec):
    """The distance of two values is the lowest level at which they share a node, divided by the hierarchy's height.

    It is a metric, even an ultrametric. A value shares its leaf, level 0, with itself alone. Levels nest: if x and y
    share a node at level a, and y and z at level b, then at the higher of the two all three lie below one node, so that
    d(x, z) <= max(d(x, y), d(y, z)). The top is shared by all: no distance is above 1. A missing value meets the others
    at the top, and is 1 from each.
    """

    name: ClassVar[str] = "tree"
    any_value: ClassVar[bool] = True
    along_hierarchy: ClassVar[bool] = True

    def axis(self, columns: Sequence[QuasiColumn], at: int, folder: Path = Path()) -> Axis:
        """Return the axis with a table of all pairs; if that is too large, with the nodes above each leaf."""
        hierarchy = columns[at].hierarchy
        codes = np.arange(hierarchy.n_leaves, dtype=np.int32)
        kind, table = TREE, hierarchy.codes[: hierarchy.height].T
        if len(codes) <= _LARGEST:
            kind, table = TABLE, hierarchy.meeting_level(codes[:, None], codes)
        weight = columns[at].weight / hierarchy.height
        return Axis(kind, (at,), (codes.astype(np.float64),), weight, np.ascontiguousarray(table, dtype=np.float64))
