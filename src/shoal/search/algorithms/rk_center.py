"""(k, r)-center: a limited number of clusters of at least r records, the largest small, up to a factor of 2."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import Field

from shoal.clusters.objectives import Objective
from shoal.clusters.searches.gathering import MOST, gathered
from shoal.clusters.searches.points import Centres, FoundClusters, Points
from shoal.foundation.progress import Progress, silent
from shoal.search.algorithms.algorithm import Algorithm
from shoal.search.clusters.finishing import EffortField, Finish
from shoal.search.problem import Problem, Solution


@dataclass(frozen=True, slots=True, kw_only=True)
class RkCenter(Algorithm):
    """Keep the largest radius low, with at most `clusters` clusters of at least k records each.

    The paper's k is `clusters`, and its r is the k that is promised.

    Idea: as `r-gather`, but a threshold at which there are too many centres fails. In the best solution no cluster
    contains two centres, so from its largest diameter on there are never too many (001 Lemma 2.2 holds unchanged).

    Guarantee: the radius is at most 2 times that of the best such clusters, around any centres.

    Cost: as `r-gather`.
    """

    name: ClassVar[str] = "rk-center"
    reference: ClassVar[str] = "Aggarwal et al. 2010, section 2.4"
    objective: ClassVar[Objective | None] = "radius"

    clusters: Annotated[int, Field(ge=1, description="The most clusters.")]
    centres: Centres = "any"
    effort: EffortField = 20

    @property
    def centre_places(self) -> str:
        """As was asked for."""
        return self.centres

    def solve(self, problem: Problem, progress: Progress = silent) -> Solution:
        """Find clusters, lower their radii, and publish each as its centre."""

        def search(points: Points, limit: int, deadline: float, tell: Progress) -> FoundClusters:
            return gathered(points, problem.k, self.clusters, deadline, tell).finding(1, limit)

        finish = Finish(objective="radius", centres=self.centres, effort=self.effort, most=MOST, clusters=self.clusters)
        return finish.solve(problem, self.name, search, progress)
