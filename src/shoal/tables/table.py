"""Table: the columns of a file and the role of each."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.foundation.errors import SpecError
from shoal.foundation.shelf import did_you_mean
from shoal.kernels.grouping import count_codes, last_places, take

_SHORT = 2_000  # records below which a dictionary codes a column sooner than polars plans its queries
_LONG = 500_000  # records from which on loops of our own are faster, though they must be loaded first


class Role(StrEnum):
    """The role of a column: what it may disclose, and so how it is released."""

    IDENTIFIER = "identifier"  # names somebody; never leaves, or as a pseudonym
    QUASI = "quasi"  # leaves generalized
    SENSITIVE = "sensitive"  # leaves as it is; the models keep it from being linked to a person
    INSENSITIVE = "insensitive"  # leaves as it is
    ENTITY = "entity"  # identifies the person; leaves as a number that is valid within its class only
    OMITTED = "omitted"  # nobody needs it; never leaves
    HOUSEHOLD = "household"  # tells who lives together, so that k counts households; never leaves

    @property
    def leaves(self) -> bool:
        """Whether such a column is read and released; others are not even loaded."""
        return self not in (Role.IDENTIFIER, Role.OMITTED, Role.HOUSEHOLD)


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """A column as codes: `codes[i]` is the index of record `i`'s value in `values`.

    `values` are exactly the values that occur, in text order, so the codes do not depend on the order of the records. A
    missing value has the code `len(values)`.
    """

    values: list[str]
    codes: NDArray[np.unsignedinteger]

    @property
    def missing(self) -> bool:
        """Whether a value is missing somewhere."""
        return bool((self.codes == len(self.values)).any())

    @classmethod
    def of(cls, series: pl.Series) -> "Column":
        """Code a text column through polars' own category numbers, which are in order of appearance."""
        if len(series) < _SHORT:
            return cls._of_few(series.cast(pl.String).to_list())
        named = series.alias("value").to_frame()  # its own name may be a pattern to polars
        text, number = pl.col("value").cast(pl.String), pl.col("value").to_physical().alias("number")
        raw = named if named.dtypes == [pl.Categorical] else named.select_seq(text.cast(pl.Categorical))
        greatest: Any = raw.select_seq(number.max()).item()
        missing = 0 if greatest is None else int(greatest) + 1
        numbered = raw.select_seq(number.fill_null(missing)).to_series().to_numpy()
        occurring = _one_of_each(raw, numbered, missing).select_seq(text, number).sort("value")
        values, numbers = occurring["value"].to_list(), occurring["number"].to_numpy()
        code_of = np.full(missing + 1, len(values), dtype=np.min_scalar_type(len(values)))
        code_of[numbers] = np.arange(len(values), dtype=code_of.dtype)
        return cls(values, take(code_of, numbered))

    @classmethod
    def _of_few(cls, texts: list[str | None]) -> "Column":
        """Code a short column by a dictionary. Python and polars sort texts alike, by code point."""
        values = sorted({text for text in texts if text is not None})
        code_of: dict[str | None, int] = {text: code for code, text in enumerate(values)}
        code_of[None] = len(values)
        return cls(values, np.array([code_of[text] for text in texts], dtype=np.min_scalar_type(len(values))))

    def renamed(self, texts: Sequence[str]) -> "Column":
        """Return the column with another text for each value, and codes in the order of these."""
        values = sorted(set(texts))
        place = {text: code for code, text in enumerate(values)}
        codes = [*(place[text] for text in texts), len(values)]
        return Column(values, take(np.array(codes, dtype=np.min_scalar_type(len(values))), self.codes))

    def texts(self, name: str) -> pl.Series:
        """Return the value of each record, as text."""
        values = pl.Series([*self.values, None], dtype=pl.String)
        return values.gather(pl.Series(self.codes.astype(np.uint32))).alias(name)  # last: it may be a pattern to polars


def _one_of_each(column: pl.DataFrame, numbers: NDArray[np.uint32], missing: int) -> pl.DataFrame:
    """Return a record of each category but the missing one, given the number of the category of each record."""
    if len(numbers) < _LONG or missing > len(numbers):
        return column.select_seq(pl.col("value").unique().drop_nulls())
    places = last_places(numbers, missing + 1)[:missing]
    return column.select_seq(pl.col("value").gather(places[places >= 0]))


def totals(codes: NDArray[np.integer], counts: NDArray[np.int64] | None, n_codes: int = 0) -> NDArray[np.int64]:
    """Return the number of records of each code.

    Args:
        codes: The code of each row.
        counts: How many records each row stands for; None is one.
        n_codes: The number of codes; if left out, those up to the greatest that occurs.
    """
    if counts is None and len(codes) >= _LONG and codes.flags.c_contiguous:
        return count_codes(codes, max(n_codes, int(codes.max()) + 1))
    return np.bincount(codes, counts, minlength=n_codes).astype(np.int64)  # exact below 2^53


