"""Distant tables: what is known of a table whose rows are not in memory."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.foundation.errors import SpecError
from shoal.tables.table import Column, Role, Table


class DistantColumn(Column):
    """The values of a column, and how many records have each; not which records.

    Args:
        values: The values that occur, in text order.
        counts: The number of records of each value, that of the missing one last.
    """

    __slots__ = ("counts",)

    counts: NDArray[np.int64]

    def __init__(self, values: list[str], counts: NDArray[np.int64]) -> None:
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "counts", counts)

    @property
    def codes(self) -> NDArray[np.unsignedinteger]:
        """Refuse: the rows are elsewhere."""
        raise SpecError(
            "The table has more different rows than are held in memory, and was counted in regions: this needs all of "
            "its rows at once. Take a job without 'regions', or the engine 'local', on a machine with enough memory."
        )

    @property
    def missing(self) -> bool:
        """Whether a value is missing somewhere."""
        return bool(self.counts[-1] > 0)

    def each(self) -> Column:
        """Return a column with every value once, the missing one last if there is one: to code them, not to count."""
        return Column(self.values, np.arange(len(self.values) + int(self.missing), dtype=np.uint32))


@dataclass(frozen=True, slots=True, eq=False)
class DistantTable(Table):
    """A table whose rows an engine keeps elsewhere.

    Args:
        columns: The columns by name.
        roles: The role of each of them.
        n_rows: The number of different rows.
        counts: None.
        records: The number of records.
    """

    records: int = 0

    @classmethod
    def of_columns(
        cls, columns: Mapping[str, DistantColumn], roles: Mapping[str, Role], n_rows: int, records: int
    ) -> "DistantTable":
        """Return a table of these columns."""
        return cls(dict(columns), {name: roles[name] for name in columns}, n_rows, records=records)

    @property
    def n_records(self) -> int:
        """The number of records."""
        return self.records

    def histogram(self, name: str) -> NDArray[np.int64]:
        """Return the number of records of each value of a column, that of the missing one last."""
        column = self.columns[name]
        assert isinstance(column, DistantColumn)  # noqa: S101  (by construction)
        return column.counts
