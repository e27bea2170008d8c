"""R-cellular: clusters of at least k records whose records times radii are few."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import Field

from shoal.clusters.objectives import Objective
from shoal.clusters.searches.cellular import MOST, PRIVATE_FACTOR, REGION, CellularRequest, finding_of, r_cellular
from shoal.clusters.searches.points import Centres, FoundClusters, Points
from shoal.foundation.progress import Progress, silent
from shoal.search.algorithms.algorithm import Algorithm
from shoal.search.clusters.finishing import EffortField, Finish
from shoal.search.problem import Problem, Solution


@dataclass(frozen=True, slots=True, kw_only=True)
class RCellular(Algorithm):
    """Split the records into clusters of at least k, each of which costs its records times its radius.

    Idea: a cluster of radius d shall cost k d beside, as `cellular` has it: enough to borrow k records from others.
    Then all borrowed records are shared out again. The paper's r is k, the least size that any promise asks for.

    Guarantee: at most 36 times the least cost of clusters around records, at most 72 times that of clusters around any
    centres; the bound for the table at hand is far nearer. The proof stands in `clusters/searches/cellular.py` and
    `clusters/searches/sharing.py`.

    Cost: as `cellular`; then O(n k).

    Args:
        setup: What each cluster costs beside; in the unit of distances, times records.
        centres: What the bound and the factor are compared with: clusters around `records`, as in the paper, or `any`.
    """

    name: ClassVar[str] = "r-cellular"
    reference: ClassVar[str] = "Aggarwal et al. 2010, Theorem 3.8"
    objective: ClassVar[Objective | None] = "cellular"

    setup: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 0.0
    centres: Centres = "records"
    effort: EffortField = 20

    def solve(self, problem: Problem, progress: Progress = silent) -> Solution:
        """Let the charges grow, open clusters, share records out, and lower their cost."""

        def search(points: Points, limit: int, deadline: float, tell: Progress) -> FoundClusters:
            request = CellularRequest(points, problem.k, self.setup, limit, self.centres, deadline, tell)
            return finding_of(r_cellular(request), self.centres, limit, factor=PRIVATE_FACTOR)

        finish = Finish(
            objective="cellular", centres=self.centres, effort=self.effort, most=MOST, region=REGION, setup=self.setup
        )
        return finish.solve(problem, self.name, search, progress)
