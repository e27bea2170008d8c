"""(k, r, eps)-center: a limited number of clusters of at least r records, outliers left out, up to a factor of 4."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import Field

from shoal.clusters.objectives import Objective
from shoal.clusters.searches.far_centres import covered
from shoal.clusters.searches.gathering import MOST
from shoal.clusters.searches.points import FoundClusters, Points
from shoal.foundation.progress import Progress
from shoal.search.algorithms.cluster_algorithm import ClusterAlgorithm


@dataclass(frozen=True, slots=True, kw_only=True)
class RkCenterOutliers(ClusterAlgorithm):
    """Keep the largest radius low, with at most `clusters` clusters of at least k records, and outliers left out.

    The paper's k is `clusters`, its r is the k that is promised, and its eps the share that may be suppressed.

    Idea: at a threshold tau, choose one centre after the other, always the one with the most uncovered records within
    tau, and cover all within 2 tau. Then the records that are kept are gathered as by `rk-center`, and the better of
    the two results is published.

    Guarantee: the radius is at most 4 times that of the best such clusters, around any centres. The paper's own
    algorithm may leave clusters with fewer than r records; what is done about it, and the proof, are in `covered` in
    `clusters/searches/far_centres.py`.

    Cost: about twenty runs, each of which computes the distances of all pairs of distinct points.
    """

    name: ClassVar[str] = "rk-center-outliers"
    reference: ClassVar[str] = "Aggarwal et al. 2010, section 2.4, corrected"
    objective: ClassVar[Objective] = "radius"
    most: ClassVar[int] = MOST
    leaves_out: ClassVar[bool] = True

    clusters: Annotated[int, Field(ge=1, description="The most clusters.")]

    @property
    def most_clusters(self) -> int:
        """As was asked for."""
        return self.clusters

    def found(self, points: Points, k: int, limit: int, deadline: float, tell: Progress) -> FoundClusters:
        """Search for the least threshold at which few enough centres cover enough records."""
        return covered(points, k, self.clusters, limit, deadline, tell).finding(2)
