"""Clusters of a large table by grains: groups of nearby points, each represented by one of its points."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from shoal.clusters.searches.points import BOUND_OF_ALL, Clusters, FoundClusters, Points
from shoal.clusters.searches.regions import regions
from shoal.foundation.progress import Progress

GRAINS = 20_000
"""The approximate number of grains of a large table; the time of a search grows with its square."""

_TRIED = 32  # points of a grain that are tried as its representative
_ROUNDING = 1e-9  # the rounding error of sums in another order is smaller

ClusterSearch = Callable[[Points, int, Progress], FoundClusters]


def in_grains(
    points: Points, search: ClusterSearch, *, clusters: int, limit: int, progress: Progress, number: int = GRAINS
) -> FoundClusters:
    """Return clusters of all points, found by clustering grains; unlike regions, this can limit the number of clusters.

    Let no point be farther than s from the representative of its grain. Then clusters of grains are clusters of points
    whose radii grow by at most s. Conversely, clusters of points with radius R are clusters of grains with diameters of
    at most 2R + 2s. So if B is a lower bound on half the diameter for grains, R is at least B - s. The sizes and the
    records left out do not change. If no record is left out, then of any c + 1 points, where c is the largest number of
    clusters, two are in one cluster. So R is also at least half of the least distance between such points.

    Args:
        points: All points.
        search: Finds clusters of some points, given the number of records that it may leave out. Its bound is on half
            of the largest diameter.
        clusters: The most clusters.
        limit: How many records may be left out.
        progress: Told how far it is.
        number: The approximate number of grains.
    """
    progress("putting nearby records together")
    grains = Grains.of(points, number)
    chosen = grains.points(points)
    finding = search(chosen, limit, progress)
    apart = 0.0 if limit else separation_of(chosen, clusters + 1) / 2 * (1 - _ROUNDING)
    bound = max(finding.bound - grains.size * (1 + _ROUNDING), apart)
    remark = f"found by {len(grains.members)} grains of nearby records, so that no factor is claimed"
    remarks = (finding.remark, remark)
    found = replace(grains.spread(points, finding.found), bound=bound)
    return FoundClusters(found, None, "; ".join(part for part in remarks if part), BOUND_OF_ALL)


def separation_of(points: Points, number: int) -> float:
    """Return the least pairwise distance of `number` points that are chosen far apart; 0 for fewer than two.

    Each chosen point is the farthest from those before it (Gonzalez 1985).
    """
    if not 1 < number <= len(points):
        return 0.0
    gaps, last = np.full(len(points), np.inf), 0
    for _ in range(number - 1):
        gaps = np.minimum(gaps, points.distances(np.array([last]))[0])
        last = int(gaps.argmax())
    return float(gaps[last])


@dataclass(frozen=True, slots=True, eq=False)
class Grains:
    """A partition of points into groups of nearby ones.

    Args:
        members: The points of each grain.
        middles: The representative of each grain.
        size: The largest distance of a point from its representative.
    """

    members: tuple[NDArray[np.int64], ...]
    middles: NDArray[np.int64]
    size: float

    @classmethod
    def of(cls, points: Points, number: int = GRAINS) -> "Grains":
        """Cut the points into about `number` regions, as Mondrian does; each is represented by a central point."""
        parts = tuple(_parts(points, -(-len(points) // number)))
        middles, size = np.empty(len(parts), dtype=np.int64), 0.0
        for place, part in enumerate(parts):
            own = Points(points.space, np.ascontiguousarray(points.positions[:, part]), points.counts[part])
            tried = np.unique(np.linspace(0, len(part) - 1, _TRIED).astype(np.int64))
            reach = own.distances(tried).max(axis=1)
            middles[place] = part[tried[int(reach.argmin())]]
            size = max(size, float(reach.min()))
        return cls(parts, middles, size)

    def points(self, points: Points) -> Points:
        """Return the representatives as points, each with the number of records of its grain."""
        counts = np.array([points.counts[part].sum() for part in self.members], dtype=np.int64)
        return Points(points.space, np.ascontiguousarray(points.positions[:, self.middles]), counts)

    def spread(self, points: Points, clusters: Clusters) -> Clusters:
        """Return clusters of grains as clusters of points; the records of a split grain are assigned in order."""
        members = np.concatenate(self.members)
        order = np.lexsort([clusters.owners, clusters.points])
        dealt, held = np.cumsum(clusters.amounts[order]), np.cumsum(points.counts[members])
        ends = np.union1d(dealt, held)
        starts = np.concatenate([[0], ends[:-1]])
        return Clusters(
            members[np.searchsorted(held, starts, side="right")],
            clusters.owners[order][np.searchsorted(dealt, starts, side="right")],
            ends - starts,
            clusters.centres,
        )


def _parts(points: Points, most: int) -> Iterator[NDArray[np.int64]]:
    """Cut the points into parts of at most `most`; by their order where no other cut is found."""
    for region in regions(points, most, 1):
        yield from np.array_split(region.points, -(-len(region.points) // most))
