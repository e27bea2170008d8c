"""Points in a metric space, and clusters of their records."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.clusters.metrics import NUMBER, TABLE, Space, distances_between, distances_of_pairs

BOUND_OF_ALL = "the bound is one for the whole table"
"""A remark on a bound that was not found together with the clusters."""

Centres = Literal["any", "records"]
"""Whether the centre of a cluster may be any point of the space, or only the position of a record."""


@dataclass(frozen=True, slots=True, eq=False)
class Points:
    """The distinct positions of the records of a table, in the order of their codes.

    Args:
        space: The metric space, for compiled loops.
        positions: `positions[:, point]`, the coordinates of each point.
        counts: The number of records of each point, at least one.
    """

    space: Space
    positions: NDArray[np.float64]
    counts: NDArray[np.int64]

    @classmethod
    def of_matrix(cls, distances: NDArray[np.float64], counts: NDArray[np.int64] | None = None) -> "Points":
        """Return points with the pairwise distances of a matrix."""
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
        """Return the distances of some points to all points (`[chosen, point]`)."""
        return distances_between(self.space, self.positions[:, chosen], self.positions)


def is_flat(space: Space) -> bool:
    """Return whether a space is Euclidean (numbers under L2), so that means give the cost of a move."""
    return bool(space.squares and (space.kinds == NUMBER).all())


def on_a_line(space: Space) -> bool:
    """Return whether a space is one column of numbers, where the best classes by squared errors are runs."""
    return is_flat(space) and len(space.kinds) == 1


def flat_coordinates(points: Points) -> NDArray[np.float64] | None:
    """Return coordinates of the points (`[point, axis]`) in which distances are Euclidean; None if there are none.

    They are centred, so that large numbers do not cancel.
    """
    if not is_flat(points.space):
        return None
    middle = np.average(points.positions, axis=1, weights=points.counts)
    return np.ascontiguousarray((points.positions - middle[:, None]).T * points.space.weights)


@dataclass(frozen=True, slots=True, eq=False)
class Clusters:
    """Clusters of records: how many records of which point are in which cluster, and the centres.

    Args:
        points: The point of each entry; each pair of point and cluster occurs once.
        owners: Its cluster, or -1 if the records are left out.
        amounts: The number of records, at least one.
        centres: `centres[:, cluster]`, positions.
        bound: A lower bound on the objective over all clusterings that meet the requirements.
    """

    points: NDArray[np.int64]
    owners: NDArray[np.int64]
    amounts: NDArray[np.int64]
    centres: NDArray[np.float64]
    bound: float = 0.0

    @classmethod
    def of_records(
        cls, point: NDArray[np.int64], owner: NDArray[np.int64], centres: NDArray[np.float64], bound: float = 0.0
    ) -> "Clusters":
        """Return clusters, given the point and the cluster of each record; those of no cluster are -1."""
        width = centres.shape[1] + 1
        keys, amounts = np.unique(point * width + owner + 1, return_counts=True)
        place, owners = np.divmod(keys, width)
        return cls(place, owners - 1, amounts.astype(np.int64), centres, bound)

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
        """Return the distance of each entry from its centre; 0 if it is in no cluster."""
        inside = self.owners >= 0
        far = np.zeros(len(self.owners))
        far[inside] = distances_of_pairs(
            points.space, points.positions[:, self.points[inside]], self.centres[:, self.owners[inside]]
        )
        return far

    def radii(self, points: Points) -> NDArray[np.float64]:
        """Return the radius of each cluster: the largest distance of its records from its centre."""
        radii = np.zeros(self.n_clusters)
        inside = self.owners >= 0
        np.maximum.at(radii, self.owners[inside], self.far(points)[inside])
        return radii


@dataclass(frozen=True, slots=True, eq=False)
class FoundClusters:
    """The clusters that a search found, and what is proven about their objective.

    Args:
        found: The clusters, with their bound.
        factor: The proven ratio of the objective to the optimum; None if there is none.
        remark: A remark for the user.
        bound_remark: What the bound is one for; said only where the bound is.
        best: Whether no clusters of least size cost less, up to the rounding of published centres.
    """

    found: Clusters
    factor: float | None = None
    remark: str = ""
    bound_remark: str = ""
    best: bool = False

    @property
    def bound(self) -> float:
        """A lower bound on the objective."""
        return self.found.bound
