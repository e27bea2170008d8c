"""Frames: tables of polars, pandas, pyarrow, Spark and DuckDB as columns of text, and back as the same kind."""

from collections.abc import Hashable, Iterable, Sequence
from enum import StrEnum
from importlib import import_module
from typing import Any

import polars as pl

from shoal.foundation.errors import SpecError
from shoal.tables.databases.address import quoted
from shoal.tables.formats.arrow_columns import arrow_column, arrow_type, readable
from shoal.tables.formats.column_type import ColumnType, Types, in_utc, typed_frame
from shoal.tables.formats.format import check_names, names_of_header
from shoal.tables.formats.pandas_columns import WHERE, pandas_column, pandas_type, to_pandas
from shoal.tables.formats.text import as_text

_NO_TYPES: Types = {}


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
    numbers and names must not be published; equal labels are numbered. A DataFrame of Spark and a relation of DuckDB
    are brought into memory.
    """
    kind, data = frame_kind_of(data), named_apart(data)
    if kind is FrameKind.PANDAS:
        frame = _of_pandas(data)
    elif kind is FrameKind.PYARROW:
        frame = _of_arrow(data)
    elif kind is FrameKind.SPARK:
        frame = pl.DataFrame(data.toArrow())
    elif kind is FrameKind.DUCKDB:
        frame = data.pl()
    else:
        frame = data.lazy().collect()
        _check_labels(frame.columns)
    return frame.select(as_text(name, dtype, WHERE) for name, dtype in frame.schema.items()), kind


def from_polars(frame: pl.DataFrame, kind: FrameKind, types: Types = _NO_TYPES) -> Any:
    """Return text columns as a frame of `kind`, without index or metadata; polars' for DuckDB.

    A column is of its type, if that is given and turns every text into a value that is written as this very text.
    Else it is text.
    """
    if kind is FrameKind.PANDAS:
        return to_pandas(frame, types)
    if kind is FrameKind.PYARROW:
        return _to_arrow(frame, types)
    typed = typed_frame(frame, types)
    return typed.lazy() if kind is FrameKind.LAZY else typed


def types_in(data: Any, names: Sequence[str]) -> dict[str, ColumnType]:
    """Return the types of some columns of a frame, of those that can be had back from texts; see `to_polars`."""
    kind, data = frame_kind_of(data), named_apart(data)
    if kind is FrameKind.PANDAS:
        own = _names_of(data.columns)
        found = {name: pandas_type(data.iloc[:, own.index(name)]) for name in names}
    elif kind is FrameKind.PYARROW:
        own = _names_of(data.column_names)
        found = {name: arrow_type(data.column(own.index(name))) for name in names}
    else:
        found = {name: ColumnType.of(dtype) for name, dtype in _schema(data, kind, names).items()}
    return {name: one for name, one in found.items() if one is not None}


def type_names(data: Any) -> dict[str, str]:
    """Return what the types of a frame's columns are called by its library."""
    kind = frame_kind_of(data)
    if kind in (FrameKind.PANDAS, FrameKind.SPARK):
        pairs = data.dtypes.items() if kind is FrameKind.PANDAS else data.dtypes
        return {name: str(dtype) for name, dtype in pairs}
    if kind is FrameKind.PYARROW:
        return {field.name: str(field.type) for field in data.schema}
    return {name: str(dtype) for name, dtype in data.lazy().collect_schema().items()}


def _schema(data: Any, kind: FrameKind, names: Sequence[str]) -> dict[str, pl.DataType]:
    """Return the types of some columns in polars; moments of an engine are in UTC, whatever zone it shows."""
    if kind is FrameKind.SPARK:
        places = [f"c{number}" for number in range(len(data.columns))]  # Spark reads dots and backticks in names
        asked = data.toDF(*places).select([places[data.columns.index(name)] for name in names])
        found = in_utc(pl.DataFrame(asked.limit(0).toArrow()).schema)
    elif kind is FrameKind.DUCKDB:
        asked = data.project(", ".join(map(quoted, names)))
        found = in_utc(asked.limit(0).pl().schema)
    else:
        schema = data.lazy().collect_schema()
        found = pl.Schema({name: schema[name] for name in names})
    return dict(zip(names, found.values(), strict=True))


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
        f"A {type(data).__name__} is not a supported table: give a polars, pandas, pyarrow or Spark "
        "frame, a DuckDB relation, or a path."
    )


def named_apart(data: Any) -> Any:
    """Return a DataFrame of Spark or a relation of DuckDB with its columns named as those of a file; others as given.

    Equal names are numbered, and columns without a name get one. They are told apart by their places.
    """
    kind = frame_kind_of(data)
    if kind not in (FrameKind.SPARK, FrameKind.DUCKDB):
        return data
    names = _names_of(data.columns)
    if names == list(data.columns):
        return data
    if kind is FrameKind.SPARK:
        return data.toDF(*names)
    return data.project(", ".join(f"#{place} AS {quoted(name)}" for place, name in enumerate(names, 1)))


def _check_labels(labels: Iterable[Hashable]) -> None:
    """Raise a SpecError unless the labels are distinct texts; it names the type of a label, not the label."""
    check_names(_texts_of(labels), WHERE)


def _names_of(labels: Iterable[Hashable]) -> list[str]:
    """Return the names of the columns of a frame that may have equal labels: as those of a file, numbered."""
    return names_of_header(_texts_of(labels), WHERE)


def _texts_of(labels: Iterable[Hashable]) -> list[str]:
    names: list[str] = []
    for position, label in enumerate(labels, 1):
        if not isinstance(label, str):
            raise SpecError(
                f"Column number {position} of {WHERE} has a label of type {type(label).__name__}: "
                "a name in text is needed."
            )
        names.append(label)
    return names


def _of_arrow(table: Any) -> pl.DataFrame:
    arrow, names = import_module("pyarrow"), _names_of(table.column_names)
    columns = [readable(column, name) for name, column in zip(names, table.columns, strict=True)]
    return pl.DataFrame(arrow.table(columns, names=names))


def _of_pandas(data: Any) -> pl.DataFrame:
    names = _names_of(data.columns)
    return pl.DataFrame([pandas_column(name, data.iloc[:, at]) for at, name in enumerate(names)])


def _to_arrow(frame: pl.DataFrame, types: Types) -> Any:
    """Return text columns as a table of pyarrow, without metadata."""
    made = {column.name: arrow_column(column, types.get(column.name)) for column in frame}
    return import_module("pyarrow").table(made)
