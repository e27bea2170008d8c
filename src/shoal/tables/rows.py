"""Rows: a table as its different rows, each with the number of records that it stands for."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.tables.distinct_rows import distinct_rows
from shoal.tables.table import Column, select_columns, totals

_WAITING = 2_000_000  # rows of parts that wait to be counted together


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """The rows of a table, and how many records each stands for. Two rows may be alike: they then count together.

    Args:
        frame: The rows, each column as categories or text.
        counts: The number of records of each row.
    """

    frame: pl.DataFrame
    counts: NDArray[np.int64]
    _coded: dict[str, Column] = field(default_factory=dict, init=False, repr=False)  # columns that were asked for

    @classmethod
    def of(cls, frame: pl.DataFrame, names: Sequence[str], counts: NDArray[np.int64] | None = None) -> "Rows":
        """Count the records of a table by their values in some columns.

        Args:
            frame: The table.
            names: The columns.
            counts: How many records each row of the table stands for; one if left out.
        """
        columns = {name: Column.of(frame.get_column(name)) for name in names}
        sizes = [len(column.values) + 1 for column in columns.values()]
        row_of, rows = distinct_rows([column.codes for column in columns.values()], sizes, frame.height)
        shown = [_shown(name, column, rows[:, j]) for j, (name, column) in enumerate(columns.items())]
        made = cls(pl.DataFrame(shown), totals(row_of, counts, len(rows)))
        for j, (name, column) in enumerate(columns.items()):
            made._coded[name] = Column(column.values, rows[:, j].astype(column.codes.dtype))
        return made

    @classmethod
    def each(cls, frame: pl.DataFrame) -> "Rows":
        """Take each record as a row of its own."""
        return cls(frame, np.ones(frame.height, dtype=np.int64))

    @classmethod
    def of_column(cls, column: Column, name: str, counts: NDArray[np.int64] | None) -> "Rows":
        """Count the records of a coded column by their values."""
        found = totals(column.codes, counts)
        codes = np.flatnonzero(found)
        return cls(pl.DataFrame([_shown(name, column, codes)]), found[codes])

    @property
    def n_records(self) -> int:
        """The number of records."""
        return int(self.counts.sum())

    @property
    def weights(self) -> NDArray[np.int64] | None:
        """The number of records of each row; None if each is one record."""
        return None if (self.counts == 1).all() else self.counts

    def column(self, name: str) -> Column:
        """Return a column as codes."""
        if name not in self._coded:
            self._coded[name] = Column.of(self.frame.get_column(name))
        return self._coded[name]

    def single(self) -> pl.DataFrame:
        """Return the records, each row as often as it counts."""
        places = pl.Series(np.repeat(np.arange(len(self.counts), dtype=np.uint32), self.counts))
        return pl.DataFrame([one.alias("").gather(places).alias(one.name) for one in self.frame])

    def select(self, names: Sequence[str]) -> "Rows":
        """Return some of the columns."""
        chosen = Rows(select_columns(self.frame, names), self.counts)
        chosen._coded.update((name, self._coded[name]) for name in names if name in self._coded)
        return chosen

    def histogram(self, name: str) -> "Rows":
        """Count the records by their values in one column."""
        return Rows.of_column(self.column(name), name, self.counts)

    def places(self, most: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return the rows of at most so many records, ascending; of more they are drawn by chance, each once."""
        if self.n_records <= most:
            return np.repeat(np.arange(len(self.counts)), self.counts)
        chosen = np.sort(rng.choice(self.n_records, most, replace=False, shuffle=False))
        return np.searchsorted(np.cumsum(self.counts), chosen, side="right")

    def drawn(self, most: int, rng: np.random.Generator) -> "Rows":
        """Return at most so many records, drawn by chance, each once."""
        if self.n_records <= most:
            return self
        taken = np.bincount(self.places(most, rng), minlength=len(self.counts)).astype(np.int64)
        return Rows(self.frame.filter(pl.Series(taken > 0)), taken[taken > 0])

    def every(self, step: int) -> "Rows":
        """Return every so many records, in the order of the rows."""
        at = np.searchsorted(np.cumsum(self.counts), np.arange(0, self.n_records, step), side="right")
        taken = np.bincount(at, minlength=len(self.counts)).astype(np.int64)
        return Rows(self.frame.filter(pl.Series(taken > 0)), taken[taken > 0])


def joined(parts: Iterable[Rows]) -> Rows:
    """Return the rows of several tables with the same columns, each different one once."""
    held: list[Rows] = []
    for part in parts:
        held.append(part)
        if sum(one.frame.height for one in held[1:]) > _WAITING + held[0].frame.height:
            held = [_merged(held)]
    return _merged(held)


def _merged(parts: Sequence[Rows]) -> Rows:
    frame = pl.concat([one.frame for one in parts], how="vertical")
    return Rows.of(frame, frame.columns, np.concatenate([one.counts for one in parts]))


def _shown(name: str, column: Column, codes: NDArray[np.integer]) -> pl.Series:
    """Return the values of some codes, as categories."""
    texts = pl.Series([*column.values, None], dtype=pl.String).cast(pl.Categorical)
    return texts.gather(pl.Series(codes.astype(np.uint32))).alias(name)  # named last: it may be a pattern to polars
