"""r-gather: clusters of at least r records, the largest of which is as small as possible, up to a factor of 2."""

from dataclasses import dataclass
from typing import ClassVar

from shoal.clusters.objectives import Objective
from shoal.clusters.searches.gathering import MOST, gathered
from shoal.clusters.searches.points import FoundClusters, Points
from shoal.foundation.progress import Progress
from shoal.search.algorithms.cluster_algorithm import ClusterAlgorithm


@dataclass(frozen=True, slots=True, kw_only=True)
class RGather(ClusterAlgorithm):
    """Keep the largest radius of a cluster low, with at least k records in each.

    The paper's r is the k that is promised.

    Idea: at a threshold tau, choose points as centres that are farther than tau from each other, until all points are
    within tau of one. A maximum flow decides whether each centre can have k records among those within tau. The least
    threshold at which this succeeds is searched for.

    Guarantee: the radius is at most 2 times that of the best clusters, around any centres, and no algorithm can promise
    less in polynomial time unless P = NP, where centres are records (Aggarwal et al. 2010, section 2.1). The bound is
    half of the threshold. The proof, and why the search may skip thresholds although success is not monotone in the
    threshold: `gathered` in `clusters/searches/gathering.py` and `least_threshold` in
    `clusters/searches/thresholds.py`.

    Cost: the distances of all pairs of distinct points are computed once; then about twenty runs, each of which
    computes (number of centres) x (number of points) distances, and some flows over the pairs of a centre and a point
    within the threshold. Memory for these pairs, never for all.
    """

    name: ClassVar[str] = "r-gather"
    reference: ClassVar[str] = "Aggarwal et al. 2010, section 2.2"
    objective: ClassVar[Objective] = "radius"
    most: ClassVar[int] = MOST

    def found(self, points: Points, k: int, limit: int, deadline: float, tell: Progress) -> FoundClusters:
        """Search for the least threshold at which a flow gives every centre its records."""
        return gathered(points, k, None, deadline, tell).finding(1, limit)
