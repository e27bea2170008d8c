"""The radii at which balls around points contain enough records, computed on both cores."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from shoal.clusters.searches.points import Clusters, Points
from shoal.foundation.parallel import side_by_side
from shoal.foundation.progress import Progress
from shoal.kernels.clock import clock
from shoal.kernels.clusters.gathering import count_within, fill_ball_radii, fill_joining_radii
from shoal.kernels.clusters.metrics import distances_between

_PAIRS = 50_000_000  # distances that are computed between two checks of the deadline
_FEW = 1_000_000  # distances that one core computes, and keeps in memory, at once


def _pieces(points: Points, chosen: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Split points into parts, each of which is compared with all points in a fraction of a second."""
    return np.array_split(chosen, max(len(chosen) * len(points) // _PAIRS, 1))


def _on_both_cores(chosen: NDArray[np.int64], work: Callable[[NDArray[np.int64]], object]) -> None:
    side_by_side(len(chosen), lambda begin, end: work(chosen[begin:end]))


def widest_reach(
    points: Points,
    need: int,
    deadline: float,
    progress: Progress,
    *,
    floor: float = 0.0,
    most: NDArray[np.float64] | None = None,
) -> float:
    """Return the least radius at which the ball around every point contains `need` records.

    The points are taken in random order. Then few need a larger radius than all before them, and only these are
    measured. After the deadline, the result covers only the points so far.

    Args:
        points: The points.
        need: The number of records.
        deadline: When to stop.
        progress: Told how far it is.
        floor: The result is at least this; smaller radii need not be computed.
        most: For each point, a cap: if its ball needs a larger radius, the cap counts.
    """
    order = np.random.default_rng(0).permutation(len(points)).astype(np.int64)
    most = np.full(len(points), np.inf) if most is None else most
    reach, inside = np.zeros(len(points)), np.zeros(len(points), dtype=np.int64)
    widest = floor
    parts = np.array_split(order, max(len(order) * len(points) // _PAIRS, min(8, len(order))))
    for number, part in enumerate(parts):
        if clock() > deadline:
            break
        open_ones = part[most[part] > widest]
        _measure(points, points.counts, need, open_ones, reach, inside, widest)
        widest = max(widest, float(np.minimum(reach, most)[open_ones].max(initial=0.0)))
        progress("measuring balls", number / len(parts))
    return widest


def reaches(
    points: Points, need: int, deadline: float, progress: Progress
) -> tuple[NDArray[np.float64], NDArray[np.int64]] | None:
    """Return each point's radius at which its ball contains `need` records, and how many; None if time runs out."""
    reach, inside = np.zeros(len(points)), np.zeros(len(points), dtype=np.int64)
    parts = _pieces(points, np.arange(len(points)))
    for number, part in enumerate(parts):
        if clock() > deadline:
            return None
        _measure(points, points.counts, need, part, reach, inside)
        progress("measuring balls", number / len(parts))
    return reach, inside


def balls_reached(
    points: Points, own: NDArray[np.float64], deadline: float, progress: Progress
) -> NDArray[np.float64] | None:
    """Return for each point the least R such that it lies within R of a point whose own radius is at most R.

    None if time runs out.

    Args:
        points: The points.
        own: The radius that the ball around each point needs.
        deadline: When to stop.
        progress: Told how far it is.
    """
    reach = np.empty(len(points))
    parts = _pieces(points, np.arange(len(points)))
    for number, part in enumerate(parts):
        if clock() > deadline:
            return None
        _on_both_cores(part, lambda some: fill_joining_radii(points.space, points.positions, own, some, reach))
        progress("looking for balls", number / len(parts))
    return reach


def records_within(
    points: Points, weights: NDArray[np.int64], tau: float, deadline: float
) -> tuple[NDArray[np.int64], float, float] | None:
    """Return the number of records within `tau` of each point of positive weight; None if time runs out.

    Also return the largest distance up to `tau` and the least distance above it that occurred.
    """
    counts = np.zeros(len(points), dtype=np.int64)
    spans: list[tuple[float, float]] = [(0.0, np.inf)]
    for part in _pieces(points, np.flatnonzero(weights)):
        if clock() > deadline:
            return None
        _on_both_cores(
            part,
            lambda some: spans.append(count_within(points.space, points.positions, weights, tau, some, counts)),
        )
    below, above = zip(*spans, strict=True)
    return counts, max(below), min(above)


def _measure(
    points: Points,
    weights: NDArray[np.int64],
    need: int,
    chosen: NDArray[np.int64],
    reach: NDArray[np.float64],
    inside: NDArray[np.int64],
    floor: float = -1.0,
) -> None:
    _on_both_cores(
        chosen, lambda some: fill_ball_radii(points.space, points.positions, weights, need, floor, some, reach, inside)
    )


def remeasure(
    points: Points,
    alive: NDArray[np.bool_],
    need: int,
    chosen: NDArray[np.int64],
    reach: NDArray[np.float64],
    inside: NDArray[np.int64],
) -> None:
    """Compute the radii of some points again, among the points that are still alive."""
    weights = np.where(alive, points.counts, 0)
    if len(chosen) * len(points) > _FEW:
        _measure(points, weights, need, chosen, reach, inside)
    else:
        fill_ball_radii(points.space, points.positions, weights, need, -1.0, chosen, reach, inside)


def one_cluster(points: Points) -> tuple[Clusters, float]:
    """Return all records as one cluster around the first point, and its radius."""
    n = len(points)
    none = np.zeros(n, dtype=np.int64)
    clusters = Clusters(np.arange(n), none, points.counts, points.positions[:, :1])
    return clusters, float(points.distances(none[:1]).max())


def taken_in(points: Points, clusters: Clusters) -> Clusters:
    """Add records that are left out to the nearest cluster, if this does not enlarge the largest radius.

    That is the case if the centre is no farther from them than some record is from its own centre.
    """
    owners, outside = clusters.owners.copy(), np.flatnonzero(clusters.owners < 0)
    if len(outside):
        positions = np.ascontiguousarray(points.positions[:, clusters.points[outside]])
        best, place = nearest_of(points, clusters.centres, positions)
        owners[outside] = np.where(best <= clusters.radii(points).max(), place, -1)
    return replace(clusters, owners=owners)


def nearest_of(
    points: Points, centres: NDArray[np.float64], positions: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the distance of each position to its nearest centre, and that centre's index, the first of equals."""
    n = positions.shape[1]
    best, place = np.full(n, np.inf), np.zeros(n, dtype=np.int64)
    for part in np.array_split(np.arange(centres.shape[1]), max(centres.shape[1] * n // _FEW, 1)):
        rows = distances_between(points.space, np.ascontiguousarray(centres[:, part]), positions)
        first = rows.argmin(axis=0)
        least = rows[first, np.arange(n)]
        nearer = least < best
        best, place = np.where(nearer, least, best), np.where(nearer, part[first], place)
    return best, place
