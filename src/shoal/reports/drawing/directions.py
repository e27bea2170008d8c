"""The two principal directions of the records of a table."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.clusters.centre_distances import AxisNumbers, axis_distances
from shoal.clusters.metric import Axis, Metric
from shoal.kernels.clusters.metrics import EARTH, EARTH_RADIUS, EQUAL, HOLED, NUMBER

_MARKS = 40  # most categories, or landmarks of a table of distances, that become features


@dataclass(frozen=True, slots=True, eq=False)
class Directions:
    """Records and centres along the two principal directions, and the share of the variance of each direction."""

    records: NDArray[np.float64]
    centres: NDArray[np.float64]
    shares: tuple[float, float]


def principal(metric: Metric, records: AxisNumbers, centres: AxisNumbers, counts: NDArray[np.int64]) -> Directions:
    """Return the principal directions of the records, in units of the metric.

    Each category is a feature, scaled so that two different categories have the distance of the metric (by L2). For a
    table of distances, the distances to some landmarks are the features.
    """
    parts = [_features(metric, axis, records, counts) for axis in metric.axes]
    here = np.vstack([own for own, _ in parts])
    there = np.vstack([_placed(axis, centres, marks) for axis, (_, marks) in zip(metric.axes, parts, strict=True)])
    total = counts.sum()
    known = ~np.isnan(here)
    middle = (np.where(known, here, 0.0) @ counts) / np.maximum(known @ counts, 1)
    here, there = (np.where(np.isnan(part), 0.0, part - middle[:, None]) for part in (here, there))
    values, vectors = np.linalg.eigh((here * counts) @ here.T / total)
    values, vectors = np.clip(values[::-1], 0, None), vectors[:, ::-1]
    vectors = np.pad(vectors, ((0, 0), (0, max(2 - len(values), 0))))[:, :2]
    signs = np.where(vectors[np.argmax(np.abs(vectors), axis=0), [0, 1]] < 0, -1.0, 1.0)
    vectors = vectors * signs
    shares = [float(value / (values.sum() or 1.0)) for value in (*values, 0.0)][:2]
    return Directions(vectors.T @ here, vectors.T @ there, (shares[0], shares[1]))


def _features(
    metric: Metric, axis: Axis, records: AxisNumbers, counts: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the features of one axis, and the categories or landmarks that they stand for."""
    marks = np.zeros(0, dtype=np.int64)
    if axis.kind not in (NUMBER, HOLED, EARTH):
        codes = records[axis.columns[0]].astype(np.int64)
        often = np.bincount(codes, weights=counts)
        marks = np.sort(np.argsort(-often, kind="stable")[:_MARKS])
    return _placed(axis, records, marks), marks


def _placed(axis: Axis, numbers: AxisNumbers, marks: NDArray[np.int64]) -> NDArray[np.float64]:
    row = numbers[axis.columns[0]]
    if axis.kind == EQUAL:
        return axis.weight / np.sqrt(2) * (row[None] == marks[:, None])
    if axis.kind not in (NUMBER, HOLED, EARTH):
        return axis.weight * axis_distances(axis, [marks[:, None].astype(np.float64)], [row[None]])
    if axis.kind == EARTH:
        north, east = np.radians(row), np.radians(numbers[axis.columns[1]])
        places = np.stack([np.cos(north) * np.cos(east), np.cos(north) * np.sin(east), np.sin(north)])
        return axis.weight * EARTH_RADIUS * places
    return axis.weight * row[None]
