"""The values of a column as numbers, for distances that need them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.classes.tally import QuasiColumn
from shoal.tables.hierarchies.dates import read_date
from shoal.tables.hierarchies.hierarchy import Label
from shoal.tables.hierarchies.numeric import count_others, scaled

_DECIMALS = 10  # more are published only where the values have more


@dataclass(frozen=True, slots=True, eq=False)
class Numbers:
    """Values as numbers.

    Args:
        numbers: The number, or the day, of each value; a missing one is not a number.
        decimals: How many decimals the values have.
        days: Whether they are days.
    """

    numbers: NDArray[np.float64]
    decimals: int
    days: bool

    @property
    def published(self) -> int:
        """How many decimals a number has that is no value: two more than they have, at most 10, never fewer."""
        return max(min(self.decimals + 2, _DECIMALS), self.decimals)


def occurring_leaves(column: QuasiColumn) -> list[Label]:
    """Return the values of a column by leaf; None is a missing one, and one that no record has."""
    present = (column.leaf_counts > 0).tolist()
    return [value if here else None for value, here in zip(column.hierarchy.values, present, strict=True)]


def read_numbers(values: Sequence[Label]) -> Numbers | None:
    """Return values as numbers, or None if one is no number."""
    known = [value for value in values if value is not None]
    found = scaled(known)
    if found is None:
        return None
    return Numbers(_placed([number / found[1] for number in found[0]], values), len(str(found[1])) - 1, days=False)


def read_days(values: Sequence[Label], form: str | None = None) -> Numbers | None:
    """Return values as days, or None if one is no date; of a time the day is taken.

    Args:
        values: The values.
        form: How the dates are written, as for `strptime`; ISO dates and times if left out.
    """
    known = [value for value in values if value is not None]
    days = [day.toordinal() for day in (read_date(value, form) for value in known) if day is not None]
    return Numbers(_placed(days, values), 0, days=True) if len(days) == len(known) else None


def count_strangers(values: Sequence[Label], form: str | None) -> str:
    """Say how many values are in the way of reading all of them as numbers, or as dates, whichever is nearer."""
    known = [value for value in values if value is not None]
    dates = sum(read_date(value, form) is None for value in known)
    strangers = dates if form is not None else min(dates, count_others(known))
    return f"{strangers} of its {len(known)} different values are none (they are not shown here, since they are data)"


def _placed(numbers: Sequence[float], values: Sequence[Label]) -> NDArray[np.float64]:
    """Return the numbers of the known values, and not a number for each missing one."""
    placed = np.full(len(values), np.nan)
    placed[[value is not None for value in values]] = numbers
    return placed
