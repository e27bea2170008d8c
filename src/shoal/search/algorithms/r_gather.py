"""r-gather: clusters of at least r records, the largest of which is as small as can be, up to a factor of 2."""

from dataclasses import dataclass
from typing import ClassVar

from shoal.clusters.objectives import Objective
from shoal.clusters.searches.gathering import MOST, gathered
from shoal.clusters.searches.points import Centres, FoundClusters, Points
from shoal.foundation.progress import Progress, silent
from shoal.search.algorithms.algorithm import Algorithm
from shoal.search.clusters.finishing import EffortField, Finish
from shoal.search.problem import Problem, Solution


@dataclass(frozen=True, slots=True, kw_only=True)
class RGather(Algorithm):
    """Keep the largest radius of a cluster low, with at least k records in each.

    The paper's r is the k that is promised.

    Idea: at a threshold tau, take points as centres that are farther than tau from each other, until all are within
    tau of one. A maximum flow tells whether each centre can have k records among those within tau. The least threshold
    at which this works is looked for.

    Guarantee: the radius is at most 2 times that of the best clusters, around whatever centres, and no algorithm can
    promise less in polynomial time unless P = NP, where centres are records (001 s.2.1). The bound is half of the
    threshold. Why, and why the search may jump although success is not monotone in the threshold: `gathered` in
    `clusters/searches/gathering.py` and `least_threshold` in `clusters/searches/thresholds.py`.

    Cost: all pairs of distinct points are measured once; then about twenty runs, each of which measures (number of
    centres) x (number of points) distances, and some flows over the pairs of a centre and a point within the threshold.
    Memory for these pairs, never for all.
    """

    name: ClassVar[str] = "r-gather"
    reference: ClassVar[str] = "Aggarwal et al. 2010, section 2.2"
    objective: ClassVar[Objective | None] = "radius"

    centres: Centres = "any"
    effort: EffortField = 20

    def solve(self, problem: Problem, progress: Progress = silent) -> Solution:
        """Find clusters, lower their radii, and publish each as its centre."""

        def search(points: Points, limit: int, deadline: float, tell: Progress) -> FoundClusters:
            return gathered(points, problem.k, None, deadline, tell).finding(1, limit)

        finish = Finish(objective="radius", centres=self.centres, effort=self.effort, most=MOST)
        return finish.solve(problem, self.name, search, progress)
