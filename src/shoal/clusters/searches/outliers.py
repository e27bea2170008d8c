"""Clusters of at least r records where some records may be left out (001 s.2.3)."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from shoal.clusters.searches.balls import balls_reached, nearest_of, one_cluster, reaches, remeasure
from shoal.clusters.searches.gathering import gathered_again
from shoal.clusters.searches.points import Clusters, FoundClusters, Points
from shoal.clusters.searches.thresholds import OUT_OF_TIME
from shoal.foundation.progress import Progress
from shoal.kernels.clock import clock

_ROUNDING = 1e-12  # the triangle inequality holds up to the rounding of distances


def least_kept(points: Points, limit: int) -> int:
    """Return the number of records that must be in clusters if `limit` may be left out; at least one."""
    return max(points.n_records - limit, 1)


def gathered_core(points: Points, r: int, limit: int, deadline: float, progress: Progress) -> FoundClusters:
    """Return clusters around any centres whose radius is at most 4 times the least.

    The core at a threshold tau is the largest set of points, each of which has r records of the set within tau (with
    its own). Let tau be the least at which the core leaves out no more than the limit. The records of the best solution
    are such a set at d*, its largest diameter: so tau <= d*, which is at most two times its radius.

    Then, one point after the other, the points of the core within tau of it become a cluster, if at least r of their
    records are in none so far. A point that is left at the end has r records of the core within tau. One of them is in
    a cluster, else the point had made one itself. So a centre is within 2 tau of it, and it joins the nearest, which
    has its r already. No radius is above 2 tau, which is at most 4 times the least.

    Args:
        points: The points, with at least r records.
        r: The least number of records in a cluster.
        limit: How many records may be left out.
        deadline: When to stop.
        progress: Told how far the search is.
    """
    measured = reaches(points, r, deadline, progress)
    if measured is None:
        return _out_of_time(points)
    keep = least_kept(points, limit)
    core, tau, proven = _core(points, r, keep, *measured, deadline, progress)
    low = tau if proven else quantile(measured[0], points.counts, keep)
    bound = low / 2 * (1 - _ROUNDING)
    found = _balls(points, r, tau, core, np.flatnonzero(core), deadline)
    if found is None:
        return _out_of_time(points, bound)
    found = gathered_again(points, found, r, None, deadline, progress)
    factor = 4.0 if proven else 4.0 * tau / low / (1 - _ROUNDING) if low > 0 else None
    return FoundClusters(replace(found, bound=bound), factor, "" if proven else OUT_OF_TIME)


def gathered_balls(points: Points, r: int, limit: int, deadline: float, progress: Progress) -> FoundClusters:
    """Return clusters around records whose radius is at most 3 times the least around records.

    A point is a candidate at a radius R if r records are within R. Let R be the least at which the balls of radius R
    around candidates leave out no more than the limit. The centres of the best solution are candidates at its radius,
    even if they are left out themselves, and all its records are in their balls: so R is at most its radius.

    Then, one point after the other, the points within R of it become a cluster, if at least r of their records are in
    none so far. A point that is left at the end is in the ball of a candidate. If the candidate is in a cluster, the
    centre of that is within 2 R of the point. Else it was tried as a centre, and failed, since one of the r records in
    its ball is in a cluster: the centre of that is within 3 R. So the point joins its nearest centre.

    For each point there is a least radius at which it is in the ball of a candidate: the least, over all other points,
    of the larger of their distance and of the radius that the other needs to be a candidate. R is that of the last
    point that must not be left out; nothing needs to be tried.

    Args:
        points: The points, with at least r records.
        r: The least number of records in a cluster.
        limit: How many records may be left out.
        deadline: When to stop.
        progress: Told how far the search is.
    """
    measured = reaches(points, r, deadline, progress)
    needed = None if measured is None else balls_reached(points, measured[0], deadline, progress)
    if measured is None or needed is None:
        return _out_of_time(points)
    radius = quantile(needed, points.counts, least_kept(points, limit))
    found = _balls(points, r, radius, needed <= radius, np.flatnonzero(measured[0] <= radius), deadline)
    if found is None:
        return _out_of_time(points, radius)
    again = gathered_again(points, found, r, None, deadline, progress)
    return FoundClusters(replace(again, bound=radius), 3.0)


def _out_of_time(points: Points, bound: float = 0.0) -> FoundClusters:
    """Return all records as one cluster."""
    return FoundClusters(replace(one_cluster(points)[0], bound=bound), None, OUT_OF_TIME)


def _core(
    points: Points,
    r: int,
    keep: int,
    reach: NDArray[np.float64],
    inside: NDArray[np.int64],
    deadline: float,
    progress: Progress,
) -> tuple[NDArray[np.bool_], float, bool]:
    """Return the core at the least threshold that keeps enough records, the threshold, and whether it is the least.

    Points are taken away, one after the other: always the one whose ball must be widest to hold r of those that are
    left. That width is the threshold at which all that are left are a core; below it the point is in none, since no
    other set of those that are left lets it reach more. So a core that keeps enough records is at one of the thresholds
    that are met before too many are gone, and their least is the one.

    A ball is measured again only if it no longer holds r: until then its width stays what it was.
    """
    reach, inside = reach.copy(), inside.copy()
    alive, left = np.ones(len(points), dtype=np.bool_), points.n_records
    best, last = np.inf, 0
    gone: list[int] = []
    while left >= keep:
        widest = int(np.where(alive, reach, -1.0).argmax())
        if reach[widest] < best:
            best, last = float(reach[widest]), len(gone)
        if best == 0 or clock() > deadline:
            break
        gone.append(widest)
        alive[widest] = False
        left -= int(points.counts[widest])
        row = points.distances(np.array([widest]))[0]
        touched = alive & (row <= reach)
        inside[touched] -= points.counts[widest]
        remeasure(points, alive, r, np.flatnonzero(touched & (inside < r)), reach, inside)
        progress("taking outliers away", 1 - (left - keep) / max(points.n_records - keep, 1))
    core = np.ones(len(points), dtype=np.bool_)
    core[gone[:last]] = False
    return core, best, best == 0 or left < keep


def quantile(values: NDArray[np.float64], counts: NDArray[np.int64], keep: int) -> float:
    """Return the least value such that the values of at least `keep` records are not larger."""
    order = np.argsort(values, kind="stable")
    return float(values[order[np.searchsorted(np.cumsum(counts[order]), keep)]])


def _balls(
    points: Points, r: int, radius: float, inside: NDArray[np.bool_], tried: NDArray[np.int64], deadline: float
) -> Clusters | None:
    """Make a cluster of each ball with at least r unassigned records, and let the rest join the nearest centre.

    Args:
        points: The points.
        r: The least number of records in a cluster.
        radius: That of the balls.
        inside: The points that must be in a cluster.
        tried: The points that may be centres, in this order.
        deadline: When to stop; then None is returned.
    """
    owner = np.full(len(points), -1, dtype=np.int64)
    centres: list[int] = []
    for point in tried.tolist():
        if owner[point] >= 0:
            continue
        if clock() > deadline:
            return None
        row = points.distances(np.array([point]))[0]
        near = inside & (owner < 0) & (row <= radius)
        if int(points.counts[near].sum()) >= r:
            owner[near] = len(centres)
            centres.append(point)
    middles, rest = points.positions[:, centres], np.flatnonzero(inside & (owner < 0))
    owner[rest] = nearest_of(points, middles, points.positions[:, rest])[1]
    return Clusters(np.arange(len(points)), owner, points.counts, middles)
