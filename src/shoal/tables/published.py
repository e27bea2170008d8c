"""Published: the records that leave, wherever they are."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.tables.rows import Rows
from shoal.tables.table import totals

_NUMBERS = {255: pl.UInt8, 65_535: pl.UInt16}  # by how many categories they tell apart


class Published(ABC):
    """The records that leave, where the engine that made them keeps them."""

    @property
    @abstractmethod
    def columns(self) -> list[str]:
        """The names of the columns."""

    @abstractmethod
    def rows(self, names: Sequence[str] | None = None) -> Rows:
        """Count the records by their values in some columns; in all if left out."""

    def counted(self) -> Rows:
        """Count the records by their values in all columns, but for those that are too different to count by."""
        return self.rows()

    def uncounted(self) -> Iterator[pl.DataFrame]:
        """Yield the columns that are too different to count by, of some records at a time; else nothing."""
        yield from ()

    def values(self, name: str) -> Iterator[Sequence[str]]:
        """Yield the different values of a column, some at a time; one may come again."""
        yield self.rows([name]).column(name).values

    @abstractmethod
    def head(self, n_records: int) -> pl.DataFrame:
        """Bring the first records into memory."""

    @abstractmethod
    def frame(self) -> pl.DataFrame:
        """Bring the records into memory, in their order, each column as categories or text."""

    @abstractmethod
    def parts(self, size: int) -> Iterator[pl.DataFrame]:
        """Yield all records in their order, so many at a time; a part without records if there are none."""


@dataclass(frozen=True, eq=False)
class PublishedRows(Published):
    """Records of which each different row is in memory once.

    Args:
        different: The different rows, each column as categories.
        counts: The number of records of each row.
        order: The row of each record, in the order of the records; None if equal records stand together, in the order
            of the rows.
    """

    different: pl.DataFrame
    counts: NDArray[np.int64]
    order: NDArray[np.int32] | None = None

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return self.different.columns

    @cached_property
    def _ends(self) -> NDArray[np.int64]:
        """The place after the last record of each row, if equal records stand together."""
        return np.cumsum(self.counts)

    @cached_property
    def _occurring(self) -> NDArray[np.int64]:
        """How often each row occurs among the records."""
        return self.counts if self.order is None else totals(self.order, None, self.different.height)

    @property
    def n_records(self) -> int:
        """The number of records."""
        return int(self.counts.sum())

    def rows(self, names: Sequence[str] | None = None) -> Rows:
        """Count how often each row occurs, where there is an order by that."""
        counts = self._occurring
        return Rows(self.different, counts) if names is None else Rows.of(self.different, names, counts)

    def head(self, n_records: int) -> pl.DataFrame:
        """Repeat the first rows."""
        return self.part(0, min(n_records, self.n_records))

    def frame(self) -> pl.DataFrame:
        """Repeat the rows."""
        return self.part(0, self.n_records)

    def part(self, start: int, stop: int) -> pl.DataFrame:
        """Return some of the records, from one place up to another."""
        return _repeated(self.different, self._places(start, stop))

    def brief(self) -> pl.DataFrame:
        """Return the same as `frame` in less memory, to be written at once.

        The categories of a column have numbers of their own, of as few bytes as will do. What is kept has those of
        polars, which are alike in all columns, so that tables can be joined.
        """
        return _repeated(pl.DataFrame([_briefly(column) for column in self.different]), self._places(0, self.n_records))

    def parts(self, size: int) -> Iterator[pl.DataFrame]:
        """Yield all records, so many at a time."""
        for start in range(0, max(self.n_records, 1), size):
            yield self.part(start, min(start + size, self.n_records))

    def _places(self, start: int, stop: int) -> NDArray[np.integer]:
        """Return the row of each record from one place up to another."""
        if self.order is not None:
            return self.order[start:stop]
        if start >= stop:
            return np.zeros(0, dtype=np.int64)
        first, last = np.searchsorted(self._ends, (start, stop - 1), side="right")
        rows = np.arange(first, last + 1)
        ends = np.minimum(self._ends[rows], stop)
        begins = np.maximum(self._ends[rows] - self.counts[rows], start)
        return np.repeat(rows, ends - begins)


def _repeated(rows: pl.DataFrame, places: NDArray[np.integer]) -> pl.DataFrame:
    """Return the rows at some places."""
    at = pl.Series(places.astype(np.uint32))
    gathered = [column.alias("").gather(at).alias(column.name) for column in rows]
    return pl.DataFrame(gathered)  # the name of a column may be a pattern to polars


def _briefly(column: pl.Series) -> pl.Series:
    """Return a column of categories with the shortest numbers that tell these apart."""
    if column.dtype != pl.Categorical:
        return column
    most = column.n_unique()
    kind = next((kind for limit, kind in _NUMBERS.items() if most <= limit), pl.UInt32)
    return column.cast(pl.Categorical(pl.Categories.random(physical=kind)))
