"""Values: Python objects as readable text, and the types that a column of texts can be written as."""

import re
from collections.abc import Callable, Iterable, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import StrEnum

import polars as pl

from shoal.foundation.errors import SpecError

_DIGITS = 15  # decimal digits that every 64-bit float preserves, and that Excel shows
_INTEGER = re.compile(r"0|-?[1-9][0-9]*")
_DECIMAL = re.compile(r"0|-?(?!0+(?:\.0*)?$)(?:0|[1-9][0-9]*)(?:\.[0-9]+)?")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_SECOND = re.compile(r"(.{10})T(?:[01][0-9]|2[0-3])(?::[0-5][0-9]){2}")
_MIDNIGHT = "T00:00:00"


class TextKind(StrEnum):
    """The type in which a column of texts can be written so that reading it gives the same texts."""

    TEXT = "text"
    INTEGER = "integer"
    NUMBER = "number"  # floats, each written as its shortest text
    EXACT = "exact"  # decimals that a float would not reproduce, such as 1.50
    DATE = "date"
    BOOLEAN = "boolean"
    TIMESTAMP = "timestamp"  # to the second, in no zone


def text_kind_of(values: Iterable[str]) -> TextKind:
    """Return the narrowest kind that reproduces all distinct values of a column."""
    found = list(values)
    if not found:
        return TextKind.TEXT
    for kind, fits in _KINDS:
        if all(map(fits, found)):
            return TextKind.TEXT if _read_as_dates(kind, found) else kind
    return TextKind.TEXT


def _read_as_dates(kind: TextKind, values: Sequence[str]) -> bool:
    """Tell whether timestamps are all midnight: a column of such is read as dates."""
    return kind is TextKind.TIMESTAMP and all(value.endswith(_MIDNIGHT) for value in values)


def kinds_of(frame: pl.DataFrame) -> dict[str, TextKind]:
    """Return the kind of each column."""
    return {column.name: text_kind_of(distinct_values(column)) for column in frame}


def distinct_values(column: pl.Series) -> list[str]:
    """Return the distinct values of a column in text order, without the missing value and the empty text."""
    plain = column.alias("")  # its own name may be a pattern to polars
    return sorted(value for value in plain.unique().drop_nulls().cast(pl.String).to_list() if value)


def _is_integer(text: str) -> bool:
    return _INTEGER.fullmatch(text) is not None and len(text.lstrip("-")) <= _DIGITS


def _is_number(text: str) -> bool:
    if _DECIMAL.fullmatch(text) is None or len(text.lstrip("-0.").replace(".", "")) > _DIGITS:
        return False
    return plain_decimal(float(text)) == text


def _is_exact(text: str) -> bool:
    return _DECIMAL.fullmatch(text) is not None


def _is_date(text: str) -> bool:
    if _DAY.fullmatch(text) is None or text < "1900-03-01":  # Excel counts a 29 February 1900
        return False
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _is_timestamp(text: str) -> bool:
    found = _SECOND.fullmatch(text)
    return found is not None and _is_date(found[1])


_KINDS = (
    (TextKind.INTEGER, _is_integer),
    (TextKind.NUMBER, _is_number),
    (TextKind.EXACT, _is_exact),
    (TextKind.DATE, _is_date),
    (TextKind.BOOLEAN, lambda text: text in ("true", "false")),
    (TextKind.TIMESTAMP, _is_timestamp),
)


def plain_decimal(number: float) -> str:
    """Return the shortest decimal that reproduces a number, without an exponent: `2`, `0.1`, `0.0000001`."""
    text = repr(number)
    if "e" in text:
        text = format(Decimal(text), "f")
    text = text.removesuffix(".0")
    return "0" if text == "-0" else text


def rounded(number: float) -> str:
    """Return a number with at most 15 digits, as a spreadsheet shows it: 0.1 + 0.2 is `0.3`."""
    return plain_decimal(float(f"{number:.{_DIGITS}g}"))


def texts_of(
    values: Sequence[object], name: str, where: str, number: Callable[[float], str] = plain_decimal
) -> pl.Series:
    """Return Python values as text, with null for None, NaN and an empty text.

    Dates and timestamps are ISO 8601; a column of timestamps that are all midnight is written as dates.

    Args:
        values: Text, numbers, booleans, dates, times.
        name: The column.
        where: The name of the table, for messages.
        number: Returns the text of a float.
    """
    if len({int, float, bool, Decimal} & set(map(type, values))) > 1:  # else 1, 1.0 and True would be equal
        keys: Sequence[object] = [(type(value), value) for value in values]
        different = dict(zip(keys, values, strict=True))
    else:
        keys, different = values, {value: value for value in values}
    clock = any(isinstance(value, datetime) and value.time() != time() for value in different.values())
    known = {key: _text(_shown(value, number), clock, name, where) for key, value in different.items()}
    return pl.Series(name, list(map(known.__getitem__, keys)), dtype=pl.String)


def _shown(value: object, number: Callable[[float], str]) -> object:
    """Return floats as text, and NaN as missing."""
    if isinstance(value, float):
        return number(value) if value == value else None
    return value


def _text(value: object, clock: bool, name: str, where: str) -> str | None:
    if value is None or value == "":
        return None
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | Decimal):
        return str(value)
    if isinstance(value, date):
        return _date(value, clock)
    if isinstance(value, time):
        return value.isoformat()
    if isinstance(value, timedelta):
        return pl.Series([value]).dt.to_string("iso").item()
    raise SpecError(
        f"Column '{name}' of {where} holds {'bytes' if isinstance(value, bytes) else 'values of an unknown type'}: "
        "text, numbers, dates or booleans are needed. Turn it into text, or leave it out (role 'omitted')."
    )


def _date(value: date, clock: bool) -> str:
    if clock:
        return (value if isinstance(value, datetime) else datetime.combine(value, time())).isoformat()
    return (value.date() if isinstance(value, datetime) else value).isoformat()
