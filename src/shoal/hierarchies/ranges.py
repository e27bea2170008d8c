"""Ranges: any neighbours in an ordered domain, from one value to another."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.hierarchies.dates import Dates, read_date
from shoal.hierarchies.hierarchy import Hierarchy
from shoal.hierarchies.intervals import fitting
from shoal.hierarchies.numeric import natural_order, scaled
from shoal.hierarchies.spec import HierarchySpec, check_order
from shoal.hierarchies.suppression import Suppression


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranges(HierarchySpec):
    """Publish the range of the values of a class, `31 - 38`, whatever its ends: free intervals (002 s.4.1).

    For algorithms that recode each class for itself. Those that take one level for all records use intervals of
    nice widths for numbers, the calendar for ISO dates, and else keep the value or replace it by a star. The
    collection is not proper (two ranges may overlap), so that the factors of 003 do not hold for it.

    Args:
        order: All values in their order; else by number if all are numbers, by day if all are ISO dates, else by
            text.
    """

    name: ClassVar[str] = "ranges"

    order: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        """Refuse an order that names a value twice."""
        check_order(self.order)

    @property
    def fixed(self) -> bool:
        """Only a given order leaves the levels alone when a value is missing."""
        return self.order is not None

    def build(self, values: Sequence[str], column: str, folder: Path = Path()) -> Hierarchy:
        """Order the values, and add the levels for algorithms that need them."""
        if self.order is not None:
            return replace(Hierarchy.below_star(self.order, []), form="ranges")
        numbers = scaled(values)
        recipe: HierarchySpec | None = None
        if numbers is not None and values:
            recipe = fitting(*numbers)
        elif values and all(read_date(value) is not None for value in values):
            recipe = Dates()
        hierarchy = (recipe or Suppression()).build(natural_order(values) if recipe is None else values, column)
        return replace(hierarchy, form="ranges", positions=_positions([str(value) for value in hierarchy.values]))


def _positions(ordered: Sequence[str]) -> NDArray[np.float64] | None:
    """Return how far each number or day lies from the first, or None if they are neither."""
    numbers = scaled(ordered)
    if numbers is not None:
        places, unit = numbers
    else:
        days = [read_date(value) for value in ordered]
        places, unit = [day.toordinal() for day in days if day is not None], 1
        if len(places) < len(ordered):
            return None
    return np.array([(place - places[0]) / unit for place in places], dtype=np.float64)
