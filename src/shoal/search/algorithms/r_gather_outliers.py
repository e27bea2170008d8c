"""(r, eps)-gather: clusters of at least r records with some records left out, up to a factor of 4, or 3."""

from dataclasses import dataclass
from typing import ClassVar

from shoal.clusters.objectives import Objective
from shoal.clusters.searches.gathering import MOST
from shoal.clusters.searches.outliers import gathered_balls, gathered_core
from shoal.clusters.searches.points import FoundClusters, Points
from shoal.foundation.progress import Progress
from shoal.search.algorithms.cluster_algorithm import ClusterAlgorithm


@dataclass(frozen=True, slots=True, kw_only=True)
class RGatherOutliers(ClusterAlgorithm):
    """Keep the largest radius of a cluster low, with at least k records in each, and outliers left out.

    The paper's r is the k that is promised, and its eps the share that may be suppressed.

    Idea: find the least radius at which enough records have k records around them, and make clusters of the balls of
    that radius that still contain k; the other records join the nearest centre. Then the records that are kept are
    gathered as by `r-gather`, and the better of the two results is published.

    Guarantee: the radius is at most 4 times that of the best clusters, around any centres. With `centres` = `records`
    it is at most 3 times that of the best clusters around records, and the bound is one for these. The proofs are in
    `gathered_core` and `gathered_balls` in `clusters/searches/outliers.py`. Both find the least radius without trying
    any.

    Cost: the distances of all pairs of distinct points are computed a few times, and for "any" some rows again for each
    outlier. Memory for some numbers for each point.
    """

    name: ClassVar[str] = "r-gather-outliers"
    reference: ClassVar[str] = "Aggarwal et al. 2010, section 2.3"
    objective: ClassVar[Objective] = "radius"
    most: ClassVar[int] = MOST
    leaves_out: ClassVar[bool] = True
    region: ClassVar[int] = 2_000  # all pairs of its points are measured several times

    def found(self, points: Points, k: int, limit: int, deadline: float, tell: Progress) -> FoundClusters:
        """Find the least radius at which enough records have k around them, and make clusters of such balls."""
        search = gathered_core if self.centres == "any" else gathered_balls
        return search(points, k, limit, deadline, tell)
