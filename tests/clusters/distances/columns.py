"""Quasi columns to measure, and the distances of an axis as a matrix."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.classes.tally import QuasiColumn
from shoal.clusters.distances import DistanceSpec
from shoal.clusters.metric import Axis, Metric
from shoal.kernels.clusters.metrics import distances_between
from shoal.tables.hierarchies import HierarchySpec, Suppression
from shoal.tables.hierarchies.hierarchy import Label


def column(
    records: Sequence[Label], hierarchy: HierarchySpec | None = None, weight: float = 1.0, name: str = "q"
) -> QuasiColumn:
    """Return the column of some records, one value each."""
    values = sorted({value for value in records if value is not None})
    built = (hierarchy or Suppression()).build(values, name)
    built = built.with_missing() if None in records else built
    codes = built.encode(list(records), name)
    return QuasiColumn(name, built, np.bincount(codes, minlength=built.n_leaves), weight)


def codes_of(columns: Sequence[QuasiColumn], rows: Sequence[Sequence[Label]]) -> NDArray[np.int32]:
    """Return rows of values as leaf codes."""
    return np.column_stack(
        [one.hierarchy.encode([row[at] for row in rows], one.name) for at, one in enumerate(columns)]
    ).astype(np.int32)


def between(recipe: DistanceSpec, one: QuasiColumn, values: Sequence[Label]) -> NDArray[np.float64]:
    """Return how far some values of a column are from each other."""
    axis = recipe.axis([one], 0)
    return distances(axis, [one], codes_of([one], [(value,) for value in values]))


def distances(axis: Axis, columns: Sequence[QuasiColumn], codes: NDArray[np.int32]) -> NDArray[np.float64]:
    """Return how far rows of leaf codes are from each other along an axis."""
    metric = Metric(tuple(columns), (axis,), squares=False)
    positions = metric.positions(codes)
    return distances_between(metric.space, positions, positions)


def check_metric(apart: NDArray[np.float64]) -> None:
    """Check that distances are those of a metric; ways of three are compared up to rounding."""
    assert not np.isnan(apart).any()
    assert (apart >= 0).all()
    assert (apart == apart.T).all()
    assert not np.diag(apart).any()
    through = (apart[:, :, None] + apart[None]).min(axis=1, initial=np.inf) if len(apart) else apart
    assert (apart <= through * (1 + 1e-12) + 1e-300).all()
