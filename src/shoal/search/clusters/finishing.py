"""From the clusters that a search found to a release: every promise is kept, and the objective is lowered."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from shoal.classes.grouping import Parts
from shoal.clusters.objectives import Objective
from shoal.clusters.searches.grains import in_grains
from shoal.clusters.searches.halving import halved
from shoal.clusters.searches.large import in_regions
from shoal.clusters.searches.points import Centres, Clusters, FoundClusters, Points
from shoal.clusters.searches.splitting import split_clusters
from shoal.foundation.progress import Progress
from shoal.models.k_anonymity import KAnonymity
from shoal.search.clusters.clustering import MetricTable
from shoal.search.clusters.improving import improved, objective_of, recentred
from shoal.search.clusters.limited import Climb, clusters_of
from shoal.search.clusters.squared_errors import SquaresBound, bound_of_squares
from shoal.search.local.merging import join_failing
from shoal.search.problem import Problem, Solution

_JOINED = "clusters were joined to keep every promise"
_BEST = "no classes lose less, but for the rounding of published means"
_UNKNOWN = ", which the factor knows nothing of"

Levelled = Callable[[Points, int, float, Progress], FoundClusters]
Timed = Callable[[Points, int, float, Progress], FoundClusters]
_MOVES = 1_000_000  # the largest number of moves where a move is expensive, unless there are more records
_LARGE = 50  # in clusters of more records a move is still more expensive


EffortField = Annotated[
    int, Field(ge=0, description="How many moves are tried for each record, to lower the objective.")
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finish:
    """What becomes of the clusters that a search finds.

    Args:
        objective: The objective to lower.
        centres: Whether a centre may be anywhere, or only at a record.
        effort: How many moves are tried for each record.
        most: How many points are searched at once. More are split into regions or, where the number of clusters is
            limited, joined into grains.
        region: The largest number of points of a region.
        setup: The fixed cost of a cluster.
        clusters: The largest number of clusters.
        squares: How a bound on the sum of squared errors is looked for.
    """

    objective: Objective
    centres: Centres = "any"
    effort: int = 0
    most: int | None = None
    region: int = 4_000
    setup: float = 0.0
    clusters: int | None = None
    squares: SquaresBound = "none"

    def solve(
        self, problem: Problem, name: str, search: Timed, progress: Progress, level: Levelled | None = None
    ) -> Solution:
        """Search for clusters, in parts if there are many points, and return their release.

        Args:
            problem: The problem.
            name: The name of the algorithm, for messages.
            search: Finds clusters of some points until a deadline; it may leave out a given number of records.
            progress: Called with the share of the work that is done.
            level: Where the number of clusters is limited, finds at most a given number of clusters.
        """
        deadline = problem.deadline()
        table = MetricTable.of(problem, name)

        def timed(points: Points, limit: int, tell: Progress) -> FoundClusters:
            return search(points, limit, deadline, tell)

        if self.clusters is not None and self.most is not None and len(table.points) > self.most:
            found = in_grains(table.points, timed, clusters=self.clusters, limit=problem.limit, progress=progress)
            return self.release(table, found, deadline, progress)
        found = in_regions(
            table.points,
            timed,
            self.objective,
            most=self.most or len(table.points),
            region=self.region,
            r=problem.k,
            limit=problem.limit,
            deadline=deadline,
            progress=progress,
        )
        if level is None or not self.effort or any(not isinstance(model, KAnonymity) for model in problem.models):
            return self.release(table, found, deadline, progress)
        return self.release(
            table, self._climbed(table, found, level, deadline, progress), deadline, progress, done=True
        )

    def _climbed(
        self, table: MetricTable, finding: FoundClusters, level: Levelled, deadline: float, progress: Progress
    ) -> FoundClusters:
        """Return clusters of which more never have a larger radius, with what is proven about those that were found."""
        free, k, asked = self.centres == "any", table.problem.k, self.clusters or table.points.n_records

        def improve(clusters: Clusters, most: int) -> Clusters:
            parts = table.parts(clusters)
            found, centres = improved(
                table,
                parts,
                recentred(table, parts, clusters.centres, self.objective, free=free),
                self.objective,
                free=free,
                most=most,
                effort=self._effort(parts),
                deadline=deadline,
                seed=table.problem.seed,
                progress=progress,
            )
            return clusters_of(table, found, centres)

        climb = Climb(table, k, free, lambda most: level(table.points, most, deadline, progress), improve)
        found = climb.to(asked, finding, deadline)
        return replace(finding, found=replace(found, bound=finding.bound))

    def release(
        self,
        table: MetricTable,
        finding: FoundClusters,
        deadline: float,
        progress: Progress,
        *,
        done: bool = False,
    ) -> Solution:
        """Return the release of clusters that a search found.

        Clusters that break a promise are joined with others, which may lose the factor. Then clusters are split, and
        records and centres move, where that lowers the objective and keeps the promises. The objective never grows
        here, so the factor stays valid. Clusters that are `done` stay as they are.
        """
        best, factor = self._drafted(table, finding, deadline, done=done)
        lost = "" if finding.factor is None else _UNKNOWN
        settled = finding.best and not best.joined
        parts, centres = improved(
            table,
            best.parts,
            best.centres,
            self.objective,
            free=self.centres == "any",
            setup=self.setup,
            most=self.clusters,
            effort=0 if settled or done else self._effort(best.parts),
            deadline=deadline,
            seed=table.problem.seed,
            progress=progress,
        )
        bound = self._bound(table, finding, parts, deadline, progress)
        told = finding.bound_remark if bound is not None else ""
        remarks = [finding.remark, told, _JOINED + lost if best.joined else "", _BEST if settled else ""]
        return table.solution(
            parts,
            centres,
            self.objective,
            bound=bound,
            guarantee="none" if factor is None else "factor",
            factor=factor,
            setup=self.setup,
            remark="; ".join(remark for remark in remarks if remark),
        )

    def _bound(
        self, table: MetricTable, finding: FoundClusters, parts: Parts, deadline: float, progress: Progress
    ) -> float | None:
        """Return a lower bound on the objective; None if nothing is known."""
        if self.objective != "sse" or finding.best:
            return finding.bound
        if self.squares == "none" or table.problem.unbounded or table.problem.limit > 0:
            return None
        return bound_of_squares(table, parts, self.squares, deadline, progress)

    def _drafted(
        self, table: MetricTable, finding: FoundClusters, deadline: float, *, done: bool
    ) -> "tuple[_Draft, float | None]":
        """Return the clusters that were found, split where that is better, and the factor that still holds.

        Where split clusters keep all promises as they are, they cost no more than those that were found.
        """
        if done:
            parts = table.parts(finding.found)
            total = objective_of(table, parts, finding.found.centres, self.objective, self.setup)
            return _Draft(parts, finding.found.centres, False, total), finding.factor
        divided = None
        if self.effort and self.clusters is not None:
            k, free = table.problem.k, self.centres == "any"
            divided = self._draft(table, halved(table.points, finding.found, k, self.clusters, free=free))
        elif self.effort:
            divided = self._draft(table, split_clusters(table.points, finding.found, table.problem.k, deadline))
            if finding.factor is None and not divided.joined and self.setup == 0:
                return divided, None
        found = self._draft(table, finding.found)
        factor = None if found.joined else finding.factor
        return (found if divided is None else min(found, divided, key=lambda draft: draft.total)), factor

    def _effort(self, parts: Parts) -> int:
        """Return how many moves are tried for each record: fewer if there are very many records, or large clusters.

        Except for squares, the time of a move grows with the size of its clusters; none is tried where that is too
        long.
        """
        if self.objective == "sse":
            return self.effort
        n_records = int(parts.counts.sum())
        size = n_records / max(parts.n_classes, 1)
        affordable = max(_MOVES // n_records, 1) if size <= _LARGE else int(_MOVES * _LARGE / size / n_records)
        return min(self.effort, affordable)

    def _draft(self, table: MetricTable, clusters: Clusters) -> "_Draft":
        """Return clusters as they would be released without further improvement."""
        free = self.centres == "any"
        found, centres = table.parts(clusters), clusters.centres
        parts = mended(table, found)
        if parts is not found:
            centres = _starts(table, parts, free=free)
        centres = recentred(table, parts, centres, self.objective, free=free)
        return _Draft(
            parts, centres, parts is not found, objective_of(table, parts, centres, self.objective, self.setup)
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Draft:
    """Clusters that keep all promises.

    Args:
        parts: Their records.
        centres: The positions of their centres.
        joined: Whether some were joined to keep the promises.
        total: The objective, and a second value that breaks ties.
    """

    parts: Parts
    centres: NDArray[np.float64]
    joined: bool
    total: tuple[float, float]


def mended(table: MetricTable, parts: Parts) -> Parts:
    """Join clusters that break a promise with the nearest ones until all pass; if all do, return the given parts."""
    kept, inside = _released(parts)
    whole = join_failing(table.problem, kept, table.nearest)
    if whole is kept:
        return parts
    return Parts(
        np.concatenate([whole.points, parts.points[~inside]]),
        np.concatenate([whole.classes, parts.classes[~inside]]),
        np.concatenate([whole.counts, parts.counts[~inside]]),
    )


def _released(parts: Parts) -> tuple[Parts, NDArray[np.bool_]]:
    """Return the parts that are in clusters, and which they are."""
    inside = parts.classes >= 0
    return Parts(parts.points[inside], parts.classes[inside], parts.counts[inside]), inside


def _starts(table: MetricTable, parts: Parts, *, free: bool) -> NDArray[np.float64]:
    """Return a first centre for each cluster: its mean or, where that is not allowed, its first record."""
    kept, _ = _released(parts)
    if free:
        return table.middles(kept)
    first = np.empty(kept.n_classes, dtype=np.int64)
    first[kept.classes[::-1]] = kept.points[::-1]
    return np.ascontiguousarray(table.points.positions[:, table.point_of[first]])
