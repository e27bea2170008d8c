"""(r, eps)-gather: clusters of at least r records with some records left out, up to a factor of 4, or 3."""

from dataclasses import dataclass
from typing import ClassVar

from shoal.clusters.objectives import Objective
from shoal.clusters.searches.gathering import MOST
from shoal.clusters.searches.outliers import gathered_balls, gathered_core
from shoal.clusters.searches.points import Centres, FoundClusters, Points
from shoal.foundation.progress import Progress, silent
from shoal.search.algorithms.algorithm import Algorithm
from shoal.search.clusters.finishing import EffortField, Finish
from shoal.search.problem import Problem, Solution

_REGION = 2_000  # points of a region of a large table: all of its pairs are measured several times


@dataclass(frozen=True, slots=True, kw_only=True)
class RGatherOutliers(Algorithm):
    """Keep the largest radius of a cluster low, with at least k records in each, and outliers left out.

    The paper's r is the k that is promised, and its eps the share that may be suppressed.

    Idea: look for the least radius at which enough records have k around them, and make clusters of the balls of that
    radius that still hold k; the rest join the nearest centre. Then the records that are kept are gathered as by
    `r-gather`, and the better of the two is published.

    Guarantee: the radius is at most 4 times that of the best clusters, around whatever centres. With `centres` =
    `records` it is at most 3 times that of the best clusters around records, and the bound is one for these. The proofs
    are in `gathered_core` and `gathered_balls` in `clusters/searches/outliers.py`. Both find the least radius without
    trying any.

    Cost: all pairs of distinct points are measured a few times, and for "any" some rows again for each outlier.
    Memory for some numbers for each point.
    """

    name: ClassVar[str] = "r-gather-outliers"
    reference: ClassVar[str] = "Aggarwal et al. 2010, section 2.3"
    objective: ClassVar[Objective | None] = "radius"

    centres: Centres = "any"
    effort: EffortField = 20

    def solve(self, problem: Problem, progress: Progress = silent) -> Solution:
        """Find clusters, lower their radii, and publish each as its centre."""

        def search(points: Points, limit: int, deadline: float, tell: Progress) -> FoundClusters:
            found = gathered_core if self.centres == "any" else gathered_balls
            return found(points, problem.k, limit, deadline, tell)

        finish = Finish(objective="radius", centres=self.centres, effort=self.effort, most=MOST, region=_REGION)
        return finish.solve(problem, self.name, search, progress)
