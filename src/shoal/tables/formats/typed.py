"""Typed: texts back as the values that they were made of, exactly or not at all."""

import re

import polars as pl

from shoal.tables.formats.text import CLOCK, DAY, as_text

_STAMP = f"{DAY}T{CLOCK}"
_DURATION = re.compile(r"(-?)P(?:([0-9]+)D)?(?:T(?:([0-9]+)H)?(?:([0-9]+)M)?(?:([0-9]+)(?:\.([0-9]{1,9}))?S)?)?")
_PER_SECOND = {"ms": 10**3, "us": 10**6, "ns": 10**9}


def parsed(texts: pl.Series, dtype: pl.DataType) -> pl.Series | None:
    """Return the values that `as_text` turns into these very texts; None unless all of them can be had back.

    Args:
        texts: All different values of a column, since timestamps are written as dates if all of them are midnight.
        dtype: The type of the values.
    """
    try:
        made = values_of(texts, dtype)
        shown = made.to_frame().select(as_text("v", dtype, "the column")).to_series()
    except (pl.exceptions.PolarsError, OverflowError):  # a text that is no value of the type
        return None
    return made if shown.equals(texts.alias("v"), null_equal=True) else None


def values_of(texts: pl.Series, dtype: pl.DataType) -> pl.Series:
    """Return the values of texts that are known to be such, as `parsed` found out."""
    texts = texts.alias("v")  # its own name may be a pattern to polars
    if dtype == pl.Boolean:
        return texts == "true"
    if dtype == pl.Date:
        return texts.str.to_date(DAY, strict=False)
    if dtype == pl.Time:
        return texts.str.to_time(CLOCK, strict=False)
    if isinstance(dtype, pl.Datetime):
        return _moments(texts, dtype)
    if isinstance(dtype, pl.Duration):
        return pl.Series("v", [_duration(text, dtype) for text in texts], dtype=pl.Int64).cast(dtype)
    return texts.cast(dtype, strict=False)


def _moments(texts: pl.Series, dtype: pl.Datetime) -> pl.Series:
    if dtype.time_zone is not None:
        moments = texts.str.to_datetime(f"{_STAMP}%:z", time_unit=dtype.time_unit, strict=False)
        return moments.dt.convert_time_zone(dtype.time_zone)
    if (texts.str.len_chars() == len("2000-12-31")).all():
        return texts.str.to_date(DAY, strict=False).cast(dtype)
    return texts.str.to_datetime(_STAMP, time_unit=dtype.time_unit, strict=False)


def _duration(text: str | None, dtype: pl.Duration) -> int | None:
    """Return a duration by ISO 8601 in the unit of its type; None if it is none."""
    found = _DURATION.fullmatch(text or "")
    if found is None:
        return None
    sign, *parts, fraction = found.groups()
    days, hours, minutes, seconds = (int(part or 0) for part in parts)
    unit = _PER_SECOND[dtype.time_unit]
    parted = (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 10**9 + int((fraction or "").ljust(9, "0"))
    return (-1 if sign else 1) * (parted * unit // 10**9)
