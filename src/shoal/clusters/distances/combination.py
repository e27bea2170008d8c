"""The distances of all columns together: the metric space in which records are places."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from shoal.classes.tally import QuasiColumn
from shoal.clusters.distances.spec import DistanceSpec
from shoal.clusters.metric import Metric

Norm = Literal["l2", "l1"]


def combined(
    columns: Sequence[QuasiColumn], recipes: Mapping[str, DistanceSpec], norm: Norm = "l2", folder: Path = Path()
) -> Metric:
    """Return the metric space of some quasi columns.

    The distances along the axes are added up, or their squares are and the root is taken. Both are metrics if each
    axis is one: norms are subadditive and grow with each entry.

    Args:
        columns: The quasi columns.
        recipes: The distance of each, but of those that lie on another's axis.
        norm: `l2` or `l1`.
        folder: Where relative paths of the recipes start.
    """
    axes = [
        recipes[column.name].axis(columns, at, folder) for at, column in enumerate(columns) if column.name in recipes
    ]
    return Metric(tuple(columns), tuple(axes), squares=norm == "l2")
