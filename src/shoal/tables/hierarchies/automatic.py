"""The default hierarchy of a column, chosen by the form of its values."""

from collections.abc import Sequence

from shoal.tables.hierarchies.dates import read_date
from shoal.tables.hierarchies.masking import Masking
from shoal.tables.hierarchies.numeric import scaled
from shoal.tables.hierarchies.ranges import Ranges
from shoal.tables.hierarchies.sets import Sets
from shoal.tables.hierarchies.spec import HierarchySpec

_CODE_LENGTHS = range(3, 11)  # a longer code is an identifier, for which masking is of little use
_NUMERAL = 4  # from this length on, digits of one length are codes


def automatic_hierarchy(values: Sequence[str]) -> HierarchySpec:
    """Choose a hierarchy by the distinct values of a column; their order does not matter.

    1. Codes are masked from the right: values of one length from 3 to 10, all of ASCII letters and digits, each
       with a digit. Texts of digits alone are codes from a length of 4, or if one starts with a zero (a zip code,
       a year), and else numbers (an age, a weight).
    2. Numbers, ISO dates and times are put into ranges: any from one value to another, or, where all records
       must be treated alike, intervals of nice widths and the periods of the calendar.
    3. All else is put into sets of values, or, where all records must be treated alike, suppressed or kept.
    """
    if are_codes(values):
        return Masking()
    if values and (scaled(values) is not None or all(read_date(value) is not None for value in values)):
        return Ranges()
    return Sets()


def are_codes(values: Sequence[str]) -> bool:
    """Tell whether values are codes: letters and digits of one length that are not quantities."""
    lengths = {len(value) for value in values}
    return (
        len(values) > 1
        and len(lengths) == 1
        and lengths.pop() in _CODE_LENGTHS
        and all(value.isascii() and value.isalnum() and any(map(str.isdigit, value)) for value in values)
        and (len(values[0]) >= _NUMERAL or any(v[0] == "0" for v in values) or scaled(values) is None)
    )
