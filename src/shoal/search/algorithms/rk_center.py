"""(k, r)-center: a limited number of clusters of at least r records, the largest small, up to a factor of 2."""

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

from pydantic import Field

from shoal.clusters.objectives import Objective
from shoal.clusters.searches.gathering import MOST, gathered
from shoal.clusters.searches.points import FoundClusters, Points
from shoal.foundation.progress import Progress
from shoal.search.algorithms.cluster_algorithm import ClusterAlgorithm


@dataclass(frozen=True, slots=True, kw_only=True)
class RkCenter(ClusterAlgorithm):
    """Keep the largest radius low, with at most `clusters` clusters of at least k records each.

    The paper's k is `clusters`, and its r is the k that is promised.

    Idea: as `r-gather`, but a threshold at which there are too many centres fails. In the best solution no cluster
    contains two centres, so from its largest diameter on there are never too many (Aggarwal et al. 2010, Lemma 2.2
    holds unchanged).

    Guarantee: the radius is at most 2 times that of the best such clusters, around any centres.

    More clusters never have a larger radius: see `search/clusters/limited.py`.

    Cost: as `r-gather`, several times.
    """

    name: ClassVar[str] = "rk-center"
    reference: ClassVar[str] = "Aggarwal et al. 2010, section 2.4"
    objective: ClassVar[Objective] = "radius"
    most: ClassVar[int] = MOST

    clusters: Annotated[int, Field(ge=1, description="The most clusters.")]

    @property
    def most_clusters(self) -> int:
        """As was asked for."""
        return self.clusters

    def limited_to(self, clusters: int) -> "RkCenter":
        """Return the algorithm with another limit."""
        return replace(self, clusters=clusters)

    def found(self, points: Points, k: int, limit: int, deadline: float, tell: Progress) -> FoundClusters:
        """Search for the least threshold at which few enough centres get their records."""
        return gathered(points, k, self.clusters, deadline, tell).finding(1, limit)
