"""Primal-dual growth of charges on records until clusters are paid for (001 s.3), and the clusters that are opened."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import inner_kernel, kernel
from shoal.kernels.clusters.metrics import Space, fill_distances

ALL_JOINED, STUCK, PAUSED = -1, -2, -3
N_JOINED, N_OPENED, LEFT, TICKET = range(4)


class Prices(NamedTuple):
    """What a cluster costs, in addition to its radius for each of its records.

    Args:
        setup: The fixed cost of a cluster around each point.
        slope: How many times the radius is added to that.
        least: How many records must be within the radius.
        below: The radius must be smaller than this.
        forced: If true, the rule is another: at least `least` members must together be charged the radius each, even if
            some are charged less than it. `setup` and `slope` are ignored then.
    """

    setup: NDArray[np.float64]
    slope: float
    least: int
    below: float
    forced: bool


class Growth(NamedTuple):
    """The charges so far. All records that have not joined a cluster are charged the current time.

    Args:
        counts: The number of records of each point.
        charges: What each record of a point is charged; fixed when the point joined.
        events: The opening with which each point joined, or -1.
        joined: The points in the order in which they joined.
        keys: A lower bound on the time at which a cluster around each point is paid for.
        radii: The radius of that cluster.
        looked: The number of openings when the bound was computed.
        centres: The centre of each opening.
        reaches: The radius of each opening.
        times: The time of each opening; ascending.
        marks: Workspace, by point: the ticket with which it was marked last.
        weights: Workspace, by opening.
        row: Workspace, by point.
        numbers: The number of joined points, of openings, of records that have not joined, and the last ticket.
    """

    counts: NDArray[np.int64]
    charges: NDArray[np.float64]
    events: NDArray[np.int64]
    joined: NDArray[np.int64]
    keys: NDArray[np.float64]
    radii: NDArray[np.float64]
    looked: NDArray[np.int64]
    centres: NDArray[np.int64]
    reaches: NDArray[np.float64]
    times: NDArray[np.float64]
    marks: NDArray[np.int64]
    weights: NDArray[np.int64]
    row: NDArray[np.float64]
    numbers: NDArray[np.int64]


@inner_kernel
def time_paid(
    prices: Prices, growth: Growth, v: int, near: NDArray[np.int32], far: NDArray[np.float64], whole: bool
) -> bool:
    """Compute when a cluster around `v` is paid for, over all radii; return False if `near` is too short for that.

    A record within the radius d contributes what it is charged above d. A record that has joined contributes a fixed
    amount, and each of the u others t - d at time t. So the cost p is paid at the time d + (p - fixed) / u, which is
    never below d: radii from the earliest time found on need not be tried. O(row + joined).
    """
    growth.numbers[TICKET] += 1
    ticket, n_joined = growth.numbers[TICKET], growth.numbers[N_JOINED]
    inside, waiting, paying, charged, gone, k = 0, 0, 0, 0.0, 0, 0
    growth.keys[v] = np.inf
    while k < far.shape[0] and far[k] < growth.keys[v] and far[k] < prices.below:
        d = far[k]
        while k < far.shape[0] and far[k] == d:
            j = near[k]
            inside += growth.counts[j]
            if growth.events[j] < 0:
                waiting += growth.counts[j]
            elif growth.charges[j] > d:
                paying += growth.counts[j]
                charged += growth.counts[j] * growth.charges[j]
                growth.marks[j] = ticket
            k += 1
        if k == far.shape[0] and not whole:
            return False
        while gone < n_joined and growth.charges[growth.joined[gone]] <= d:
            j = growth.joined[gone]
            if growth.marks[j] == ticket:
                paying -= growth.counts[j]
                charged -= growth.counts[j] * growth.charges[j]
            gone += 1
        if waiting > 0 and inside >= prices.least:
            owed = prices.setup[v] + prices.slope * d - (charged - paying * d if paying > 0 else 0.0)
            time = d + max(owed, 0.0) / waiting
            if time < growth.keys[v]:
                growth.keys[v], growth.radii[v] = time, d
    return True


@inner_kernel
def time_forced(
    prices: Prices, growth: Growth, v: int, near: NDArray[np.int32], far: NDArray[np.float64], whole: bool
) -> bool:
    """Compute when `least` records around `v` are charged a radius d each, over all d; False if `near` is too short.

    The records that are charged most count: the u records that have not joined, each charged t at time t, and of the
    joined ones the q = least - u that joined last. If these are charged s together, the condition is u t + s = (u + q)
    d. As d grows, u and the number of joined records within d only grow, so the earliest opening whose records count
    only moves up. O(row + openings).
    """
    inside, waiting, above, charged, lowest, k = 0, 0, 0, 0.0, -1, 0
    for e in range(growth.numbers[N_OPENED]):
        growth.weights[e] = 0
    growth.keys[v] = np.inf
    while k < far.shape[0] and far[k] < growth.keys[v] and far[k] < prices.below:
        d = far[k]
        while k < far.shape[0] and far[k] == d:
            j = near[k]
            e = growth.events[j]
            inside += growth.counts[j]
            if e < 0:
                waiting += growth.counts[j]
            else:
                growth.weights[e] += growth.counts[j]
                if lowest >= 0 and e > lowest:
                    above += growth.counts[j]
                    charged += growth.counts[j] * growth.times[e]
            k += 1
        if k == far.shape[0] and not whole:
            return False
        if waiting == 0 or inside < prices.least:
            continue
        if waiting >= prices.least:
            growth.keys[v], growth.radii[v] = d, d
            return True
        needed = prices.least - waiting
        if lowest < 0:
            lowest = growth.numbers[N_OPENED] - 1
            while above + growth.weights[lowest] < needed:
                above += growth.weights[lowest]
                charged += growth.weights[lowest] * growth.times[lowest]
                lowest -= 1
        while above >= needed:
            lowest += 1
            above -= growth.weights[lowest]
            charged -= growth.weights[lowest] * growth.times[lowest]
        owed = needed * d - charged - (needed - above) * growth.times[lowest]
        time = d + max(owed, 0.0) / waiting
        if time < growth.keys[v]:
            growth.keys[v], growth.radii[v] = time, d
    return True


@kernel
def grow_charges(
    space: Space,
    positions: NDArray[np.float64],
    near: NDArray[np.int32],
    far: NDArray[np.float64],
    prices: Prices,
    growth: Growth,
    left: int,
    budget: int,
    spare: int,
    spare_near: NDArray[np.int32],
    spare_far: NDArray[np.float64],
) -> int:
    """Let the charges grow until at most `left` records have not joined; return why it stopped.

    A cluster is never paid for earlier because other records joined. So a computed time stays a lower bound, and is
    computed again only when it is the least of all. It is exact if nobody joined since.

    Args:
        space: The metric space.
        positions: The position of each point.
        near: The nearest points of each point, the nearest first.
        far: Their distances.
        prices: What must be paid.
        growth: The charges so far; changed.
        left: How many records need not join.
        budget: How many times to compute or open, at most.
        spare: A point whose whole row is given.
        spare_near: All points, the nearest to `spare` first.
        spare_far: Their distances.

    Returns:
        `ALL_JOINED`; `STUCK` if nothing else can be paid for; `PAUSED` if the budget is used up; or the number of a
            point whose whole row is needed.
    """
    whole = near.shape[0] == near.shape[1]
    for _ in range(budget):
        if growth.numbers[LEFT] <= left:
            return ALL_JOINED
        v = int(np.argmin(growth.keys))
        if growth.keys[v] == np.inf:
            return STUCK
        opened = growth.numbers[N_OPENED]
        if growth.looked[v] < opened:
            own = v != spare
            a, b = (near[v], far[v]) if own else (spare_near, spare_far)
            before = growth.keys[v]
            if prices.forced:
                enough = time_forced(prices, growth, v, a, b, whole or not own)
            else:
                enough = time_paid(prices, growth, v, a, b, whole or not own)
            if not enough:  # nothing is paid for before the last known distance
                growth.keys[v] = max(before, b[-1])
                if before < b[-1]:
                    continue
                return v
            growth.looked[v] = opened
            continue
        time = growth.keys[v]
        if opened > 0:
            time = max(time, growth.times[opened - 1])
        growth.centres[opened], growth.reaches[opened], growth.times[opened] = v, growth.radii[v], time
        fill_distances(space, positions, v, positions, growth.row)
        for j in range(positions.shape[1]):
            if growth.events[j] < 0 and growth.row[j] <= growth.radii[v]:
                growth.events[j], growth.charges[j] = opened, time
                growth.joined[growth.numbers[N_JOINED]] = j
                growth.numbers[N_JOINED] += 1
                growth.numbers[LEFT] -= growth.counts[j]
        growth.numbers[N_OPENED] += 1
    return PAUSED


@kernel
def open_clusters(
    space: Space,
    positions: NDArray[np.float64],
    charges: NDArray[np.float64],
    events: NDArray[np.int64],
    centres: NDArray[np.int64],
    reaches: NDArray[np.float64],
    order: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Return the opening whose cluster each point is in, or -1 if it did not join. O(openings x points).

    The openings are visited in the given order, by descending radius. An opening becomes a cluster if no point that is
    charged at least its radius within it is in a cluster yet; it takes all these points. Otherwise its rival is the
    nearest cluster that has one of them. In the end, the points that joined with such an opening and are in no cluster
    go to its rival.
    """
    n = positions.shape[1]
    owners, rivals, row = np.full(n, -1), np.full(centres.shape[0], -1), np.empty(n)
    for e in order:
        fill_distances(space, positions, centres[e], positions, row)
        nearest = np.inf
        for j in range(n):
            if row[j] <= reaches[e] <= charges[j] and owners[j] >= 0 and row[centres[owners[j]]] < nearest:
                rivals[e], nearest = owners[j], row[centres[owners[j]]]
        if rivals[e] < 0:
            for j in range(n):
                if row[j] <= reaches[e] <= charges[j]:
                    owners[j] = e
    for j in range(n):
        if owners[j] < 0 and events[j] >= 0:
            owners[j] = rivals[events[j]]
    return owners
