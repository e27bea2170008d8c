"""Cellular clustering (001 s.3): a cluster costs its number of records times its radius, plus a setup cost.

`duals.py` computes the charges that pay for clusters, `sharing.py` makes the clusters large enough.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import count

import numpy as np
from numpy.typing import NDArray

from shoal.clusters.searches.duals import Dual, NearestPoints, dual
from shoal.clusters.searches.points import Centres, Clusters, FoundClusters, Points
from shoal.clusters.searches.sharing import clusters_of, shared_out
from shoal.foundation.progress import Progress, silent
from shoal.kernels.clusters.cellular import Prices, open_clusters

FACTOR, PRIVATE_FACTOR, OUTLIER_FACTOR = 3.0, 36.0, 54.0
MOST = 12_000
"""The most points that are searched at once; time and memory grow with their square."""

REGION = 350
"""The number of points of a region of a larger table."""

_NO_END = float("inf")
_TRIES = 8


@dataclass(frozen=True, slots=True, eq=False)
class Opened:
    """Clusters that were opened, and whether the approximation factor of the algorithm is proven for them.

    Args:
        clusters: The clusters, with a bound.
        proven: Whether the factor is proven; it may not be if time ran out.
    """

    clusters: Clusters
    proven: bool


@dataclass(frozen=True, slots=True, eq=False)
class CellularRequest:
    """The requirements on the clusters.

    Args:
        points: The points.
        r: The least number of records of a cluster.
        setup: The setup cost of a cluster.
        limit: The most records that may be left out.
        centres: Whether the bound is for clusterings around `records`, or around `any` centres.
        deadline: When to stop, by the clock of searches.
        tell: Shows progress.
    """

    points: Points
    r: int = 1
    setup: float = 0.0
    limit: int = 0
    centres: Centres = "records"
    deadline: float = _NO_END
    tell: Progress = silent

    @property
    def spared(self) -> int:
        """The number of records that can be left out: at least one cluster remains."""
        return min(self.limit, self.points.n_records - self.r)

    def paid(self, below: float = _NO_END) -> Prices:
        """Return the prices of clusters that pay r times their radius in addition, for radii smaller than `below`."""
        n = len(self.points)
        return Prices(np.full(n, self.setup), float(self.r), self.r, below, False)

    def forced(self) -> Prices:
        """Return the prices of clusters that have at least r members."""
        return Prices(np.zeros(len(self.points)), 0.0, self.r, _NO_END, True)


def finding_of(
    opened: Opened, centres: Centres, limit: int, *, factor: float, leaves_out: bool = False
) -> FoundClusters:
    """Return clusters with the proven factor and bound of their cost.

    The least cost around any centres is at least half of that around records, so the factor doubles. If records may be
    left out but the algorithm leaves none out, no factor holds.

    Args:
        opened: The clusters.
        centres: Whether the comparison is with clusterings around `records`, or around `any` centres.
        limit: How many records may be left out.
        factor: The proven ratio of their cost to the least cost around records.
        leaves_out: Whether the algorithm leaves out as many records as it may.
    """
    holds = opened.proven and (leaves_out or limit == 0)
    remark, bound_remark = "", "the bound is for clusters around records" if centres == "records" else ""
    if opened.proven and not holds:
        remark = "no factor is claimed, since others may leave records out: see 'r-cellular-outliers'"
    claimed = (factor if centres == "records" else 2 * factor) if holds else None
    return FoundClusters(opened.clusters, claimed, remark, bound_remark)


def cellular(
    points: Points,
    setup: NDArray[np.float64],
    *,
    limit: int = 0,
    centres: Centres = "records",
    deadline: float = _NO_END,
    tell: Progress = silent,
) -> Opened:
    """Return clusters of any size that cost at most 3 times the least (001 Theorem 3.5).

    The charges of a dual solution pay for openings (`duals.py`). In the order of falling radii, an opening becomes a
    cluster if nobody who pays for it is in one yet. A record that is left joins a cluster that took someone who pays
    for the opening with which the record joined. That cluster is at least as wide as the opening, so that its radius
    grows to three times at most; and the record is charged at least as much as that someone, who is charged at least
    the cluster's radius. So the records of each cluster are charged a third of what it costs, and all charges together
    are a bound on any clustering.

    Where any centres are allowed the bound is half as much: a cluster of radius d around anything lies within 2d
    of each of its members.

    Args:
        points: The points.
        setup: The setup cost of a cluster around each point; finite, not negative.
        limit: The number of records that the clusterings of the bound may leave out; here none is left out.
        centres: Whether the bound is for centres that are `records`, or `any`.
        deadline: When to stop, by the clock of searches.
        tell: Shows progress.
    """
    rows = NearestPoints.of(points, deadline, tell)
    if rows is None:
        return Opened(_one_cluster(points, float(setup.min())), False)
    grown = dual(rows, Prices(setup, 0.0, 1, _NO_END, False), 0, deadline, tell)
    least = float(setup.min()) * (1 - 1e-9)
    value = grown.value(min(limit, points.n_records - 1))
    bound = max(value if centres == "records" else value / 2, least)
    order, best, least = np.arange(len(points), dtype=np.int64), _one_cluster(points, bound), np.inf
    for middles, owners in _openings(points, grown):
        found = Clusters(order, owners, points.counts, np.ascontiguousarray(points.positions[:, middles]), bound)
        cost = float(found.sizes @ found.radii(points)) + float(setup[middles].sum())
        best, least = (found, cost) if cost < least else (best, least)
    return Opened(best, grown.done)


def r_cellular(request: CellularRequest) -> Opened:
    """Return clusters of at least r records that cost at most 36 times the least (001 Theorem 3.8).

    A cluster of radius d shall cost r d beside, and have r records within d. The best clustering then costs at most
    twice as much, since each of its clusters has at least r records. What is charged is a third of the cost of the
    clusters that are opened, with three times r d for each. That pays for what they borrow (`sharing.py`): the shared
    clustering costs at most 3 x 2 times the optimum, and the final one at most 6 times as much.
    """
    rows = NearestPoints.of(request.points, request.deadline, request.tell)
    if rows is None:
        return Opened(_one_cluster(request.points, request.setup), False)
    grown, sure = _duals(request, rows, 0)
    best, _ = min((_shared(request, rows, one, 0) for one in (grown, sure)), key=lambda found: found[1])
    return Opened(replace(best, bound=_bound(request, rows, grown, sure)), grown.done)


def r_cellular_outliers(request: CellularRequest) -> Opened:
    """Return clusters of at least r records that leave some out, and cost at most 54 times the least that do.

    The paper only says that its algorithm can be combined with the technique of Charikar et al. 2001. The details are
    worked out here.

    Let n - L records have to be served, and let f be the setup cost. As in `r_cellular` charges grow, but only for
    clusters of radius below some g, and only until at most L records have not joined. Records that joined with the last
    opening, of radius e, are left out again, the farthest first, as long as L are left out in all. Call the others
    served.

    1. The served are charged no more than any others of the same number: charges do not fall over time, and those who
       have not joined are charged most. Let OPT be the least cost, reached by clusters whose radii are all below g. The
       records in these are charged at most what they cost with r times their radii, which is at most 2 OPT: so the
       served are charged at most 2 OPT.
    2. Who is left out is within no opening but the last: all within an opening have joined once it is made. So all
       that is paid for other openings is paid by the served, and for these the argument of `r_cellular` holds. What
       such a cluster borrows is within its opening, and served.
    3. If the last opening becomes no cluster, the shared clustering costs at most 3 x 2 OPT, the final one 36 OPT.
    4. If it does, its price f + r e may not be paid for by the served. Add three times that: the shared clustering
       costs at most 6 OPT + 3 (f + r e). If the widest cluster of OPT has a radius of at least e, it alone costs
       f + r e, and the final clustering at most 6 x (6 + 3) OPT.
    5. Else all radii of OPT are below e. Start anew with g = e. If then n - L records cannot be served, there
       is no such OPT. As e falls each time, this comes to an end, and the best of all is within 54 OPT.

    Mostly that is soon; after some tries it stops as well if the best costs at most 54 times a bound.

    The bound is the better of that of `r_cellular` for fewer records, and of the least that the guesses leave open: if
    the widest cluster of OPT is at least as wide as e, it costs f + r e, and if it is below g, OPT is at least half of
    the charges for g. The first may be r times too low, where one of many records that are far away has to be served.
    """
    rows = NearestPoints.of(request.points, request.deadline, request.tell)
    if rows is None:
        return Opened(_one_cluster(request.points, request.setup), False)
    grown, sure = _duals(request, rows, request.spared)
    bound, times = _bound(request, rows, grown, sure), 1 if request.centres == "records" else 2
    best, least = _shared(request, rows, sure, request.spared)
    floor, proven = np.inf, True
    for tries in count(1):
        found, cost = _shared(request, rows, grown, request.spared)
        best, least = (found, cost) if cost < least else (best, least)
        within = least <= OUTLIER_FACTOR * times * bound
        value, last = grown.value(request.spared) / (2 * times), _last_reach(request, grown)
        if not grown.done or (within and tries >= _TRIES):
            floor, proven = min(floor, value), within
            break
        floor = min(floor, max(value, (request.setup + request.r * last / times) * (1 - 1e-9)))
        grown = dual(rows, request.paid(last), request.spared, request.deadline, request.tell)
        if grown.stuck:
            break
    return Opened(replace(best, bound=max(bound, floor)), proven)


def _last_reach(request: CellularRequest, grown: Dual) -> float:
    """Return the radius of the last opening if it became a cluster, else 0."""
    if not grown.done:
        return 0.0
    centres, owners = _opened(request.points, grown)
    joined = np.flatnonzero(grown.events == len(grown.centres) - 1)
    return float(grown.reaches[-1]) if centres[owners[joined[0]]] == grown.centres[-1] else 0.0


def _duals(request: CellularRequest, rows: NearestPoints, left: int) -> tuple[Dual, Dual]:
    """Return the charges that pay for clusters, and those that only give a bound; each computed in a thread."""
    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(dual, rows, request.forced(), left, request.deadline)
        grown = dual(rows, request.paid(), left, request.deadline, request.tell)
        return grown, other.result()


def _bound(request: CellularRequest, rows: NearestPoints, grown: Dual, sure: Dual) -> float:
    """Return the best bound that is known.

    It is the maximum of several bounds. Clusters that pay r times their radius in addition cost at most twice as much,
    so half of their charges is a bound. Another is the sum of the charges for clusters that must have r records, plus
    the setup of one cluster. For any centres, half of the charges is a bound (what pays for a radius d pays, halved,
    for d / 2). Last, each record pays half of the distance to the last of its r nearest records, since r records lie
    within twice the radius of its cluster.
    """
    setup, spared = request.setup * (1 - 1e-9), request.spared
    if request.centres == "records":
        return max(grown.value(spared) / 2, sure.value(spared) + setup)
    halves = replace(sure, charges=rows.reaches(request.r) / 2)
    return max(grown.value(spared) / 4, sure.value(spared) / 2 + setup, halves.value(spared) + setup)


def _opened(points: Points, grown: Dual) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the centres of the clusters that are opened, and the cluster of each point.

    If time ran out, whoever did not join is in the cluster whose centre is nearest.
    """
    order = np.argsort(-grown.reaches, kind="stable")
    owners = open_clusters(
        points.space, points.positions, grown.charges, grown.events, grown.centres, grown.reaches, order
    )
    opened = np.unique(owners[owners >= 0])
    owners = np.where(owners >= 0, np.searchsorted(opened, owners), -1)
    centres = grown.centres[opened]
    waiting = np.flatnonzero(owners < 0)
    if not grown.done and len(centres):
        for point in waiting:
            owners[point] = np.argmin(points.distances(np.array([point]))[0][centres])
    return centres, owners


