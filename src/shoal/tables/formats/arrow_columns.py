"""Arrow columns: their types, and texts back as columns of the same."""

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import polars as pl

from shoal.foundation.errors import SpecError
from shoal.tables.formats.column_type import ColumnType
from shoal.tables.formats.text import as_text
from shoal.tables.table import Column


def arrow_type(column: Any) -> ColumnType | None:
    """Return the type of a column of pyarrow; None if it is nothing that can be had back."""
    given = column.type
    arrow = import_module("pyarrow")
    if not arrow.types.is_dictionary(given):
        return ColumnType(_dtype(arrow, given), given)
    dtype = _dtype(arrow, given.value_type)
    categories: tuple[str, ...] = ()
    if given.ordered and column.num_chunks:
        values = column.unify_dictionaries().chunk(0).dictionary
        categories = tuple(text for text in arrow_texts(values) if text is not None)
    return ColumnType(dtype, given, None, categories, bool(given.ordered))


def arrow_array(texts: Sequence[str | None], kind: ColumnType) -> Any:
    """Return texts as an array of pyarrow; it may raise whatever pyarrow raises of what is no value of the type."""
    arrow, given = import_module("pyarrow"), kind.given
    if kind.categories is None:
        return _array(arrow, texts, kind, given)
    dictionary = _array(arrow, kind.categories, kind, given.value_type)
    places = {text: number for number, text in enumerate(kind.categories)}
    codes = [None if text is None else places[text] for text in texts]
    indices = arrow.array(codes, type=given.index_type)
    return arrow.DictionaryArray.from_arrays(indices, dictionary, ordered=given.ordered)


def _array(arrow: Any, texts: Sequence[str | None], kind: ColumnType, given: Any) -> Any:
    plain = ColumnType(kind.dtype).series(texts).to_arrow()
    return arrow.array(plain).cast(given) if plain.type != given else plain


def _dtype(arrow: Any, given: Any) -> pl.DataType | None:
    """Return the type by which polars reads one of pyarrow."""
    if arrow.types.is_decimal256(given):
        return pl.Decimal(38, given.scale)
    try:
        return pl.Series(arrow.array([], type=given)).dtype
    except (pl.exceptions.PolarsError, TypeError, ValueError):
        return None


def arrow_texts(values: Any) -> list[str | None]:
    """Return the values of an array as texts."""
    read = pl.Series("v", readable(values, "v"))
    return read.to_frame().select(as_text("v", read.dtype, "the column")).to_series().to_list()


def readable(values: Any, name: str) -> Any:
    """Return an array, or a column, whose decimals have at most 38 digits: polars reads no others.

    A SpecError tells that some have more.

    Args:
        values: The array.
        name: The column, for the message.
    """
    arrow = import_module("pyarrow")
    if not arrow.types.is_decimal256(values.type):
        return values
    try:
        return values.cast(arrow.decimal128(38, values.type.scale))
    except arrow.ArrowInvalid:
        raise SpecError(
            f"Column '{name}' holds decimals of more than 38 digits. Turn it into text, or leave it out as an "
            "identifier."
        ) from None


def arrow_column(texts: pl.Series, kind: ColumnType | None) -> Any:
    """Return a column of texts in its type; as text if it has none, or if that does not give its very texts again."""
    found = None if kind is None or kind.given is None else _restored(Column.of(texts), kind)
    return texts.cast(pl.String).to_arrow() if found is None else found


def _restored(coded: Column, kind: ColumnType) -> Any:
    values = [*coded.values, *([None] if coded.missing else [])]
    try:
        made = arrow_array(values, kind)
        same = arrow_texts(made) == values
        return made.take(import_module("pyarrow").array(coded.codes)) if same else None
    except (ValueError, TypeError, NotImplementedError, SpecError, pl.exceptions.PolarsError):  # no value of that type
        return None
