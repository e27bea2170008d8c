"""Grid: public cells of numbers or days. A range of several values ends where cells do, and prints nobody's value."""

from collections.abc import Sequence
from datetime import date
from fractions import Fraction
from math import gcd, lcm
from typing import Annotated, Any, Literal

from pydantic import PlainSerializer, PlainValidator, WithJsonSchema

from shoal.foundation.exact import fraction, written
from shoal.tables.hierarchies.dates import month_start, read_date
from shoal.tables.hierarchies.grid_cells import GridCells
from shoal.tables.hierarchies.numeric import decimal_text, power_of_ten, scaled

Period = Literal["week", "month", "quarter", "year"]

PERIODS: dict[Period, int] = {"week": 7, "month": 31, "quarter": 92, "year": 366}  # in days, at most
_MONTHS: dict[Period, int] = {"month": 1, "quarter": 3, "year": 12}
_NAMES = ("none", *PERIODS)
_STEPS = 100  # by default, the range of a column has at least so many steps
_FINEST = 60  # and if that leaves no grid at all, so many different values, of which two make a step
_PERIODS = 50  # or so many periods: there are only four, and each is several times as long as the one before
_WEEKS = 20  # and at least so many weeks


def _read_step(value: Any) -> Any:
    """Read a step as the decimal that was written, or the name of a period."""
    step = value if isinstance(value, str) and value in _NAMES else fraction(value)
    if not isinstance(step, str | Fraction) or (isinstance(step, str) and step not in _NAMES):
        raise ValueError(f"Input should be a step above 0, or one of: {', '.join(_NAMES)}")
    return step


def step_text(step: Any) -> int | float | str:
    """Return a step as it is written into a job or a certificate."""
    return step if isinstance(step, str) and step in _NAMES else written(step)


GridStep = Annotated[
    int | float | Fraction | Literal["none", "week", "month", "quarter", "year"],
    PlainValidator(_read_step),
    PlainSerializer(step_text, return_type=int | float | str),
    WithJsonSchema({"anyOf": [{"type": "number"}, {"type": "string", "description": f"{', '.join(_NAMES)}; or 1/3."}]}),
]
"""The step of a grid: a number above 0, a period of the calendar, or `none`."""


def cells_of(step: GridStep, ordered: Sequence[str]) -> GridCells:
    """Return the cells of values in order, which must be numbers, or dates if the step is a period."""
    if isinstance(step, str) and step != "none":
        days = [_day(value) for value in ordered]
        bounds = [period_days(step, day) for day in days]
        shown = [(_date_text(low), _date_text(high)) for low, high in dict.fromkeys(bounds)]
        alike = any(all(day == ends[side] for day, ends in zip(days, bounds, strict=True)) for side in (0, 1))
        return GridCells.of(days, bounds, shown, fine=alike or PERIODS[step] <= _apart(days))
    numbers, unit = scaled(ordered) or ([], 1)
    width = Fraction(fraction(step))  # the step `none` has no cells
    finer = lcm(unit, width.denominator)
    numbers, size = [number * (finer // unit) for number in numbers], int(width * finer)
    whole = size % finer == 0 and all(number % finer == 0 for number in numbers)
    reach = size - finer if whole else size  # of whole numbers, the last one in a cell is its end
    bounds = [(number - number % size, number - number % size + reach) for number in numbers]
    ends = [
        (decimal_text(Fraction(low, finer)), decimal_text(Fraction(high, finer))) for low, high in dict.fromkeys(bounds)
    ]
    return GridCells.of(numbers, bounds, ends, finer, fine=size <= _apart(numbers))


def _apart(places: Sequence[int]) -> int:
    """Return the greatest number of which the distances between all places are multiples; 0 if there are none."""
    return gcd(*(place - places[0] for place in places))


def default_step(by: str, values: Sequence[str]) -> GridStep:
    """Return the grid of a column without one.

    For numbers it is the greatest step of the form 1, 2 or 5 times a power of ten that is at most a hundredth of the
    range, but no less than two units of the last decimal of the values, or one where the range has fewer than 60 units;
    for dates the longest period that is at most a fiftieth of the range, or else a week. So it depends on the least and
    the greatest value alone, and by their distance only roughly. A column with a single number, and days that are too
    near for weeks, have none, nor have texts.

    Args:
        by: What the values are ordered by.
        values: The values.
    """
    if by == "text" or not values:
        return "none"
    if by == "day":
        days = [_day(value) for value in values]
        return _period(max(days) - min(days))
    numbers, unit = scaled(values) or ([0], 1)
    reach = Fraction(max(numbers) - min(numbers), unit)
    least = Fraction(2 if reach * unit >= _FINEST else 1, unit)
    return "none" if reach == 0 else max(_round_down(reach / _STEPS), least)


def _period(reach: int) -> GridStep:
    """Return the period for a range of so many days."""
    if reach < _WEEKS * PERIODS["week"]:
        return "none"
    return next((name for name, most in reversed(PERIODS.items()) if most * _PERIODS <= reach), "week")


def _round_down(number: Fraction) -> Fraction:
    """Return the greatest number of the form 1, 2 or 5 times a power of ten that is at most the number, above 0."""
    power = power_of_ten(number)
    return next(step * power for step in (5, 2, 1) if step * power <= number)


def _day(text: str) -> int:
    day = read_date(text)
    if day is None:  # the caller has checked it
        raise ValueError("not a date")
    return day.toordinal()


def period_days(period: Period, ordinal: int) -> tuple[int, int]:
    """Return the first and the last day of the period of a day; a week begins on Monday."""
    day = date.fromordinal(ordinal)
    if period == "week":
        monday = ordinal - day.weekday()
        return max(monday, date.min.toordinal()), min(monday + 6, date.max.toordinal())
    months = _MONTHS[period]
    first = day.month - (day.month - 1) % months
    return month_start(day.year, first), month_start(day.year, first + months) - 1


def _date_text(ordinal: int) -> str:
    return date.fromordinal(ordinal).isoformat()
