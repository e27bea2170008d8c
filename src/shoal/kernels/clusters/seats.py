"""Seats: where the centre of a cluster stands best, and what the cluster costs then."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import inner_kernel, kernel
from shoal.kernels.clusters.metrics import EARTH, HOLED, NUMBER, TABLE, Space, along, apart

SQUARES, DISTANCES, REACH = range(3)
_ALL = 32  # records up to which each is tried as the centre in a search, and each category on each axis


class ClusterPricing(NamedTuple):
    """What a cluster costs.

    `SQUARES`: the sum of the squared distances to its centre. `DISTANCES`: the sum of the distances. `REACH`: the
    number of its records times the largest distance to its centre; and `penalty` times what that is above `cap`. In
    all, `setup` on top.

    Args:
        space: How far places are from each other.
        positions: `positions[:, point]`, where each point stands.
        flat: Whether the space is that of numbers under L2, and a cluster pays squares to its mean.
        coordinates: If so, `coordinates[point]`, in which the distance is Euclid's.
        goal: What is paid.
        free: Whether a centre may stand anywhere; else only at a point.
        setup: What a cluster pays in any case.
        cap: The distance above which more is paid.
        penalty: How much more.
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
def paid(pricing: ClusterPricing, size: int, value: float) -> float:
    """Return what a cluster pays for its sum of squares, its sum of distances, or its largest distance."""
    if pricing.goal != REACH:
        return value + pricing.setup
    return size * value + pricing.setup + pricing.penalty * max(value - pricing.cap, 0.0)


@inner_kernel
def value_at(
    pricing: ClusterPricing,
    records: NDArray[Any],
    listed: NDArray[np.int64],
    begin: int,
    end: int,
    places: NDArray[np.float64],
    i: int,
    best: float,
) -> float:
    """Return the value of a centre, column `i` of `places`, for some records; at `best` it gives up."""
    value = 0.0
    for m in range(begin, end):
        far = apart(pricing.space, pricing.positions, records[listed[m]].point, places, i)
        if pricing.goal == REACH:
            value = max(value, far)
        else:
            value += far * far if pricing.goal == SQUARES else far
        if value >= best:
            return value
    return value


@inner_kernel
def seat(
    pricing: ClusterPricing,
    records: NDArray[Any],
    listed: NDArray[np.int64],
    begin: int,
    end: int,
    places: NDArray[np.float64],
    i: int,
    spare: int,
    most: int,
) -> float:
    """Move a centre to where the records from `begin` to `end` pay least; return their value.

    Tried are where it stands, if it may stand anywhere the middle of the records, and each record of no more than
    `most`. O(records^2 x axes), but most are given up early.

    Args:
        pricing: What is paid.
        records: All records.
        listed: Records.
        begin: Where those of the cluster begin.
        end: Where they end.
        places: Centres.
        i: The column of this one.
        spare: A column of `places` that is free to use.
        most: The number of records up to which each is tried.
    """
    best = value_at(pricing, records, listed, begin, end, places, i, np.inf)
    if pricing.free:
        copy_column(places, spare, places, i)
        middle(pricing, records, listed, begin, end, places, spare)
        value = value_at(pricing, records, listed, begin, end, places, spare, best)
        if value < best:
            best = value
            copy_column(places, i, places, spare)
    if end - begin <= most:
        chosen = -1
        for m in range(begin, end):
            point = records[listed[m]].point
            value = value_at(pricing, records, listed, begin, end, pricing.positions, point, best)
            if value < best:
                best, chosen = value, point
        if chosen >= 0:
            copy_column(places, i, pricing.positions, chosen)
    return best


@inner_kernel
def copy_column(target: NDArray[np.float64], t: int, source: NDArray[np.float64], s: int) -> None:
    """Copy one position."""
    for r in range(target.shape[0]):
        target[r, t] = source[r, s]


@inner_kernel
def middle(
    pricing: ClusterPricing,
    records: NDArray[Any],
    listed: NDArray[np.int64],
    begin: int,
    end: int,
    places: NDArray[np.float64],
    i: int,
) -> None:
    """Write the middle of some records along each axis: of numbers the mean, or half way between the outermost ones.

    On an axis of categories it is the one to which the others are nearest; in a large cluster the category stays.
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
                places[start, i] = np.nan
            else:
                places[start, i] = (low + high) / 2 if pricing.goal == REACH else total / known
        elif kind == EARTH:
            x, y, z = 0.0, 0.0, 0.0
            for m in range(begin, end):
                point = records[listed[m]].point
                x += positions[start, point]
                y += positions[start + 1, point]
                z += positions[start + 2, point]
            length = np.sqrt(x * x + y * y + z * z)
            if length > 0:
                places[start, i], places[start + 1, i], places[start + 2, i] = x / length, y / length, z / length
        elif end - begin <= _ALL:
            best = np.inf
            for m in range(begin, end):
                point = records[listed[m]].point
                score = 0.0
                for o in range(begin, end):
                    far = along(space, axis, positions, records[listed[o]].point, positions, point)
                    score = max(score, far) if kind == TABLE and pricing.goal == REACH else score + far * far
                if score < best:
                    best = score
                    places[start, i] = positions[start, point]


@kernel
def reseat(
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
    """Seat the centres of the clusters from `first` to before `last`, and write their values.

    Args:
        pricing: What is paid.
        records: All records.
        groups: The `begin` and `size` of each cluster in `members`; an empty one stays as it is.
        members: The records of all clusters.
        centres: `centres[:, cluster]`, the centres.
        values: The value of each.
        most: The number of records up to which each is tried as the centre.
        steps: How many steps towards the farthest record a centre that may stand anywhere is then moved.
        first: The first cluster.
        last: The one after the last.
    """
    workspace = np.empty((centres.shape[0], 2))
    for c in range(first, last):
        begin, end = groups[c].begin, groups[c].begin + groups[c].size
        if begin == end:
            continue
        copy_column(workspace, 0, centres, c)
        best = seat(pricing, records, members, begin, end, workspace, 0, 1, most)
        copy_column(centres, c, workspace, 0)
        if pricing.free and pricing.goal == REACH:
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
    """Move a place along the axes of numbers a share of the way to the farthest record (Badoiu and Clarkson)."""
    space, positions = pricing.space, pricing.positions
    farthest, point = -1.0, 0
    for m in range(begin, end):
        far = apart(space, positions, records[members[m]].point, workspace, 0)
        if far > farthest:
            farthest, point = far, records[members[m]].point
    for axis in range(space.kinds.shape[0]):
        start = space.starts[axis]
        if space.kinds[axis] == NUMBER:
            workspace[start, 0] += share * (positions[start, point] - workspace[start, 0])
