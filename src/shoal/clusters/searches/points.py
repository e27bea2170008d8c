"""Points in a metric space, and clusters of their records."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.clusters.metrics import TABLE, Space, distances_between, distances_of_pairs

Centres = Literal["any", "records"]
"""Whether the centre of a cluster may stand anywhere in the space, or only where a record stands."""


@dataclass(frozen=True, slots=True, eq=False)
class Points:
    """The different places at which the records of a table stand, in the order of their codes.

    Args:
        space: How far they are from each other.
        positions: `positions[:, point]`, where each stands.
        counts: How many records stand there, at least one.
    """

    space: Space
    positions: NDArray[np.float64]
    counts: NDArray[np.int64]

    @classmethod
    def of_matrix(cls, distances: NDArray[np.float64], counts: NDArray[np.int64] | None = None) -> "Points":
        """Return points that are as far from each other as a matrix says."""
        n = len(distances)
        one, none = np.ones(1, dtype=np.int64), np.zeros(1, dtype=np.int64)
        table = np.ascontiguousarray(distances, dtype=np.float64).ravel()
        space = Space(False, TABLE * one, none, np.ones(1), table, none, n * one)
        return cls(
            space, np.arange(n, dtype=np.float64)[None], np.ones(n, dtype=np.int64) if counts is None else counts
        )

    def __len__(self) -> int:
        return len(self.counts)

    @property
    def n_records(self) -> int:
        """The number of records."""
        return int(self.counts.sum())

    def distances(self, chosen: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return how far some points are from all (`[chosen, point]`)."""
        return distances_between(self.space, self.positions[:, chosen], self.positions)


@dataclass(frozen=True, slots=True, eq=False)
class Clusters:
    """Which records of which point are in which cluster, and where its centre is.

    Args:
        points: The point of each entry; no point and cluster stand together twice.
        owners: Its cluster, or -1 where the records are in none.
        amounts: The number of records, at least one.
        centres: `centres[:, cluster]`, positions.
        bound: What no clustering of the kind that is asked for can be below, by the objective.
    """

    points: NDArray[np.int64]
    owners: NDArray[np.int64]
    amounts: NDArray[np.int64]
    centres: NDArray[np.float64]
    bound: float = 0.0

    @property
    def n_clusters(self) -> int:
        """The number of clusters."""
        return self.centres.shape[1]

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The number of records of each cluster."""
        inside = self.owners >= 0
        return np.bincount(self.owners[inside], weights=self.amounts[inside], minlength=self.n_clusters).astype(
            np.int64
        )

    def far(self, points: Points) -> NDArray[np.float64]:
        """Return how far the records of each entry are from their centre; 0 for those in no cluster."""
        inside = self.owners >= 0
        far = np.zeros(len(self.owners))
        far[inside] = distances_of_pairs(
            points.space, points.positions[:, self.points[inside]], self.centres[:, self.owners[inside]]
        )
        return far

    def radii(self, points: Points) -> NDArray[np.float64]:
        """Return how far the farthest record of each cluster is from its centre."""
        radii = np.zeros(self.n_clusters)
        inside = self.owners >= 0
        np.maximum.at(radii, self.owners[inside], self.far(points)[inside])
        return radii


@dataclass(frozen=True, slots=True, eq=False)
class FoundClusters:
    """Clusters that a search found, and what is known about their objective.

    Args:
        found: The clusters, with their bound.
        factor: How many optima the objective is at most; None if that is not known.
        remark: What the user should know.
    """

    found: Clusters
    factor: float | None = None
    remark: str = ""

    @property
    def bound(self) -> float:
        """What the objective is at least."""
        return self.found.bound
