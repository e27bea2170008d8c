"""Cuts: classes of k to 2k - 1 records in the time of a few sorts, for what a search had no time for."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from shoal.clusters.searches.middles import means
from shoal.clusters.searches.points import Clusters, Points
from shoal.kernels.clusters.metrics import EARTH, EARTH_RADIUS, HOLED, NUMBER, TABLE


def cut_classes(points: Points, k: int, *, most: int | None = None) -> Clusters:
    """Return classes of k to 2k - 1 records, each around its mean; the loss is not searched for. O(n log(n)^2 x axes).

    Every class of 2k records or more is cut along its widest coordinate, near the middle, and so are its parts. All
    classes are cut at the same time: a step sorts the records by class and coordinate.

    Args:
        points: The points, with at least k records.
        k: The least number of records of a class.
        most: The most classes; then a class has more records.
    """
    least = k if most is None else max(k, -(-points.n_records // most))
    record = np.repeat(np.arange(len(points)), points.counts)
    owner = np.zeros(len(record), dtype=np.int64)
    rows, missing = _rows(points)
    n_classes = 1
    while True:
        sizes = np.bincount(owner, minlength=n_classes)
        large = np.flatnonzero(sizes >= 2 * least)
        if not len(large):
            break
        inside = np.flatnonzero(np.isin(owner, large))
        place = np.searchsorted(large, owner[inside])  # the number of its class among the large ones
        values = _widest(rows[:, record[inside]], missing, place, len(large))
        order = np.lexsort((values, place))
        left = _left_sizes(sizes[large], least)
        rank = np.arange(len(inside)) - (np.cumsum(sizes[large]) - sizes[large])[place[order]]
        right = rank >= left[place[order]]
        owner[inside[order[right]]] = n_classes + place[order[right]]
        n_classes += len(large)
    found = Clusters.of_records(record, owner, np.zeros((len(points.positions), n_classes)))
    centres = means(points.space, points.positions[:, found.points], found.owners, found.amounts, n_classes)
    return replace(found, centres=centres)


def _rows(points: Points) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the coordinates along which classes are cut, in units of distance, and how far a missing number is."""
    space, rows, missing = points.space, [], []
    for axis, kind in enumerate(space.kinds.tolist()):
        start, weight, begin = int(space.starts[axis]), float(space.weights[axis]), int(space.table_starts[axis])
        if kind == EARTH:
            rows += [points.positions[start + c] * (weight * EARTH_RADIUS) for c in range(3)]
            missing += [0.0] * 3
            continue
        row = points.positions[start]
        if kind not in (NUMBER, HOLED):  # codes, of which the largest stands for the largest distance
            size = int(space.table_sizes[axis])
            far = float(space.tables[begin : begin + size * size].max()) if kind == TABLE else 1.0
            row = row * (far / max(float(row.max()), 1.0))
        rows.append(row * weight)
        missing.append(weight * float(space.tables[begin]) if kind == HOLED else 0.0)
    return np.stack(rows), np.array(missing)


def _widest(
    values: NDArray[np.float64], missing: NDArray[np.float64], place: NDArray[np.int64], n_classes: int
) -> NDArray[np.float64]:
    """Return each record's coordinate along the widest side of its class; a missing number is the largest."""
    order = np.argsort(place, kind="stable")
    starts = np.searchsorted(place[order], np.arange(n_classes))
    ordered = values[:, order]
    holes = np.isnan(ordered)
    least = np.minimum.reduceat(np.where(holes, np.inf, ordered), starts, axis=1)
    largest = np.maximum.reduceat(np.where(holes, -np.inf, ordered), starts, axis=1)
    known = np.isfinite(least)
    width = np.where(known, np.where(known, largest, 0.0) - np.where(known, least, 0.0), 0.0)
    some_missing = np.maximum.reduceat(holes, starts, axis=1) & known
    width = np.maximum(width, np.where(some_missing, missing[:, None], 0.0))
    chosen = values[width.argmax(axis=0)[place], np.arange(len(place))]
    return np.where(np.isnan(chosen), np.inf, chosen)


def _left_sizes(sizes: NDArray[np.int64], k: int) -> NDArray[np.int64]:
    """Return how many records go to the left, so that both sides can be cut into classes of k to 2k - 1."""
    parts = sizes // k
    left = parts // 2
    return np.clip(sizes * left // parts, left * k, sizes - (parts - left) * k)
