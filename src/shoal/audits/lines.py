"""Line: the values of a column as numbers or days, and the ends of cells that are ranges of them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.audits.notations import number, read_range
from shoal.tables.hierarchies import Dates, HierarchySpec, Levels, Masking, Taxonomy
from shoal.tables.hierarchies.dates import read_date

_CODE = re.compile(r"0[0-9]")  # digits that begin with a zero are a code, and no number


@dataclass(frozen=True, eq=False)
class Line:
    """The values of a column that are all numbers, or all days.

    Args:
        kind: Which of the two.
        numbers: The number of each value by its code; a day is its ordinal.
        unit: 1 for days and whole numbers, else 0. A range of whole numbers ends at its last number plus this unit.
        form: The date format, as for `strptime`; None for ISO dates.
        named: Whether the cells are labels, so that one that looks like a range is not read as one.
    """

    kind: Literal["number", "date"]
    numbers: NDArray[np.float64]
    unit: int
    form: str | None = None
    named: bool = False

    @cached_property
    def ends(self) -> tuple[float, float]:
        """The least and the largest number."""
        return float(self.numbers.min()), float(self.numbers.max())

    def points(self, cells: Sequence[str]) -> NDArray[np.float64]:
        """Return each cell as a number or day, whether or not the column has that value; NaN if it is neither."""
        if self.kind == "number":
            return _read_numbers(cells)
        days = (read_date(cell, self.form) for cell in cells)
        return np.array([np.nan if day is None else day.toordinal() for day in days], dtype=np.float64)

    def written(self, cell: str) -> tuple[float, float] | None:
        """Return the ends of a cell that is a range, clipped to those of the column; None if it is no range."""
        found = read_range(cell) if self.kind == "number" and not self.named else None
        if found is None:
            return None
        least, most = self.ends
        low = least if found.low is None else float(found.low) + self.unit * (not found.low_in)
        high = most if found.high is None else float(found.high) - self.unit * (not found.high_in)
        low, high = min(max(low, least), most), min(max(high, least), most)
        return low, max(low, high)

    def text(self, place: float) -> str:
        """Return a number in readable form, or a day as a date."""
        if self.kind == "date":
            return date.fromordinal(min(max(round(place), 1), date.max.toordinal())).isoformat()
        return f"{place:.10g}"


def line_of(values: Sequence[str], recipe: HierarchySpec | None = None) -> Line | None:
    """Return the line of a column, or None if its values are categories.

    Digits are codes, not numbers, if some value has a leading zero, as postal codes do, or if the hierarchy masks them.

    Args:
        values: The distinct values, without the missing one.
        recipe: The hierarchy of the column.
    """
    if not values or isinstance(recipe, Masking):
        return None
    named = isinstance(recipe, Levels | Taxonomy)
    numbers = _numbers(values)
    if numbers is not None:
        whole = bool((numbers == np.floor(numbers)).all())
        return Line("number", numbers, int(whole), named=named)
    form = recipe.format if isinstance(recipe, Dates) else None
    days = _days(values, form)
    return None if days is None else Line("date", days, 1, form, named)


def _numbers(values: Sequence[str]) -> NDArray[np.float64] | None:
    if any(map(_CODE.match, values)):
        return None
    numbers = _read_numbers(values)
    return None if np.isnan(numbers).any() else numbers


def _read_numbers(values: Sequence[str]) -> NDArray[np.float64]:
    """Return each text as a number, NaN if it is none."""
    read = pl.Series(values, dtype=pl.String).cast(pl.Float64, strict=False)
    numbers = read.fill_null(np.nan).to_numpy(writable=True)
    for place in np.flatnonzero(~np.isfinite(numbers)).tolist():  # polars knows fewer notations, but also 'inf'
        found = number(values[place])
        numbers[place] = np.nan if found is None else float(found)
    return numbers


def _days(values: Sequence[str], form: str | None) -> NDArray[np.float64] | None:
    days = [read_date(value, form) for value in values]
    return None if None in days else np.array([day.toordinal() for day in days if day is not None], dtype=np.float64)
