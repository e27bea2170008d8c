"""Finding: the classes of rules that cover the points of another table."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.classes.recoding import Recoding, Subsets
from shoal.classes.tally import QuasiColumn, Tally
from shoal.clusters.centre_distances import allowed, numbers_of
from shoal.clusters.metric import Metric
from shoal.kernels.clusters.metrics import NUMBER, distances_between
from shoal.releases.rules.class_index import ClassIndex
from shoal.releases.rules.domains import CellCovers
from shoal.releases.rules.rules import Rules
from shoal.tables.distinct_rows import distinct_rows
from shoal.tables.hierarchies.hierarchy import Label

_BLOCK = 256  # points that are processed together


class Finder(ABC):
    """Finds the classes that cover points of a tally."""

    @property
    @abstractmethod
    def recoding(self) -> Recoding:
        """The published cells of each class."""

    @abstractmethod
    def find(self, points: NDArray[np.int64], alive: NDArray[np.bool_], most: int) -> NDArray[np.int32]:
        """Return `classes[point, i]`: the classes that cover each point, the best first, and -1 after the last.

        Args:
            points: The numbers of the points.
            alive: Which classes may be found.
            most: The most classes for each point.
        """


class Combined(Finder):
    """Each value of a column has one cell; the classes are the combinations that occur."""

    def __init__(self, columns: tuple[QuasiColumn, ...], shown: tuple[Subsets, ...], cells: NDArray[np.int32]) -> None:
        """Number the combinations of cells.

        Args:
            columns: The quasi columns.
            shown: The cells of each column.
            cells: `cells[point, column]`; -1 if no cell covers the point's value.
        """
        inside = (cells >= 0).all(axis=1)
        sizes = [len(subsets) for subsets in shown]
        numbers, rows = distinct_rows(list(cells[inside].T), sizes, int(inside.sum()))
        self._found = np.full(len(cells), -1, dtype=np.int32)
        self._found[inside] = numbers
        self._recoding = Recoding(columns, shown, rows)

    @property
    def recoding(self) -> Recoding:
        """The combinations."""
        return self._recoding

    def find(self, points: NDArray[np.int64], alive: NDArray[np.bool_], most: int) -> NDArray[np.int32]:
        """Return the only combination of each point, if it is alive."""
        found = self._found[points]
        return np.where((found >= 0) & alive[found], found, -1)[:, None]


class SmallestCover(Finder):
    """Classes by local recoding: a point goes to the class that covers the fewest other values."""

    def __init__(self, tally: Tally, covers: Sequence[CellCovers], classes: NDArray[np.int64]) -> None:
        """Build an index of the classes.

        Args:
            tally: The points.
            covers: The leaves that the cells of each column cover.
            classes: `classes[class, column]`, the cell of each class.
        """
        shown = tuple(cover.subsets for cover in covers)
        self._recoding = Recoding(tally.quasi, shown, classes.astype(np.int32))
        self._boxes = ClassIndex.of(covers, classes, [column.weight for column in tally.quasi])
        self._ranks = np.column_stack([cover.ranks[tally.codes[:, j]] for j, cover in enumerate(covers)])

    @property
    def recoding(self) -> Recoding:
        """The classes."""
        return self._recoding

    def find(self, points: NDArray[np.int64], alive: NDArray[np.bool_], most: int) -> NDArray[np.int32]:
        """Look the points up in the index."""
        return self._boxes.find(np.ascontiguousarray(self._ranks[points]), alive, most)


class NearestCentre(Finder):
    """Clusters: a point goes to the nearest centre within whose radius it lies; the first one of ties."""

    def __init__(self, tally: Tally, metric: Metric, rules: Rules) -> None:
        """Compute the positions of the centres.

        Args:
            tally: The points.
            metric: The metric.
            rules: The centres, with the radius of each.
        """
        names = list(rules.columns)
        classes = np.array(rules.classes, dtype=np.int64).reshape(-1, len(names))
        texts: dict[str, list[Label]] = {}
        shown, cells = [], []
        for column in metric.columns:
            labels = [cell.label for cell in rules.columns[column.name].cells or ()]
            codes = classes[:, names.index(column.name)]
            texts[column.name] = [labels[code] for code in codes.tolist()]
            zeros = np.zeros(len(labels), dtype=np.int32)
            shown.append(Subsets(tuple(labels), zeros, zeros))
            cells.append(codes)
        self.metric = metric
        self.centres = metric.positions_of(numbers_of(metric, texts))
        self._radii = allowed(metric, np.array(rules.radii, dtype=np.float64))
        self._positions = metric.positions(tally.codes)
        self._recoding = Recoding(tally.quasi, tuple(shown), np.column_stack(cells).astype(np.int32))

    @property
    def recoding(self) -> Recoding:
        """The centres."""
        return self._recoding

    def find(self, points: NDArray[np.int64], alive: NDArray[np.bool_], most: int) -> NDArray[np.int32]:
        """Compute the distances to the centres that are near enough along the longest numeric axis."""
        positions = self._positions[:, points]
        found = np.full((len(points), most), -1, dtype=np.int32)
        reach, at = float(self._radii.max(initial=0.0)), self._longest()
        order = np.arange(len(points)) if at is None else np.argsort(positions[at[0]], kind="stable")
        middles = np.arange(self.centres.shape[1]) if at is None else np.argsort(self.centres[at[0]], kind="stable")
        for start in range(0, len(points), _BLOCK):
            rows = order[start : start + _BLOCK]
            near = middles
            if at is not None:
                ends = positions[at[0], rows[[0, -1]]] + np.array([-1, 1]) * reach / at[1]
                first, last = np.searchsorted(self.centres[at[0], middles], ends)
                near = np.sort(middles[max(int(first) - 1, 0) : int(last) + 1])
            near = near[alive[near]]
            if len(near):
                far = distances_between(
                    self.metric.space,
                    np.ascontiguousarray(positions[:, rows]),
                    np.ascontiguousarray(self.centres[:, near]),
                )
                far[far > self._radii[near]] = np.inf
                best = np.argsort(far, axis=1, kind="stable")[:, :most]
                inside = np.isfinite(np.take_along_axis(far, best, axis=1))
                found[rows, : best.shape[1]] = np.where(inside, near[best], -1)
        return found

    def _longest(self) -> tuple[int, float] | None:
        """Return the index of the longest numeric axis in the positions, and its weight; None if there is none."""
        space = self.metric.space
        axes = [
            (weight * float(np.ptp(self.centres[start])), start, weight)
            for kind, start, weight in zip(space.kinds, space.starts.tolist(), space.weights.tolist(), strict=True)
            if kind == NUMBER and weight > 0
        ]
        return max(axes)[1:] if axes and self.centres.shape[1] else None
