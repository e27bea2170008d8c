"""Crowds: the records that are in clusters, one by one, and what clusters of them pay."""

from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import NDArray

from shoal.classes.grouping import Parts
from shoal.classes.records import Records
from shoal.clusters.objectives import Objective
from shoal.clusters.searches.points import Points
from shoal.kernels.clusters.clustering_state import MEMBER
from shoal.kernels.clusters.metrics import NUMBER, Space
from shoal.kernels.clusters.seats import DISTANCES, REACH, SQUARES, ClusterPricing
from shoal.search.clusters.clustering import MetricTable

_GOALS: dict[Objective, int] = {"sse": SQUARES, "distortion": DISTANCES, "cellular": REACH, "radius": REACH}


@dataclass(frozen=True, slots=True, eq=False)
class ClusteredRecords:
    """The records that are in clusters, one by one, and the points where they stand.

    Args:
        points: The points, each with the number of its records that are in clusters.
        records: The records, as `MEMBER`; those of a point stand side by side.
        label: The cluster of each.
        listed: The number of each among all records of the table.
        all: All records of the table.
    """

    points: Points
    records: NDArray[np.void]
    label: NDArray[np.int64]
    listed: NDArray[np.int64]
    all: Records

    @classmethod
    def of(cls, places: MetricTable, parts: Parts) -> "ClusteredRecords":
        """List the records of the clusters of a table."""
        every = Records.of(places.problem.tally)
        label = every.labels(parts)
        listed = np.flatnonzero(label >= 0)
        used, point, counts = np.unique(every.point[listed], return_inverse=True, return_counts=True)
        records = np.zeros(len(listed), dtype=MEMBER)
        records["point"], records["profile"] = point, every.profile[listed]
        positions = np.ascontiguousarray(places.points.positions[:, used])
        return cls(Points(places.points.space, positions, counts), records, label[listed], listed, every)

    def parts(self, label: NDArray[np.int64]) -> Parts:
        """Return the clusters that the labels of the records say, numbered without gaps; all others are in none."""
        every = np.full(len(self.all.point), -1, dtype=np.int64)
        every[self.listed] = label
        return self.all.parts(every).filled()


def pricing_of(points: Points, objective: Objective, *, free: bool, setup: float = 0.0) -> ClusterPricing:
    """Return what clusters of points pay. In a space of numbers alone sums of squares are worked out by means."""
    space = points.space
    flat = objective == "sse" and free and is_flat(space)
    coordinates = np.zeros((0, 0))
    if flat:
        middle = np.average(points.positions, axis=1, weights=points.counts)  # so that large numbers do not cancel
        coordinates = np.ascontiguousarray((points.positions - middle[:, None]).T * space.weights)
    return ClusterPricing(space, points.positions, flat, coordinates, _GOALS[objective], free, float(setup), inf, 0.0)


def is_flat(space: Space) -> bool:
    """Tell whether a space is that of numbers under L2, where a move of a record is worked out by means."""
    return bool(space.squares and (space.kinds == NUMBER).all())
