"""Simulated annealing of clusters: records move until the objective stops falling; every promise is kept."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.classes.grouping import Grouping, Parts
from shoal.clusters.objectives import Objective
from shoal.foundation.parallel import THREADS, side_by_side
from shoal.foundation.progress import Progress, silent
from shoal.kernels.clock import clock
from shoal.kernels.clusters.centres import RADIUS, SQUARES, ClusterPricing, move_centres
from shoal.kernels.clusters.clustering_state import CLUSTER, ClusteringState, ClusterWorkspace
from shoal.kernels.clusters.improving import MOST_REFORMED, anneal_clusters
from shoal.kernels.sufficient_tests import SufficientTests
from shoal.search.clusters.clustered_records import ClusteredRecords, cluster_pricing_of
from shoal.search.clusters.clustering import MetricTable
from shoal.search.local.sufficient_tests import sufficient_tests_of
from shoal.search.neighbours.by_distance import neighbours_by_distance
from shoal.search.problem import Problem

CLUSTER_EFFORT = 200
"""How many moves are tried for each record by default."""

_NEAR, _SQUARES_NEAR = 16, 8  # nearest neighbours of a point that are candidates; the second for squares
_FIRST, _LAST = 1.0, 0.002  # the highest first temperature, and the last, as shares of the cost of a cluster
_SQUARES_FIRST, _OTHER_FIRST = 0.4, 0.3  # the first temperature for squares, and, divided by k, for other objectives,
_MODEST = 200  # at this effort
_COLD, _COLD_SHARE = 1e-300, 0.95  # a temperature at which no increase is accepted, and after which share of the work
_ROUNDS = 200  # the largest number of rounds; a round has one temperature
_SHORTEST = 50  # the least number of moves of a round
_ANEW, _ANEW_MOST = 0.9, 0.3  # the share of moves that form clusters anew: the first over k, at most the second
_SQUARES_ANEW, _SQUARES_ANEW_MOST, _SQUARES_LAST = 1.5, 0.4, 0.005  # the same for squares, and their last temperature
_FEW = 200  # up to so many clusters are one region, searched by one core
_TOGETHER = 14  # the least capacity for records whose clusters are formed anew together
_LOWER = 0.97  # the radius to reach next, as a share of the largest one
_TRIED = 1_500  # in clusters of up to so many records each record is tried as the centre
_STEPS = 40  # steps of a centre towards its farthest record


def improved(
    table: MetricTable,
    parts: Parts,
    centres: NDArray[np.float64],
    objective: Objective,
    *,
    free: bool = True,
    setup: float = 0.0,
    most: int | None = None,
    effort: int = CLUSTER_EFFORT,
    deadline: float = inf,
    seed: int = 0,
    progress: Progress = silent,
) -> tuple[Parts, NDArray[np.float64]]:
    """Return clusters with a lower objective, or the given ones if none are found; every promise stays kept.

    Records move between clusters, are swapped, and neighbouring clusters are formed anew, by simulated annealing.
    Suppressed records stay suppressed. Equal radii are compared by the cellular cost. If promises can be tested only on
    all clusters at once (see `sufficient_tests_of`), the clusters stay as they are. Equal seeds give equal answers,
    unless the deadline cuts the work short.

    Args:
        table: The table.
        parts: The records of each cluster, all of the table; those of no cluster are -1.
        centres: `centres[:, cluster]`, the positions of their centres, as they can be published.
        objective: The objective to lower.
        free: Whether a centre may be anywhere; else only at a record, or where it is.
        setup: The fixed cost of a cluster.
        most: The largest number of clusters; as many as the records allow if left out.
        effort: How many moves are tried for each record.
        deadline: When to be done, by the clock of searches.
        seed: The seed of the random numbers.
        progress: Called with the share of the work that is done.
    """
    paid = objective_of(table, parts, centres, objective, setup)
    sufficient_tests = sufficient_tests_of(_released(table.problem, parts))
    if sufficient_tests is None or effort == 0 or clock() >= deadline or max(paid) == 0:
        return parts, centres
    improver = Improver(table, parts, centres, objective, free, setup, most, sufficient_tests, seed)
    found, moved = improver.run(effort, deadline, progress)
    moved = recentred(table, found, moved, objective, free=free)
    better = objective_of(table, found, moved, objective, setup) < paid
    return (found, moved) if better and _keeps(table.problem, found) else (parts, centres)


def recentred(
    table: MetricTable, parts: Parts, centres: NDArray[np.float64], objective: Objective, *, free: bool = True
) -> NDArray[np.float64]:
    """Return a centre for each cluster, as it can be published, that costs no more than the given one.

    Candidates are the given centre, each record of a cluster that is not large, and, if a centre may be anywhere, the
    mean or the middle of the records and steps from there towards the farthest record.

    Args:
        table: The table.
        parts: The records of each cluster; those of no cluster are -1.
        centres: `centres[:, cluster]`.
        objective: The objective to lower; for the radius, that of each cluster.
        free: Whether a centre may be anywhere.
    """
    clustered = ClusteredRecords.of(table, parts)
    pricing = cluster_pricing_of(clustered.points, objective, free=free)._replace(flat=False)
    groups = np.zeros(centres.shape[1], dtype=CLUSTER)
    sizes = np.bincount(clustered.label, minlength=len(groups))
    groups["size"], groups["begin"] = sizes, np.cumsum(sizes) - sizes
    members = np.argsort(clustered.label, kind="stable")
    given = np.ascontiguousarray(table.metric.rounded(centres))
    moved, values, rounded_values = given.copy(), np.zeros(len(groups)), np.zeros((2, len(groups)))
    _move_centres(pricing, clustered.records, groups, members, moved, values, _TRIED, _STEPS)
    moved = np.ascontiguousarray(table.metric.rounded(moved))
    fixed = pricing._replace(free=False)
    for some, own in zip((given, moved), rounded_values, strict=True):
        _move_centres(fixed, clustered.records, groups, members, some.copy(), own, 0, 0)
    return np.where(rounded_values[1] < rounded_values[0], moved, given)


def _move_centres(
    pricing: ClusterPricing,
    records: NDArray[Any],
    groups: NDArray[Any],
    members: NDArray[np.int64],
    centres: NDArray[np.float64],
    values: NDArray[np.float64],
    most: int,
    steps: int,
) -> None:
    """Improve the centre of every cluster, on all cores; see `move_centres`."""
    side_by_side(
        len(groups),
        lambda first, last: move_centres(pricing, records, groups, members, centres, values, most, steps, first, last),
    )


class Improver:
    """Anneals the clusters of a table.

    Args:
        table: The table.
        parts: The records of each cluster.
        centres: The positions of their centres.
        objective: The objective to lower.
        free: Whether a centre may be anywhere.
        setup: The fixed cost of a cluster.
        most: The largest number of clusters.
        sufficient_tests: Tests that imply the promises beyond the number of records.
        seed: The seed of the random numbers.
    """

    def __init__(
        self,
        table: MetricTable,
        parts: Parts,
        centres: NDArray[np.float64],
        objective: Objective,
        free: bool,
        setup: float,
        most: int | None,
        sufficient_tests: SufficientTests,
        seed: int,
    ) -> None:
        self._rng = np.random.default_rng(seed)
        self._clustered = ClusteredRecords.of(table, parts)
        self._objective, self._sufficient_tests, self._k = objective, sufficient_tests, table.problem.k
        self.pricing = cluster_pricing_of(self._clustered.points, objective, free=free, setup=setup)
        self._n_clusters = centres.shape[1]
        self._n_empty = min(max(self._n_clusters // 2 + 16, 0), max(len(self._clustered.label) // self._k, 1))
        if most is not None:
            self._n_empty = min(self._n_empty, max(most - self._n_clusters, 0))
        self.state = self._laid_out(centres)
        self._workspaces = [self._workspace() for _ in range(THREADS)]

    def run(self, effort: int, deadline: float, progress: Progress) -> tuple[Parts, NDArray[np.float64]]:
        """Try moves while the temperature falls; return the best clusters seen, and their centres."""
        state = self.state
        rounds = min(max(effort * len(state.records) // _SHORTEST, 1), _ROUNDS)
        tries = -(-effort * len(state.records) // rounds)
        best, kept = self._standing(), self._copied()
        hot, cold = self._temperatures(effort)
        with ThreadPoolExecutor(THREADS) as pool:
            for share in _shares(rounds, deadline):
                temperature = hot * (cold / hot) ** (share / _COLD_SHARE)
                self._round(pool, tries, temperature if share <= _COLD_SHARE else _COLD)
                progress("improving the clusters", share)
                now = self._standing()
                if now < best:
                    best, kept = now, self._copied()
        label, centres = kept
        used = np.unique(label)
        return self._clustered.parts(label), centres[:, used]

    def _temperatures(self, effort: int) -> tuple[float, float]:
        """Return the first and the last temperature.

        The first is a share of the mean cost of the clusters that cost anything, the last of the median. Where a few
        records are outliers, the mean is theirs, and most clusters cost much less. It takes many moves to repair what a
        high temperature has spoilt, so a small effort starts at a lower one.
        """
        costs = self.state.groups["cost"]
        costs = costs[costs > 0]
        if len(costs) == 0:
            return _COLD, _COLD
        modest = _SQUARES_FIRST if self.pricing.goal == SQUARES else _OTHER_FIRST / self._k
        share = min(modest * (effort / _MODEST) ** 0.5, _FIRST)
        last = _SQUARES_LAST if self.pricing.goal == SQUARES else _LAST
        return share * float(costs.mean()), last * float(np.median(costs))

    def _standing(self) -> tuple[float, float]:
        """Return how good the clusters are now, the more important value first.

        For the radius, the cap is lowered as well: the cost then penalizes radii above a share of the largest one.
        """
        groups, pricing = self.state.groups, self.pricing
        if self._objective != "radius":
            return float(groups["cost"].sum()), 0.0
        size, cost = groups["size"], groups["cost"]
        filled = size > 0
        above = np.zeros(len(groups), dtype=np.bool_) if pricing.penalty == 0 else cost > size * pricing.cap
        payers = np.where(above, size + pricing.penalty, np.maximum(size, 1))
        surplus = pricing.penalty * pricing.cap if pricing.penalty > 0 else 0.0
        radii = np.where(filled, (cost + np.where(above, surplus, 0.0)) / payers, 0.0)
        widest = float(radii.max())
        cap = min(pricing.cap, _LOWER * widest)
        penalty = float(len(self.state.records))
        self.pricing = pricing._replace(cap=cap, penalty=penalty)
        groups["cost"] = np.where(filled, size * radii + penalty * np.maximum(radii - cap, 0.0), 0.0)
        return widest, float((size * radii).sum())

    def _copied(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the label of each record, and the centres."""
        label = self.state.records["label"].copy()
        if not self.pricing.flat:
            return label, self.state.centres.copy()
        size = np.maximum(self.state.groups["size"], 1)
        middle = np.average(self._clustered.points.positions, axis=1, weights=self._clustered.points.counts)
        weights = self.pricing.space.weights
        means = self.state.sums / size[:, None] / np.where(weights == 0, 1.0, weights)
        return label, means.T + middle[:, None]

    def _round(self, pool: ThreadPoolExecutor, tries: int, temperature: float) -> None:
        """Try moves in all regions at the same time."""
        state, workspaces = self.state, self._workspaces
        sides = self._sides()
        label: NDArray[np.int64] = state.records["label"]
        state.records["region"] = sides[label]
        n_regions = int(sides.max()) + 1
        for region in range(n_regions):
            empty = np.flatnonzero(state.groups["size"] == 0)[region::n_regions]
            workspaces[region].free[: len(empty)], workspaces[region].free[-1] = empty, len(empty)

        def search(region: int) -> float:
            inside = np.flatnonzero(state.records["region"] == region)
            own = tries * len(inside) // len(state.records)
            anew = min(_ANEW / self._k, _ANEW_MOST)
            if self.pricing.goal == SQUARES:
                anew = min(_SQUARES_ANEW / self._k, _SQUARES_ANEW_MOST)
            return anneal_clusters(
                self.pricing, state, self._sufficient_tests, workspaces[region], inside, own, temperature, region, anew
            )

        if n_regions == 1:
            search(0)
        else:
            list(pool.map(search, range(n_regions)))

    def _sides(self) -> NDArray[np.int64]:
        """Return the region of each cluster; they are divided by their distance from a random record.

        Few clusters are one region.
        """
        state, groups = self.state, self.state.groups
        sides = np.zeros(len(groups), dtype=np.int64)
        filled = np.flatnonzero(groups["size"] > 0)
        if len(filled) <= _FEW:
            return sides
        begins: NDArray[np.int64] = groups["begin"][filled]
        examples: NDArray[np.int64] = state.records["point"][state.members[begins]]
        pivot = state.records["point"][self._rng.integers(len(state.records))]
        far = self._clustered.points.distances(np.array([pivot]))[0][examples]
        order = filled[np.argsort(far, kind="stable")]
        ends = np.cumsum(groups["size"][order])
        sides[order] = (ends - 1) * THREADS // ends[-1]
        return sides

    def _laid_out(self, centres: NDArray[np.float64]) -> ClusteringState:
        """Return the arrays of the clusters, with free capacity, and with empty clusters."""
        clustered, pricing = self._clustered, self.pricing
        n_groups, n_axes = self._n_clusters + self._n_empty, pricing.coordinates.shape[1]
        groups = np.zeros(n_groups, dtype=CLUSTER)
        groups["size"] = np.bincount(clustered.label, minlength=n_groups)
        groups["capacity"] = np.maximum(groups["size"] + self._k + 4, self._together())
        with_one_more = groups["capacity"] + 1  # while two records are exchanged
        groups["begin"] = np.cumsum(with_one_more) - with_one_more
        order = np.argsort(clustered.label, kind="stable")
        ends = np.cumsum(groups["size"])
        records, label = clustered.records, clustered.label
        records["label"] = label
        records["slot"][order] = np.arange(len(label)) + (groups["begin"] - ends + groups["size"])[label[order]]
        members = np.zeros(int(with_one_more.sum()), dtype=np.int64)
        members[records["slot"]] = np.arange(len(label))
        wide = np.zeros((len(centres), n_groups))
        wide[:, : self._n_clusters] = centres
        sums = np.zeros((n_groups, n_axes))
        if pricing.flat:
            here = pricing.coordinates[records["point"]]
            np.add.at(sums, label, here)
            groups["square"] = np.bincount(label, weights=(here**2).sum(axis=1), minlength=n_groups)
            spread = groups["square"] - (sums**2).sum(axis=1) / np.maximum(groups["size"], 1)
            groups["cost"] = np.where(groups["size"] > 0, np.maximum(spread, 0.0) + pricing.setup, 0.0)
        else:
            values = np.zeros(n_groups)
            _move_centres(pricing, records, groups, members, wide, values, _TRIED, 0)
            paid = values if pricing.goal != RADIUS else groups["size"] * values
            groups["cost"] = np.where(groups["size"] > 0, paid + pricing.setup, 0.0)
        firsts = np.concatenate([[0], np.cumsum(clustered.points.counts)])
        n_near = _SQUARES_NEAR if pricing.goal == SQUARES else _NEAR
        near = neighbours_by_distance(clustered.points, n_near, self._rng)
        return ClusteringState(records, groups, members, sums, wide, near, firsts, self._k)

    def _together(self) -> int:
        """Return the capacity for records whose clusters are formed anew together."""
        return max(_TOGETHER, 5 * self._k + 3)

    def _workspace(self) -> ClusterWorkspace:
        state, together = self.state, self._together()
        longest = len(state.records) if len(state.groups) < 2 else int(np.sort(state.groups["capacity"])[-2:].sum()) + 2
        return ClusterWorkspace(
            random=self._rng.integers(1, 2**62, (1, 8)).astype(np.uint64),
            free=np.zeros(len(state.groups) + 1, dtype=np.int64),
            chosen=np.zeros(MOST_REFORMED + 1, dtype=np.int64),
            union=np.zeros(together, dtype=np.int64),
            owner=np.zeros(together, dtype=np.int64),
            gaps=np.zeros(together),
            drafted=np.zeros(max(longest, together), dtype=np.int64),
            ends=np.zeros(MOST_REFORMED + 2, dtype=np.int64),
            sums=np.zeros((MOST_REFORMED + 1, state.sums.shape[1] + 1)),
            trial=np.zeros((len(state.centres), MOST_REFORMED + 2)),
        )


