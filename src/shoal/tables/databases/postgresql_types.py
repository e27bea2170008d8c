"""Types of PostgreSQL: which of them a column has, and in which it can be stored so that the same texts are read."""

import re
from collections.abc import Callable, Sequence

import polars as pl

from shoal.tables.formats.column_type import ColumnType
from shoal.tables.formats.values import plain_decimal

_NUMERIC = re.compile(r"numeric\(([0-9]+),([0-9]+)\)")
_LIMIT = re.compile(r"\([0-9]+\)")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_SECOND = re.compile(rf"{_DAY.pattern}T[0-9:]{{8}}(?:\.[0-9]{{0,5}}[1-9])?")  # the server writes no zeros at the end
_DECLARED: dict[str, pl.DataType] = {
    "smallint": pl.Int16(),
    "integer": pl.Int32(),
    "bigint": pl.Int64(),
    "real": pl.Float32(),
    "double precision": pl.Float64(),
    "boolean": pl.Boolean(),
    "date": pl.Date(),
    "timestamp without time zone": pl.Datetime("us"),
    "timestamp with time zone": pl.Datetime("us", "UTC"),
    "text": pl.String(),
    "character varying": pl.String(),
    "character": pl.String(),
}
_STORED: dict[pl.DataType, str] = {
    pl.Int8(): "smallint",
    pl.Int16(): "smallint",
    pl.Int32(): "integer",
    pl.Int64(): "bigint",
    pl.UInt8(): "smallint",
    pl.UInt16(): "integer",
    pl.UInt32(): "bigint",
    pl.UInt64(): "numeric",
    pl.Float32(): "real",
    pl.Float64(): "double precision",
    pl.Boolean(): "boolean",
    pl.Date(): "date",
    pl.String(): "text",
}


def declared_type(kind: str) -> pl.DataType | None:
    """Return what a type of a column is in polars; None if its texts are not those of any."""
    decimal = _NUMERIC.fullmatch(kind)
    if decimal is not None:
        precision, scale = map(int, decimal.groups())
        return pl.Decimal(precision, scale) if precision <= 38 else None
    return _DECLARED.get(_LIMIT.sub("", kind))


def stored_type(kind: ColumnType, values: Sequence[str]) -> str | None:
    """Return in which type a column is stored; None if none gives its very texts again.

    Args:
        kind: The type of the column.
        values: Its different values, as texts.
    """
    dtype = kind.dtype
    if isinstance(dtype, pl.Decimal):
        return f"numeric({dtype.precision},{dtype.scale})"
    if isinstance(dtype, pl.Datetime):
        return _moments(dtype, values)
    found = None if dtype is None else _STORED.get(dtype)
    fits = _FITS.get(found or "")
    return found if fits is None or all(map(fits, values)) else None


def _moments(dtype: pl.Datetime, values: Sequence[str]) -> str | None:
    if dtype.time_zone is None:
        plain = all(map(_DAY.fullmatch, values)) or all(map(_SECOND.fullmatch, values))
        return "timestamp" if plain else None
    universal = all(value.endswith("+00:00") and _SECOND.fullmatch(value[:-6]) for value in values)
    return "timestamptz" if universal else None


def _is_plain_number(text: str) -> bool:
    return text in ("inf", "-inf") or plain_decimal(float(text)) == text


def _is_day(text: str) -> bool:
    return _DAY.fullmatch(text) is not None


_FITS: dict[str, Callable[[str], bool]] = {
    "real": _is_plain_number,
    "double precision": _is_plain_number,
    "date": _is_day,
}