def check_whole(column: Column, name: str, counts: NDArray[np.int64] | None = None) -> None:
    """Raise a SpecError if a column that identifies persons or households has missing values."""
    missing = int(totals(column.codes, counts, len(column.values) + 1)[-1])
    if missing:
        raise SpecError(
            f"Column '{name}' has no value in {missing} records, so that it is unknown whose they are. Fill "
            "it, or leave these records out."
        )


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """The columns that leave, and the weights of the records if there are some, as codes, in the order of the file.

    A row is a record. If the table was counted where it lies, a row stands for all records that are alike in these
    columns, and `counts` tells how many they are.

    Args:
        columns: The columns by name.
        roles: The role of each of them.
        n_rows: The number of rows.
        counts: The number of records of each row; None if each is one record.
        pseudonyms: The columns that leave as pseudonyms, with the pseudonym of each value.
    """

    columns: Mapping[str, Column]
    roles: Mapping[str, Role]
    n_rows: int
    counts: NDArray[np.int64] | None = None
    pseudonyms: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        frame: pl.DataFrame,
        roles: Mapping[str, Role],
        counts: NDArray[np.int64] | None = None,
        kept: Collection[str] = (),
    ) -> "Table":
        """Check that every column has a role, drop those that never leave, and code the others.

        Args:
            frame: Text or categorical columns, with nulls where a value is missing.
            roles: The role of every column of the frame.
            counts: The number of records of each row; None if each is one record.
            kept: Columns to code whatever their role.
        """
        check_roles(frame.columns, roles)
        names = [name for name in frame.columns if roles[name].leaves or name in kept]
        columns = {name: Column.of(frame.get_column(name)) for name in names}
        return cls(columns, {name: roles[name] for name in names}, frame.height, counts)

    @property
    def n_records(self) -> int:
        """The number of records."""
        return self.n_rows if self.counts is None else int(self.counts.sum())

    def single(self) -> "Table":
        """Return the same table with each record as a row of its own."""
        if self.counts is None:
            return self
        rows = np.repeat(np.arange(len(self.counts)), self.counts)
        columns = {name: Column(column.values, column.codes[rows]) for name, column in self.columns.items()}
        return replace(self, columns=columns, n_rows=len(rows), counts=None)

    def totals(self, codes: NDArray[np.integer], n_codes: int) -> NDArray[np.int64]:
        """Return the number of records of each code, given that of each row."""
        return totals(codes, self.counts, n_codes)

    def histogram(self, name: str) -> NDArray[np.int64]:
        """Return the number of records of each value of a column, that of the missing one last."""
        column = self.columns[name]
        return self.totals(column.codes, len(column.values) + 1)

    @property
    def linked(self) -> tuple[str, ...]:
        """The columns in which a pseudonym stands for several records."""
        return tuple(name for name in self.pseudonyms if self.histogram(name)[:-1].max(initial=0) > 1)

    @property
    def published(self) -> tuple[str, ...]:
        """The columns that leave, in the order of the file."""
        return tuple(name for name in self.columns if self.roles[name].leaves or name in self.pseudonyms)

    def names(self, role: Role) -> tuple[str, ...]:
        """Return the columns of one role, in the order of the file."""
        return tuple(name for name in self.columns if self.roles[name] is role)


def complete_rows(frame: pl.DataFrame, names: Iterable[str]) -> pl.Series:
    """Tell which rows have no missing value in any of `names`."""
    complete = pl.Series(np.ones(frame.height, dtype=np.bool_))
    for name in names:
        complete &= frame.get_column(name).alias("").is_not_null()  # its own name may be a pattern to polars
    return complete


def blanked(column: pl.Series, values: Collection[str]) -> pl.Series:
    """Return a column with each of `values` replaced by a missing value."""
    gone = column.alias("").cast(pl.String).is_in(sorted(values))  # its own name may be a pattern to polars
    return column.zip_with(~gone.fill_null(False), pl.Series(column.name, [None], column.dtype))


def without_values(frame: pl.DataFrame, values: Collection[str]) -> pl.DataFrame:
    """Return a table with each of `values` replaced by a missing value, in all columns."""
    return frame.with_columns([blanked(column, values) for column in frame]) if values else frame


def select_columns(frame: pl.DataFrame, names: Iterable[str]) -> pl.DataFrame:
    """Return some columns by name; unlike polars' `select`, a name such as `*` is not a pattern."""
    return pl.DataFrame([frame.get_column(name) for name in names])


def check_roles(columns: list[str], roles: Mapping[str, Role]) -> None:
    """Raise a SpecError that names every column without a role, and every role without a column."""
    if roles and not any(name in roles for name in columns):
        raise SpecError(
            f"None of the {len(columns)} columns of the table has a name that occurs in the request (it has "
            f"{_listed(list(roles))}). Does the table start with the names of its columns? They are not shown "
            "here, since they may be data."
        )
    undeclared = [name for name in columns if name not in roles]
    absent = [name for name in roles if name not in columns]
    if absent:
        known = f"Its columns are: {', '.join(columns)}."
        hint = did_you_mean(absent[0], columns) if len(absent) == 1 else known
        raise SpecError(f"The table has no {_listed(absent)}. {hint}")
    if undeclared:
        raise SpecError(
            f"No role for {_listed(undeclared)}. Columns without a role are never published: give each a role "
            f"({', '.join(Role)})."
        )


def _listed(names: list[str]) -> str:
    quoted = ", ".join(f"'{name}'" for name in names)
    return f"column {quoted}" if len(names) == 1 else f"columns {quoted}"
