"""Profile: the figures of one column, and some of its values to look at."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.formats.codebook import Entry
from shoal.suggestions.kinds import Kind, kind_of
from shoal.table import Column

LOOKED_AT = 10_000  # different values that are looked at; figures are of all


@dataclass(frozen=True, eq=False)
class Profile:
    """A column: its different values, how many records have each, and what that says.

    Args:
        name: The column.
        column: Its records as codes.
        counts: How many records have each value, those that miss it last.
        said: What its file says about it: labels, and values declared as missing.
    """

    name: str
    column: Column
    counts: NDArray[np.int64]
    said: Entry = field(default_factory=Entry)

    @classmethod
    def of(cls, series: pl.Series, said: Entry | None = None) -> "Profile":
        """Count the records of a column by their value; values that its file declares as missing count as missing.

        Args:
            series: The column.
            said: What its file says about it, if anything.
        """
        said = said or Entry()
        if said.codes:
            series = series.cast(pl.String).replace(dict.fromkeys(said.codes))
        column = Column.of(series)
        counts = np.bincount(column.codes, minlength=len(column.values) + 1).astype(np.int64)
        return cls(series.name, column, counts, said)

    @property
    def values(self) -> Sequence[str]:
        """The different values, in the order of texts."""
        return self.column.values

    @property
    def by_value(self) -> Mapping[str, int]:
        """How many records have each value."""
        return dict(zip(self.values, self.counts.tolist(), strict=False))

    @property
    def labelled(self) -> bool:
        """Whether each value is a code for which the file has a word."""
        return bool(self.said.values) and set(self.values) <= set(self.said.values)

    @property
    def n_records(self) -> int:
        """The number of records."""
        return int(self.counts.sum())

    @property
    def missing(self) -> int:
        """How many records miss a value."""
        return int(self.counts[-1])

    @property
    def distinct(self) -> int:
        """How many different values there are, without the missing one."""
        return len(self.values)

    @property
    def unique(self) -> int:
        """How many records have a value that no other record has; a missing value is a value here."""
        return int(np.count_nonzero(self.counts == 1))

    @property
    def present(self) -> int:
        """How many records have a value."""
        return self.n_records - self.missing

    @property
    def nearly_unique(self) -> bool:
        """Whether nine of ten values stand for one record alone, and so for one person."""
        return (
            self.distinct > 1
            and int(np.count_nonzero(self.counts[:-1] == 1)) >= 0.9 * self.distinct
            and (self.distinct >= 0.9 * self.present)
        )

    @cached_property
    def seen(self) -> Sequence[str]:
        """The values that are looked at: all of them, or some that lie evenly among them."""
        step = -(-self.distinct // LOOKED_AT) if self.distinct else 1
        return self.values[::step]

    @cached_property
    def kind(self) -> Kind:
        """What sort of values they are: codes with labels are categories, though they look like numbers."""
        return Kind("category") if self.labelled else kind_of(self.seen)

    def figures(self) -> dict[str, Any]:
        """Return the figures as JSON."""
        n = max(self.n_records, 1)
        return {
            "distinct": self.distinct,
            "unique": self.unique,
            "unique_share": self.unique / n,
            "missing": self.missing,
            "missing_share": self.missing / n,
        }
