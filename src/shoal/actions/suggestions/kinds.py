"""Kinds: whether values are numbers, dates, codes or categories, and their format."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from shoal.tables.hierarchies.automatic import are_codes
from shoal.tables.hierarchies.dates import read_date
from shoal.tables.hierarchies.numeric import count_others, pointed, scaled

_MOST = 0.9  # least share of the values that must be numbers or dates; the others stay as they are

KindName = Literal["number", "date", "clock", "span", "code", "category"]
NumberForm = Literal["plain", "comma", "grouped", "percent"]

# Day before month first: if both fit, it is assumed, and the doubt is reported.
_FORMATS = (
    "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y", "%Y/%m/%d", "%Y.%m.%d", "%Y%m%d",
    "%d.%m.%y", "%d/%m/%y", "%m/%d/%y", "%d %b %Y", "%d-%b-%Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y",
    "%d.%m.%Y %H:%M", "%d.%m.%Y %H:%M:%S", "%d/%m/%Y %H:%M", "%d/%m/%Y %H:%M:%S", "%m/%d/%Y %H:%M", "%m/%d/%Y %H:%M:%S",
    "%Y-%m", "%m/%Y", "%m.%Y", "%b-%Y", "%b %Y", "%B %Y", "%m%d%Y", "%d%m%Y",
)  # fmt: skip
_DIGITS_ALONE = ("%Y%m%d", "%m%d%Y", "%d%m%Y")
_SWAPPED = {"%d%m%Y": "%m%d%Y", "%d/%m": "%m/%d", "%d-%m": "%m-%d"}
_SAMPLE = 200  # values in the sample that rules out formats
_GROUPED = re.compile(r"[+-]?[0-9]{1,3}([,.' ][0-9]{3})+")
_YEARS = range(1800, 2101)
_CENTURIES = range(1500, 2201)  # years of a date; a decimal number such as `5.0625` is no month of the year 625
_CLOCK = re.compile(r"([01]?[0-9]|2[0-3])[:h][0-5][0-9](:[0-5][0-9](\.[0-9]+)?)?")
_SPAN = re.compile(r"(<=?|\u2264|un[dt]er|below|moins de)?\s*([0-9]+)\s*((-|\u2013|to|bis|\u00e0)\s*([0-9]+)|\+)?")


@dataclass(frozen=True, slots=True)
class ValueKind:
    """The kind of the values of a column.

    Args:
        name: Numbers, dates, times of the day, spans of numbers, codes of one length, or categories.
        form: The format of dates (None is ISO) or of numbers.
        doubt: What is uncertain, in words; empty if nothing is.
    """

    name: KindName
    form: str | None = None
    doubt: str = ""


def value_kind_of(values: Sequence[str]) -> ValueKind:
    """Return the kind of most of the values; their order does not matter.

    Dates are tried first, then times of the day, spans such as `18-24` and `65+`, codes by the rules of automatic
    hierarchies (but a year is a number), then plain and formatted numbers.
    """
    if not values:
        return ValueKind("category")
    dates = _dates(values)
    if dates is not None:
        return dates
    if are_years(values):
        return ValueKind("number", "plain")
    if all(map(hour_of, values)):
        return ValueKind("clock")
    if _are_spans(values):
        return ValueKind("span")
    if are_codes(values):
        return ValueKind("code")
    form = _number_form(values)
    return ValueKind("category") if form is None else ValueKind("number", form)


def are_years(values: Sequence[str]) -> bool:
    """Tell whether the values are years."""
    return bool(values) and all(len(value) == 4 and value.isdecimal() and int(value) in _YEARS for value in values)


def day_of(value: str, form: str | None) -> bool:
    """Tell whether a value is a date in a format."""
    return read_date(value, form) is not None


def hour_of(value: str) -> str | None:
    """Return the hour of a time of the day; None if it is not one."""
    found = _CLOCK.fullmatch(value.strip())
    return None if found is None else found[1].zfill(2)


def span_of(value: str) -> tuple[int, int] | None:
    """Return the ends of a span of numbers such as `18-24`, `65+` or `<18`; None if it is not one."""
    found = _SPAN.fullmatch(value.strip().casefold())
    if found is None:
        return None
    first, last = int(found[2]), int(found[5] or found[2])
    return (-1, first) if found[1] else (first, last)


def plain_number(value: str, form: str) -> str | None:
    """Return a number in plain notation; None if it is not one."""
    text = value.strip()
    if form == "percent":
        text = text.removesuffix("%").rstrip().replace(",", ".")
    elif form == "comma":
        return pointed(text, ",")
    elif form == "grouped" and _GROUPED.fullmatch(text):
        text = re.sub(r"[,.' ]", "", text)
    return text if scaled([text]) is not None else None


def _dates(values: Sequence[str]) -> ValueKind | None:
    if _enough(values, sum(day_of(value, None) for value in values)):
        return ValueKind("date")
    some = values[:: -(-len(values) // _SAMPLE)]
    if not _enough(some, sum(any(map(str.isdigit, value)) and len(value) > 5 for value in some)):
        return None  # all formats have digits, and more than five signs
    likely = [form for form in _FORMATS if _enough(some, sum(day_of(value, form) for value in some))]
    likely = [form for form in likely if _has_years(form, some)]
    counts = {form: sum(day_of(value, form) for value in values) for form in likely}
    if not counts:
        return None
    form = max(counts, key=lambda one: counts[one])
    if not _enough(values, counts[form]):
        return None
    return ValueKind("date", form, _date_doubt(form, counts))


def _has_years(form: str, values: Sequence[str]) -> bool:
    """Tell whether digits can be dates: nearly all have a year of our time where the format says."""
    if form not in _DIGITS_ALONE:
        days = (read_date(value, form) for value in values) if "%Y" in form else ()
        found = [day.year in _CENTURIES for day in days if day is not None]
        return _enough(values, sum(found)) or "%Y" not in form
    place = slice(0, 2) if form == "%Y%m%d" else slice(4, 6)
    return all(len(value.strip()) == 8 and value.strip()[place] in ("18", "19", "20") for value in values)


def _are_spans(values: Sequence[str]) -> bool:
    """Tell whether the values are consecutive spans, and not only single numbers."""
    found = sorted(span for value in values if (span := span_of(value)) is not None)
    wide = sum(first < last for first, last in found)
    follow = all(before[1] <= after[0] for before, after in pairwise(found))
    return len(found) == len(values) > 1 and 2 * wide >= len(found) and follow


def _date_doubt(form: str, counts: dict[str, int]) -> str:
    swapped = form
    for first, second in _SWAPPED.items():
        swapped = swapped.replace(first, second)
    doubts = []
    if swapped != form and counts.get(swapped) == counts[form]:
        doubts.append("whether the day or the month comes first cannot be told from the values; the day was assumed")
    if "%y" in form:
        doubts.append("years have two digits: 69 to 99 were taken as 19.., the others as 20..")
    return "; ".join(doubts)


def _number_form(values: Sequence[str]) -> NumberForm | None:
    if _enough(values, len(values) - count_others(values)):
        return "grouped" if _all_grouped(values) else "plain"
    for form in ("grouped", "comma"):
        read = sum(plain_number(value, form) is not None for value in values)
        if _enough(values, read) and (form == "comma" or _all_grouped(values)):
            return "grouped" if form == "grouped" else "comma"
    percents = sum(value.rstrip().endswith("%") and plain_number(value, "percent") is not None for value in values)
    return "percent" if _enough(values, percents) else None


def _all_grouped(values: Sequence[str]) -> bool:
    """Tell whether every mark within a number separates groups of three digits, and at least one is no decimal mark."""
    marked = [value.strip() for value in values if re.search(r"[0-9][,.' ][0-9]", value)]
    return any(re.search(r"[,' ]|\..*\.", value) for value in marked) and all(map(_GROUPED.fullmatch, marked))


def _enough(values: Sequence[str], count: int) -> bool:
    return count > 0 and count >= _MOST * len(values)
