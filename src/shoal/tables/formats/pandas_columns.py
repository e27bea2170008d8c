"""Columns of pandas: as texts, with their types, and back as columns of the same type."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, time
from decimal import Decimal
from importlib import import_module
from typing import Any

import numpy as np
import polars as pl

from shoal.foundation.errors import SpecError
from shoal.tables.formats.arrow_columns import arrow_array, arrow_type, readable
from shoal.tables.formats.column_type import ColumnType
from shoal.tables.formats.text import as_text
from shoal.tables.table import Column

WHERE = "the frame"
_UNITS = ("ms", "us", "ns")  # of timestamps in polars; pandas has seconds, too


def pandas_column(name: str, column: Any) -> pl.Series:
    """Convert numbers and timestamps as arrays, categories by their codes, and the rest value by value."""
    dtype = column.dtype
    if hasattr(dtype, "pyarrow_dtype"):
        return pl.Series(name, readable(column.array.__arrow_array__(), name))
    if getattr(dtype, "tz", None) is not None and (zoned := _zoned(dtype)) is not None:
        moments = column.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy().astype(f"M8[{zoned.time_unit}]")
        return pl.Series(name, moments).dt.replace_time_zone("UTC").dt.convert_time_zone(zoned.time_zone or "UTC")
    if isinstance(dtype, np.dtype) and dtype.kind in "biuf":
        return pl.Series(name, column.to_numpy())
    if getattr(dtype, "kind", "") == "f" and hasattr(dtype, "numpy_dtype"):
        return pl.Series(name, column.to_numpy(dtype=dtype.numpy_dtype, na_value=np.nan))
    if isinstance(dtype, np.dtype) and dtype.kind in "mM":
        return pl.Series(name, column.to_numpy().astype(f"{dtype.kind}8[{_unit(dtype)}]"))
    if hasattr(dtype, "categories"):
        labels = _labels(name, dtype)
        codes = pl.Series(column.cat.codes.to_numpy().astype(np.int64))
        return pl.Series(labels, dtype=pl.String).gather(codes.set(codes < 0, None)).alias(name)
    if _holds_text(dtype):
        return pl.Series(name, column.to_numpy(dtype=object, na_value=None).tolist(), dtype=pl.String)
    return pl.Series(name, _texts(name, column), dtype=pl.String)


def _holds_text(dtype: Any) -> bool:
    """Tell whether a type of pandas is one of text alone: these have a storage, and no others do."""
    return hasattr(dtype, "storage") and getattr(dtype, "type", None) is str


def _labels(name: str, dtype: Any) -> list[str | None]:
    """Return the categories of a column as texts."""
    return _shown(pandas_column(name, dtype.categories.to_series()))


def _shown(column: pl.Series) -> list[str | None]:
    plain = column.alias("v")  # its own name may be a pattern to polars
    return plain.to_frame().select(as_text("v", plain.dtype, WHERE)).to_series().to_list()


def _unit(dtype: Any) -> str:
    unit = np.datetime_data(dtype)[0]
    return unit if unit in _UNITS else "ms"


def _texts(name: str, values: Any) -> list[str | None]:
    """Turn the values of a pandas column or index into text."""
    missing = values.isna()
    return [None if gone else _text(name, value) for value, gone in zip(values, missing, strict=True)]


def _text(name: str, value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, np.generic):
        value = value.item()
    for types, write in WRITERS:
        if isinstance(value, types):
            return write(value)
    raise SpecError(
        f"Column '{name}' of {WHERE} holds values of type {type(value).__name__}: text, numbers, dates or booleans "
        "are needed. Turn it into text, or leave it out as an identifier."
    )


def _float_text(value: float) -> str:
    text = re.sub(r"e([+-])0", r"e\1", repr(value)).removesuffix(".0")
    return "0" if text == "-0" else text


WRITERS: Sequence[tuple[type | tuple[type, ...], Callable[[Any], str]]] = (
    (bool, lambda value: "true" if value else "false"),
    (float, _float_text),
    ((int, Decimal), str),
    ((date, datetime, time), lambda value: value.isoformat()),
)
_READERS: Mapping[type, Callable[[str], object]] = {
    str: str,
    bool: lambda text: text == "true",
    int: int,
    float: float,
    Decimal: Decimal,
    date: date.fromisoformat,
    datetime: datetime.fromisoformat,
    time: time.fromisoformat,
}
"""How the text of an object of Python is read; it must give the same text again, else the column stays text."""
_OBJECTS: Mapping[type, pl.DataType] = {
    str: pl.String(),
    bool: pl.Boolean(),
    int: pl.Int64(),
    float: pl.Float64(),
    date: pl.Date(),
    time: pl.Time(),
}


def pandas_type(column: Any) -> ColumnType | None:
    """Return the type of a column of pandas; None if it is nothing that can be had back."""
    dtype = column.dtype
    if hasattr(dtype, "categories"):
        own = _plain_type(dtype.categories)
        texts = tuple(text for text in _labels(str(column.name), dtype) if text is not None)
        return None if own is None else replace(own, categories=texts, ordered=bool(dtype.ordered))
    return _plain_type(column)


def _plain_type(values: Any) -> ColumnType | None:
    """Return the type of a column, or of the categories of one."""
    dtype = values.dtype
    if isinstance(dtype, np.dtype) and dtype.kind in "biuf":
        return ColumnType(pl.Series(np.empty(0, dtype=dtype)).dtype, dtype)
    if isinstance(dtype, np.dtype) and dtype.kind in "mM":
        unit: Any = _unit(dtype)
        return ColumnType(pl.Datetime(unit) if dtype.kind == "M" else pl.Duration(unit), dtype)
    if isinstance(dtype, np.dtype):
        return _object_type(values)
    if hasattr(dtype, "pyarrow_dtype"):
        own = arrow_type(values.array.__arrow_array__())
        return None if own is None else replace(own, given=dtype)
    if getattr(dtype, "tz", None) is not None:
        return ColumnType(_zoned(dtype), dtype)
    if isinstance(getattr(dtype, "numpy_dtype", None), np.dtype):
        return ColumnType(pl.Series(np.empty(0, dtype=dtype.numpy_dtype)).dtype, dtype)
    return ColumnType(pl.String(), dtype) if dtype.type is str else None


def _zoned(dtype: Any) -> pl.Datetime | None:
    """Return the type of timestamps in a zone that has a name; polars knows no other."""
    made = pl.Datetime(dtype.unit if dtype.unit in _UNITS else "ms", str(dtype.tz))
    try:
        pl.Series([0]).cast(made).dt.hour()
    except (pl.exceptions.PolarsError, ValueError):
        return None
    return made


def _object_type(values: Any) -> ColumnType | None:
    """Return the type of a column of objects, if all of them are of one that is known."""
    found = {type(value) for value, gone in zip(values, values.isna(), strict=True) if not gone}
    if len(found) > 1 or not found <= _READERS.keys():
        return None
    kind = found.pop() if found else str
    return ColumnType(_decimal(values) if kind is Decimal else _OBJECTS.get(kind), values.dtype, kind)


def _decimal(values: Any) -> pl.DataType | None:
    """Return the type of decimals that all have as many digits behind the point."""
    texts = {str(value) for value, gone in zip(values, values.isna(), strict=True) if not gone}
    places = {len(text.partition(".")[2]) for text in texts}
    return pl.Decimal(38, max(places)) if len(places) == 1 and max(places) <= 38 else None


def to_pandas(frame: pl.DataFrame, types: Mapping[str, ColumnType]) -> Any:
    """Return text columns as a frame of pandas with a fresh index; those with a type that gives them back in it."""
    pandas = import_module("pandas")
    plain = pandas.Series(["text"]).dtype  # pandas 3 has a type for text, pandas 2 has not
    made = {}
    for column in frame:
        kind = types.get(column.name)
        as_is = kind is not None and kind.categories is None and _holds_text(kind.given)  # texts are their own texts
        found = None if kind is None or kind.given is None or as_is else _restored(pandas, column, kind)
        dtype = kind.given if kind is not None and as_is else plain
        made[column.name] = pandas.Series(column.cast(pl.String).to_list(), dtype=dtype) if found is None else found
    return pandas.DataFrame(made)


def _restored(pandas: Any, column: pl.Series, kind: ColumnType) -> Any:
    """Return a column in its type; None if that does not give its very texts again."""
    coded = Column.of(column)
    texts = [*coded.values, *([None] if coded.missing else [])]
    made = None
    try:
        made = pandas.Series(_array(pandas, texts, kind))
        shown = _shown(pandas_column("v", made))
    except (ValueError, TypeError, ArithmeticError, pl.exceptions.PolarsError):  # no value of that type
        return None
    return made.take(coded.codes.astype(np.int64)).reset_index(drop=True) if shown == texts else None


def _array(pandas: Any, texts: Sequence[str | None], kind: ColumnType) -> Any:
    """Return texts as what a series is made of; each library may raise what it raises of texts that are no values."""
    if kind.categories is None or hasattr(getattr(kind.given, "pyarrow_dtype", None), "index_type"):
        return _values(pandas, texts, kind)  # a dictionary of pyarrow is made there
    categories = pandas.Index(_values(pandas, kind.categories, replace(kind, categories=None)))
    places = {text: number for number, text in enumerate(kind.categories)}
    codes = [-1 if text is None else places[text] for text in texts]
    made = pandas.Categorical.from_codes(codes, categories=categories, ordered=kind.ordered)
    return made if kind.ordered else made.reorder_categories(categories.sort_values())


def _values(pandas: Any, texts: Sequence[str | None], kind: ColumnType) -> Any:
    dtype = kind.given
    if kind.python is not None:
        read = _READERS[kind.python]
        return pandas.Series([None if text is None else read(text) for text in texts], dtype=dtype)
    if isinstance(dtype, np.dtype):
        return _numbers(pandas, texts, kind)
    if hasattr(dtype, "pyarrow_dtype"):
        values = arrow_array(texts, replace(kind, given=dtype.pyarrow_dtype))
        return pandas.arrays.ArrowExtensionArray(values)
    if getattr(dtype, "tz", None) is not None:
        moments = pandas.to_datetime(pandas.Series(texts, dtype=object), utc=True, format="ISO8601")
        return moments.dt.tz_convert(dtype.tz).dt.as_unit(dtype.unit)
    return pandas.array(kind.series(texts).to_list(), dtype=dtype)


def _numbers(pandas: Any, texts: Sequence[str | None], kind: ColumnType) -> Any:
    """Return values of a type of NumPy; integers and truths with missing ones have a type of pandas that knows such."""
    values, dtype = kind.series(texts), kind.given
    if values.null_count() and dtype.kind in "biu":
        wide = "boolean" if dtype.kind == "b" else f"{'U' * (dtype.kind == 'u')}Int{8 * dtype.itemsize}"
        return pandas.array(values.to_list(), dtype=wide)
    return values.to_numpy().astype(dtype)
