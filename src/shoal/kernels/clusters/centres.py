"""Where the centre of a cluster is best, and what the cluster costs then."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import inner_kernel, kernel
from shoal.kernels.clusters.metrics import EARTH, HOLED, NUMBER, TABLE, Space, distance_along, distance_between

SQUARES, DISTANCES, RADIUS = range(3)
_ALL = 32  # in clusters of up to so many records each category is tried on each axis


class ClusterPricing(NamedTuple):
    """What a cluster costs.

    The value of a centre depends on the goal. `SQUARES`: the sum of the squared distances to the centre. `DISTANCES`:
    the sum of the distances. `RADIUS`: the largest distance. The cost is `setup` plus the value; for `RADIUS` it is
    `setup` plus the number of records times the radius plus `penalty` times what the radius exceeds `cap` by.

    Args:
        space: The metric space.
        positions: `positions[:, point]`, the position of each point.
        flat: Whether the space is Euclidean (numbers under L2), and a cluster costs squares to its mean.
        coordinates: If `flat`, `coordinates[point]`, in which the distance is Euclidean.
        goal: `SQUARES`, `DISTANCES` or `RADIUS`.
        free: Whether a centre may be anywhere; else only at a point.
        setup: The fixed cost of a cluster.
        cap: The radius above which the penalty applies.
        penalty: The penalty for each unit of radius above `cap`.
    """

    space: Space
    positions: NDArray[np.float64]
    flat: bool
    coordinates: NDArray[np.float64]
    goal: int
    free: bool
    setup: float
    cap: float
    penalty: float


@inner_kernel
def cluster_cost(pricing: ClusterPricing, size: int, value: float) -> float:
    """Return the cost of a cluster of `size` records whose centre has this value."""
    if pricing.goal != RADIUS:
        return value + pricing.setup
    return size * value + pricing.setup + pricing.penalty * max(value - pricing.cap, 0.0)


@inner_kernel
def value_at(
    pricing: ClusterPricing,
    records: NDArray[Any],
    listed: NDArray[np.int64],
    begin: int,
    end: int,
    centres: NDArray[np.float64],
    i: int,
    best: float,
) -> float:
    """Return the value of a centre, column `i` of `centres`, for the records `begin` to `end`. O(records x axes).

    The values only grow, so it stops as soon as `best` is reached.
    """
    value = 0.0
    for m in range(begin, end):
        far = distance_between(pricing.space, pricing.positions, records[listed[m]].point, centres, i)
        if pricing.goal == RADIUS:
            value = max(value, far)
        else:
            value += far * far if pricing.goal == SQUARES else far
        if value >= best:
            return value
    return value


@inner_kernel
def move_centre(
    pricing: ClusterPricing,
    records: NDArray[Any],
    listed: NDArray[np.int64],
    begin: int,
    end: int,
    centres: NDArray[np.float64],
    i: int,
    spare: int,
    most: int,
) -> float:
    """Move a centre to the best of some candidates for the records from `begin` to `end`; return its value.

    Candidates: the present position; the middle of the records, if a centre may be anywhere; each record, if there are
    at most `most`. O(records^2 x axes), but most candidates are given up early.

    Args:
        pricing: What is paid.
        records: All records.
        listed: Records, some of them in this cluster.
        begin: Where those of the cluster begin in `listed`.
        end: Where they end.
        centres: The positions of centres.
        i: The column of this centre.
        spare: A column of `centres` that is free to use.
        most: The number of records up to which each is tried.
    """
    best = value_at(pricing, records, listed, begin, end, centres, i, np.inf)
    if pricing.free:
        copy_column(centres, spare, centres, i)
        fill_middle(pricing, records, listed, begin, end, centres, spare)
        value = value_at(pricing, records, listed, begin, end, centres, spare, best)
        if value < best:
            best = value
            copy_column(centres, i, centres, spare)
    if end - begin <= most:
        chosen = -1
        for m in range(begin, end):
            point = records[listed[m]].point
            value = value_at(pricing, records, listed, begin, end, pricing.positions, point, best)
            if value < best:
                best, chosen = value, point
        if chosen >= 0:
            copy_column(centres, i, pricing.positions, chosen)
    return best


@inner_kernel
def copy_column(target: NDArray[np.float64], t: int, source: NDArray[np.float64], s: int) -> None:
    """Copy one position."""
    for r in range(target.shape[0]):
        target[r, t] = source[r, s]


@inner_kernel
def fill_middle(
    pricing: ClusterPricing,
    records: NDArray[Any],
    listed: NDArray[np.int64],
    begin: int,
    end: int,
    centres: NDArray[np.float64],
    i: int,
) -> None:
    """Write the middle of some records along each axis.

    For numbers it is the mean, or by `RADIUS` the midrange, and missing if fewer than half of the records have one. For
    locations it is the normalized mean. For categories it is the one that is best for the others; in clusters of more
    than `_ALL` records the category stays as it is.
    """
    space, positions = pricing.space, pricing.positions
    for axis in range(space.kinds.shape[0]):
        kind, start = space.kinds[axis], space.starts[axis]
        if kind in (NUMBER, HOLED):
            known, total, low, high = 0, 0.0, np.inf, -np.inf
            for m in range(begin, end):
                number = positions[start, records[listed[m]].point]
                if not np.isnan(number):
                    known += 1
                    total += number
                    low, high = min(low, number), max(high, number)
            if 2 * known < end - begin:
                centres[start, i] = np.nan
            else:
                centres[start, i] = (low + high) / 2 if pricing.goal == RADIUS else total / known
        elif kind == EARTH:
            x, y, z = 0.0, 0.0, 0.0
            for m in range(begin, end):
                point = records[listed[m]].point
                x += positions[start, point]
                y += positions[start + 1, point]
                z += positions[start + 2, point]
            length = np.sqrt(x * x + y * y + z * z)
            if length > 0:
                centres[start, i], centres[start + 1, i], centres[start + 2, i] = x / length, y / length, z / length
        elif end - begin <= _ALL:
            best = np.inf
            for m in range(begin, end):
                point = records[listed[m]].point
                score = 0.0
                for o in range(begin, end):
                    far = distance_along(space, axis, positions, records[listed[o]].point, positions, point)
                    score = max(score, far) if kind == TABLE and pricing.goal == RADIUS else score + far * far
                if score < best:
                    best = score
                    centres[start, i] = positions[start, point]


@kernel
def move_centres(
    pricing: ClusterPricing,
    records: NDArray[Any],
    groups: NDArray[Any],
    members: NDArray[np.int64],
    centres: NDArray[np.float64],
    values: NDArray[np.float64],
    most: int,
    steps: int,
    first: int,
    last: int,
) -> None:
    """Move the centres of the clusters `first` to before `last` to better positions, and write their values.

    Args:
        pricing: What is paid.
        records: All records.
        groups: The `begin` and `size` of each cluster in `members`; an empty cluster stays as it is.
        members: The records of all clusters.
        centres: `centres[:, cluster]`, the centres.
        values: The value of each centre.
        most: The number of records up to which each is tried as the centre.
        steps: How many steps towards the farthest record are then tried, if a centre may be anywhere.
        first: The first cluster.
        last: The one after the last.
    """
    workspace = np.empty((centres.shape[0], 2))
    for c in range(first, last):
        begin, end = groups[c].begin, groups[c].begin + groups[c].size
        if begin == end:
            continue
        copy_column(workspace, 0, centres, c)
        best = move_centre(pricing, records, members, begin, end, workspace, 0, 1, most)
        copy_column(centres, c, workspace, 0)
        if pricing.free and pricing.goal == RADIUS:
            for step in range(steps):
                _step(pricing, records, members, begin, end, workspace, 1.0 / (step + 2))
                value = value_at(pricing, records, members, begin, end, workspace, 0, best)
                if value < best:
                    best = value
                    copy_column(centres, c, workspace, 0)
        values[c] = best


@inner_kernel
def _step(
    pricing: ClusterPricing,
    records: NDArray[Any],
    members: NDArray[np.int64],
    begin: int,
    end: int,
    workspace: NDArray[np.float64],
    share: float,
) -> None:
    """Move a position on the numeric axes a share of the way to the farthest record (Badoiu and Clarkson)."""
    space, positions = pricing.space, pricing.positions
    farthest, point = -1.0, 0
    for m in range(begin, end):
        far = distance_between(space, positions, records[members[m]].point, workspace, 0)
        if far > farthest:
            farthest, point = far, records[members[m]].point
    for axis in range(space.kinds.shape[0]):
        start = space.starts[axis]
        if space.kinds[axis] == NUMBER:
            workspace[start, 0] += share * (positions[start, point] - workspace[start, 0])
