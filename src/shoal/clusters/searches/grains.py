"""Clusters of a large table by its grains: nearby points are put together, and clustered by one of them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from shoal.clusters.searches.points import Clusters, FoundClusters, Points
from shoal.clusters.searches.regions import regions
from shoal.foundation.progress import Progress

GRAINS = 20_000
"""How many grains a large table is put into, about: a search of clusters takes time with their square."""

_TRIED = 32  # points of a grain that are tried as the one that stands for it
_ROUNDING = 1e-9  # sums in another order differ by less

ClusterSearch = Callable[[Points, int, Progress], FoundClusters]


def in_grains(
    points: Points, search: ClusterSearch, *, clusters: int, limit: int, progress: Progress, number: int = GRAINS
) -> FoundClusters:
    """Return clusters of all points, found by grains of them; their number may be limited, as regions cannot do it.

    Let no point be farther than s from the one that stands for its grain. Then clusters of the grains are clusters of
    the points, and a radius grows by s at most. And clusters of the points with the radius R are clusters of the grains
    with diameters of at most 2R + 2s: so a bound B on the radius of the latter, which is half of a diameter, shows that
    R is at least B - s. The sizes, and who is left out, stay as they are. Where nobody is left out, two of any more
    points than there may be clusters are in one: so R is also at least half of how far such points are apart.

    Args:
        points: All points.
        search: Finds clusters of some points, of which it may leave out some records; it tells how far it is. What it
            bounds is half of the largest diameter.
        clusters: The most clusters.
        limit: How many records may be left out.
        progress: Told how far it is.
        number: How many grains there are, about.
    """
    progress("putting nearby records together")
    grains = Grains.of(points, number)
    chosen = grains.points(points)
    finding = search(chosen, limit, progress)
    apart = 0.0 if limit else separation_of(chosen, clusters + 1) / 2 * (1 - _ROUNDING)
    bound = max(finding.bound - grains.size * (1 + _ROUNDING), apart)
    remark = f"found by {len(grains.members)} grains of nearby records, so that no factor is claimed"
    remarks = (finding.remark, remark, "the bound is one for the whole table")
    found = replace(grains.spread(points, finding.found), bound=bound)
    return FoundClusters(found, None, "; ".join(part for part in remarks if part))


def separation_of(points: Points, number: int) -> float:
    """Return a distance by which so many points are apart, each from all others, at least; 0 if there are no two.

    Each is the one that is farthest from those before it (Gonzalez 1985).
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
    """Points, put together.

    Args:
        members: The points of each grain.
        middles: The point that stands for each.
        size: How far a point is from the one that stands for it, at most.
    """

    members: tuple[NDArray[np.int64], ...]
    middles: NDArray[np.int64]
    size: float

    @classmethod
    def of(cls, points: Points, number: int = GRAINS) -> "Grains":
        """Cut the points into about so many regions, as Mondrian does; of each, a point in its middle stands for it."""
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
        """Return the points that stand for the grains, each with the records of its grain."""
        counts = np.array([points.counts[part].sum() for part in self.members], dtype=np.int64)
        return Points(points.space, np.ascontiguousarray(points.positions[:, self.middles]), counts)

    def spread(self, points: Points, clusters: Clusters) -> Clusters:
        """Return clusters of grains as clusters of points; where a grain is split, its records are dealt in order."""
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
    """Cut the points into parts of at most so many; where no cut is found, by their order."""
    for region in regions(points, most, 1):
        yield from np.array_split(region.points, -(-len(region.points) // most))
