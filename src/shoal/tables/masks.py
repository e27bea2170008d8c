"""Masks: what may be kept of an identifier, as one of few fixed shapes. What is kept is a quasi-identifier."""

import re
from collections.abc import Callable, Mapping
from ipaddress import IPv4Address, ip_address

import polars as pl

NOTHING = "other"
"""What is kept of a value that has not the form that a mask is for."""

_IBAN = re.compile(r"([A-Za-z]{2})[0-9]{2}[0-9A-Za-z]{11,30}")
_EMAIL = re.compile(r"[^@\s]+@([^@\s]+\.[^@\s.]+)")
_CARD = re.compile(r"([0-9])[0-9]{11,18}")
_PHONE = re.compile(r"(?:\+|00)([1-9][0-9]{6,14})")
_SHORT_CODES = re.compile(r"[17]|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]")
"""The calling codes of one and two digits; no code begins with another, and all others have three digits."""
_BETWEEN = re.compile(r"[\s().\-/]")  # what people put between digits


def _iban(value: str) -> str | None:
    found = _IBAN.fullmatch(_BETWEEN.sub("", value))
    return None if found is None else f"{found[1].upper()}** **** ****"


def _email(value: str) -> str | None:
    found = _EMAIL.fullmatch(value.strip())
    return None if found is None else f"*@{found[1].lower()}"


def _card(value: str) -> str | None:
    found = _CARD.fullmatch(_BETWEEN.sub("", value))
    return None if found is None else f"{found[1]}*** **** **** ****"


def _phone(value: str) -> str | None:
    found = _PHONE.fullmatch(_BETWEEN.sub("", value))
    if found is None:
        return None
    short = _SHORT_CODES.match(found[1])
    return f"+{found[1][:3] if short is None else short[0]} ****"


def _ip(value: str) -> str | None:
    try:
        found = ip_address(value.strip())
    except ValueError:
        return None
    parts = found.exploded.split("." if isinstance(found, IPv4Address) else ":")
    return f"{parts[0]}.{parts[1]}.*.*" if isinstance(found, IPv4Address) else f"{parts[0]}:{parts[1]}:*"


def _initial(value: str) -> str | None:
    first = value.strip()[:1]
    return f"{first.upper()}***" if first.isalpha() else None


MASKS: Mapping[str, Callable[[str], str | None]] = {
    "card": _card,
    "email": _email,
    "iban": _iban,
    "initial": _initial,
    "ip": _ip,
    "phone": _phone,
}
"""What each mask keeps of a value: the first digit of a payment card, the domain of an address, the country of an IBAN,
the first letter of a name, the network of an IP address, the country of a telephone number. None is nothing."""


def masked(column: pl.Series, mask: str) -> pl.Series:
    """Return a column with the shape of each value in its place; a missing value stays missing."""
    plain = column.alias("").cast(pl.String)  # its own name may be a pattern to polars
    different = plain.unique().drop_nulls()
    shapes = pl.Series([MASKS[mask](value) or NOTHING for value in different.to_list()], dtype=pl.String)
    texts = plain.replace_strict(different, shapes, default=None, return_dtype=pl.String)
    return texts.cast(pl.Categorical if column.dtype == pl.Categorical else pl.String).alias(column.name)
