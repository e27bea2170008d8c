"""Text: how a value of any type is written as text."""

from datetime import time

import polars as pl
from polars.selectors import by_name

from shoal.foundation.errors import SpecError

DAY = "%Y-%m-%d"
CLOCK = "%H:%M:%S%.f"
HINTS = {pl.Binary: "bytes", pl.Object: "objects", pl.Unknown: "values of an unknown type"}


def as_text(name: str, dtype: pl.DataType, where: str) -> pl.Expr:
    """Return the column as text, with null for missing values: null, NaN or an empty text.

    Integers are plain, floats the shortest text that reproduces them (`2`, `0.1`), dates and times ISO 8601. A column
    of timestamps that are all midnight is written as dates.

    Args:
        name: The column.
        dtype: Its type.
        where: The name of the table, for messages.
    """
    column = by_name(name).as_expr()  # `pl.col` would take a name such as `*` as a pattern
    _check(name, dtype, where)
    if dtype.is_float():
        number = column.fill_nan(None).cast(pl.String).str.strip_suffix(".0")
        return pl.when(number == "-0").then(pl.lit("0")).otherwise(number).alias(name)
    if isinstance(dtype, pl.Datetime):
        return _timestamp(column, dtype)
    if dtype == pl.Date:
        return column.dt.to_string(DAY)
    if dtype == pl.Time:
        return column.dt.to_string(CLOCK)
    if dtype == pl.Duration:
        return column.dt.to_string("iso")
    text = column.cast(pl.String)
    return pl.when(text != "").then(text).alias(name)


def texts(column: pl.Series, kind: pl.DataType | None, where: str) -> pl.Series:
    """Return values that another program found in a column as the texts that we read.

    Args:
        column: The values.
        kind: The type of the column in the files, if it is known: others give moments in a zone of their own.
        where: The name of the table.
    """
    if isinstance(column.dtype, pl.Datetime) and column.dtype.time_zone is not None:
        zone = kind.time_zone if isinstance(kind, pl.Datetime) else None
        column = column.dt.convert_time_zone(zone or "UTC")
    name, column = column.name, column.alias("v")
    _check(name, column.dtype, where)
    return column.to_frame().select(as_text("v", column.dtype, where)).to_series().alias(name)


def _timestamp(column: pl.Expr, dtype: pl.Datetime) -> pl.Expr:
    if dtype.time_zone is not None:
        return column.dt.to_string(f"{DAY}T{CLOCK}%:z")
    midnight = (column.dt.time() == time(0)).all()
    return pl.when(midnight).then(column.dt.to_string(DAY)).otherwise(column.dt.to_string(f"{DAY}T{CLOCK}"))


def _check(name: str, dtype: pl.DataType, where: str) -> None:
    if dtype.is_nested():
        raise SpecError(
            f"Column '{name}' of {where} is nested ({dtype.base_type()!r}): one value per record is needed. "
            "Split it into plain columns, or leave it out: of the file, or by the role 'omitted' of a job."
        )
    held = HINTS.get(dtype.base_type())
    if held is not None:
        raise SpecError(
            f"Column '{name}' of {where} holds {held}: text, numbers, dates or booleans are needed. "
            "Turn it into text, or leave it out: of the file, or by the role 'omitted' of a job."
        )