def _openings(points: Points, grown: Dual) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Yield ways to turn openings into clusters: the independent subset that the proof uses, and all of them.

    All of them may be too many clusters in the worst case, but are usually better. Nothing is yielded if time ran out
    too early.
    """
    if len(grown.centres):
        yield _opened(points, grown)
    if grown.done:
        yield grown.centres, grown.events


def _shared(request: CellularRequest, rows: NearestPoints, grown: Dual, spared: int) -> tuple[Clusters, float]:
    """Return the best clusters of at least r records that are made of openings, and their cost."""
    points = request.points
    ways = []
    for centres, owners in _openings(points, grown):
        served = np.where(owners >= 0, points.counts, 0)
        if grown.done:
            _leave_out(points, grown, served, spared)
        ways.append(shared_out(rows, centres, owners, served, request.r))
    costs = [float(way.sizes @ way.radii(points)) + request.setup * way.n_clusters for way in ways]
    if not ways:
        return _one_cluster(points, 0.0), np.inf
    return min(zip(ways, costs, strict=True), key=lambda pair: pair[1])


def _leave_out(points: Points, grown: Dual, served: NDArray[np.int64], spared: int) -> None:
    """Leave out records that joined with the last opening, the farthest first, as long as that is allowed."""
    allowed = spared - grown.left
    joined = np.flatnonzero(grown.events == len(grown.centres) - 1)
    far = points.distances(grown.centres[-1:])[0][joined]
    for point in joined[np.argsort(-far, kind="stable")].tolist():
        gone = min(int(served[point]), allowed)
        served[point] -= gone
        allowed -= gone


def _one_cluster(points: Points, bound: float) -> Clusters:
    """Return all records as one cluster, around the best of a few points; for when time runs out."""
    few = np.unique(np.linspace(0, len(points) - 1, 16).astype(np.int64))
    centre = int(few[np.argmin(points.distances(few).max(axis=1))])
    entries = [(0.0, point, count) for point, count in enumerate(points.counts.tolist())]
    return replace(clusters_of(points, [(centre, entries)]), bound=bound)
