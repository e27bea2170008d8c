"""Notations: the ways in which tools write a generalized cell, as a range, a masked text or a set."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from shoal.tables.hierarchies.numeric import parsed

_NUMBER = r"[+-]?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,2})?"
_BETWEEN = r"\s+-+\s+|\s*(?:-|,|;|:|\.\.|\u2013|\u2014)\s*|\s+to\s+"
_RANGE = re.compile(rf"([\[\](]?)\s*({_NUMBER})(?:{_BETWEEN})({_NUMBER})\s*([\])\[]?)")
_BELOW = re.compile(rf"(<=|<|≤)\s*({_NUMBER})")
_ABOVE = re.compile(rf"(>=|>|≥)\s*({_NUMBER})")
_FROM = re.compile(rf"({_NUMBER})\s*\+")
_JOINTS = re.compile(r" -+ ")
_DAY = r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9:.]+)?"
_DAYS = re.compile(rf"([\[\](]?)\s*({_DAY})\s*(?:-+|,|;|\.\.|\u2013|\u2014|to)\s*({_DAY})\s*([\])\[]?)")


@dataclass(frozen=True, slots=True)
class Range:
    """All numbers from `low` to `high`; None is an open end; `low_in` and `high_in` tell whether an end is included."""

    low: Fraction | None
    high: Fraction | None
    low_in: bool = True
    high_in: bool = True


def number(text: str) -> Fraction | None:
    """Return a text as a number, or None if it is none."""
    found = parsed(text)
    if found is None:
        return None
    digits, power = found
    return Fraction(digits * 10**power) if power >= 0 else Fraction(digits, 10**-power)


def read_range(text: str, *, whole: bool = False) -> Range | None:
    """Read `20-24`, `20 - 24`, `20..24`, `20 to 24`, `[20, 25)`, `(19, 24]`, `[20, 25[`, `<18`, `>=65`, `65+`.

    Args:
        text: The cell.
        whole: Whether `20-24` without brackets means all numbers from 20 up to, but excluding, 25.
    """
    text = text.strip()
    if found := _BELOW.fullmatch(text):
        return Range(None, number(found[2]), high_in=found[1] != "<")
    if found := _ABOVE.fullmatch(text):
        return Range(number(found[2]), None, low_in=found[1] != ">")
    if found := _FROM.fullmatch(text):
        return Range(number(found[1]), None)
    found = _RANGE.fullmatch(text)
    if found is None or bool(found[1]) != bool(found[4]):
        return None
    low, high = number(found[2]), number(found[3])
    if low is None or high is None or low > high:
        return None
    if whole and not found[1] and low.denominator == high.denominator == 1:
        return Range(low, high + 1, high_in=False)
    return Range(low, high, found[1] in ("", "["), found[4] in ("", "]"))


def read_date_range(text: str) -> tuple[str, str, bool, bool] | None:
    """Read a range of ISO dates: return its two ends, and for each whether it is included."""
    found = _DAYS.fullmatch(text.strip())
    if found is None or bool(found[1]) != bool(found[4]):
        return None
    return found[2], found[3], found[1] in ("", "["), found[4] in ("", "]")


def range_ends(text: str) -> Iterator[tuple[str, str]]:
    """Yield the two ends of a free range such as `31 - 38`, in every way to split it, since a value may hold ` - `."""
    for found in _JOINTS.finditer(text):
        yield text[: found.start()], text[found.end() :]


def items(text: str) -> list[str] | None:
    """Return the values of a set such as `{flu, gout}`; `;` and `|` may separate them as well."""
    if not (text.startswith("{") and text.endswith("}")):
        return None
    return [part.strip() for part in re.split(r",+|;|\|", text[1:-1])]


def holds(text: str, value: str) -> bool:
    """Tell whether a set in shoal's notation may contain a value; values with commas make this ambiguous."""
    return re.search(rf"(?:^|,+ ){re.escape(value)}(?:,+ |$)", text[1:-1]) is not None


@dataclass(frozen=True, slots=True)
class Mask:
    """A text with hidden characters at one end, or between `before` and `after`.

    Args:
        before: The visible text before the hidden characters.
        after: The visible text after them.
        longest: The greatest length of a text that the mask covers; None is any length.
    """

    before: str
    after: str
    longest: int | None

    def covers(self, value: str) -> bool:
        """Tell whether the mask covers a value."""
        return (
            len(value) >= len(self.before) + len(self.after)
            and (self.longest is None or len(value) <= self.longest)
            and value.startswith(self.before)
            and value.endswith(self.after)
        )


def read_mask(text: str, character: str = "*") -> Mask | None:
    """Read `220**`, `**030` or `12**5`; one star hides any number of characters, several stars at most one each."""
    first, last = text.find(character), text.rfind(character)
    if first < 0 or text[first : last + 1].strip(character):
        return None
    return Mask(text[:first], text[last + 1 :], None if first == last else len(text))


def read_masked(text: str, character: str, side: str) -> Mask | None:
    """Read a code that shoal has masked from one side; it is as long as the longest value of the column."""
    kept = text.rstrip(character) if side == "right" else text.lstrip(character)
    if len(kept) == len(text):
        return None
    return Mask(kept, "", len(text)) if side == "right" else Mask("", kept, len(text))
