"""Cellular: clusters of any size whose records times radii are few, each at a cost of its own."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from shoal.clusters.objectives import Objective
from shoal.clusters.searches.cellular import FACTOR, MOST, REGION, cellular, finding_of
from shoal.clusters.searches.points import Centres, FoundClusters, Points
from shoal.foundation.progress import Progress, silent
from shoal.search.algorithms.algorithm import Algorithm
from shoal.search.clusters.finishing import EffortField, Finish
from shoal.search.problem import Problem, Solution


@dataclass(frozen=True, slots=True, kw_only=True)
class Cellular(Algorithm):
    """Split the records into clusters of any size, each of which costs its records times its radius, and `setup`.

    Idea: each record is charged more and more, all alike, until the records around some centre have paid for a cluster
    there: a radius each, and together its setup. These join it, and are charged no more. So all charges are a bound.
    The clusters that were paid for are thinned out until nobody pays for two, or kept, if that is cheaper.

    Guarantee: at most 3 times the least cost of clusters around records, at most 6 times that of clusters around any
    centres. The proof stands in `clusters/searches/cellular.py`.

    Clusters may be of one record: it is no privacy by itself. `r-cellular` is the one with a least size.

    Cost: O(n^2 log n) for n distinct points, to sort their distances; then mostly less. Memory: 12 n^2 bytes, at most
    2 GB.

    Args:
        setup: What each cluster costs beside; in the unit of distances, times records. The larger it is, the fewer.
        centres: What the bound and the factor are compared with: clusters around `records`, as in the paper, or `any`.
    """

    name: ClassVar[str] = "cellular"
    reference: ClassVar[str] = "Aggarwal et al. 2010, Theorem 3.5"
    objective: ClassVar[Objective | None] = "cellular"

    setup: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 1.0
    centres: Centres = "records"
    effort: EffortField = 20

    def solve(self, problem: Problem, progress: Progress = silent) -> Solution:
        """Let the charges grow, open clusters, and lower their cost."""

        def search(points: Points, limit: int, deadline: float, tell: Progress) -> FoundClusters:
            setup = np.full(len(points), self.setup)
            opened = cellular(points, setup, limit=limit, centres=self.centres, deadline=deadline, tell=tell)
            return finding_of(opened, self.centres, limit, factor=FACTOR)

        finish = Finish(
            objective="cellular", centres=self.centres, effort=self.effort, most=MOST, region=REGION, setup=self.setup
        )
        return finish.solve(problem, self.name, search, progress)
