"""Apart: columns that are too different to count by, which join the records again when these leave."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.tables.published import Published


@dataclass(frozen=True, slots=True, eq=False)
class PlacedRows:
    """Which published row the records of each counted row become.

    Args:
        rows: The counted row, several times if its records become different ones.
        counts: The number of records.
        published: The published row.
        different: The published rows, in the columns that were counted by.
    """

    rows: NDArray[np.int64]
    counts: NDArray[np.int64]
    published: NDArray[np.int32]
    different: pl.DataFrame


class ApartColumns(ABC):
    """The columns of a table that it was not counted by, where an engine keeps them."""

    names: list[str]
    """These columns."""

    @abstractmethod
    def joined(self, placed: PlacedRows, key: str) -> Published:
        """Return the records that leave, with these columns.

        Which records of a counted row become which published row, and the order of all, look random: they depend on
        what is in the records and on the key, and on nothing else.

        Args:
            placed: What becomes of the counted rows.
            key: What is drawn from.
        """
