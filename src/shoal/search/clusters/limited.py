"""A limited number of clusters: from few to as many as there may be, so that more never have a larger radius."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.classes.grouping import Parts
from shoal.clusters.searches.halving import halved
from shoal.clusters.searches.points import Clusters, FoundClusters
from shoal.kernels.clock import clock
from shoal.search.clusters.clustering import MetricTable

_SMALL = 5_000  # the most points whose clusters are searched at every level
_FEW, _EVERY = 300, 8  # of up to so many points, each number up to the second is a level


def levels_of(n_points: int, most: int) -> list[int]:
    """Return the numbers of clusters at which clusters are searched and improved, up to the largest possible one.

    They depend on the table and on k alone, not on how many clusters are asked for.
    """
    found = (
        list(range(1, _EVERY + 1)) if n_points <= _FEW else [1, 2, 3, 4, 6, 8] if n_points <= _SMALL else [1, 2, 4, 8]
    )
    while found[-1] < most:
        last = found[-1]
        found.append(last * 4 if n_points > _SMALL else last * 3 // 2 if last & (last - 1) == 0 else last * 4 // 3)
    return [*(level for level in found if level < most), most]


@dataclass(frozen=True, slots=True, eq=False)
class Climb:
    """Clusters of a table, improved at each level and split on to the next.

    Args:
        table: The table.
        k: The least number of records of a cluster.
        free: Whether a centre may be anywhere; else only at a record.
        search: Finds clusters of all records, at most so many.
        improve: Improves clusters, at most so many; the radius never grows.
    """

    table: MetricTable
    k: int
    free: bool
    search: Callable[[int], FoundClusters]
    improve: Callable[[Clusters, int], Clusters]

    def to(self, asked: int, finding: FoundClusters, deadline: float) -> Clusters:
        """Return at most `asked` clusters; of fewer, none have a smaller radius.

        The clusters of a level are those of the level before, split and improved, or what the search finds at this
        level, improved, if its radius is smaller. Between two levels they are those of the lower one, split one by one.
        So the radius never grows with the number, unless the search finds better clusters between two levels than those
        that were split, whose radius is then above the proven factor of two.

        Args:
            asked: The most clusters.
            finding: What the search finds at this number.
            deadline: When to stop.
        """
        points = self.table.points
        most = points.n_records // self.k
        now: Clusters | None = None
        for level in levels_of(len(points), most):
            if level > min(asked, most) or clock() >= deadline:
                break
            options = [] if now is None else [halved(points, now, self.k, level, free=self.free)]
            if not options or len(points) <= _SMALL:
                options.append((finding if level == asked else self.search(level)).found)
            now = min((self.improve(option, level) for option in options), key=self._radius)
        if now is None:
            return finding.found
        now = halved(points, now, self.k, min(asked, most), free=self.free)
        return finding.found if self._radius(now) > max(2 * finding.bound, self._radius(finding.found)) else now

    def _radius(self, clusters: Clusters) -> float:
        return float(clusters.radii(self.table.points).max())


def clusters_of(table: MetricTable, parts: Parts, centres: NDArray[np.float64]) -> Clusters:
    """Return the clusters of all released records as clusters of points."""
    width = centres.shape[1] + 1
    keys, place = np.unique(
        table.point_of[parts.points].astype(np.int64) * width + parts.classes + 1, return_inverse=True
    )
    amounts = np.bincount(place, weights=parts.counts).astype(np.int64)
    points, owners = np.divmod(keys, width)
    return Clusters(points, owners - 1, amounts, centres)
