"""Metric: the quasi columns of a table as a metric space, in which records are places."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np
from numpy.typing import NDArray

from shoal.hierarchies.hierarchy import Label
from shoal.kernels.metrics import EARTH, HOLED, NUMBER, Space
from shoal.tally import QuasiColumn

_NUMBERS = (NUMBER, HOLED)


@dataclass(frozen=True, slots=True, eq=False)
class Axis:
    """One quasi column, or the two of a place on the earth, as an axis of a metric space.

    Args:
        kind: What it does with two positions: see `kernels/metrics.py`.
        columns: The number of the column among the quasi columns; of latitude and longitude, both.
        leaves: For each of these, the number of each leaf: a number, a day, the code of a category, or degrees. A
            missing number is not a number.
        weight: What distances are multiplied with; scale and weight of the column are in it.
        table: Distances between categories, by their codes; for numbers of which some are missing, the only entry is
            the distance of a missing one to any other.
        decimals: To how many decimals numbers and degrees are published that are no leaves.
        days: Whether the numbers are days, which are published as dates.
    """

    kind: int
    columns: tuple[int, ...]
    leaves: tuple[NDArray[np.float64], ...]
    weight: float
    table: NDArray[np.float64] | None = None
    decimals: int = 6
    days: bool = False

    def positions(self, codes: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return the positions of some rows of leaf codes, one below the other."""
        if self.kind != EARTH:
            return self.leaves[0][codes[:, self.columns[0]]][None]
        latitude, longitude = (
            np.radians(leaves[codes[:, column]]) for leaves, column in zip(self.leaves, self.columns, strict=True)
        )
        return np.stack([np.cos(latitude) * np.cos(longitude), np.cos(latitude) * np.sin(longitude), np.sin(latitude)])

    @property
    def width(self) -> int:
        """How many numbers a position on the axis has."""
        return 3 if self.kind == EARTH else 1


@dataclass(frozen=True, slots=True, eq=False)
class Metric:
    """A metric space over the quasi columns of a table.

    Args:
        columns: The quasi columns.
        axes: The axes; each column is on one of them.
        squares: Whether distances along the axes are added up as squares (L2); else as they are (L1).
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
            table_sizes=np.array([len(table) for table in tables], dtype=np.int64),
        )

    def positions(self, codes: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return where rows of leaf codes are, one column each (`[number, row]`)."""
        return np.concatenate([axis.positions(codes) for axis in self.axes])

    def rounded(self, positions: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return positions whose numbers can be published as they are: rounded to decimals, or to days."""
        found, start = positions.copy(), 0
        for axis in self.axes:
            if axis.kind in _NUMBERS:
                row = positions[start]
                near = np.round(row, 0 if axis.days else axis.decimals)
                found[start] = np.where(np.isin(row, axis.leaves[0]), row, near)
            elif axis.kind == EARTH:
                latitude, longitude = np.radians(_degrees(positions[start : start + 3], axis.decimals))
                found[start : start + 3] = [
                    np.cos(latitude) * np.cos(longitude),
                    np.cos(latitude) * np.sin(longitude),
                    np.sin(latitude),
                ]
            start += axis.width
        return found

    def texts(self, positions: NDArray[np.float64]) -> dict[str, list[Label]]:
        """Return what is published for rounded positions, column by column: the text of a leaf where it is one."""
        found: dict[str, list[Label]] = {}
        start = 0
        for axis in self.axes:
            rows = (
                positions[start : start + 1]
                if axis.kind != EARTH
                else _degrees(positions[start : start + 3], axis.decimals)
            )
            for leaves, column, row in zip(axis.leaves, axis.columns, rows, strict=True):
                values = self.columns[column].hierarchy.values
                found[self.columns[column].name] = [_text(number, leaves, values, axis) for number in row.tolist()]
            start += axis.width
        return {column.name: found[column.name] for column in self.columns}


def _degrees(vectors: NDArray[np.float64], decimals: int) -> NDArray[np.float64]:
    """Return latitude and longitude of unit vectors, rounded."""
    x, y, z = vectors
    degrees = np.stack([np.arctan2(z, np.hypot(x, y)), np.arctan2(y, x)]) * (180 / np.pi)
    return np.round(degrees, decimals)


def _text(number: float, leaves: NDArray[np.float64], values: Sequence[Label], axis: Axis) -> Label:
    near = np.flatnonzero((leaves == number) | (np.isnan(leaves) & np.isnan(number)))
    if len(near):
        return values[int(near[0])]
    if axis.days:
        return date.fromordinal(int(number)).isoformat()
    return f"{number:.{axis.decimals}f}".rstrip("0").rstrip(".") or "0"
