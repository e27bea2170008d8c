"""End cells: the cells of a public grid at the ends of ranges, in each of which a record of the class lies."""

from collections.abc import Callable, Sequence
from datetime import date
from fractions import Fraction
from pathlib import Path

from shoal.audits.notations import number, range_ends
from shoal.audits.printed import END, Printed
from shoal.audits.public_domain import Codes, PublicDomain
from shoal.foundation.exact import fraction
from shoal.tables.hierarchies import HierarchySpec, Ranges
from shoal.tables.hierarchies.dates import read_date
from shoal.tables.hierarchies.grid import PERIODS, Period, period_days

Near = Callable[[str, bool], Codes | None]  # the values in the cell of an end, which is the upper one or not


def near_ends(
    cells: Sequence[str],
    values: Sequence[str],
    column: str,
    recipe: HierarchySpec | None = None,
    folder: Path = Path(),
) -> Printed:
    """Return, for the ends of the ranges of a column, the values in the cell of the grid there.

    Whoever knows the grid, which is public, knows that a record of the class lies in that cell. Without a grid the
    cell has one value, which is the end itself.

    Args:
        cells: As for `Printed.of`.
        values: As for `Printed.of`.
        column: As for `Printed.of`.
        recipe: As for `Printed.of`.
        folder: As for `Printed.of`.
    """
    if not isinstance(recipe, Ranges) or recipe.grid is None or recipe.grid == "none":
        return Printed.of(cells, values, column, recipe, folder)
    pairs = [(place, ends) for place, cell in enumerate(cells) for ends in range_ends(cell)]
    domain = PublicDomain(values)
    if isinstance(recipe.grid, str) and recipe.grid in PERIODS:
        near = _days(domain, recipe.grid)
    else:
        near = _numbers(domain, Fraction(fraction(recipe.grid)), [high for _, (_, high) in pairs])
    found = ((place, near(end, bool(side))) for place, ends in pairs for side, end in enumerate(ends))
    return Printed.standing_for(((place, END, codes) for place, codes in found if codes is not None), len(values))


def _days(domain: PublicDomain, period: Period) -> Near:
    """Return what finds the days in the period of an end."""

    def near(text: str, upper: bool) -> Codes | None:
        day = read_date(text)
        if day is None:
            return None
        first, last = period_days(period, day.toordinal())
        return domain.days.between(date.fromordinal(first), date.fromordinal(last))

    return near


def _numbers(domain: PublicDomain, step: Fraction, uppers: Sequence[str]) -> Near:
    """Return what finds the numbers in the cell of an end.

    Of whole numbers the upper end of a cell is the last in it; of others it is where the next cell begins.
    """
    ends = [end for end in map(number, uppers) if end is not None]
    known = [found for found in map(number, domain.values) if found is not None]
    whole = all(found.denominator == 1 for found in (step, *known)) and all((end + 1) % step == 0 for end in ends)

    def near(text: str, upper: bool) -> Codes | None:
        end = number(text)
        if end is None:
            return None
        low = end + whole - step if upper else end
        return domain.numbers.between(low, low + step, high_in=False)

    return near
