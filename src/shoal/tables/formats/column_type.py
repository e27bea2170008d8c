"""Column types: what the texts of a column are turned back into, where it leaves as it came."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from shoal.tables.formats.typed import parsed, values_of


@dataclass(frozen=True, slots=True)
class ColumnType:
    """The type of a column, beside its texts.

    It holds no value of the table but the categories, and these are the released ones after `among`.

    Args:
        dtype: The type of the values in polars, and not that of categories; None if polars cannot give them back.
        given: The type by the library that the column came from, without categories; None if it is that of polars.
        python: The type of the values, if the column holds objects of Python.
        categories: The texts of the categories, in their order; None if it has none.
        ordered: Whether that order was declared; else categories are put into the order of their texts.
    """

    dtype: pl.DataType | None
    given: Any = None
    python: type | None = None
    categories: tuple[str, ...] | None = None
    ordered: bool = False

    @classmethod
    def of(cls, dtype: pl.DataType, given: Any = None) -> "ColumnType":
        """Return the type of a column of polars, or of one that polars reads so."""
        if isinstance(dtype, pl.Enum):
            return cls(pl.String(), given, None, tuple(dtype.categories), True)
        if isinstance(dtype, pl.Categorical):
            return cls(pl.String(), given or dtype, None, ())
        return cls(dtype, given)

    def among(self, values: Sequence[str]) -> "ColumnType":
        """Return the type for a column with these values alone: no other category, and only what gives them back.

        Args:
            values: All different values of the column, as texts.
        """
        dtype = self.dtype
        if dtype is not None and parsed(pl.Series(values, dtype=pl.String), dtype) is None:
            dtype = None
        if self.categories is None:
            return replace(self, dtype=dtype)
        there = set(values)
        order = [one for one in self.categories if one in there] if self.ordered else sorted(there)
        if len(order) < len(there):
            return replace(self, dtype=None, given=None, categories=None)
        return replace(self, dtype=dtype, categories=tuple(order))

    def among_all(self, blocks: Iterable[Sequence[str]]) -> "ColumnType":
        """Return the same, for values that come some at a time."""
        if self.categories is not None:
            return self.among(sorted({value for values in blocks for value in values}))
        found = self
        for values in blocks:
            found = found.among(values)
        return found

    @property
    def is_text(self) -> bool:
        """Whether its values are texts, even if they look like numbers."""
        return self.dtype == pl.String

    @property
    def is_plain_text(self) -> bool:
        """Whether it is text without categories, so that polars has its texts as values."""
        return self.is_text and self.categories is None

    def series(self, texts: Sequence[str | None]) -> pl.Series:
        """Return texts as values of polars; their type must be known to give them back."""
        return self._typed(pl.Series(texts, dtype=pl.String))

    def _typed(self, texts: pl.Series) -> pl.Series:
        if self.dtype is None:
            raise TypeError("no type of polars gives these values back")
        made = values_of(texts, self.dtype)
        if self.categories is None or self.dtype != pl.String:
            return made
        if self.ordered:
            return made.cast(pl.Enum(list(self.categories)))
        return made.cast(self.given if isinstance(self.given, pl.Categorical) else pl.Categorical)

    def column(self, texts: pl.Series) -> pl.Series:
        """Return a column of texts, or of categories, as values of polars; see `series`."""
        return self._typed(texts.alias("").cast(pl.String)).alias(texts.name)  # its name may be a pattern to polars


Types = Mapping[str, ColumnType]
"""The types of the columns of a table that are known."""


def typed_frame(frame: pl.DataFrame, types: Types) -> pl.DataFrame:
    """Return a table with values in the columns whose types polars knows, and texts in the others."""
    return pl.DataFrame([_typed(column, types.get(column.name)) for column in frame])


def _typed(column: pl.Series, kind: ColumnType | None) -> pl.Series:
    return column.cast(pl.String) if kind is None or kind.dtype is None else kind.column(column)


def in_utc(schema: pl.Schema) -> pl.Schema:
    """Return types with the zones of moments replaced by UTC: engines show them in the zone of the machine."""
    zoned = {name: one for name, one in schema.items() if isinstance(one, pl.Datetime) and one.time_zone is not None}
    return pl.Schema({**schema, **{name: pl.Datetime(one.time_unit, "UTC") for name, one in zoned.items()}})
