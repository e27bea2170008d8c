"""Documents: TOML and JSON from elsewhere, read within the budget."""

import json
import re
import tomllib
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from shoal.foundation.budgets import DIGITS, KEY_PARTS, budget, read_bytes

_PART = r"""(?:[A-Za-z0-9_-]+|"[^"\n]*"|'[^'\n]*')"""
_LONG_KEY = re.compile(rf"(?<![A-Za-z0-9_-])(?:{_PART}[ \t]*\.[ \t]*){{{KEY_PARTS}}}")
_LARGEST = 2**63


def toml_in(path: Path, parse_float: Callable[[str], Any] = float) -> dict[str, Any]:
    """Return the content of a TOML file.

    Args:
        path: The file.
        parse_float: What reads a number with a point or an exponent.

    Raises:
        OSError: It cannot be read.
        SpecError: It is too large.
        ValueError: It is not TOML in UTF-8, for a reason that is told.
    """
    return toml_of(read_bytes(path, budget().job_bytes).decode("utf-8"), parse_float)


def toml_of(text: str, parse_float: Callable[[str], Any] = float) -> dict[str, Any]:
    """Return the content of a TOML text, or raise a ValueError with the reason; a SpecError if it is too large."""
    held = budget()
    held.check_bytes(len(text), "a TOML text", held.job_bytes)
    if _LONG_KEY.search(text):  # reading a key takes the square of its parts
        raise ValueError(f"a key has more than {KEY_PARTS} parts")
    try:
        content = tomllib.loads(text, parse_float=parse_float)
    except tomllib.TOMLDecodeError:
        raise
    except RecursionError:
        raise ValueError("its tables and lists are nested too deeply") from None
    except ValueError:
        raise ValueError("a number in it has too many digits") from None
    if not _fits(content):
        raise ValueError("a whole number in it has more than 64 bits")
    return content


def _fits(content: Any) -> bool:
    """Tell whether all whole numbers have 64 bits, as the standard of TOML says."""
    waiting = [content]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one
        elif isinstance(one, int) and not -_LARGEST <= one < _LARGEST:
            return False
    return True


def decimal_of(text: str) -> Decimal:
    """Return a number as the decimal that was written, or raise a ValueError if it stands for too many digits."""
    try:
        number = Decimal(text.replace("_", ""))
    except InvalidOperation:
        raise ValueError(f"'{text[:40]}' is not a number") from None
    if not is_short(number):
        raise ValueError(f"a number of more than {DIGITS} digits")
    return number


def is_short(number: Decimal) -> bool:
    """Tell whether a number has few digits, those that its exponent stands for included; infinity has few."""
    _, digits, exponent = number.as_tuple()
    return not isinstance(exponent, int) or len(digits) + abs(exponent) <= DIGITS


def json_of(raw: bytes, where: str, pairs: Callable[[list[tuple[str, Any]]], Any] | None = None) -> Any:
    """Return the content of JSON.

    Args:
        raw: The JSON, in UTF-8.
        where: Its name, for messages.
        pairs: What makes a table of its names and values.

    Raises:
        SpecError: It has too many entries.
        ValueError: It is not JSON in UTF-8, or stands too deep in itself.
    """
    budget().check_items(raw.count(b",") + raw.count(b"[") + raw.count(b"{"), where)
    try:
        return json.loads(raw.decode(), object_pairs_hook=pairs)
    except RecursionError:
        raise ValueError("its tables and lists are nested too deeply") from None
