"""Kept rows: the different rows of a table that has too many of them for memory, where an engine keeps them."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.foundation.errors import SpecError
from shoal.foundation.progress import Progress
from shoal.tables.hierarchies.hierarchy import Label
from shoal.tables.published import Published
from shoal.tables.table import without_values

Found = TypeVar("Found")
RawCodes = Mapping[str, NDArray[np.unsignedinteger]]
"""The codes of some rows, column by column, as an engine keeps them; the last code of a column is the missing value."""
RawBlock = tuple[RawCodes, NDArray[np.int64]]
"""The codes of some rows, and their numbers of records."""


@dataclass(frozen=True, slots=True, eq=False)
class SolvedPart:
    """What was found for a part of a table.

    Args:
        rows: The different rows that leave: the labels of each column, and which of them each row has.
        counts: The number of records of each row.
        told: What else is to be known of the part; it may be sent from another process.
    """

    rows: Mapping[str, tuple[list[Label], NDArray[np.int32]]]
    counts: NDArray[np.int64]
    told: Any


class KeptRows(ABC):
    """The different rows of a table, by codes of their values.

    What is done with them is done where they are: by functions that can be sent there.
    """

    names: list[str]
    """The columns."""
    where: str
    """The name of the table, for messages."""
    n_rows: int
    n_records: int

    @abstractmethod
    def texts(self, name: str) -> Sequence[str | None]:
        """Return the text of each code of a column; None where it stands for a missing value. The last is missing."""

    @property
    @abstractmethod
    def blanks(self) -> tuple[str, ...]:
        """The texts that mean a missing value."""

    def values(self) -> pl.DataFrame:
        """Return the values of each column by their codes; a shorter column is filled up with its first value."""
        texts = {name: list(self.texts(name)) for name in self.names}
        longest = max(map(len, texts.values()))
        columns = [pl.Series(name, own + own[:1] * (longest - len(own)), pl.String) for name, own in texts.items()]
        return without_values(pl.DataFrame(columns), self.blanks)

    def n_values(self, name: str) -> int:
        """Return the number of codes of a column."""
        return len(self.texts(name))

    @abstractmethod
    def gathered(self, fold: Callable[[Iterator[RawBlock]], Found]) -> Iterable[Found]:
        """Return what a function makes of all rows, some blocks at a time; how they are divided is of no account."""

    @abstractmethod
    def solved(
        self,
        part_of: Callable[[RawCodes], NDArray[np.int64]],
        n_parts: int,
        solve: Callable[[int, RawCodes, NDArray[np.int64]], SolvedPart],
        names: Sequence[str],
        seed: int,
        progress: Progress,
    ) -> tuple[Published, list[Any]]:
        """Solve the table part by part, and keep what leaves; the rows are then forgotten.

        Args:
            part_of: Returns the part of each row; one below 0 is in none.
            n_parts: The number of parts.
            solve: Solves a part, given its number and its rows. Equal rows in any order give the same.
            names: The columns that leave.
            seed: What the order of the records is drawn from.
            progress: Called with the share that is done.

        Returns:
            The records that leave, and what is told of each part.
        """


def too_many_values(name: str, most: int) -> SpecError:
    """Return what is raised where the values of a column are too many to be listed, as they are in regions."""
    return SpecError(
        f"Column '{name}' has more than {most:,} different values, and the table more different rows than are held in "
        "memory: in regions the values of every column are. Leave the column out (its role is then 'omitted'), or "
        "make it coarser."
    )
