"""A limited number of clusters of at least r records, where some records may be left out (001 s.2.4, corrected)."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from shoal.clusters.searches.balls import one_cluster, reaches, records_within
from shoal.clusters.searches.gathering import gathered_again
from shoal.clusters.searches.outliers import least_kept, quantile
from shoal.clusters.searches.points import Clusters, Points
from shoal.clusters.searches.thresholds import Searched, ThresholdRun, least_threshold
from shoal.foundation.progress import Progress
from shoal.kernels.clock import clock

_HALF = 0.5 * (1 - 1e-12)  # a little less, so that no rounding puts one point within tau of two centres


def covered(points: Points, r: int, clusters: int, limit: int, deadline: float, progress: Progress) -> Searched:
    """Return at most `clusters` clusters of at least r records whose radius is at most 2 d*.

    d* is the least possible largest diameter. It is at most twice the radius of the best solution around any centres,
    so this is a factor of 4.

    A run at a threshold tau looks at the points that have r records within tau, so many that no more than the limit are
    left out. As often as there may be clusters, it takes as a centre the uncovered one of them with most uncovered
    records within tau, and covers all within 2 tau. It fails if more than the limit are uncovered at the end.

    From d* on it succeeds (001 Lemma 2.7). For let the clusters of the best solution have diameters of at most tau.
    Each of their records has r within tau. If the ball of radius tau around a centre meets one of them, then all of it
    is covered. If it meets none, it holds no fewer records than the largest of them that is left, and that one is
    struck out in return. So each centre covers, beside its share of the others, as much as a whole cluster of those
    that are left, and in the end no fewer records are covered than the best solution has.

    Then each covered point is assigned to its nearest centre, within 2 tau, *and so are all points within tau of a
    centre*, whether they passed the filter or not. The paper counts them when it says that a cluster has r records, but
    does not assign them, so that its clusters may have fewer. Centres are more than 2 tau apart: no point is within tau
    of two, and each cluster has the r records that let its centre pass. No more are left out by it.

    Args:
        points: The points, with at least r records.
        r: The least number of records in a cluster.
        clusters: The most clusters.
        limit: The most records that may be left out.
        deadline: When to stop.
        progress: Told how far the search is.
    """
    whole, radius = one_cluster(points)
    measured = reaches(points, r, deadline, progress)
    if measured is None:
        return Searched(whole, 0.0, radius)
    keep = least_kept(points, limit)
    low = quantile(measured[0], points.counts, keep)  # below it, too few points pass the filter
    search = _Search(points, clusters, keep, measured[0], deadline)
    searched = least_threshold(low, max(radius, low), whole, search.run, progress)
    return replace(searched, found=gathered_again(points, searched.found, r, clusters, deadline, progress))


@dataclass(frozen=True, slots=True, eq=False)
class _Search:
    points: Points
    clusters: int
    keep: int
    reach: NDArray[np.float64]
    deadline: float

    def run(self, tau: float) -> ThresholdRun | None:
        """Run at a threshold; None if there is no time left.

        All that is compared with the threshold are distances, the radii at which points pass the filter, and halves of
        distances from centres.
        """
        points, passed = self.points, self.reach <= tau
        weights = np.where(passed, points.counts, 0)
        counted = records_within(points, weights, tau, self.deadline)
        if counted is None:
            return None
        most, *distances = counted
        span = _met(tau, np.array(distances), _met(tau, self.reach, (0.0, np.inf)))
        owner, nearest = np.full(len(points), -1, dtype=np.int64), np.full(len(points), np.inf)
        centres: list[int] = []
        while len(centres) < self.clusters and weights.any():
            if clock() > self.deadline:
                return None
            centre, row = _fullest(points, weights, most, tau)
            owner = np.where(row < nearest, len(centres), owner)
            nearest = np.minimum(nearest, row)
            centres.append(centre)
            halves = row * _HALF
            weights[halves <= tau] = 0
            span = _met(tau, halves, span)
        inside = passed & (weights == 0)
        if int(points.counts[inside].sum()) < self.keep:
            return ThresholdRun(None, *span)
        owner[~inside & (nearest > tau)] = -1
        clusters = Clusters(np.arange(len(points)), owner, points.counts, points.positions[:, centres])
        return ThresholdRun(clusters, *span)


def _met(tau: float, compared: NDArray[np.float64], span: tuple[float, float]) -> tuple[float, float]:
    """Return the largest compared number up to the threshold, and the least one above it."""
    under = compared <= tau
    return max(span[0], compared[under].max(initial=0.0)), min(span[1], compared[~under].min(initial=np.inf))


def _fullest(
    points: Points, weights: NDArray[np.int64], most: NDArray[np.int64], tau: float
) -> tuple[int, NDArray[np.float64]]:
    """Return the point with the most uncovered records within the threshold, the first of equals, and its distances.

    `most` are upper bounds, since the numbers only decrease; they are updated for the points that are examined.
    """
    while True:
        best = int(np.where(weights > 0, most, -1).argmax())
        row = points.distances(np.array([best]))[0]
        now = int(weights[row <= tau].sum())
        if now == most[best]:
            return best, row
        most[best] = now
