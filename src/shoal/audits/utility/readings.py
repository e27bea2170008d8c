"""Reading: a column of the raw table and of the release, with the raw values that each released cell stands for."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.audits.covers import cover_of
from shoal.audits.lines import Line, line_of
from shoal.audits.public_domain import Codes
from shoal.tables.hierarchies import HierarchySpec
from shoal.tables.hierarchies.hierarchy import STAR
from shoal.tables.table import Column, totals

RowCounts = tuple[NDArray[np.int64] | None, NDArray[np.int64] | None]
_NO_PART: Mapping[int, Codes] = {}


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """A column before and after.

    A cell stands for one value or for several. It is blank, without information, if it is a star or covers every value.
    It is strange if it covers no value and is not a number in a column of numbers.

    Args:
        name: The name of the column.
        raw: The column of the raw table.
        shown: The column of the release.
        before: The number of records of each raw value, the missing one last.
        after: The number of records of each cell, the missing one last.
        single: For each cell the value that it stands for, or -1.
        parts: The values of each cell that stands for several.
        blank: Which cells are blank.
        line: The values as numbers or days; None for categories.
        extents: `extents[cell]`, the least and the largest number that the cell may stand for; NaN if it stands for
            none.
        recipe: The hierarchy of the column, if it is known.
        counts: The number of records of each row of the raw table and of the release; None if each is one record.
        weights: The sum of the sampling weights of these records, likewise; None if there are none.
    """

    name: str
    raw: Column
    shown: Column
    before: NDArray[np.int64]
    after: NDArray[np.int64]
    single: NDArray[np.int32]
    parts: Mapping[int, Codes]
    blank: NDArray[np.bool_]
    line: Line | None
    extents: NDArray[np.float64]
    recipe: HierarchySpec | None = None
    counts: RowCounts = (None, None)
    weights: RowCounts = (None, None)

    @classmethod
    def of(
        cls,
        raw: pl.Series,
        shown: pl.Series,
        recipe: HierarchySpec | None = None,
        folder: Path = Path(),
        *,
        generalized: bool = True,
        categories: bool = False,
        counts: RowCounts = (None, None),
        weights: RowCounts = (None, None),
    ) -> "Reading":
        """Read the cells of one column of a release.

        Args:
            raw: The column of the raw table, as text.
            shown: The column of the release, as text.
            recipe: The hierarchy by which it was generalized; if None, the notation of the cells is detected.
            folder: Where the files of the hierarchy are found.
            generalized: Whether cells may stand for several values; else each is one value.
            categories: Whether the values are categories, even if they look like numbers or days.
            counts: The number of records of each row of both; one if left out.
            weights: The sum of their sampling weights, if distributions are to go by these.

        Raises:
            SpecError: Cells cannot be read.
        """
        before, after = Column.of(raw), Column.of(shown)
        line = None if categories else line_of(before.values, recipe)
        code = {value: place for place, value in enumerate(before.values)}
        single = np.array([code.get(cell, -1) for cell in after.values], dtype=np.int32)
        blank = np.array([cell == STAR and place < 0 for cell, place in zip(after.values, single, strict=True)], bool)
        points = np.full(len(after.values), np.nan) if line is None else line.points(after.values)
        parts = _NO_PART
        if generalized and not (recipe is None and _plain(single, blank, points)):
            single, parts, whole = _covered(before, after, shown.name, recipe, folder)
            blank |= whole
        return cls(
            name=shown.name,
            raw=before,
            shown=after,
            before=totals(before.codes, counts[0], len(before.values) + 1),
            after=totals(after.codes, counts[1], len(after.values) + 1),
            single=np.where(blank, -1, single).astype(np.int32),
            parts={cell: part for cell, part in parts.items() if not blank[cell]},
            blank=blank,
            line=line,
            extents=_extents(after.values, line, points, single, parts, blank),
            recipe=recipe,
            counts=counts,
            weights=weights,
        )

    def at(self, raw: NDArray[np.int64], shown: NDArray[np.int64]) -> "Reading":
        """Return the same column for some records, given by their rows; the numbers of all records stay as they are."""
        return replace(
            self,
            raw=Column(self.raw.values, self.raw.codes[raw]),
            shown=Column(self.shown.values, self.shown.codes[shown]),
            counts=(None, None),
            weights=(None, None),
        )

    @property
    def held(self) -> RowCounts:
        """What each row of both tables stands for: the weights of its records, or their number."""
        return self.counts if self.weights[0] is None else self.weights

    @property
    def before_held(self) -> NDArray[np.int64]:
        """The sum of the weights of the records of each raw value, or their number; the missing one is last."""
        return self.before if self.weights[0] is None else self._summed(self.raw, self.weights[0])

    @property
    def after_held(self) -> NDArray[np.int64]:
        """The same for each cell."""
        return self.after if self.weights[1] is None else self._summed(self.shown, self.weights[1])

    @staticmethod
    def _summed(column: Column, weights: NDArray[np.int64]) -> NDArray[np.int64]:
        return totals(column.codes, weights, len(column.values) + 1)

    @property
    def strange(self) -> NDArray[np.bool_]:
        """Which cells are strange: they stand for no value, are not blank, and not a number in a column of numbers."""
        found = (self.single < 0) & ~self.blank & np.isnan(self.extents[:, 0])
        found[list(self.parts)] = False
        return found

    @property
    def moved(self) -> bool:
        """Whether some cell is a number that the raw table lacks, such as a cluster's centre or a number with noise."""
        off = (self.single < 0) & ~self.blank & ~np.isnan(self.extents[:, 0])
        off[list(self.parts)] = False
        return bool(off.any())

    @property
    def middles(self) -> NDArray[np.float64]:
        """The midpoint of each cell; NaN if it has no number or is blank; the missing cell is last."""
        return np.append(np.where(self.blank, np.nan, self.extents.mean(axis=1)), np.nan)

    @property
    def numbers(self) -> NDArray[np.float64]:
        """The number of each raw value; the missing value is last, as NaN."""
        return np.append(self.line.numbers if self.line is not None else np.full(len(self.raw.values), np.nan), np.nan)


