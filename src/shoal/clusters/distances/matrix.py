"""Matrix: the distances between values are listed in a file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from shoal.classes.tally import QuasiColumn
from shoal.clusters.distances.spec import DistanceSpec
from shoal.clusters.metric import Axis
from shoal.foundation.errors import SpecError
from shoal.kernels.clusters.metrics import TABLE
from shoal.tables.distance_matrix import read_matrix

_MOST = 10**100  # squares of larger distances are beyond a float


@dataclass(frozen=True, slots=True, kw_only=True)
class Matrix(DistanceSpec):
    """The distance of two values is an entry of a CSV file, whose first row and first column list the values.

    It is checked exactly that this is a metric: the diagonal is zero, the matrix is symmetric, and the triangle
    inequality holds. Different values may have distance 0; they are then one point. A missing value has the row with
    the empty label. Without such a row, its distance from each value is the largest distance in the column (1 if all
    are 0). That is a metric too, since no distance of two values is more than twice it.

    Args:
        path: The file.
    """

    name: ClassVar[str] = "matrix"
    files: ClassVar[Mapping[str, str]] = {"path": "the matrix of distances"}

    path: str

    def axis(self, columns: Sequence[QuasiColumn], at: int, folder: Path = Path()) -> Axis:
        """Read the distances of the values that occur."""
        column = columns[at]
        matrix = read_matrix(str(folder / self.path))
        occurring = np.flatnonzero(column.leaf_counts > 0)
        values = [column.hierarchy.values[leaf] for leaf in occurring.tolist()]
        lonely = bool(values) and values[-1] is None and None not in matrix.row_of
        entries = matrix.among(values[:-1] if lonely else values, column.name)
        if matrix.largest > _MOST * matrix.unit:
            raise SpecError(f"The {matrix.where} has a distance above {_MOST:.0e}: choose another unit.")
        table = (entries.astype(object) / matrix.unit).astype(np.float64)  # each rounded once
        if lonely:
            table = np.pad(table, (0, 1), constant_values=float(table.max(initial=0.0)) or 1.0)
            table[-1, -1] = 0.0
        leaves = np.full(column.hierarchy.n_leaves, -1.0)
        leaves[occurring] = np.arange(len(occurring))
        return Axis(TABLE, (at,), (leaves,), column.weight, table)
