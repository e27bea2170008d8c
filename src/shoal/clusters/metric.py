"""Metric: the quasi columns of a table as a metric space, in which records are points."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from math import isnan

import numpy as np
from numpy.typing import NDArray

from shoal.classes.tally import QuasiColumn
from shoal.kernels.clusters.metrics import EARTH, HOLED, NUMBER, Space
from shoal.tables.hierarchies.hierarchy import Label
from shoal.tables.hierarchies.numeric import DecimalMark

_NUMBERS = (NUMBER, HOLED)


@dataclass(frozen=True, slots=True, eq=False)
class Axis:
    """One quasi column (or latitude and longitude together) as an axis of a metric space.

    Args:
        kind: How it measures two positions: see `kernels/clusters/metrics.py`.
        columns: The index of the column among the quasi columns; for latitude and longitude, both.
        leaves: For each of these columns, the coordinate of each leaf: a number, a day, the code of a category, or
            degrees; NaN for a missing number.
        weight: The factor of the distances; it includes the scale and the weight of the column.
        table: For categories, the distances by code; for numbers with missing values, one entry, the distance of a
            missing value from any number; for a tree, the nodes above each leaf.
        decimals: The decimals of published numbers and degrees that are not leaves.
        days: Whether the numbers are days, which are published as dates.
        form: The date format, as for `strftime`; ISO dates if None.
        decimal: What stands before the decimals of a published number.
    """

    kind: int
    columns: tuple[int, ...]
    leaves: tuple[NDArray[np.float64], ...]
    weight: float
    table: NDArray[np.float64] | None = None
    decimals: int = 6
    days: bool = False
    form: str | None = None
    decimal: DecimalMark = "."

    @property
    def width(self) -> int:
        """The number of coordinates of a position on the axis."""
        return 3 if self.kind == EARTH else 1

    def positions(self, codes: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return the positions of rows of leaf codes (`[coordinate, row]`)."""
        numbers = [leaves[codes[:, column]] for leaves, column in zip(self.leaves, self.columns, strict=True)]
        return _vectors(*numbers) if self.kind == EARTH else numbers[0][None]

    def rounded(self, positions: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the positions as they are published: a number that is not a leaf loses its last decimals."""
        if self.kind == EARTH:
            return _vectors(*self._degrees(positions))
        if self.kind not in _NUMBERS:
            return positions
        return np.round(positions) if self.days else self._rounded(positions[0], self.leaves[0])[None]

    def texts(self, positions: NDArray[np.float64], columns: Sequence[QuasiColumn]) -> dict[str, list[Label]]:
        """Return the published texts of rounded positions, for each column of the axis."""
        rows = self._degrees(positions) if self.kind == EARTH else positions
        found: dict[str, list[Label]] = {}
        for at, leaves, row in zip(self.columns, self.leaves, rows, strict=True):
            values = columns[at].hierarchy.values
            known: dict[float, Label] = {}
            if not self.days:  # a leaf may have a time, but only the day is published
                known = dict(zip(leaves[::-1].tolist(), values[::-1], strict=True))  # of equal numbers, the first leaf
            found[columns[at].name] = [
                known[number] if number in known else self._text(number) for number in row.tolist()
            ]
        return found

    def _text(self, number: float) -> Label:
        """Return the text of a number that is not a leaf."""
        if isnan(number):  # a missing number
            return None
        if self.days:
            day = date.fromordinal(int(number))
            return day.isoformat() if self.form is None else day.strftime(self.form)
        text = f"{number:.{self.decimals}f}"
        return (text.rstrip("0").rstrip(".") if "." in text else text).replace(".", self.decimal)

    def _rounded(self, row: NDArray[np.float64], leaves: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return each number that is not a leaf as its published text will be read."""
        found = row.copy()
        others = np.flatnonzero(~np.isin(row, leaves) & ~np.isnan(row))
        found[others] = [float(f"{number:.{self.decimals}f}") for number in row[others].tolist()]
        return found + 0.0  # no negative zero

    def _degrees(self, vectors: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return latitude and longitude of unit vectors; those of a leaf if it is equal up to rounding."""
        x, y, z = vectors
        degrees = np.stack([np.arctan2(z, np.hypot(x, y)), np.arctan2(y, x)]) * (180 / np.pi)
        none = np.zeros(0)
        for row, leaves in zip(degrees, self.leaves, strict=True):
            known = dict(zip(self._rounded(leaves[::-1], none).tolist(), leaves[::-1].tolist(), strict=True))
            row[:] = [known.get(number, number) for number in self._rounded(row, none).tolist()]
        return degrees


@dataclass(frozen=True, slots=True, eq=False)
class Metric:
    """A metric space over the quasi columns of a table.

    Args:
        columns: The quasi columns.
        axes: The axes; each column is on one of them.
        squares: Whether the axes are combined by the L2 norm; else by the L1 norm.
    """

    columns: tuple[QuasiColumn, ...]
    axes: tuple[Axis, ...]
    squares: bool

    @property
    def space(self) -> Space:
        """The space, for compiled loops."""
        tables = [np.zeros((0, 0)) if axis.table is None else axis.table for axis in self.axes]
        ends = np.cumsum([table.size for table in tables])
        return Space(
            squares=self.squares,
            kinds=np.array([axis.kind for axis in self.axes], dtype=np.int64),
            starts=np.cumsum([0, *(axis.width for axis in self.axes)])[:-1].astype(np.int64),
            weights=np.array([axis.weight for axis in self.axes], dtype=np.float64),
            tables=np.concatenate([np.zeros(0), *(table.ravel() for table in tables)]),
            table_starts=(ends - [table.size for table in tables]).astype(np.int64),
            table_sizes=np.array([table.shape[1] for table in tables], dtype=np.int64),
        )

    def positions(self, codes: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return the positions of rows of leaf codes (`[coordinate, row]`)."""
        return np.concatenate([axis.positions(codes) for axis in self.axes])

    def positions_of(self, numbers: Mapping[int, NDArray[np.float64]]) -> NDArray[np.float64]:
        """Return the positions of rows, given their coordinates by the index of the column."""
        rows = [[numbers[column] for column in axis.columns] for axis in self.axes]
        return np.concatenate(
            [_vectors(*row) if axis.kind == EARTH else row[0][None] for axis, row in zip(self.axes, rows, strict=True)]
        )

    def rounded(self, positions: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the positions rounded to what can be published: to decimals, or to days."""
        return np.concatenate([axis.rounded(part) for axis, part in self._parts(positions)])

    def texts(self, positions: NDArray[np.float64]) -> dict[str, list[Label]]:
        """Return the published texts of rounded positions by column; the text of a leaf if the position is one."""
        found: dict[str, list[Label]] = {}
        for axis, part in self._parts(positions):
            found |= axis.texts(part, self.columns)
        return {column.name: found[column.name] for column in self.columns}

    def _parts(self, positions: NDArray[np.float64]) -> list[tuple[Axis, NDArray[np.float64]]]:
        ends = np.cumsum([axis.width for axis in self.axes])
        return [(axis, positions[end - axis.width : end]) for axis, end in zip(self.axes, ends, strict=True)]


def _vectors(latitudes: NDArray[np.float64], longitudes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return points on the earth, given in degrees, as unit vectors."""
    latitude, longitude = np.radians(latitudes), np.radians(longitudes)
    return np.stack([np.cos(latitude) * np.cos(longitude), np.cos(latitude) * np.sin(longitude), np.sin(latitude)])