def _shares(rounds: int, deadline: float) -> Iterator[float]:
    """Yield, before each round, the share of the work, or of the time if that is more, that has passed after it."""
    begun = clock()
    for number in range(1, rounds + 1):
        passed = clock() - begun
        allowed = deadline - begun
        spent = 0.0 if allowed == inf else (passed * number / max(number - 1, 1)) / max(allowed, 1e-9)
        if number > 1 and spent >= 1:
            return
        yield max(number / rounds, min(spent, 1.0))


def _released(problem: Problem, parts: Parts) -> Problem:
    """Return the problem with the released records as its table, since a promise may compare a class with these."""
    inside = parts.classes >= 0
    counts = np.bincount(parts.points[inside], weights=parts.counts[inside], minlength=problem.tally.n_points)
    return replace(problem, tally=replace(problem.tally, counts=counts.astype(np.int64)))


def _keeps(problem: Problem, parts: Parts) -> bool:
    """Return whether all clusters keep all promises, decided exactly."""
    groups = Grouping.of_parts(problem.tally, parts, parts.n_classes)
    return bool(problem.released(groups, None).all())


def objective_of(
    table: MetricTable, parts: Parts, centres: NDArray[np.float64], objective: Objective, setup: float
) -> tuple[float, float]:
    """Return the objective of centres as they are published, and a second value that breaks ties."""
    inside = parts.classes >= 0
    spread = table.spread(Parts(parts.points[inside], parts.classes[inside], parts.counts[inside]), centres)
    total = float(spread.totals(objective, setup)[-1])
    return total, float(spread.totals("cellular")[-1]) if objective == "radius" else 0.0
