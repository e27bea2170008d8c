"""Texts as exact numbers, and the natural order of the values of a column."""

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Literal

DecimalMark = Literal[".", ","]
_NUMBER = re.compile(r"([+-]?)(?=\.?[0-9])([0-9]*)(?:\.([0-9]*))?(?:[eE]([+-]?[0-9]{1,3}))?")
_WITH_COMMA = re.compile(r"[+-]?(?:[0-9]*|[0-9]{1,3}(?:\.[0-9]{3})+)(?:,[0-9]+)?")
_LONGEST = 200  # most characters of a number
_LARGEST = 300  # most places before the point: sums and differences fit into a float, too


def parsed(text: str) -> tuple[int, int] | None:
    """Return digits and power of ten of a number; None for other texts, such as '1_000', '1/3', 'nan' and '1e999'."""
    match = _NUMBER.fullmatch(text.strip()) if len(text) <= _LONGEST else None
    if match is None:
        return None
    sign, whole, decimals, exponent = match.groups(default="")
    power = int(exponent or 0)
    if not -_LARGEST <= power <= _LARGEST - len(whole):
        return None
    return int(sign + whole + decimals), power - len(decimals)


def pointed(text: str, decimal: DecimalMark) -> str | None:
    """Return a number with a point before its decimals; None if it is no number in that notation.

    Before a comma, points may stand between groups of three digits: `1.234,5` is `1234.5`, `1.234` is `1234`, and `1.5`
    is no number.
    """
    plain = text.strip()
    if decimal == ",":
        plain = plain.replace(".", "").replace(",", ".") if _WITH_COMMA.fullmatch(plain) else ""
    return plain if parsed(plain) is not None else None


def others(values: Sequence[str]) -> list[bool]:
    """Tell which of the values are not numbers."""
    return [parsed(value) is None for value in values]


def count_others(values: Sequence[str]) -> int:
    """Return the number of values that are not numbers."""
    return sum(others(values))


def scaled(values: Sequence[str]) -> tuple[list[int], int] | None:
    """Return all values as integers over a common denominator, and the denominator; None if one is not a number."""
    digits_alone = "".join(values)
    if digits_alone.isascii() and digits_alone.isdigit() and all(values) and max(map(len, values)) <= _LONGEST:
        return list(map(int, values)), 1  # the common case, fast for millions of values
    parts = []
    for value in values:
        part = parsed(value)
        if part is None:
            return None
        parts.append(part)
    places = max((-power for _, power in parts), default=0)
    places = max(places, 0)
    return [digits * 10 ** (power + places) for digits, power in parts], 10**places


def in_order(values: Sequence[str], keys: Sequence[int]) -> list[int]:
    """Return the indices of the values, sorted by key, then by text."""
    return sorted(range(len(values)), key=lambda i: (keys[i], values[i]))


def natural_order(values: Sequence[str]) -> list[str]:
    """Return the values sorted by number if all are numbers, else by text."""
    numbers = scaled(values)
    if numbers is None:
        return sorted(values)
    return [values[i] for i in in_order(values, numbers[0])]


def decimal_text(number: Fraction) -> str:
    """Return a number with all of its decimals, or as a fraction if they are infinite."""
    rest, places = number.denominator, 0
    while rest > 1 and 10**places % rest:
        if places > rest.bit_length():
            return str(number)
        places += 1
    digits = f"{abs(int(number * 10**places)):0{places + 1}d}"
    text = f"{digits[:-places]}.{digits[-places:]}" if places else digits
    return f"-{text}" if number < 0 else text


def power_of_ten(number: Fraction) -> Fraction:
    """Return the greatest power of ten that is at most a number above 0."""
    power = Fraction(1)
    while power > number:
        power /= 10
    while power * 10 <= number:
        power *= 10
    return power
