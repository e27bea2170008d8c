"""The hierarchy of a column for which none was given, chosen by what its values look like."""

from collections.abc import Sequence
from fractions import Fraction

from shoal.hierarchies.dates import Dates, read_date
from shoal.hierarchies.intervals import Intervals
from shoal.hierarchies.masking import Masking
from shoal.hierarchies.numeric import scaled
from shoal.hierarchies.spec import HierarchySpec
from shoal.hierarchies.suppression import Suppression

_CODE_LENGTHS = range(3, 11)  # a longer code is an identifier, and masking it is of little use
_NUMERAL = 4  # digits from which texts of one length are codes
_FINEST = 20  # the finest intervals are at least this part of the range


def automatic(values: Sequence[str]) -> HierarchySpec:
    """Choose a hierarchy by the different values of a column, whatever their order.

    1. Codes are masked from the right: values of one length from 3 to 10, all of ASCII letters and digits, each
       with a digit. Texts of digits alone are codes from a length of 4, or if one starts with a zero (a zip code,
       a year), and else numbers (an age, a weight).
    2. Numbers are put into intervals: the first width is 1 or 5 times a power of ten and at least a
       twentieth of the range (for whole numbers at least 2), and each next one is twice as wide while it is
       below the range. A range of 73 gives 5, 10, 20, 40.
    3. ISO dates and times are generalized by the calendar.
    4. All else, and numbers that are too near to each other for an interval, is suppressed or kept.
    """
    numbers = scaled(values)
    if _are_codes(values) and (numbers is None or len(values[0]) >= _NUMERAL or any(v[0] == "0" for v in values)):
        return Masking()
    if numbers is not None and values:
        widths = _widths(*numbers)
        return Intervals(widths=widths) if widths else Suppression()
    if values and all(read_date(value) is not None for value in values):
        return Dates()
    return Suppression()


def _are_codes(values: Sequence[str]) -> bool:
    lengths = {len(value) for value in values}
    return (
        len(values) > 1
        and len(lengths) == 1
        and lengths.pop() in _CODE_LENGTHS
        and all(value.isascii() and value.isalnum() and any(map(str.isdigit, value)) for value in values)
    )


def _widths(numbers: Sequence[int], unit: int) -> tuple[Fraction, ...]:
    reach = Fraction(max(numbers) - min(numbers), unit)
    if reach == 0:
        return ()
    width = _nice(reach / _FINEST)
    if all(number % unit == 0 for number in numbers):
        width = max(width, Fraction(2))
    widths = []
    while width < reach:
        widths.append(width)
        width *= 2
    return tuple(widths)


def _nice(least: Fraction) -> Fraction:
    """Return the least of 1, 5, 10, 50, ... and their tenths, hundredths, ... that is not below `least`."""
    power = Fraction(1)
    while power > least:
        power /= 10
    while power * 10 <= least:
        power *= 10
    return next(power * step for step in (1, 5, 10) if power * step >= least)
