"""Coding: columns of a table in DuckDB as numbers, so that records are counted by one short key and not by texts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.search.engines.duckdb.session import SpillingSession, quoted_name
from shoal.tables.formats.text import texts

MOST_VALUES = 1_000_000
"""A column with about more values is counted as it is."""
_STEP = "listing the values"
_KEY = 2**63  # what a key of 64 bits holds


@dataclass(frozen=True, slots=True, eq=False)
class Dictionary:
    """The values of a column by their codes.

    Args:
        name: The column.
        kind: The type in DuckDB that knows the codes.
        texts: The text of each code; None where it stands for a missing value. The last is NULL.
    """

    name: str
    kind: str
    texts: list[str | None]

    @property
    def code(self) -> str:
        """The code of a record, in a query."""
        return f"coalesce(enum_code(CAST({quoted_name(self.name)} AS VARCHAR)::{self.kind}), {len(self.texts) - 1})"

    def column(self, codes: NDArray[np.integer]) -> pl.Series:
        """Return the values of some codes, as categories."""
        texts = pl.Series(self.texts, dtype=pl.String).cast(pl.Categorical)
        return texts.gather(pl.Series(codes.astype(np.uint32))).alias(self.name)  # last: it may be a pattern to polars


def dictionaries(
    session: SpillingSession, table: str, names: Sequence[str], types: Mapping[str, pl.DataType], where: str
) -> list[Dictionary]:
    """Return the values of those columns that have not too many."""
    asked = ", ".join(f"approx_count_distinct({quoted_name(name)})" for name in names)
    sizes = session.frame(f"SELECT {asked} FROM {table}", where, _STEP).row(0)  # noqa: S608  (names are quoted)
    return [
        _dictionary(session, table, name, f"kind{number}", types.get(name), where)
        for number, (name, size) in enumerate(zip(names, sizes, strict=True))
        if size <= MOST_VALUES
    ]


def _dictionary(
    session: SpillingSession, table: str, name: str, kind: str, stored: pl.DataType | None, where: str
) -> Dictionary:
    """List the values of a column by the text that DuckDB gives them, and code that; each has a text of ours."""
    column = quoted_name(name)
    values = f"SELECT CAST({column} AS VARCHAR) AS t, any_value({column}) AS v FROM {table} WHERE {column} IS NOT NULL"  # noqa: S608
    session.run(f"CREATE TEMP TABLE {kind}_values AS {values} GROUP BY 1 ORDER BY 1", where, _STEP)
    found = session.frame(f"SELECT v FROM {kind}_values ORDER BY t", where)  # noqa: S608  (a name of ours)
    session.run(f"CREATE TYPE {kind} AS ENUM (SELECT t FROM {kind}_values ORDER BY t)", where)  # noqa: S608
    return Dictionary(name, kind, [*texts(found.get_column("v").alias(name), stored, where).to_list(), None])


def keys_of(dictionaries: Sequence[Dictionary]) -> list[list[Dictionary]]:
    """Put columns together whose codes fit into one key."""
    keys: list[list[Dictionary]] = []
    width = _KEY
    for one in dictionaries:
        width *= len(one.texts)
        if width >= _KEY:
            keys.append([])
            width = len(one.texts)
        keys[-1].append(one)
    return keys


def packed(key: Sequence[Dictionary]) -> str:
    """Return the codes of some columns as one number, in a query."""
    made = "0::UBIGINT"
    for one in key:
        made = f"({made} * {len(one.texts)}::UBIGINT + {one.code}::UBIGINT)"
    return made


def unpacked(key: Sequence[Dictionary], numbers: NDArray[np.uint64]) -> list[pl.Series]:
    """Return the columns of which `packed` made numbers."""
    return [one.column(codes) for one, codes in zip(key, codes_of(key, numbers), strict=True)]


def codes_of(key: Sequence[Dictionary], numbers: NDArray[np.uint64]) -> list[NDArray[np.uint64]]:
    """Return the codes of which `packed` made numbers."""
    left, made = numbers, []
    for one in reversed(key):
        left, codes = np.divmod(left, np.uint64(len(one.texts)))
        made.append(codes)
    return made[::-1]
