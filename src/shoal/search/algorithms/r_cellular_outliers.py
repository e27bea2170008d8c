"""R-cellular with outliers: clusters of at least k records whose records times radii are few, without some records."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import Field

from shoal.clusters.objectives import Objective
from shoal.clusters.searches.cellular import (
    MOST,
    OUTLIER_FACTOR,
    REGION,
    CellularRequest,
    finding_of,
    r_cellular_outliers,
)
from shoal.clusters.searches.points import Centres, FoundClusters, Points
from shoal.foundation.progress import Progress, silent
from shoal.search.algorithms.algorithm import Algorithm
from shoal.search.clusters.finishing import EffortField, Finish
from shoal.search.problem import Problem, Solution


@dataclass(frozen=True, slots=True, kw_only=True)
class RCellularOutliers(Algorithm):
    """Leave out records up to the limit, and split the others into clusters of at least k that cost little.

    Idea: as `r-cellular`, but the charges stop growing once few enough records have not joined: these are left out. How
    wide the widest cluster of the best clustering is has to be guessed, since the last cluster may serve but one of the
    records that paid for it.

    Guarantee: at most 54 times the least cost of clusters around records that leave out as many, at most 108 times
    that of clusters around any centres. The paper says that there is a constant and names none; the proof of this one
    stands in `clusters/searches/cellular.py`.

    Cost: as `r-cellular`, some times over.

    Args:
        setup: What each cluster costs beside; in the unit of distances, times records.
        centres: What the bound and the factor are compared with: clusters around `records`, as in the paper, or `any`.
    """

    name: ClassVar[str] = "r-cellular-outliers"
    reference: ClassVar[str] = "Aggarwal et al. 2010, end of section 3.1; Charikar et al. 2001"
    objective: ClassVar[Objective | None] = "cellular"

    setup: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 0.0
    centres: Centres = "records"
    effort: EffortField = 20

    def solve(self, problem: Problem, progress: Progress = silent) -> Solution:
        """Guess, let the charges grow, open clusters, share records out; lower the cost of the best of all guesses."""

        def search(points: Points, limit: int, deadline: float, tell: Progress) -> FoundClusters:
            request = CellularRequest(points, problem.k, self.setup, limit, self.centres, deadline, tell)
            found = r_cellular_outliers(request)
            return finding_of(found, self.centres, limit, factor=OUTLIER_FACTOR, leaves_out=True)

        finish = Finish(
            objective="cellular", centres=self.centres, effort=self.effort, most=MOST, region=REGION, setup=self.setup
        )
        return finish.solve(problem, self.name, search, progress)
