"""Regions: a large table in a metric space, cut into parts as Mondrian does."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.clusters.searches.points import Points
from shoal.kernels.clusters.metrics import EARTH, EARTH_RADIUS, EQUAL, HOLED, TABLE, TREE


@dataclass(frozen=True, slots=True, eq=False)
class Region:
    """One part of the points of a table.

    Args:
        points: The indices of its points, ascending.
        gap: For each point, a lower bound on the distance to every point of another region.
    """

    points: NDArray[np.int64]
    gap: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class _Row:
    """A coordinate along which points are cut; two points have a distance of at least `weight` times its difference.

    Args:
        number: The index of the coordinate.
        weight: The factor of differences; for categories, the least distance of two different ones.
        table: The distances between categories, if they are not all equal.
        far: The distance of a missing number from the others; infinity if none can be missing.
        ordered: Whether it is a number, and not a category.
    """

    number: int
    weight: float
    table: NDArray[np.float64] | None
    far: float
    ordered: bool


def regions(points: Points, most: int, least: int) -> list[Region]:
    """Cut the points into regions of at most `most` points, each of at least `least` records.

    A region is cut along its widest coordinate at the median of its records, as in Mondrian. A region stays whole if no
    cut leaves `least` records on both sides. Two points of different regions lie on different sides of some cut, so
    their distance is at least that along its axis.

    Args:
        points: All points.
        most: The largest number of points of a region.
        least: The least number of records.
    """
    rows = _rows(points)
    done: list[Region] = []
    waiting = [Region(np.arange(len(points)), np.full(len(points), np.inf))]
    while waiting:
        region = waiting.pop()
        sides = _cut(points, region, rows, least) if len(region.points) > most else None
        if sides is None:
            done.append(region)
        else:
            waiting += sides[::-1]
    return done


def _rows(points: Points) -> list[_Row]:
    space, found = points.space, []
    for axis, kind in enumerate(space.kinds.tolist()):
        start, weight = int(space.starts[axis]), float(space.weights[axis])
        begin, size = int(space.table_starts[axis]), int(space.table_sizes[axis])
        if kind == TREE:  # the leaves of a large hierarchy have no order to cut along
            continue
        if kind == EARTH:  # the arc is longer than the chord, and the chord than its projection on an axis
            found += [_Row(start + c, weight * EARTH_RADIUS, None, np.inf, ordered=True) for c in range(3)]
        elif kind == TABLE:
            table = space.tables[begin : begin + size * size].reshape(size, size)
            found.append(_Row(start, weight, table, np.inf, ordered=False))
        else:
            far = weight * float(space.tables[begin]) if kind == HOLED else np.inf
            found.append(_Row(start, weight, None, far, ordered=kind != EQUAL))
    return found


def _cut(points: Points, region: Region, rows: list[_Row], least: int) -> list[Region] | None:
    """Cut a region along the widest coordinate that allows a cut; None if there is none."""
    positions = points.positions[:, region.points]
    widths = [_width(positions[row.number], row) for row in rows]
    for place in np.argsort(np.negative(widths), kind="stable").tolist():
        if widths[place] <= 0:
            return None
        left = _left(positions[rows[place].number], points.counts[region.points], least)
        if left is not None:
            gaps = _gaps(positions[rows[place].number], left, rows[place])
            gap = np.minimum(region.gap, gaps)
            return [Region(region.points[side], gap[side]) for side in (left, ~left)]
    return None


def _width(values: NDArray[np.float64], row: _Row) -> float:
    """Return the largest distance of two values of a coordinate."""
    known = values[~np.isnan(values)]
    spread = float(np.ptp(known)) if len(known) else 0.0
    missing = row.far if 0 < len(known) < len(values) else 0.0
    if row.ordered:
        return max(row.weight * spread, missing)
    if spread == 0:
        return 0.0
    codes = np.unique(values).astype(np.int64)
    return row.weight if row.table is None else row.weight * float(row.table[np.ix_(codes, codes)].max())


def _left(values: NDArray[np.float64], counts: NDArray[np.int64], least: int) -> NDArray[np.bool_] | None:
    """Return who is left of the valid cut nearest to the median; None if no cut leaves enough on both sides."""
    ordered = np.where(np.isnan(values), np.inf, values)
    found, place = np.unique(ordered, return_inverse=True)
    sums = np.cumsum(np.bincount(place, weights=counts))[:-1]
    allowed = np.flatnonzero((sums >= least) & (counts.sum() - sums >= least))
    if not len(allowed):
        return None
    best = allowed[np.argmin(np.abs(2 * sums[allowed] - counts.sum()))]
    return ordered <= found[best]


def _gaps(values: NDArray[np.float64], left: NDArray[np.bool_], row: _Row) -> NDArray[np.float64]:
    """Return a lower bound on the distance of each value to all values on the other side."""
    gaps = np.empty(len(values))
    for side in (left, ~left):
        own, others = values[side], np.unique(values[~side])
        missing, known = np.isnan(own), others[~np.isnan(others)]
        if not row.ordered and row.table is None:
            gaps[side] = row.weight
        elif row.table is not None:
            near = row.table[:, others.astype(np.int64)].min(axis=1)
            gaps[side] = row.weight * near[own.astype(np.int64)]
        else:
            near = np.full(len(own), np.inf)
            if len(known):
                near = row.weight * np.minimum(np.abs(own - known[0]), np.abs(own - known[-1]))
            if len(known) < len(others):
                near = np.minimum(near, row.far)
            gaps[side] = np.where(missing, row.far if len(known) else np.inf, near)
    return gaps
