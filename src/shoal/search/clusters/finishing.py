"""From the clusters that an algorithm found to a release: every promise is kept, and the objective lowered."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from shoal.classes.grouping import Parts
from shoal.clusters.objectives import Objective
from shoal.clusters.searches.grains import in_grains
from shoal.clusters.searches.large import in_regions
from shoal.clusters.searches.points import Centres, Clusters, FoundClusters, Points
from shoal.clusters.searches.splitting import split_clusters
from shoal.foundation.progress import Progress
from shoal.kernels.clock import clock
from shoal.search.clusters.clustering import MetricTable
from shoal.search.clusters.improving import improved, recentred, total
from shoal.search.local.merging import joined
from shoal.search.problem import Problem, Solution

_JOINED = "clusters were joined to keep every promise"
_UNKNOWN = ", which the factor knows nothing of"

Timed = Callable[[Points, int, float, Progress], FoundClusters]
_MOVES = 1_000_000  # that are tried, at most, but one for each record, where a move is dear
_LARGE = 50  # records of a cluster from which on a move is dearer still


EffortField = Annotated[
    int, Field(ge=0, description="How many moves are tried for each record, to lower the objective.")
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finish:
    """What becomes of the clusters that a search finds.

    Args:
        objective: What is lowered.
        centres: Whether a centre may stand anywhere, or at a record only.
        effort: How many moves are tried for each record.
        most: How many points are searched at once; more are split into regions or, where the number of clusters has
            a limit, put into grains.
        region: How many points a region has, at most.
        setup: What setting up a cluster costs.
        clusters: How many clusters there may be.
    """

    objective: Objective
    centres: Centres = "any"
    effort: int = 0
    most: int | None = None
    region: int = 4_000
    setup: float = 0.0
    clusters: int | None = None

    def solve(self, problem: Problem, name: str, search: Timed, progress: Progress) -> Solution:
        """Search clusters, by parts if there are many points, and make them a release.

        Args:
            problem: What is asked.
            name: The name of the algorithm, for messages.
            search: Finds clusters of some points, of which it may leave out so many records, until a time.
            progress: Where to tell how far it is.
        """
        deadline = problem.deadline()
        places = MetricTable.of(problem, name)

        def timed(points: Points, limit: int, tell: Progress) -> FoundClusters:
            return search(points, limit, deadline, tell)

        if self.clusters is not None and self.most is not None and len(places.points) > self.most:
            found = in_grains(places.points, timed, clusters=self.clusters, limit=problem.limit, progress=progress)
            return self.release(places, found, deadline, progress)
        found = in_regions(
            places.points,
            timed,
            self.objective,
            most=self.most or len(places.points),
            region=self.region,
            r=problem.k,
            limit=problem.limit,
            deadline=deadline,
            progress=progress,
        )
        return self.release(places, found, deadline, progress)

    def release(self, places: MetricTable, finding: FoundClusters, deadline: float, progress: Progress) -> Solution:
        """Return the release of clusters that a search found.

        Clusters that break a promise are joined with others. Then clusters are split, records move between clusters and
        centres move, where that lowers the objective and keeps the promises: it never grows, so that the factor stays.
        Joining may lose it.
        """
        best, factor = self._drafted(places, finding, deadline)
        lost = "" if finding.factor is None else _UNKNOWN
        remarks = [finding.remark, _JOINED + lost if best.joined else ""]
        parts, centres = improved(
            places,
            best.parts,
            best.centres,
            self.objective,
            free=self.centres == "any",
            setup=self.setup,
            most=self.clusters,
            effort=self._effort(best.parts),
            deadline=deadline,
            seed=places.problem.seed,
            progress=progress,
        )
        return places.solution(
            parts,
            centres,
            self.objective,
            bound=None if self.objective == "sse" else finding.bound,
            guarantee="none" if factor is None else "factor",
            factor=factor,
            setup=self.setup,
            remark="; ".join(remark for remark in remarks if remark),
        )

    def _drafted(self, places: MetricTable, finding: FoundClusters, deadline: float) -> "tuple[_Draft, float | None]":
        """Return the clusters that were found, split where that is better, and the factor that still holds.

        Where split clusters keep all promises as they are, they cost no more than those that were found.
        """
        divided = None
        if self.effort and self.clusters is None and clock() < deadline:
            divided = self._draft(places, split_clusters(places.points, finding.found, places.problem.k))
            if finding.factor is None and not divided.joined and self.setup == 0:
                return divided, None
        found = self._draft(places, finding.found)
        factor = None if found.joined else finding.factor
        return (found if divided is None else min(found, divided, key=lambda draft: draft.total)), factor

    def _effort(self, parts: Parts) -> int:
        """Return how many moves are tried for each record: fewer of very many, and of large clusters.

        But for squares, a move takes as long as its clusters are large: none is tried where that is too long.
        """
        if self.objective == "sse":
            return self.effort
        n_records = int(parts.counts.sum())
        size = n_records / max(parts.n_classes, 1)
        dear = max(_MOVES // n_records, 1) if size <= _LARGE else int(_MOVES * _LARGE / size / n_records)
        return min(self.effort, dear)

    def _draft(self, places: MetricTable, clusters: Clusters) -> "_Draft":
        """Return clusters as they would be released, but for further improvement."""
        free = self.centres == "any"
        found, centres = places.parts(clusters), clusters.centres
        parts = mended(places, found)
        if parts is not found:
            centres = _starts(places, parts, free=free)
        centres = recentred(places, parts, centres, self.objective, free=free)
        return _Draft(parts, centres, parts is not found, total(places, parts, centres, self.objective, self.setup))


@dataclass(frozen=True, slots=True, eq=False)
class _Draft:
    """Clusters that keep all promises.

    Args:
        parts: Their records.
        centres: Where their centres stand.
        joined: Whether some were joined for it.
        total: The objective, and what tells equal ones apart.
    """

    parts: Parts
    centres: NDArray[np.float64]
    joined: bool
    total: tuple[float, float]


def mended(places: MetricTable, parts: Parts) -> Parts:
    """Join clusters that break a promise with the nearest, until all hold; if all do, these very parts come back."""
    kept, inside = _released(parts)
    whole = joined(places.problem, kept, places.nearest)
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


def _starts(places: MetricTable, parts: Parts, *, free: bool) -> NDArray[np.float64]:
    """Return a first centre for each cluster: its mean or, where that is not allowed, its first record."""
    kept, _ = _released(parts)
    if free:
        return places.middles(kept)
    first = np.empty(kept.n_classes, dtype=np.int64)
    first[kept.classes[::-1]] = kept.points[::-1]
    return np.ascontiguousarray(places.points.positions[:, places.place_of[first]])
