"""Centre distances: how far the records of a table are from published centres, computed from the texts of both.

The search uses compiled loops over codes. This module computes the same metric in plain NumPy, independently of the
search: a published centre is read as any reader of the file would read it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime

import numpy as np
from numpy.typing import NDArray

from shoal.clusters.metric import Axis, Metric
from shoal.foundation.errors import CertificateError
from shoal.kernels.clusters.metrics import EARTH, EARTH_RADIUS, EQUAL, HOLED, NUMBER, TABLE, TREE
from shoal.tables.distinct_rows import distinct_rows
from shoal.tables.hierarchies.hierarchy import Label
from shoal.tables.hierarchies.numeric import pointed

AxisNumbers = Mapping[int, NDArray[np.float64]]
"""For each quasi column, by its index, the coordinate of each row on the column's axis."""

_RELATIVE = 1e-12  # relative difference of two ways to compute a distance
_STEPS = 4  # units in the last place that a number may change when it is written as text and read again
_DEGREES = 1e-4  # kilometres: the rounding error of the haversine formula for nearly antipodal points
_BLOCK = 256  # rows that are processed together
_ROUNDS = (1 / 64, 1 / 8, 1.0)  # shares of the radius within which centres are searched for along one axis


@dataclass(frozen=True, slots=True, eq=False)
class CentreDistances:
    """The records of a table as points of a metric space, and the cluster of each; only the steward knows both.

    Args:
        metric: The metric.
        numbers: The coordinates; equal records of one cluster are one entry.
        clusters: The cluster of each entry, a row of the table of clusters, or -1 for suppressed records.
        counts: The number of records of each entry.
    """

    metric: Metric
    numbers: AxisNumbers
    clusters: NDArray[np.int64]
    counts: NDArray[np.int64]

    @classmethod
    def of(
        cls,
        metric: Metric,
        codes: NDArray[np.int32],
        counts: NDArray[np.int64],
        clusters: NDArray[np.integer] | None = None,
    ) -> "CentreDistances":
        """Return the records of a table as points.

        Args:
            metric: The metric.
            codes: The leaf of each quasi column, row by row.
            counts: The number of records of each row.
            clusters: The cluster of each row, or -1; if None, no row has one.
        """
        owners = np.zeros(len(codes), dtype=np.int64) if clusters is None else clusters.astype(np.int64) + 1
        some = counts > 0
        codes, counts, owners = codes[some], counts[some], owners[some]
        texts = {column.name: column.hierarchy.values for column in metric.columns}
        orders = [_by_text(values) for values in texts.values()]
        ranks = [np.argsort(order)[codes[:, j]] for j, order in enumerate(orders)]
        sizes = [int(owners.max(initial=0)) + 1, *(len(order) for order in orders)]
        entry_of, rows = distinct_rows([owners, *ranks], sizes, len(codes))
        known = numbers_of(metric, texts)
        numbers = {number: leaves[orders[number][rows[:, 1 + number]]] for number, leaves in known.items()}
        total = np.bincount(entry_of, counts, minlength=len(rows)).astype(np.int64)  # exact below 2^53
        return cls(metric, numbers, rows[:, 0].astype(np.int64) - 1, total)

    def far(self, centres: AxisNumbers) -> NDArray[np.float64]:
        """Return the distance of each entry from the centre of its cluster; 0 if it is suppressed."""
        inside = self.clusters >= 0
        here = {number: row[inside] for number, row in self.numbers.items()}
        there = {number: row[self.clusters[inside]] for number, row in centres.items()}
        found = np.zeros(len(self.clusters))
        found[inside] = distances(self.metric, here, there)
        return found

    def radii(self, centres: AxisNumbers, n_clusters: int) -> NDArray[np.float64]:
        """Return the radius of each cluster: the largest distance of its records from its centre."""
        found = np.zeros(n_clusters)
        inside = self.clusters >= 0
        np.maximum.at(found, self.clusters[inside], self.far(centres)[inside])
        return found

    def beyond(self, centres: AxisNumbers, radius: float, most: float = np.inf) -> int | None:
        """Return the number of records that are farther than `radius` from every centre.

        Most records have a centre that is near along a single axis; these are settled first, with few distances each.

        Args:
            centres: The coordinates of the centres.
            radius: The radius.
            most: The most distances that may be computed in each round; None is returned if it needs more.
        """
        within = radius * (1 + _RELATIVE) + noise(self.metric)
        left = np.arange(len(self.clusters))
        for share in _ROUNDS:
            if sum(len(rows) * len(near) for rows, near in self._neighbourhoods(left, centres, share * within)) > most:
                return None
            far = [
                rows[self._nearest(rows, centres, near) > within]
                for rows, near in self._neighbourhoods(left, centres, share * within)
            ]
            left = np.concatenate([np.zeros(0, dtype=np.int64), *far])
        return int(self.counts[left].sum())

    def _nearest(self, rows: NDArray[np.int64], centres: AxisNumbers, near: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the distance of some entries from the nearest of some centres."""
        if len(near) == 0:
            return np.full(len(rows), np.inf)
        here = {number: row[rows, None] for number, row in self.numbers.items()}
        there = {number: row[None, near] for number, row in centres.items()}
        return distances(self.metric, here, there).min(axis=1)

    def _neighbourhoods(
        self, left: NDArray[np.int64], centres: AxisNumbers, within: float
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """Yield blocks of entries, each with the centres that are within `within` of any of it along one axis.

        The axis is the longest numeric one. No distance is shorter than the distance along one axis.
        """
        axes = [axis for axis in self.metric.axes if axis.kind == NUMBER and axis.weight > 0]
        if not axes:
            every = np.arange(len(next(iter(centres.values()))))
            yield from ((left[start : start + _BLOCK], every) for start in range(0, len(left), _BLOCK))
            return
        axis = max(axes, key=lambda one: one.weight * float(np.ptp(self.numbers[one.columns[0]])))
        rows, middles = (part[axis.columns[0]] * axis.weight for part in (self.numbers, centres))
        order, by_place = left[np.argsort(rows[left], kind="stable")], np.argsort(middles, kind="stable")
        middles = middles[by_place]
        for start in range(0, len(order), _BLOCK):
            block = order[start : start + _BLOCK]
            first, last = np.searchsorted(middles, [rows[block[0]] - within, rows[block[-1]] + within])
            yield block, by_place[max(int(first) - 1, 0) : int(last) + 1]  # one more at each end, for rounding


def noise(metric: Metric) -> float:
    """Return the largest rounding error of a distance, since coordinates are floats that were written as text."""
    found = 0.0
    for axis in metric.axes:
        if axis.kind in (NUMBER, HOLED):
            largest = float(np.nanmax(np.abs(axis.leaves[0]), initial=0.0))
            found += axis.weight * _STEPS * float(np.spacing(largest))
        elif axis.kind == EARTH:
            found += axis.weight * _DEGREES
    return found


def allowed(metric: Metric, radii: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the largest distances that comply with published radii, with a margin for rounding errors."""
    return radii * (1 + _RELATIVE) + noise(metric)


def numbers_of(metric: Metric, texts: Mapping[str, Sequence[Label]]) -> dict[int, NDArray[np.float64]]:
    """Return the coordinates of published or raw texts on the axes of their columns."""
    found = {}
    for axis in metric.axes:
        for leaves, number in zip(axis.leaves, axis.columns, strict=True):
            column = metric.columns[number]
            known = dict(zip(column.hierarchy.values, leaves.tolist(), strict=True))
            found[number] = np.array([_number(text, known, axis, column.name) for text in texts[column.name]])
    return found


def _number(text: Label, known: Mapping[Label, float], axis: Axis, column: str) -> float:
    """Return the coordinate of a text: that of the value of the table, or else the number itself."""
    if text in known:
        return known[text]
    try:
        return _between(text or "", axis)
    except ValueError:
        words = f"A centre has a value in column '{column}' that has no distance to the values of the table."
        raise CertificateError(words) from None


def _between(text: str, axis: Axis) -> float:
    if axis.kind not in (NUMBER, HOLED, EARTH):
        raise ValueError("not a category")
    if not axis.days:
        return float(text if axis.decimal == "." else pointed(text, axis.decimal) or "none")
    day = date.fromisoformat(text) if axis.form is None else datetime.strptime(text, axis.form)
    return float(day.toordinal())


def distances(metric: Metric, here: AxisNumbers, there: AxisNumbers) -> NDArray[np.float64]:
    """Return the distances between two arrays of points, with NumPy broadcasting."""
    total: NDArray[np.float64] = np.zeros(())
    for axis in metric.axes:
        far = axis.weight * axis_distances(axis, [here[c] for c in axis.columns], [there[c] for c in axis.columns])
        total = total + (far**2 if metric.squares else far)
    return np.sqrt(total) if metric.squares else total


def axis_distances(
    axis: Axis, here: Sequence[NDArray[np.float64]], there: Sequence[NDArray[np.float64]]
) -> NDArray[np.float64]:
    """Return the distances between two arrays of points along one axis, without its weight."""
    a, b = here[0], there[0]
    if axis.kind == EQUAL:
        return (a != b).astype(np.float64)
    if axis.kind == EARTH:
        return _great_circle(a, here[1], b, there[1])
    if axis.kind == TABLE and axis.table is not None:
        return axis.table[a.astype(np.int64), b.astype(np.int64)]
    if axis.kind == TREE and axis.table is not None:
        differ = axis.table[a.astype(np.int64)] != axis.table[b.astype(np.int64)]
        return np.logical_and.accumulate(differ, axis=-1).sum(axis=-1).astype(np.float64)
    if axis.kind == HOLED and axis.table is not None:
        one = np.isnan(a) != np.isnan(b)
        return np.where(one, axis.table.ravel()[0], np.nan_to_num(np.abs(a - b)))
    return np.abs(a - b)


def _great_circle(
    latitude: NDArray[np.float64],
    longitude: NDArray[np.float64],
    other_latitude: NDArray[np.float64],
    other_longitude: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the kilometres between points in degrees, by the haversine formula."""
    north, other_north = np.radians(latitude), np.radians(other_latitude)
    up = np.sin((north - other_north) / 2) ** 2
    along = np.sin(np.radians(longitude - other_longitude) / 2) ** 2
    return 2 * EARTH_RADIUS * np.arcsin(np.sqrt(np.minimum(up + np.cos(north) * np.cos(other_north) * along, 1.0)))


def _by_text(values: Sequence[Label]) -> NDArray[np.int64]:
    """Return the numbers of values in the order of their texts; the missing value is last."""
    return np.array(sorted(range(len(values)), key=lambda at: (values[at] is None, values[at] or "")), dtype=np.int64)
