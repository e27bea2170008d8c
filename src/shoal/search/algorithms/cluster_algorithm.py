"""What an algorithm is that publishes clusters: it finds some, and their objective is lowered."""

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

from pydantic import Field

from shoal.clusters.objectives import Objective
from shoal.clusters.searches import cellular
from shoal.clusters.searches.few_records import best_clusters
from shoal.clusters.searches.leaving_out import spent
from shoal.clusters.searches.points import Centres, FoundClusters, Points
from shoal.foundation.progress import Progress, silent
from shoal.search.algorithms.algorithm import Algorithm
from shoal.search.clusters.finishing import EffortField, Finish
from shoal.search.problem import Problem, Solution


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterAlgorithm(Algorithm):
    """A way to find clusters around centres.

    `most`: how many points are searched at once. `region`: how many points a part of a larger table has. `leaves_out`:
    records may be left out, and as many are as lowers the objective.

    Args:
        centres: What the bound and the factor are compared with: clusters around `records`, or around `any` centres.
    """

    objective: ClassVar[Objective]
    most: ClassVar[int]
    region: ClassVar[int] = 4_000
    leaves_out: ClassVar[bool] = False

    centres: Centres = "any"
    effort: EffortField = 20

    @property
    def centre_places(self) -> str:
        """As was asked for."""
        return self.centres

    @property
    def most_clusters(self) -> int | None:
        """How many clusters there may be, if that is limited."""
        return None

    def limited_to(self, clusters: int) -> "ClusterAlgorithm":
        """Return the algorithm with another limit of the number of clusters; the same where there is none."""
        return self

    @abstractmethod
    def found(self, points: Points, k: int, limit: int, deadline: float, tell: Progress) -> FoundClusters:
        """Find clusters of some points.

        Args:
            points: The points.
            k: The least number of records of a cluster.
            limit: How many records may be left out.
            deadline: When to end.
            tell: Called with the share of the work that is done.
        """

    def solve(self, problem: Problem, progress: Progress = silent) -> Solution:
        """Find clusters, lower their objective, and publish each as its centre."""

        def search(points: Points, limit: int, deadline: float, tell: Progress) -> FoundClusters:
            found = self.found(points, problem.k, limit, deadline, tell)
            return self._with_outliers(points, problem.k, limit, found) if self.leaves_out and self.effort else found

        finish = Finish(
            objective=self.objective,
            centres=self.centres,
            effort=self.effort,
            most=self.most,
            region=self.region,
            setup=self.cluster_cost,
            clusters=self.most_clusters,
        )
        if self.most_clusters is None or self.leaves_out or problem.limit > 0:
            return finish.solve(problem, self.name, search, progress)

        def level(points: Points, most: int, deadline: float, tell: Progress) -> FoundClusters:
            return self.limited_to(most).found(points, problem.k, 0, deadline, tell)

        return finish.solve(problem, self.name, search, progress, level)

    def _with_outliers(self, points: Points, k: int, limit: int, finding: FoundClusters) -> FoundClusters:
        """Leave out more records where that lowers the objective; of a few records, find the best clusters."""
        setup = self.cluster_cost if self.objective == "cellular" else None
        best = best_clusters(points, k, limit, most=self.most_clusters, setup=setup)
        if best is None:
            return replace(finding, found=spent(points, finding.found, k, limit, cellular=setup is not None))
        if self.centres == "records":
            return FoundClusters(best, 1.0)
        return replace(finding, found=replace(best, bound=finding.bound))


@dataclass(frozen=True, slots=True, kw_only=True)
class CellularAlgorithm(ClusterAlgorithm):
    """A way to find clusters of which each costs its number of records times its radius, and a fixed cost.

    Args:
        setup: The fixed cost of a cluster, in the unit of distances times records. The larger, the fewer clusters.
        centres: What the bound and the factor are compared with: clusters around `records`, as in the paper, or `any`.
    """

    objective: ClassVar[Objective] = "cellular"
    most: ClassVar[int] = cellular.MOST
    region: ClassVar[int] = cellular.REGION

    setup: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 0.0
    centres: Centres = "records"

    @property
    def cluster_cost(self) -> float:
        """As was asked for."""
        return self.setup
