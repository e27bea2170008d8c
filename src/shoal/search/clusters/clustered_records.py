"""The clustered records of a table, one by one, and what clusters of them cost."""

from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import NDArray

from shoal.classes.grouping import Parts
from shoal.classes.records import Records
from shoal.clusters.objectives import Objective
from shoal.clusters.searches.points import Points, flat_coordinates, is_flat
from shoal.kernels.clusters.centres import DISTANCES, RADIUS, SQUARES, ClusterPricing
from shoal.kernels.clusters.clustering_state import MEMBER
from shoal.search.clusters.clustering import MetricTable

_GOALS: dict[Objective, int] = {"sse": SQUARES, "distortion": DISTANCES, "cellular": RADIUS, "radius": RADIUS}


@dataclass(frozen=True, slots=True, eq=False)
class ClusteredRecords:
    """The records that are in clusters, one by one, and their points.

    Args:
        points: The points, each with the number of its records that are in clusters.
        records: One `MEMBER` for each record; the records of a point are adjacent.
        label: The cluster of each record.
        listed: The index of each record among all records of the table.
        all: All records of the table.
    """

    points: Points
    records: NDArray[np.void]
    label: NDArray[np.int64]
    listed: NDArray[np.int64]
    all: Records

    @classmethod
    def of(cls, table: MetricTable, parts: Parts) -> "ClusteredRecords":
        """Return the records of the clusters of a table."""
        every = Records.of(table.problem.tally)
        label = every.labels(parts)
        listed = np.flatnonzero(label >= 0)
        used, point, counts = np.unique(every.point[listed], return_inverse=True, return_counts=True)
        records = np.zeros(len(listed), dtype=MEMBER)
        records["point"], records["profile"] = point, every.profile[listed]
        positions = np.ascontiguousarray(table.points.positions[:, used])
        return cls(Points(table.points.space, positions, counts), records, label[listed], listed, every)

    def parts(self, label: NDArray[np.int64]) -> Parts:
        """Return the clusters given by the labels of the records, numbered without gaps; other records are in none."""
        every = np.full(len(self.all.point), -1, dtype=np.int64)
        every[self.listed] = label
        return self.all.parts(every).filled()


def cluster_pricing_of(points: Points, objective: Objective, *, free: bool, setup: float = 0.0) -> ClusterPricing:
    """Return what clusters of points cost.

    In Euclidean space, sums of squares are computed from means. Coordinates are then centred, so that large numbers do
    not cancel.
    """
    space = points.space
    flat = objective == "sse" and free and is_flat(space)
    coordinates = flat_coordinates(points) if flat else None
    coordinates = np.zeros((0, 0)) if coordinates is None else coordinates
    return ClusterPricing(space, points.positions, flat, coordinates, _GOALS[objective], free, float(setup), inf, 0.0)
