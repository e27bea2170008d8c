"""Distances in a metric space whose axes are numbers, categories or locations on the earth."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import inner_kernel, kernel

NUMBER, EQUAL, TABLE, EARTH, HOLED, TREE = range(6)
EARTH_RADIUS = 6371.0088  # of the earth, in kilometres


class Space(NamedTuple):
    """A metric space: the distance on each axis, and how the axes are combined.

    A position is a column of numbers: one for each axis, or three for a location. The distance on an axis, before it is
    multiplied by the weight, is by kind:

        `NUMBER`: the absolute difference;
        `EQUAL`: 1 if the values differ;
        `TABLE`: the entry of a table, by row and column;
        `EARTH`: the great-circle distance in kilometres between two unit vectors;
        `HOLED`: as `NUMBER`, but a missing number (NaN) is as far from each number as the only entry of its table says;
        `TREE`: the number of leading entries in which the rows of two leaves differ; a row holds the leaf and its
            ancestors, from the leaf upwards.

    Args:
        squares: Whether the distance is the root of the sum of squares (L2); else it is the sum (L1).
        kinds: The kind of each axis.
        starts: Where the numbers of each axis begin in a position.
        weights: The weight of each axis.
        tables: The tables of all axes, row by row.
        table_starts: Where the table of each axis begins.
        table_sizes: The length of its rows.
    """

    squares: bool
    kinds: NDArray[np.int64]
    starts: NDArray[np.int64]
    weights: NDArray[np.float64]
    tables: NDArray[np.float64]
    table_starts: NDArray[np.int64]
    table_sizes: NDArray[np.int64]


@inner_kernel
def great_circle(a: NDArray[np.float64], i: int, b: NDArray[np.float64], j: int, start: int) -> float:
    """Return the great-circle distance between two unit vectors, accurate for near and for opposite ones alike.

    The tangent of half the angle is the length of the difference over the length of the sum.
    """
    across, both = 0.0, 0.0
    for c in range(start, start + 3):
        across += (a[c, i] - b[c, j]) ** 2
        both += (a[c, i] + b[c, j]) ** 2
    return (2 * EARTH_RADIUS) * np.arctan2(np.sqrt(across), np.sqrt(both))


@inner_kernel
def distance_along(space: Space, axis: int, a: NDArray[np.float64], i: int, b: NDArray[np.float64], j: int) -> float:
    """Return the weighted distance on one axis between column `i` of `a` and column `j` of `b`."""
    kind, start, weight = space.kinds[axis], space.starts[axis], space.weights[axis]
    if kind == NUMBER:
        return weight * abs(a[start, i] - b[start, j])
    if kind == EQUAL:
        return 0.0 if a[start, i] == b[start, j] else weight
    if kind == TABLE:
        row = space.table_starts[axis] + np.int64(a[start, i]) * space.table_sizes[axis]
        return weight * space.tables[row + np.int64(b[start, j])]
    if kind == HOLED:
        if np.isnan(a[start, i]) or np.isnan(b[start, j]):
            same = np.isnan(a[start, i]) and np.isnan(b[start, j])
            return 0.0 if same else weight * space.tables[space.table_starts[axis]]
        return weight * abs(a[start, i] - b[start, j])
    if kind == TREE:
        size, level = space.table_sizes[axis], 0
        first = space.table_starts[axis] + np.int64(a[start, i]) * size
        second = space.table_starts[axis] + np.int64(b[start, j]) * size
        while level < size and space.tables[first + level] != space.tables[second + level]:
            level += 1
        return weight * level
    return weight * great_circle(a, i, b, j, start)


@inner_kernel
def distance_between(space: Space, a: NDArray[np.float64], i: int, b: NDArray[np.float64], j: int) -> float:
    """Return the distance between column `i` of `a` and column `j` of `b`. O(axes)."""
    total = 0.0
    for axis in range(space.kinds.shape[0]):
        distance = distance_along(space, axis, a, i, b, j)
        total += distance * distance if space.squares else distance
    return np.sqrt(total) if space.squares else total


@inner_kernel
def fill_distances(
    space: Space, a: NDArray[np.float64], i: int, b: NDArray[np.float64], row: NDArray[np.float64]
) -> None:
    """Write into `row` the distance of column `i` of `a` from each column of `b`. O(columns of b x axes).

    The results are bit for bit those of `distance_between`.
    """
    n = b.shape[1]
    for j in range(n):
        row[j] = 0.0
    for axis in range(space.kinds.shape[0]):
        kind, start, weight = space.kinds[axis], space.starts[axis], space.weights[axis]
        if kind == NUMBER:
            here = a[start, i]
            if space.squares:
                for j in range(n):
                    distance = weight * abs(here - b[start, j])
                    row[j] += distance * distance
            else:
                for j in range(n):
                    row[j] += weight * abs(here - b[start, j])
        elif kind == EQUAL:
            here, paid = a[start, i], weight * weight if space.squares else weight
            for j in range(n):
                row[j] += 0.0 if b[start, j] == here else paid
        elif kind == TABLE:
            first = space.table_starts[axis] + np.int64(a[start, i]) * space.table_sizes[axis]
            for j in range(n):
                distance = weight * space.tables[first + np.int64(b[start, j])]
                row[j] += distance * distance if space.squares else distance
        elif kind == HOLED:
            here, far = a[start, i], weight * space.tables[space.table_starts[axis]]
            for j in range(n):
                distance = weight * abs(here - b[start, j])
                if np.isnan(distance):  # one of them is missing, or both are
                    distance = 0.0 if np.isnan(here) and np.isnan(b[start, j]) else far
                row[j] += distance * distance if space.squares else distance
        elif kind == EARTH:
            for j in range(n):
                distance = weight * great_circle(a, i, b, j, start)
                row[j] += distance * distance if space.squares else distance
        else:
            for j in range(n):
                distance = distance_along(space, axis, a, i, b, j)
                row[j] += distance * distance if space.squares else distance
    if space.squares:
        for j in range(n):
            row[j] = np.sqrt(row[j])


@kernel
def distances_between(space: Space, a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the distance of each position of `a` from each of `b`. O(a x b x axes)."""
    found = np.empty((a.shape[1], b.shape[1]))
    for i in range(a.shape[1]):
        fill_distances(space, a, i, b, found[i])
    return found


@kernel
def distances_of_pairs(space: Space, a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the distance of each position of `a` from the one of `b` with the same index. O(a x axes)."""
    found = np.empty(a.shape[1])
    for i in range(a.shape[1]):
        found[i] = distance_between(space, a, i, b, i)
    return found
