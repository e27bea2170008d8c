"""The least threshold at which a search for clusters succeeds, found by jumping from distance to distance."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from shoal.clusters.searches.points import Clusters, FoundClusters
from shoal.foundation.progress import Progress

_ROUNDING = 1e-12  # the triangle inequality holds up to the rounding of distances

OUT_OF_TIME = "the least radius is not known"


@dataclass(frozen=True, slots=True, eq=False)
class ThresholdRun:
    """The result of a run at a threshold; it is the same at every threshold t with `below` <= t < `above`.

    Args:
        found: The clusters, if it succeeded.
        below: The largest number up to the threshold that it was compared with.
        above: The least number above the threshold that it was compared with.
    """

    found: Clusters | None
    below: float
    above: float


@dataclass(frozen=True, slots=True, eq=False)
class Searched:
    """The result of a search for the least threshold.

    Args:
        found: The clusters of the run at `high`.
        low: A lower bound: in every valid clustering, some diameter is at least this.
        high: The threshold at which the run succeeded.
    """

    found: Clusters
    low: float
    high: float

    @property
    def bound(self) -> float:
        """A lower bound on the largest radius around any centres: half of the largest diameter."""
        return self.low / 2 * (1 - _ROUNDING)

    def factor(self, balls: int) -> float | None:
        """Return the proven ratio of the radius to the optimum, if the radius is at most `balls` thresholds.

        If the search was completed, `high` is at most `low`, and the ratio is 2 `balls`. Otherwise it grows by `high /
        low`.
        """
        if self.high <= self.low:
            return 2.0 * balls
        return 2.0 * balls * self.high / self.low / (1 - _ROUNDING) if self.low > 0 else None

    def finding(self, balls: int, limit: int = 0) -> FoundClusters:
        """Return the clusters with what is proven about them.

        Args:
            balls: The radius is at most this many thresholds.
            limit: The number of records that other clusterings may leave out; if positive, no factor is proven, since
                here all records are in clusters.
        """
        if limit:
            remark = "no factor is claimed, since others may leave records out: see the algorithms with outliers"
            return FoundClusters(replace(self.found, bound=0.0), None, remark)
        remark = "" if self.high <= self.low else OUT_OF_TIME
        return FoundClusters(replace(self.found, bound=self.bound), self.factor(balls), remark)


def least_threshold(
    low: float, high: float, found: Clusters, run: Callable[[float], ThresholdRun | None], progress: Progress
) -> Searched:
    """Return clusters found at a threshold that is at most d*, the least possible largest diameter of a cluster.

    A run need not be monotone: it may succeed at a threshold and fail at a larger one, since its choice of centres
    changes. But it succeeds at every threshold from d* on; that is what the runs prove. So a failure at tau shows that
    d* is above tau, and above all thresholds at which the run does the same, up to the next number with which it was
    compared: `low` jumps there. A success at tau holds down to the last such number: `high` falls to it. When `low` is
    no longer below `high`, then `high` <= `low` <= d*, whichever thresholds in between were never tried. Every number
    is one with which a run was compared, so that the search ends, without a list of all distances. The lowest is tried
    first, since the widest ball often decides.

    Args:
        low: A lower bound on d*.
        high: A threshold at which a run succeeds.
        found: What it finds there.
        run: Runs at a threshold; None if there is no time left.
        progress: Told how far the search is.
    """
    step, width = 0, high - low
    while low < high:
        tau = low + (high - low) / 2 if step else low
        trial = run(tau if tau < high else low)
        if trial is None:
            break
        if trial.found is None:
            low = trial.above
        else:
            found, high = trial.found, max(trial.below, low)
        step += 1
        progress("looking for the least radius", max(1 - (high - low) / width, 1 - 0.8**step))
    return Searched(found, low, high)