def _plain(single: NDArray[np.int32], blank: NDArray[np.bool_], points: NDArray[np.float64]) -> bool:
    """Tell whether no cell stands for several values: each is a value, a star, or a number in a column of numbers."""
    return bool(((single >= 0) | blank | ~np.isnan(points)).all())


def _covered(
    raw: Column, shown: Column, name: str, recipe: HierarchySpec | None, folder: Path
) -> tuple[NDArray[np.int32], dict[int, Codes], NDArray[np.bool_]]:
    """Return the only value of each cell (else -1), the values of cells that cover several, and the blank cells."""
    n_values = len(raw.values)
    cover = cover_of(shown.values, raw.values, name, recipe, folder, wildcard=False, table="raw table")
    single = np.full(len(shown.values), -1, dtype=np.int32)
    whole = np.zeros(len(shown.values), dtype=np.bool_)
    parts = {}
    for cell, part in enumerate(cover.parts[:-1]):
        values = part[:n_values] if len(part) > n_values else part  # every value, then the missing one
        if len(values) == 1:
            single[cell] = values[0]
        elif len(values) == n_values > 1:
            whole[cell] = True
        elif len(values) > 1:
            parts[cell] = values
    return single, parts, whole


def _extents(
    cells: list[str],
    line: Line | None,
    points: NDArray[np.float64],
    single: NDArray[np.int32],
    parts: Mapping[int, Codes],
    blank: NDArray[np.bool_],
) -> NDArray[np.float64]:
    """Return the ends of each cell: the number itself, the ends of a written range, else those of what it covers."""
    extents = np.stack([points, points], axis=1)
    if line is None:
        return extents
    alone = np.isnan(points) & (single >= 0)
    extents[alone] = line.numbers[single[alone]][:, None]
    extents[blank] = np.nan
    for cell, part in parts.items():
        written = None if blank[cell] else line.written(cells[cell])
        extents[cell] = written or (line.numbers[part].min(), line.numbers[part].max())
    return extents
