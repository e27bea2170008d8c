"""Clusters of at least r records, of the least radius up to a factor of 2 (001 s.2.2 and s.2.4)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.clusters.searches.balls import one_cluster, taken_in, widest_reach
from shoal.clusters.searches.flows import filled
from shoal.clusters.searches.points import Clusters, Points
from shoal.clusters.searches.thresholds import Searched, ThresholdRun, least_threshold
from shoal.foundation.parallel import side_by_side
from shoal.foundation.progress import Progress
from shoal.kernels.clock import clock
from shoal.kernels.clusters.gathering import choose_centres, list_within

MOST = 40_000
"""The most points that are searched at once; the time grows with their square."""

_PAIRS = 50_000_000  # distances that are computed between two checks of the deadline


def gathered(points: Points, r: int, clusters: int | None, deadline: float, progress: Progress) -> Searched:
    """Return clusters of at least r records each whose radius is at most d*, the least possible largest diameter.

    Around any centre, the radius of a cluster is at least half of its diameter, so this is a factor of 2.

    A run at a threshold tau takes points as centres that are farther than tau from each other, until all are within tau
    of one, and has a flow tell whether each centre can have r records among those within tau; the rest go to their
    nearest. It succeeds from d* on (001 Lemma 2.2). For let the clusters of the best solution have diameters of at most
    tau. No two centres are in one of them. Give each centre its whole cluster, at least r records, all within tau, and
    the records of clusters without a centre to one within tau. So there are no more centres than clusters, and the
    flow exists.

    Besides, each record of the best solution has r - 1 others within d*. So d* is at least the largest radius that the
    ball around any point needs to contain r records (the first condition of the paper).

    Args:
        points: The points, with at least r records.
        r: The least number of records in a cluster.
        clusters: The most clusters, if there is a limit.
        deadline: When to stop.
        progress: Told how far the search is.
    """
    most = points.n_records // r if clusters is None else min(clusters, points.n_records // r)
    whole, radius = one_cluster(points)
    search = _Search(points, r, most, deadline)
    low = widest_reach(points, r, deadline, progress)
    return least_threshold(low, max(radius, low), whole, search.run, progress)


def gathered_beside(
    points: Points, r: int, clusters: Clusters, low: float, deadline: float, progress: Progress, *, work: int
) -> Searched:
    """Return what `gathered` finds in a limited number of steps, or the given clusters if it finds none.

    For many points a run takes long where the threshold is small. But the radius that the widest ball needs is mostly
    large in comparison, has few centres, and is often enough. It is the first threshold that is tried.

    Args:
        points: The points.
        r: The least number of records in a cluster.
        clusters: Clusters of at least r records.
        low: A lower bound on the largest diameter.
        deadline: When to stop.
        progress: Told how far the search is.
        work: How many distances may be computed, at least.
    """
    radius = max(float(clusters.radii(points).max()), low)
    search = _Search(points, r, min(points.n_records // r, max(work // len(points), 1)), deadline)
    left = [work]

    def run(tau: float) -> ThresholdRun | None:
        if left[0] <= 0:
            return None
        trial = search.run(tau)
        left[0] -= (
            search.most * len(points) if trial is None or trial.found is None else trial.found.n_clusters * len(points)
        )
        complete = trial is None or trial.found is not None or search.most == points.n_records // r
        return trial if complete else None  # too many centres to count is no failure

    return least_threshold(low, radius, clusters, run, progress)


def gathered_again(
    points: Points, clusters: Clusters, r: int, most: int | None, deadline: float, progress: Progress
) -> Clusters:
    """Return clusters that leave records out, or what `gathered` makes of their records if its radius is smaller.

    It often is: `gathered` stays within one diameter of the best clusters of these records, the search with outliers
    only within two. Then left-out records that are near enough are added. The largest radius never increases.

    Args:
        points: The points.
        clusters: Clusters of whole points, of at least r records each.
        r: The least number of records in a cluster.
        most: The most clusters, if there is a limit.
        deadline: When to stop.
        progress: Told how far the search is.
    """
    inside = clusters.owners >= 0
    kept, outside = clusters.points[inside], clusters.points[~inside]
    some = Points(points.space, np.ascontiguousarray(points.positions[:, kept]), points.counts[kept])
    again = gathered(some, r, most, deadline, progress).found
    if again.radii(some).max() >= clusters.radii(points).max():
        return taken_in(points, clusters)
    smaller = Clusters(
        np.concatenate([kept[again.points], outside]),
        np.concatenate([again.owners, np.full(len(outside), -1)]),
        np.concatenate([again.amounts, points.counts[outside]]),
        again.centres,
    )
    return taken_in(points, smaller)


@dataclass(frozen=True, slots=True, eq=False)
class _Search:
    points: Points
    r: int
    most: int
    deadline: float

    def run(self, tau: float) -> ThresholdRun | None:
        """Run at a threshold; None if there is no time left."""
        points, n = self.points, len(self.points)
        centres, degrees = np.empty(self.most, dtype=np.int64), np.empty(self.most, dtype=np.int64)
        owner, nearest = np.full(n, -1, dtype=np.int64), np.full(n, np.inf)
        span = np.array([0.0, np.inf])
        many, point, n_centres = max(_PAIRS // n, 1), 0, 0
        while point < n and n_centres <= self.most:
            if clock() > self.deadline:
                return None
            point, n_centres = choose_centres(
                points.space,
                points.positions,
                tau,
                point,
                centres,
                n_centres,
                many,
                owner,
                nearest,
                degrees,
                span,
            )
        below, above = span.tolist()
        if n_centres > self.most:
            return ThresholdRun(None, below, above)
        return ThresholdRun(self._assigned(tau, centres[:n_centres], owner, degrees[:n_centres]), below, above)

    def _assigned(
        self,
        tau: float,
        centres: NDArray[np.int64],
        owner: NDArray[np.int64],
        degrees: NDArray[np.int64],
    ) -> Clusters | None:
        """Assign enough records within the threshold to each centre; None if that is impossible."""
        points = self.points
        sizes = np.bincount(owner, weights=points.counts, minlength=len(centres))
        middles = points.positions[:, centres]
        if sizes.min() >= self.r:
            return Clusters(np.arange(len(points)), owner, points.counts, middles)
        starts = np.concatenate([[0], np.cumsum(degrees)]).astype(np.int64)
        within = np.empty(starts[-1], dtype=np.int32)
        side_by_side(
            len(centres),
            lambda begin, end: list_within(points.space, points.positions, tau, centres, starts, begin, end, within),
        )
        found = filled(starts, within, points.counts, owner, self.r)
        return None if found is None else Clusters(*found, middles)
