"""Assigning: the class of each record, by how many records of each point go to each class."""

import numpy as np
from numpy.typing import NDArray

from shoal.classes.grouping import Parts
from shoal.classes.tally import distinct_rows
from shoal.kernels.grouping import take
from shoal.search.engines.engine import Counted
from shoal.search.problem import Solution
from shoal.tables.table import Table


def assigned(
    table: Table,
    counted: Counted[NDArray[np.int32]],
    solution: Solution,
    rng: np.random.Generator,
    *,
    blindly: bool = False,
) -> NDArray[np.int32]:
    """Return the class of each record, or -1 if it is suppressed.

    The records of a split point are told apart by their other columns alone. They are sorted by these and then
    drawn at random, so that neither the order of the table nor a value decides who goes where. Blindly, no other column
    tells them apart, and they are in the order of the table.
    """
    parts, quasi = solution.parts, [column.name for column in solution.recoding.columns]
    others = [column for name, column in table.columns.items() if name not in quasi and not blindly]
    n_parts = np.bincount(parts.points, minlength=counted.tally.n_points)
    labels = np.full(counted.tally.n_points, -1, dtype=np.int32)
    labels[parts.points] = parts.classes
    classes = take(labels, counted.point_of)
    if n_parts.max(initial=0) <= 1:
        return classes
    records = np.flatnonzero(n_parts[counted.point_of] > 1)
    points = counted.point_of[records]
    codes = [points, *(column.codes[records] for column in others)]
    sizes = [counted.tally.n_points, *(len(column.values) + 1 for column in others)]
    records = records[np.argsort(distinct_rows(codes, sizes, len(records))[0], kind="stable")]
    records = records[np.lexsort((rng.random(len(records)), counted.point_of[records]))]
    by_point = np.argsort(parts.points, kind="stable")
    by_point = by_point[n_parts[parts.points[by_point]] > 1]
    classes[records] = np.repeat(parts.classes[by_point], parts.counts[by_point])
    return classes


def split(counted: Counted[NDArray[np.int32]], classes: NDArray[np.int32]) -> Parts:
    """Return which records of which point are in which class."""
    width = int(classes.max(initial=-1)) + 2
    keys, counts = np.unique(counted.point_of.astype(np.int64) * width + classes + 1, return_counts=True)
    points, owners = np.divmod(keys, width)
    return Parts(points.astype(np.int32), (owners - 1).astype(np.int32), counts.astype(np.int64))
