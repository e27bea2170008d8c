"""The metric space of all quasi columns, combined from the distances of the columns."""

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

    The distance of two records is the L1 or L2 norm of their distances along the axes. It is a metric if each axis has
    one, since norms are subadditive and monotone in each entry.

    Args:
        columns: The quasi columns.
        recipes: The distance of each, except of those that share the axis of another column.
        norm: `l2` or `l1`.
        folder: Where relative paths of the recipes start.
    """
    axes = [
        recipes[column.name].axis(columns, at, folder) for at, column in enumerate(columns) if column.name in recipes
    ]
    return Metric(tuple(columns), tuple(axes), squares=norm == "l2")
