"""Regions: a large table in a metric space part by part, as Mondrian cuts it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.clusters.searches.points import Points
from shoal.kernels.clusters.metrics import EARTH, EARTH_RADIUS, EQUAL, HOLED, TABLE, TREE


@dataclass(frozen=True, slots=True, eq=False)
class Region:
    """Some points of a table.

    Args:
        points: Which they are, ascending.
        reach: How far each of them is from every point of another region, at least.
    """

    points: NDArray[np.int64]
    reach: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class _Row:
    """A number of the positions along which points are cut: two of them are apart at least by `weight` x difference.

    Args:
        number: Which number of a position it is.
        weight: What differences are multiplied with; of categories, how far different ones are apart at least.
        table: Distances between categories, if they are not all alike.
        far: How far a missing number is from the others; infinity if none can be missing.
        ordered: Whether it is a number, and not a category.
    """

    number: int
    weight: float
    table: NDArray[np.float64] | None
    far: float
    ordered: bool


def regions(points: Points, most: int, least: int) -> list[Region]:
    """Cut the points into regions of at most `most` points, each of at least `least` records.

    A region is cut where it is widest, at the median of its records, as by Mondrian. A region that no cut splits into
    two of `least` records stays as it is. Any two points of different regions were on different sides of one cut, so
    that they are at least as far from each other as along that axis.

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
        if kind == TREE:  # the leaves of a large hierarchy are in no order by which they could be cut
            continue
        if kind == EARTH:  # the way along the surface is longer than straight, and that longer than along an axis
            found += [_Row(start + c, weight * EARTH_RADIUS, None, np.inf, ordered=True) for c in range(3)]
        elif kind == TABLE:
            table = space.tables[begin : begin + size * size].reshape(size, size)
            found.append(_Row(start, weight, table, np.inf, ordered=False))
        else:
            far = weight * float(space.tables[begin]) if kind == HOLED else np.inf
            found.append(_Row(start, weight, None, far, ordered=kind != EQUAL))
    return found


def _cut(points: Points, region: Region, rows: list[_Row], least: int) -> list[Region] | None:
    """Cut a region along the row on which it is widest of those that can be cut."""
    positions = points.positions[:, region.points]
    widths = [_width(positions[row.number], row) for row in rows]
    for place in np.argsort(np.negative(widths), kind="stable").tolist():
        if widths[place] <= 0:
            return None
        left = _left(positions[rows[place].number], points.counts[region.points], least)
        if left is not None:
            gaps = _gaps(positions[rows[place].number], left, rows[place])
            reach = np.minimum(region.reach, gaps)
            return [Region(region.points[side], reach[side]) for side in (left, ~left)]
    return None


def _width(values: NDArray[np.float64], row: _Row) -> float:
    """Return how far the values of a row are apart at most."""
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
    """Return who is left of the cut that is nearest to the median and leaves enough on both sides, if there is one."""
    ordered = np.where(np.isnan(values), np.inf, values)
    found, place = np.unique(ordered, return_inverse=True)
    sums = np.cumsum(np.bincount(place, weights=counts))[:-1]
    allowed = np.flatnonzero((sums >= least) & (counts.sum() - sums >= least))
    if not len(allowed):
        return None
    best = allowed[np.argmin(np.abs(2 * sums[allowed] - counts.sum()))]
    return ordered <= found[best]


def _gaps(values: NDArray[np.float64], left: NDArray[np.bool_], row: _Row) -> NDArray[np.float64]:
    """Return how far each value is from all on the other side, at least."""
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
