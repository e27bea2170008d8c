"""Distances between places of a metric space whose axes are numbers, categories or places on the earth."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import inner_kernel, kernel

NUMBER, EQUAL, TABLE, EARTH, HOLED, TREE = range(6)
RADIUS = 6371.0088  # of the earth, in kilometres


class Space(NamedTuple):
    """A metric space: what each axis does with two positions on it, and how the axes are added up.

    A position is a column of numbers, one for each axis, or three for a place on the earth. `NUMBER`: the difference.
    `EQUAL`: 1 if they differ. `TABLE`: an entry of a table, by row and column. `EARTH`: the way along the surface, in
    kilometres, between two unit vectors. `HOLED`: as `NUMBER`, but a missing number, which is not a number, is as far
    from each number as the only entry of its table says. `TREE`: the number of entries, from the first on, in which
    the rows of two leaves differ; a row holds the nodes above the leaf, level by level, and the leaf first. Each is
    multiplied with the axis's weight.

    Args:
        squares: Whether the distance is the root of the sum of squares; else it is the sum.
        kinds: What each axis is.
        starts: Where the numbers of each axis begin in a position.
        weights: What the distances of each axis are multiplied with.
        tables: The tables of all axes, row by row.
        table_starts: Where the table of each axis begins.
        table_sizes: How long its rows are.
    """

    squares: bool
    kinds: NDArray[np.int64]
    starts: NDArray[np.int64]
    weights: NDArray[np.float64]
    tables: NDArray[np.float64]
    table_starts: NDArray[np.int64]
    table_sizes: NDArray[np.int64]


@inner_kernel
def arc(a: NDArray[np.float64], i: int, b: NDArray[np.float64], j: int, start: int) -> float:
    """Return the way between two unit vectors along the surface of the earth, exact for near and far ones alike."""
    across, both = 0.0, 0.0  # the tangent of half the angle is the length of the difference over that of the sum
    for c in range(start, start + 3):
        across += (a[c, i] - b[c, j]) ** 2
        both += (a[c, i] + b[c, j]) ** 2
    return (2 * RADIUS) * np.arctan2(np.sqrt(across), np.sqrt(both))


@inner_kernel
def along(space: Space, axis: int, a: NDArray[np.float64], i: int, b: NDArray[np.float64], j: int) -> float:
    """Return the distance of two positions along one axis: column `i` of `a`, and column `j` of `b`."""
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
    return weight * arc(a, i, b, j, start)


@inner_kernel
def apart(space: Space, a: NDArray[np.float64], i: int, b: NDArray[np.float64], j: int) -> float:
    """Return the distance of two positions: column `i` of `a`, and column `j` of `b`. O(axes)."""
    total = 0.0
    for axis in range(space.kinds.shape[0]):
        distance = along(space, axis, a, i, b, j)
        total += distance * distance if space.squares else distance
    return np.sqrt(total) if space.squares else total


@inner_kernel
def fill_distances(
    space: Space, a: NDArray[np.float64], i: int, b: NDArray[np.float64], row: NDArray[np.float64]
) -> None:
    """Write into `row` how far column `i` of `a` is from each position of `b`, bit by bit as `apart` does. O(b)."""
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
                distance = weight * arc(a, i, b, j, start)
                row[j] += distance * distance if space.squares else distance
        else:
            for j in range(n):
                distance = along(space, axis, a, i, b, j)
                row[j] += distance * distance if space.squares else distance
    if space.squares:
        for j in range(n):
            row[j] = np.sqrt(row[j])


@kernel
def distances_between(space: Space, a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how far each position of `a` is from each of `b`. O(a x b x axes)."""
    found = np.empty((a.shape[1], b.shape[1]))
    for i in range(a.shape[1]):
        fill_distances(space, a, i, b, found[i])
    return found


@kernel
def distances_of_pairs(space: Space, a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how far the first position of `a` is from the first of `b`, the second from the second, and so on."""
    found = np.empty(a.shape[1])
    for i in range(a.shape[1]):
        found[i] = apart(space, a, i, b, i)
    return found
