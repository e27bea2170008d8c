"""Ranges: any interval of consecutive values in an ordered domain."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from shoal.foundation.errors import SpecError
from shoal.tables.hierarchies.dates import Dates, read_date
from shoal.tables.hierarchies.hierarchy import Hierarchy
from shoal.tables.hierarchies.intervals import fitting
from shoal.tables.hierarchies.numeric import others, scaled
from shoal.tables.hierarchies.spec import HierarchySpec, check_order
from shoal.tables.hierarchies.suppression import Suppression

By = Literal["number", "day", "text"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranges(HierarchySpec):
    """Publish the range of the values of a class, such as `31 - 38`: free intervals (002 s.4.1).

    It is for algorithms with local recoding. Full-domain algorithms use intervals of round widths for numbers, calendar
    periods for ISO dates, and otherwise keep the value or replace it by a star. The collection is not proper (two
    ranges may overlap), so the factors of 003 do not hold for it.

    Args:
        order: All values in their order; else by number if all are numbers, by day if all are ISO dates, else by
            text.
        by: The sort key of the values: `number`, `day` or `text`; by default, if `order` is not given either, it is
            chosen by the values.
    """

    name: ClassVar[str] = "ranges"
    public: ClassVar[bool] = True

    order: tuple[str, ...] | None = None
    by: By | None = None

    def __post_init__(self) -> None:
        """Raise an error for an order with a repeated value, and if both `order` and `by` are given."""
        HierarchySpec.__post_init__(self)
        check_order(self.order)
        if self.order is not None and self.by is not None:
            raise ValueError("'order' and 'by' both say how values are ordered: give one of them")

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
            return replace(Hierarchy.below_star(sorted(values), []), form="ranges")
        hierarchy = self.levels_recipe(values).build(values, column)
        return replace(hierarchy, form="ranges", positions=_positions([str(value) for value in hierarchy.values]))


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
