"""Frames: tables of polars, pandas, pyarrow, Spark and DuckDB as columns of text, and back as the same kind."""

import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from enum import StrEnum
from importlib import import_module
from typing import Any

import numpy as np
import polars as pl

from shoal.foundation.errors import SpecError
from shoal.tables.formats.format import check_names
from shoal.tables.formats.text import as_text

WHERE = "the frame"


class FrameKind(StrEnum):
    """The kind of a frame; a result is returned in the same kind."""

    POLARS = "polars"
    LAZY = "polars-lazy"
    PANDAS = "pandas"
    PYARROW = "pyarrow"
    SPARK = "spark"
    DUCKDB = "duckdb"


def to_polars(data: Any) -> tuple[pl.DataFrame, FrameKind]:
    """Return a frame as columns of text, and its kind, without importing the package that it is of.

    Missing values (null, None, NaN, NA, NaT, an empty text) are null. The index of a pandas frame is dropped, since row
    numbers and names must not be published. A DataFrame of Spark and a relation of DuckDB are brought into memory.
    """
    kind = frame_kind_of(data)
    if kind is FrameKind.PANDAS:
        frame = _of_pandas(data)
    elif kind is FrameKind.PYARROW:
        _check_labels(data.column_names)
        frame = pl.DataFrame(data)
    elif kind is FrameKind.SPARK:
        _check_labels(data.columns)
        frame = pl.DataFrame(data.toArrow())
    elif kind is FrameKind.DUCKDB:
        _check_labels(data.columns)
        frame = data.pl()
    else:
        frame = data.lazy().collect()
        _check_labels(frame.columns)
    return frame.select(as_text(name, dtype, WHERE) for name, dtype in frame.schema.items()), kind


def from_polars(frame: pl.DataFrame, kind: FrameKind) -> Any:
    """Return text columns as a frame of `kind`, without categories, index or metadata; polars' for DuckDB."""
    text = frame.select(pl.all().cast(pl.String))
    if kind is FrameKind.PANDAS:
        return _to_pandas(text)
    if kind is FrameKind.PYARROW:
        return text.to_arrow()
    return text.lazy() if kind is FrameKind.LAZY else text


def frame_kind_of(data: Any) -> FrameKind:
    """Return the kind of a frame by the packages of its class and base classes, without importing any."""
    kinds = {
        ("polars", "DataFrame"): FrameKind.POLARS,
        ("polars", "LazyFrame"): FrameKind.LAZY,
        ("pandas", "DataFrame"): FrameKind.PANDAS,
        ("pyarrow", "Table"): FrameKind.PYARROW,
        ("pyspark", "DataFrame"): FrameKind.SPARK,
        ("duckdb", "DuckDBPyRelation"): FrameKind.DUCKDB,
    }
    for parent in type(data).__mro__:
        kind = kinds.get((parent.__module__.partition(".")[0], parent.__name__))
        if kind is not None:
            return kind
    raise SpecError(
        f"A {type(data).__name__} is no table that shoal knows: give a frame of polars, pandas, "
        "pyarrow or Spark, a relation of DuckDB, or a path."
    )


def _check_labels(labels: Iterable[Hashable]) -> None:
    """Raise a SpecError unless the labels are distinct texts; it names the type of a label, not the label."""
    names: list[str] = []
    for position, label in enumerate(labels, 1):
        if not isinstance(label, str):
            raise SpecError(
                f"Column number {position} of {WHERE} has a label of type {type(label).__name__}: "
                "a name in text is needed."
            )
        names.append(label)
    check_names(names, WHERE)


def _of_pandas(data: Any) -> pl.DataFrame:
    _check_labels(data.columns)
    return pl.DataFrame([_pandas_column(name, data[name]) for name in data.columns])


def _pandas_column(name: str, column: Any) -> pl.Series:
    """Convert numbers and timestamps as arrays, categories by their codes, and the rest value by value."""
    dtype = column.dtype
    if isinstance(dtype, np.dtype) and dtype.kind in "biuf":
        return pl.Series(name, column.to_numpy())
    if isinstance(dtype, np.dtype) and dtype.kind in "mM":
        return pl.Series(name, column.to_numpy().astype(f"{dtype.kind}8[ns]"))
    if hasattr(dtype, "categories"):
        labels = _texts(name, dtype.categories)
        codes = pl.Series(column.cat.codes.to_numpy().astype(np.int64))
        return pl.Series(labels, dtype=pl.String).gather(codes.set(codes < 0, None)).alias(name)
    return pl.Series(name, _texts(name, column), dtype=pl.String)


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
        "are needed. Turn it into text, or leave it out (role 'omitted')."
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


def _to_pandas(text: pl.DataFrame) -> Any:
    pandas = import_module("pandas")
    dtype = pandas.Series(["text"]).dtype  # pandas 3 has a type for text, pandas 2 has not
    return pandas.DataFrame({column.name: pandas.Series(column.to_list(), dtype=dtype) for column in text})
