"""Ranges: any interval of consecutive values in an ordered domain."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from shoal.foundation.errors import FieldError, SpecError
from shoal.foundation.exact import fraction
from shoal.tables.hierarchies.dates import Dates, read_date
from shoal.tables.hierarchies.grid import PERIODS, GridStep, cells_of, default_step
from shoal.tables.hierarchies.grid_cells import GridCells
from shoal.tables.hierarchies.hierarchy import Hierarchy
from shoal.tables.hierarchies.intervals import fitting
from shoal.tables.hierarchies.numeric import others, scaled
from shoal.tables.hierarchies.spec import HierarchySpec, check_order
from shoal.tables.hierarchies.suppression import Suppression

By = Literal["number", "day", "text"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranges(HierarchySpec):
    """Publish the range of the values of a class, such as `30 - 39`: free intervals (Ciriani et al. 2007, section 4.1).

    A range of several values ends where the cells of the `grid` end, which are the same whoever is in them: the ends
    are nobody's values. Without a grid they are the least and the greatest value of the class. A class with one value
    publishes that value in any case: all of its records share it.

    It is for algorithms with local recoding. Full-domain algorithms use intervals of round widths for numbers, calendar
    periods for ISO dates, and otherwise keep the value or replace it by a star. The collection is not proper (two
    ranges may overlap), so the factors of Gionis and Tassa 2009 do not hold for it.

    Args:
        order: All values in their order; else by number if all are numbers, by day if all are ISO dates, else by
            text.
        by: The sort key of the values: `number`, `day` or `text`; by default, if `order` is not given either, it is
            chosen by the values.
        grid: The cells at whose ends ranges end: a step for numbers, a period of the calendar for dates, or `none`.
            For a quasi column of a job it is chosen by the column's range, if it is not given; a recipe that is built
            without a grid has none.
    """

    name: ClassVar[str] = "ranges"
    public: ClassVar[bool] = True

    order: tuple[str, ...] | None = None
    by: By | None = None
    grid: GridStep | None = None

    def __post_init__(self) -> None:
        """Raise an error for an order with a repeated value, and if both `order` and `by` are given."""
        HierarchySpec.__post_init__(self)
        check_order(self.order)
        if self.order is not None and self.by is not None:
            raise FieldError("'order' and 'by' both say how values are ordered: give one of them")
        _check_grid(self.grid, "text" if self.order is not None else self.by)

    @property
    def named_values(self) -> tuple[str, ...]:
        """A given order."""
        return self.order or ()

    @property
    def fixed(self) -> bool:
        """True only if the order is given, since otherwise the levels depend on the values that occur."""
        return self.order is not None

    def pinned(self, values: Sequence[str]) -> "Ranges":
        """State the sort key explicitly. The levels still depend on the values: see `levels_recipe`."""
        return self if self.order is not None or self.by is not None else replace(self, by=ordered_by(values))

    def completed(self, values: Sequence[str]) -> "Ranges":
        """Return the recipe with the default grid, unless it has one."""
        if self.grid is not None:
            return self
        by = "text" if self.order is not None else self.by or ordered_by(values)
        return replace(self, grid=default_step(by, values))

    def without_grid(self) -> "Ranges":
        """Return the recipe with the grid `none`, unless it has one."""
        return self if self.grid is not None else replace(self, grid="none")

    def strangers(self, values: Sequence[str], column: str, folder: Path = Path()) -> list[bool]:
        """Tell which values the order does not contain."""
        if self.order is not None:
            known = set(self.order)
            return [value not in known for value in values]
        if self.by == "number":
            return others(values)
        return [self.by == "day" and read_date(value) is None for value in values]

    def levels_recipe(self, values: Sequence[str]) -> HierarchySpec:
        """Return the recipe of the levels, for full-domain algorithms."""
        by = self.by or ordered_by(values)
        numbers = scaled(values) if by == "number" and values else None
        if numbers is not None:
            return fitting(*numbers) or Suppression()
        return Dates() if by == "day" else Suppression()

    def build(self, values: Sequence[str], column: str, folder: Path = Path()) -> Hierarchy:
        """Return the ordered values, with levels for full-domain algorithms."""
        if self.order is not None:
            return replace(Hierarchy.below_star(self.order, []), form="ranges")
        strange = sum(self.strangers(values, column, folder))
        if strange:
            raise SpecError(
                f"The ranges of column '{column}' go by {self.by}: {strange} of its {len(values)} different values "
                "have none (they are not shown here, since they are data)."
            )
        if self.by == "text":
            return replace(Hierarchy.below_star(sorted(values), []), form="ranges")  # its grid is none
        hierarchy = self.levels_recipe(values).build(values, column)
        ordered = [str(value) for value in hierarchy.values]
        return replace(hierarchy, form="ranges", positions=_positions(ordered), grid=self._cells(ordered, column))

    def _cells(self, ordered: Sequence[str], column: str) -> GridCells | None:
        """Return the cells of the grid; a SpecError tells that it does not go with the values."""
        if self.grid is None or self.grid == "none" or not ordered:
            return None
        by = self.by or ordered_by(ordered)
        try:
            _check_grid(self.grid, by)
        except ValueError as error:
            raise SpecError(f"The ranges of column '{column}' go by {by}, and {error}.") from None
        return cells_of(self.grid, ordered)


def _check_grid(grid: GridStep | None, by: By | None) -> None:
    """Raise an error for a grid that does not go with what the values are ordered by, if that is known."""
    if grid is None or grid == "none":
        return
    if grid not in PERIODS and Fraction(fraction(grid)) <= 0:
        raise FieldError("'grid' is a step above 0, a period or 'none'")
    if by == "text":
        raise FieldError("values that are ordered by text or by 'order' have no grid: choose grid = 'none'")
    if by == "day" and grid not in PERIODS:
        raise FieldError(f"the 'grid' of days is a period: {', '.join(PERIODS)} or none")
    if by == "number" and grid in PERIODS:
        raise FieldError("the 'grid' of numbers is a step, such as 5, or 'none'")


def ordered_by(values: Sequence[str]) -> By:
    """Return the sort key of the values: `number` if all are numbers, `day` if all are ISO dates, else `text`."""
    if scaled(values) is not None:
        return "number"
    return "day" if all(read_date(value) is not None for value in values) else "text"


def _positions(ordered: Sequence[str]) -> NDArray[np.float64] | None:
    """Return the distance of each number or day from the first; None if the values are neither."""
    numbers = scaled(ordered)
    if numbers is not None:
        places, unit = numbers
    else:
        days = [read_date(value) for value in ordered]
        places, unit = [day.toordinal() for day in days if day is not None], 1
        if len(places) < len(ordered):
            return None
    return np.array([(place - places[0]) / unit for place in places], dtype=np.float64)
