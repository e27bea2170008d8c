"""Balls around points of a metric space: who stands in them, and how large they must be to hold enough records."""

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import inner_kernel, kernel
from shoal.kernels.clusters.metrics import Space, fill_distances

_ROUNDING = 1e-9  # by so much the triangle inequality may fail, in floats


@inner_kernel
def select_heavy(far: NDArray[np.float64], heavy: NDArray[np.int64], m: int, need: int) -> tuple[float, int]:
    """Return the least of `m` distances up to which `need` records stand, and how many stand up to it.

    The distances and their weights are reordered; together they weigh at least `need`. O(m) on average.
    """
    low, high, before = 0, m, 0
    while True:
        pivot = far[(low + high) // 2]
        i, j, at = low, low, high  # below the pivot up to i, equal up to j, above from `at`
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
def reach_enough(
    space: Space,
    positions: NDArray[np.float64],
    weights: NDArray[np.int64],
    need: int,
    floor: float,
    chosen: NDArray[np.int64],
    reach: NDArray[np.float64],
    inside: NDArray[np.int64],
) -> None:
    """Write how large a ball around each chosen point must be to hold `need` records, and how many it holds then.

    A point counts as many records as it weighs. Where a ball of radius `floor` holds enough, that is written. Where
    all records are too few, it is infinite. A ball that holds enough around one point is held by a somewhat larger one
    around the next, by the triangle inequality: the search is among the points in that one.

    Args:
        space: The space.
        positions: Where the points stand.
        weights: The number of records of each point; 0 for one that does not count.
        need: How many records are wanted.
        floor: No smaller radius is of interest.
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
def reach_a_ball(
    space: Space,
    positions: NDArray[np.float64],
    own: NDArray[np.float64],
    chosen: NDArray[np.int64],
    reach: NDArray[np.float64],
) -> None:
    """Write, for each chosen point, the least radius at which it stands in a ball that needs no larger one.

    Args:
        space: The space.
        positions: Where the points stand.
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
    """Take as centres, one after the other, the first point that is farther than `tau` from all so far.

    Args:
        space: The space.
        positions: Where the points stand.
        tau: The threshold.
        start: The point to go on from.
        centres: The centres; filled further, as far as there is room.
        n_centres: How many there are so far.
        many: Stop after this many more, to be called again.
        owner: The nearest centre within `tau` of each point, the first of equals, by its place; -1 as long as there is
            none.
        nearest: How far it is.
        degrees: The number of points within `tau` of each centre.
        span: The largest distance up to `tau` and the least above that were met.

    Returns:
        The point to go on from, all of them if none is left, and the number of centres; one more than there is room
        for if that is too little.
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
    """Write the points within `tau` of the centres from `begin` to before `end`, those of each from its start on."""
    n = positions.shape[1]
    row = np.empty(n)
    for c in range(begin, end):
        fill_distances(space, positions, centres[c], positions, row)
        place = starts[c]
        for j in range(n):
            if row[j] <= tau:
                found[place] = j
                place += 1


@kernel
def count_within(
    space: Space,
    positions: NDArray[np.float64],
    weights: NDArray[np.int64],
    tau: float,
    chosen: NDArray[np.int64],
    counts: NDArray[np.int64],
) -> tuple[float, float]:
    """Write how many records stand within `tau` of each chosen point.

    Args:
        space: The space.
        positions: Where the points stand.
        weights: The number of records of each point; 0 for one that does not count.
        tau: The threshold.
        chosen: The points that are asked about.
        counts: Filled, by point.

    Returns:
        The largest distance up to `tau` and the least above that were met.
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
