"""Clusters of a large table: region by region, with a lower bound for the whole table."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from shoal.clusters.objectives import Objective
from shoal.clusters.searches.balls import reaches, widest_reach
from shoal.clusters.searches.gathering import gathered_beside
from shoal.clusters.searches.points import BOUND_OF_ALL, Clusters, FoundClusters, Points
from shoal.clusters.searches.regions import Region, regions
from shoal.foundation.progress import Progress, silent

_WHOLE = 200_000  # the most points of which clusters of the whole table are looked for as well
_WORK = 2_000_000_000  # distances that are computed at least to find clusters of a whole table: some ten seconds
_ROUNDING = 1e-9  # the rounding error of sums in another order is smaller

ClusterSearch = Callable[[Points, int, Progress], FoundClusters]


def in_regions(
    points: Points,
    search: ClusterSearch,
    objective: Objective,
    *,
    most: int,
    region: int,
    r: int,
    limit: int,
    deadline: float,
    progress: Progress,
) -> FoundClusters:
    """Return clusters of all points; if these are too many, of each region separately.

    A factor proven for a region does not hold for the whole table, where a cluster may have records of two regions. The
    bound then comes from `far_records`.

    Args:
        points: All points.
        search: Finds clusters of some points, given the number of records that it may leave out.
        objective: The objective to minimize.
        most: The most points that are searched at once; larger tables are cut into regions.
        region: The most points of a region.
        r: How many records a cluster has, at least.
        limit: The most records that may be left out; regions get shares in proportion to their records.
        deadline: When to stop.
        progress: Told how far it is.
    """
    parts = regions(points, region, max(2 * r, 2)) if len(points) > most else []
    if len(parts) <= 1:
        return search(points, limit, progress)
    found, neighbours = [], _Neighbours(points, r, limit, objective, deadline)
    done, spared = 0, 0
    for number, part in enumerate(parts):
        progress("clustering region by region", number / len(parts))
        positions = np.ascontiguousarray(points.positions[:, part.points])
        own = Points(points.space, positions, points.counts[part.points])
        done += own.n_records
        allowed = limit * done // points.n_records - spared
        spared += allowed
        found.append((part, search(own, allowed, silent)))
        neighbours.look(part, own)
    if objective == "radius" and limit == 0 and len(points) <= _WHOLE:
        return _whole(points, [part for part, _ in found], _together(found), neighbours.bound(), r, deadline, progress)
    factors = [finding.factor for _, finding in found if finding.factor is not None]
    remark = f"found in {len(parts)} regions by themselves"
    if len(factors) == len(found):
        remark += f", in each at most {max(factors):g} times its own optimum"
    return FoundClusters(replace(_together(found), bound=neighbours.bound()), None, remark, BOUND_OF_ALL)


def _whole(
    points: Points,
    parts: list[Region],
    found: Clusters,
    bound: float,
    r: int,
    deadline: float,
    progress: Progress,
) -> FoundClusters:
    """Return clusters of the whole table with a smaller radius than those of its regions, if a few steps find them.

    The borders of regions separate near records, which may widen clusters and lower the bound. The largest distance of
    a record from its r-th nearest is then measured in the whole table, and clusters are looked for at this threshold.
    """
    low = widest_reach(points, r, deadline, progress, floor=2 * bound)
    searched = gathered_beside(points, r, found, low, deadline, progress, work=_WORK)
    if searched.found is found:
        finding = searched.finding(1)
        remark = f"found in {len(parts)} regions by themselves"
        return replace(finding, remark=remark, bound_remark=BOUND_OF_ALL)
    return searched.finding(1)


class _Neighbours:
    """The distances of records from their nearest neighbours, collected region by region.

    Args:
        points: All points.
        r: How many records a cluster has, at least.
        limit: How many records may be left out.
        objective: The objective that is bounded.
        deadline: When to stop.
    """

    def __init__(self, points: Points, r: int, limit: int, objective: Objective, deadline: float) -> None:
        self._points, self._r, self._limit, self._objective = points, r, limit, objective
        self._deadline = deadline
        self._apart = np.zeros(len(points))
        self._widest = 0.0

    def look(self, region: Region, own: Points) -> None:
        """Measure the points of a region; if only the largest distance matters, no smaller one is computed."""
        if self._objective == "sse":
            return
        if self._objective == "radius" and self._limit == 0:
            self._widest = widest_reach(own, self._r, self._deadline, silent, floor=self._widest, most=region.gap)
            return
        near = reaches(own, self._r, self._deadline, silent)
        if near is not None:
            self._apart[region.points] = np.minimum(near[0], region.gap)

    def bound(self) -> float:
        """Return the lower bound."""
        if self._objective == "sse":
            return 0.0
        if self._objective == "radius" and self._limit == 0:
            return far_records(np.array([self._widest]), np.ones(1, dtype=np.int64), 0, self._objective)
        return far_records(self._apart, self._points.counts, self._limit, self._objective)


def far_records(apart: NDArray[np.float64], counts: NDArray[np.int64], limit: int, objective: Objective) -> float:
    """Return a lower bound on the objective from the distances of records to their nearest neighbours.

    All records of a cluster are within two radii of each other, and there are at least r. So the radius of a record's
    cluster is at least half of the distance to the last of its r nearest records, itself included. If records may be
    left out, the bound leaves out those with the largest distances.

    Args:
        apart: For each point, a distance within which there are fewer than r records.
        counts: The number of records of each.
        limit: How many records may be left out.
        objective: `radius` or `cellular`.
    """
    order = np.argsort(-apart, kind="stable")
    left = np.clip(np.cumsum(counts[order]) - limit, 0, counts[order])
    if not left.any():
        return 0.0
    halves = apart[order] / 2 * (1 - _ROUNDING)
    return float(halves[left > 0][0]) if objective == "radius" else float(left @ halves)


def _together(findings: list[tuple[Region, FoundClusters]]) -> Clusters:
    """Return the clusters of all regions."""
    found = [(region, finding.found) for region, finding in findings]
    starts = np.cumsum([0, *(clusters.n_clusters for _, clusters in found)])
    owners = [
        np.where(clusters.owners >= 0, clusters.owners + start, -1)
        for (_, clusters), start in zip(found, starts, strict=False)
    ]
    return Clusters(
        points=np.concatenate([region.points[clusters.points] for region, clusters in found]),
        owners=np.concatenate(owners),
        amounts=np.concatenate([clusters.amounts for _, clusters in found]),
        centres=np.concatenate([clusters.centres for _, clusters in found], axis=1),
    )
