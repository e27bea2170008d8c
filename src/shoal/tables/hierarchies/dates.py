"""Dates: day, month, quarter, year, decade."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import lru_cache
from pathlib import Path
from typing import ClassVar, Literal

from shoal.foundation.errors import SpecError
from shoal.tables.hierarchies.hierarchy import Hierarchy
from shoal.tables.hierarchies.intervals import Bounds, clipped_widths
from shoal.tables.hierarchies.numeric import in_order
from shoal.tables.hierarchies.spec import HierarchySpec

Step = Literal["day", "month", "quarter", "year", "decade"]

_ISO = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}([T ].+)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Dates(HierarchySpec):
    """Generalize dates by the calendar: `2024-03-15`, `2024-03`, `2024-Q1`, `2024`, `2020s`, then a star.

    The periods of each step consist of whole periods of the previous one, so the levels nest. Level 0 is the value as
    written. The step `day` drops the time; it is left out if no two values share a day.

    Args:
        steps: The steps to take; they are always taken from the finest to the coarsest.
        format: The date format, as for `strptime`; ISO dates and times by default.
        day: `always` takes the step `day` even if no two values share a day.
    """

    name: ClassVar[str] = "dates"
    public: ClassVar[bool] = True

    steps: tuple[Step, ...] = ("day", "month", "quarter", "year", "decade")
    format: str | None = None
    day: Literal["always"] | None = None

    @property
    def date_format(self) -> str | None:
        """As was given; ISO dates if not."""
        return self.format

    @property
    def fixed(self) -> bool:
        """False if the values decide whether the step `day` is taken."""
        return self.day is not None or "day" not in self.steps

    def pinned(self, values: Sequence[str]) -> "Dates":
        """State explicitly whether the step `day` is taken."""
        if self.fixed or not values:
            return self
        days = [day for value in values if (day := read_date(value, self.format)) is not None]
        steps = self._levels(days)
        return replace(self, day="always") if "day" in steps else replace(self, steps=tuple(steps))

    def strangers(self, values: Sequence[str], column: str, folder: Path = Path()) -> list[bool]:
        """Tell which values are not dates."""
        return [read_date(value, self.format) is None for value in values]

    def build(self, values: Sequence[str], column: str, folder: Path = Path()) -> Hierarchy:
        """Return the hierarchy of the periods of each date."""
        found = [read_date(value, self.format) for value in values]
        days = [day for day in found if day is not None]
        if len(days) < len(values):
            raise SpecError(
                f"The dates of column '{column}' must be written as '{self.format or 'YYYY-MM-DD'}': "
                f"{len(values) - len(days)} of its {len(values)} different values are not (they are not shown here, "
                "since they are data). Set 'format', or choose another type of hierarchy."
            )
        order = in_order(values, [day.toordinal() for day in days])
        days = [days[i] for i in order]
        periods = [_PERIODS[step] for step in self._levels(days)]
        found_at = [{day: period(day) for day in set(days)} for period in periods]
        levels = [[at[day] for day in days] for at in found_at]
        return Hierarchy.below_star(
            [values[i] for i in order],
            [[text for text, _ in level] for level in levels],
            clipped_widths([[bounds for _, bounds in level] for level in levels], [day.toordinal() for day in days]),
        )

    def _levels(self, days: Sequence[date]) -> list[Step]:
        plain = self.day is None and len(set(days)) == len(days)
        return [step for step in _PERIODS if step in self.steps and not (step == "day" and plain)]


def read_date(text: str, form: str | None = None) -> date | None:
    """Return a text as a day; None if it is not a date."""
    if form is None and not _ISO.fullmatch(text):
        return None
    try:
        return (datetime.fromisoformat(text) if form is None else datetime.strptime(text, form)).date()
    except ValueError:
        return None


@lru_cache(maxsize=10_000)  # a hierarchy asks for the same months once for every day
def month_start(year: int, month: int) -> int:
    """Return the ordinal of the first day of a month; month 13 is January of the next year."""
    year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
    return date(year, month, 1).toordinal() if year <= date.max.year else date.max.toordinal() + 1


def _day(day: date) -> tuple[str, Bounds]:
    return day.isoformat(), (day.toordinal(), day.toordinal() + 1)


def _month(day: date) -> tuple[str, Bounds]:
    return f"{day.year:04d}-{day.month:02d}", (month_start(day.year, day.month), month_start(day.year, day.month + 1))


def _quarter(day: date) -> tuple[str, Bounds]:
    first = day.month - (day.month - 1) % 3
    return f"{day.year:04d}-Q{first // 3 + 1}", (month_start(day.year, first), month_start(day.year, first + 3))


def _year(day: date) -> tuple[str, Bounds]:
    return f"{day.year:04d}", (month_start(day.year, 1), month_start(day.year, 13))


def _decade(day: date) -> tuple[str, Bounds]:
    first = day.year - day.year % 10
    return f"{first:04d}s", (month_start(max(first, 1), 1), month_start(first + 10, 1))


_PERIODS: dict[Step, Callable[[date], tuple[str, Bounds]]] = {
    "day": _day,
    "month": _month,
    "quarter": _quarter,
    "year": _year,
    "decade": _decade,
}
