"""(k, r, eps)-center: at most so many clusters of at least r records, some records left out, up to a factor of 4."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import Field

from shoal.clusters.objectives import Objective
from shoal.clusters.searches.far_centres import covered
from shoal.clusters.searches.gathering import MOST
from shoal.clusters.searches.points import Centres, FoundClusters, Points
from shoal.foundation.progress import Progress, silent
from shoal.search.algorithms.algorithm import Algorithm
from shoal.search.clusters.finishing import EffortField, Finish
from shoal.search.problem import Problem, Solution


@dataclass(frozen=True, slots=True, kw_only=True)
class RkCenterOutliers(Algorithm):
    """Keep the largest radius low, with at most `clusters` clusters of at least k records, and outliers left out.

    The paper's k is `clusters`, its r is the k that is promised, and its eps the share that may be suppressed.

    Idea: at a threshold tau, take one centre after the other, always the one with most uncovered records within tau,
    and cover all within 2 tau. Then the records that are kept are gathered as by `rk-center`, and the better of the two
    is published.

    Guarantee: the radius is at most 4 times that of the best such clusters, around whatever centres. The paper's own
    algorithm may leave clusters with fewer than r records; what is done about it, and the proof, are in `covered` in
    `clusters/searches/far_centres.py`.

    Cost: about twenty runs, each of which measures all pairs of distinct points.
    """

    name: ClassVar[str] = "rk-center-outliers"
    reference: ClassVar[str] = "Aggarwal et al. 2010, section 2.4, corrected"
    objective: ClassVar[Objective | None] = "radius"

    clusters: Annotated[int, Field(ge=1, description="The most clusters.")]
    centres: Centres = "any"
    effort: EffortField = 20

    def solve(self, problem: Problem, progress: Progress = silent) -> Solution:
        """Find clusters, lower their radii, and publish each as its centre."""

        def search(points: Points, limit: int, deadline: float, tell: Progress) -> FoundClusters:
            return covered(points, problem.k, self.clusters, limit, deadline, tell).finding(2)

        finish = Finish(objective="radius", centres=self.centres, effort=self.effort, most=MOST, clusters=self.clusters)
        return finish.solve(problem, self.name, search, progress)
