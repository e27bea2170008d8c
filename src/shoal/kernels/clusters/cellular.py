"""Charges of records that grow until clusters are paid for (001 s.3), and the clusters that are opened."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import inner_kernel, kernel
from shoal.kernels.clusters.metrics import Space, fill_distances

ALL_JOINED, STUCK, PAUSED = -1, -2, -3
N_JOINED, N_OPENED, LEFT, TICKET = range(4)


class Prices(NamedTuple):
    """What the records must pay for a cluster beside its radius each.

    Args:
        setup: What a cluster around each point costs.
        slope: How often it also costs its radius.
        least: How many records must be within its radius.
        below: Its radius must be smaller than this.
        forced: Whether instead of all this at least `least` records must be members, be they charged less than the
            radius or not; `setup` and `slope` are not looked at then.
    """

    setup: NDArray[np.float64]
    slope: float
    least: int
    below: float
    forced: bool


class Growth(NamedTuple):
    """How far the charges have grown.

    Args:
        counts: The number of records of each point.
        charges: What each record of a point is charged, once it has joined.
        events: The opening with which it joined, or -1.
        joined: The points in the order in which they joined.
        keys: When a cluster around each point can be paid for, at the earliest.
        radii: The radius of that cluster.
        looked: How many openings there had been when that was found out.
        centres: The centre of each opening.
        reaches: Its radius.
        times: When it was; they do not fall.
        marks: Scratch, one for each point: the ticket with which it was marked last.
        weights: Scratch, one for each opening.
        row: Scratch, one for each point.
        numbers: How many points have joined, how many openings there were, the records left, and the next ticket.
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
def look_paid(
    prices: Prices, growth: Growth, v: int, near: NDArray[np.int32], far: NDArray[np.float64], whole: bool
) -> bool:
    """Find out when a cluster around `v` is paid for, over all radii; False if that takes more of the row.

    A record within the radius d pays what it is charged above d: one that joined pays a fixed part, and each of the u
    others t - d at the time t. So the price p is paid at d + (p - fixed) / u, which is never below d: radii from the
    earliest time on need not be looked at. O(row + joined).
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
def look_forced(
    prices: Prices, growth: Growth, v: int, near: NDArray[np.int32], far: NDArray[np.float64], whole: bool
) -> bool:
    """Find out when `least` records around `v` can pay a radius d each, over all d; False if that takes more of a row.

    Those who pay most count: the u records that wait, at the time t, and of those that joined the last ones. If these
    are q = least - u, and are charged s together, then u t + s = (u + q) d. As d grows, u and the records that joined
    only become more, so that the opening from which on they count only moves up. O(row + openings).
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
def grow(
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
    """Let the charges grow until at most `left` records have not joined; say why it came back.

    A cluster is never paid for earlier because others joined: a time that was found is a bound from below, and is
    looked at again only when it is the least of all (and then it counts if nobody joined since).

    Args:
        space: How far points are from each other.
        positions: Where they are.
        near: The nearest points of each point, the nearest first.
        far: How far they are.
        prices: What must be paid.
        growth: What has grown so far.
        left: How many records need not join.
        budget: How many times to look, at most.
        spare: A point whose whole row is given.
        spare_near: Its points.
        spare_far: How far they are.

    Returns:
        `ALL_JOINED`, `STUCK` if nothing else can be paid for, `PAUSED` if the budget is used up, or the number of a
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
                enough = look_forced(prices, growth, v, a, b, whole or not own)
            else:
                enough = look_paid(prices, growth, v, a, b, whole or not own)
            if not enough:  # nothing is paid for before the last distance that is known
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
    """Return the opening whose cluster each point is in, or -1 if it did not join.

    In the order given, which is that of falling radii, an opening becomes a cluster if nobody who is charged for it
    has a cluster yet: it takes all of them. Else it has a rival, the nearest cluster that took one of them, which takes
    those who joined with it and are left in the end. O(openings x points).
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
