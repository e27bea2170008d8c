"""The values of a column as numbers, for distances that need them."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from shoal.classes.tally import QuasiColumn
from shoal.foundation.exact import fraction
from shoal.tables.hierarchies.dates import read_date
from shoal.tables.hierarchies.hierarchy import Label
from shoal.tables.hierarchies.numeric import DecimalMark, pointed, scaled

WHOLE = 2**53
"""Doubles hold every whole number up to this one."""
_DECIMALS = 10  # more are published only where the values have more


@dataclass(frozen=True, slots=True, eq=False)
class Numbers:
    """Values as numbers.

    Args:
        numbers: The number, or the day, of each value; NaN if it is missing.
        decimals: How many decimals the values have.
        days: Whether they are days.
        inexact: How many of them are whole numbers that a double does not hold.
    """

    numbers: NDArray[np.float64]
    decimals: int
    days: bool
    inexact: int = 0

    @property
    def published(self) -> int:
        """The decimals of a published number that is not a value: two more than the values have, up to 10."""
        return max(min(self.decimals + 2, _DECIMALS), self.decimals)


def occurring_leaves(column: QuasiColumn) -> list[Label]:
    """Return the value of each leaf; None if it is missing or no record has it."""
    present = (column.leaf_counts > 0).tolist()
    return [value if here else None for value, here in zip(column.hierarchy.values, present, strict=True)]


def read_numbers(values: Sequence[Label], decimal: DecimalMark = ".") -> Numbers | None:
    """Return the values as numbers; None if one is not a number."""
    known = [value for value in values if value is not None]
    plain = known if decimal == "." else [text for value in known if (text := pointed(value, decimal)) is not None]
    found = scaled(plain) if len(plain) == len(known) else None
    if found is None:
        return None
    digits, unit = found
    inexact = sum(not _held(number, unit) for number in digits if abs(number) > WHOLE * unit)
    placed = _placed([number / unit for number in digits], values)
    return Numbers(placed, len(str(unit)) - 1, days=False, inexact=inexact)


def _held(number: int, unit: int) -> bool:
    """Return whether a double holds a whole number, or is written as it is, as 1e100 is; others are not meant."""
    double = number / unit
    return number % unit != 0 or int(double) * unit == number or fraction(double) == Fraction(number, unit)


def read_days(values: Sequence[Label], form: str | None = None) -> Numbers | None:
    """Return the values as days; None if one is not a date. The time of the day is dropped.

    Args:
        values: The values.
        form: The date format, as for `strptime`; ISO dates and times if None.
    """
    known = [value for value in values if value is not None]
    days = [day.toordinal() for day in (read_date(value, form) for value in known) if day is not None]
    return Numbers(_placed(days, values), 0, days=True) if len(days) == len(known) else None


def count_strangers(values: Sequence[Label], form: str | None, decimal: DecimalMark = ".") -> str:
    """Return, in words, how many values are not numbers, or not dates, whichever is fewer."""
    known = [value for value in values if value is not None]
    dates = sum(read_date(value, form) is None for value in known)
    strangers = dates if form is not None else min(dates, sum(pointed(value, decimal) is None for value in known))
    return f"{strangers} of its {len(known)} different values are none (they are not shown here, since they are data)"


def _placed(numbers: Sequence[float], values: Sequence[Label]) -> NDArray[np.float64]:
    """Return the number of each value; NaN if it is missing."""
    placed = np.full(len(values), np.nan)
    placed[[value is not None for value in values]] = numbers
    return placed
