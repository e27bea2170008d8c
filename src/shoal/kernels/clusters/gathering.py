"""Balls around the points of a metric space: how many records they hold, and the radius that holds enough."""

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import inner_kernel, kernel
from shoal.kernels.clusters.metrics import Space, fill_distances

_ROUNDING = 1e-9  # the relative error by which floats may violate the triangle inequality


@inner_kernel
def select_heavy(far: NDArray[np.float64], heavy: NDArray[np.int64], m: int, need: int) -> tuple[float, int]:
    """Return the least of `m` distances within which there are `need` records, and how many there are within it.

    Weighted selection by partitioning (quickselect), O(m) on average. The first `m` distances and weights are
    reordered; the weights must add up to at least `need`.
    """
    low, high, before = 0, m, 0
    while True:
        pivot = far[(low + high) // 2]
        i, j, at = low, low, high  # below the pivot before i, equal before j, above from `at` on
        below, equal = 0, 0
        while j < at:
            if far[j] < pivot:
                below += heavy[j]
                far[i], far[j] = far[j], far[i]
                heavy[i], heavy[j] = heavy[j], heavy[i]
                i, j = i + 1, j + 1
            elif far[j] > pivot:
                at -= 1
                far[at], far[j] = far[j], far[at]
                heavy[at], heavy[j] = heavy[j], heavy[at]
            else:
                equal += heavy[j]
                j += 1
        if before + below >= need:
            high = i
        elif before + below + equal >= need:
            return pivot, before + below + equal
        else:
            low, before = j, before + below + equal


@kernel
def fill_ball_radii(
    space: Space,
    positions: NDArray[np.float64],
    weights: NDArray[np.int64],
    need: int,
    floor: float,
    chosen: NDArray[np.int64],
    reach: NDArray[np.float64],
    inside: NDArray[np.int64],
) -> None:
    """Write the least radius, not below `floor`, at which the ball around each chosen point holds `need` records.

    The radius is infinite where all records are too few. By the triangle inequality, the ball of radius r that suffices
    around one point lies in the ball of radius r + d around a point at distance d. So after the first point only the
    points in that ball are searched. O(chosen x points) on average.

    Args:
        space: The metric space.
        positions: The position of each point.
        weights: The number of records of each point; 0 for one that does not count.
        need: How many records are wanted.
        floor: The least radius.
        chosen: The points that are asked about.
        reach: Filled, by point: the radius.
        inside: Filled, by point: the number of records in the ball.
    """
    n = positions.shape[1]
    row, far, heavy = np.empty(n), np.empty(n), np.empty(n, dtype=np.int64)
    last = -1
    for point in chosen:
        fill_distances(space, positions, point, positions, row)
        count = 0
        for j in range(n):
            count += weights[j] if row[j] <= floor else 0
        reach[point], inside[point] = floor, count
        if count >= need:
            continue
        most = (reach[last] + row[last]) * (1 + _ROUNDING) if last >= 0 else np.inf
        for _ in range(2):
            m, count = 0, 0
            for j in range(n):
                if row[j] <= most and weights[j] > 0:
                    far[m], heavy[m] = row[j], weights[j]
                    count += weights[j]
                    m += 1
            if count >= need:
                break
            most = np.inf
        if count >= need:
            reach[point], inside[point] = select_heavy(far, heavy, m, need)
        else:
            reach[point], inside[point] = np.inf, count
        last = point


@kernel
def fill_joining_radii(
    space: Space,
    positions: NDArray[np.float64],
    own: NDArray[np.float64],
    chosen: NDArray[np.int64],
    reach: NDArray[np.float64],
) -> None:
    """Write, for each chosen point, the least radius at which it lies in a ball that needs no larger radius itself.

    This is the minimum over all points j of max(distance to j, `own[j]`). O(chosen x points).

    Args:
        space: The metric space.
        positions: The position of each point.
        own: The radius that the ball around each point needs.
        chosen: The points that are asked about.
        reach: Filled, by point.
    """
    n = positions.shape[1]
    row = np.empty(n)
    for point in chosen:
        fill_distances(space, positions, point, positions, row)
        least = np.inf
        for j in range(n):
            least = min(least, max(row[j], own[j]))
        reach[point] = least


@kernel
def choose_centres(
    space: Space,
    positions: NDArray[np.float64],
    tau: float,
    start: int,
    centres: NDArray[np.int64],
    n_centres: int,
    many: int,
    owner: NDArray[np.int64],
    nearest: NDArray[np.float64],
    degrees: NDArray[np.int64],
    span: NDArray[np.float64],
) -> tuple[int, int]:
    """Choose centres greedily: each is the first point that is farther than `tau` from all centres so far.

    O(centres x points).

    Args:
        space: The metric space.
        positions: The position of each point.
        tau: The threshold.
        start: The point to continue from.
        centres: The centres; filled further, up to its length.
        n_centres: How many there are so far.
        many: Stop after this many more, to be called again.
        owner: The index of the nearest centre within `tau` of each point, the first of equals; -1 if there is none yet.
        nearest: The distance to that centre.
        degrees: The number of points within `tau` of each centre.
        span: The largest distance met that is at most `tau`, and the least one above it.

    Returns:
        The point to continue from, or the number of points if none is left; and the number of centres, which is one
            more than the length of `centres` if that was too short.
    """
    n = positions.shape[1]
    row = np.empty(n)
    below, above = span[0], span[1]
    point, stop = start, n_centres + many
    while point < n and n_centres < stop:
        if owner[point] >= 0:
            point += 1
            continue
        if n_centres == len(centres):
            n_centres += 1
            break
        fill_distances(space, positions, point, positions, row)
        degree = 0
        for j in range(n):
            if row[j] <= tau:
                degree += 1
                below = max(below, row[j])
                if row[j] < nearest[j]:
                    nearest[j], owner[j] = row[j], n_centres
            else:
                above = min(above, row[j])
        centres[n_centres], degrees[n_centres] = point, degree
        n_centres += 1
    span[0], span[1] = below, above
    return point, n_centres


@kernel
def list_within(
    space: Space,
    positions: NDArray[np.float64],
    tau: float,
    centres: NDArray[np.int64],
    starts: NDArray[np.int64],
    begin: int,
    end: int,
    found: NDArray[np.int32],
) -> None:
    """Write the points within `tau` of each of the centres `begin` to before `end`, from `starts[centre]` on."""
    n = positions.shape[1]
    row = np.empty(n)
    for c in range(begin, end):
        fill_distances(space, positions, centres[c], positions, row)
        slot = starts[c]
        for j in range(n):
            if row[j] <= tau:
                found[slot] = j
                slot += 1


@kernel
def count_within(
    space: Space,
    positions: NDArray[np.float64],
    weights: NDArray[np.int64],
    tau: float,
    chosen: NDArray[np.int64],
    counts: NDArray[np.int64],
) -> tuple[float, float]:
    """Write how many records are within `tau` of each chosen point. O(chosen x points).

    Args:
        space: The metric space.
        positions: The position of each point.
        weights: The number of records of each point; 0 for one that does not count.
        tau: The threshold.
        chosen: The points that are asked about.
        counts: Filled, by point.

    Returns:
        The largest distance met that is at most `tau`, and the least one above it.
    """
    n = positions.shape[1]
    row = np.empty(n)
    below, above = 0.0, np.inf
    for point in chosen:
        fill_distances(space, positions, point, positions, row)
        count = 0
        for j in range(n):
            if row[j] <= tau:
                count += weights[j]
                below = max(below, row[j])
            else:
                above = min(above, row[j])
        counts[point] = count
    return below, above
