"""Profile: the figures of one column, and a sample of its values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.actions.suggestions.kinds import ValueKind, value_kind_of
from shoal.jobs.given_table import names_of, read_columns
from shoal.jobs.missing_codes import MissingCodes
from shoal.tables.formats.codebook import Codebook, Entry
from shoal.tables.hierarchies.numeric import DecimalMark
from shoal.tables.location import Location
from shoal.tables.table import Column

LOOKED_AT = 10_000  # most distinct values in the sample; figures are of all


@dataclass(frozen=True, eq=False)
class Profile:
    """A column: its distinct values, the number of records of each, and the figures that follow.

    Args:
        name: The column.
        column: Its records as codes.
        counts: The number of records of each value, the missing one last.
        entry: The column's entry in the codebook of the table's file.
    """

    name: str
    column: Column
    counts: NDArray[np.int64]
    entry: Entry = field(default_factory=Entry)

    @classmethod
    def of(cls, series: pl.Series, entry: Entry | None = None) -> "Profile":
        """Count the records of a column by their value."""
        column = Column.of(series)
        counts = np.bincount(column.codes, minlength=len(column.values) + 1).astype(np.int64)
        return cls(series.name, column, counts, entry or Entry())

    @classmethod
    def counted(cls, name: str, values: Sequence[str], counts: Sequence[int]) -> "Profile":
        """Return the figures of a column whose records were counted before, and are not here any more.

        Args:
            name: The column.
            values: Its distinct values, in text order.
            counts: The number of records of each, and last of those that miss it.
        """
        none = np.zeros(0, dtype=np.uint8)
        return cls(name, Column(list(values), none), np.array(counts, dtype=np.int64))

    @property
    def values(self) -> Sequence[str]:
        """The distinct values, in text order."""
        return self.column.values

    @property
    def by_value(self) -> Mapping[str, int]:
        """The number of records of each value."""
        return dict(zip(self.values, self.counts.tolist(), strict=False))

    @property
    def decimal(self) -> DecimalMark:
        """What stands before the decimals of its numbers."""
        return "," if self.kind.form == "comma" else "."

    @property
    def n_records(self) -> int:
        """The number of records."""
        return int(self.counts.sum())

    @property
    def missing(self) -> int:
        """The number of records with a missing value."""
        return int(self.counts[-1])

    @property
    def distinct(self) -> int:
        """The number of distinct values, without the missing one."""
        return len(self.values)

    @property
    def unique(self) -> int:
        """The number of records with a value that no other record has; a missing value counts as a value."""
        return int(np.count_nonzero(self.counts == 1))

    @property
    def present(self) -> int:
        """The number of records with a value."""
        return self.n_records - self.missing

    @property
    def nearly_unique(self) -> bool:
        """Whether nine of ten values belong to a single record, and so to a single person."""
        return (
            self.distinct > 1
            and int(np.count_nonzero(self.counts[:-1] == 1)) >= 0.9 * self.distinct
            and (self.distinct >= 0.9 * self.present)
        )

    @cached_property
    def seen(self) -> Sequence[str]:
        """The sampled values: all of them, or an even selection."""
        step = -(-self.distinct // LOOKED_AT) if self.distinct else 1
        return self.values[::step]

    @cached_property
    def words(self) -> Sequence[str]:
        """The sampled values, or their labels if all have one."""
        return [self.entry.values[value] for value in self.seen] if self.labelled else self.seen

    @cached_property
    def labelled(self) -> bool:
        """Whether every value has a label."""
        return self.entry.labels_all(self.values)

    @cached_property
    def kind(self) -> ValueKind:
        """The kind of the values; numbers that all have labels are categories."""
        return ValueKind("category") if self.labelled else value_kind_of(self.seen)

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


def read_described(data: Any, names: Sequence[str] | None = None) -> tuple[pl.DataFrame, Codebook]:
    """Return columns of a frame or location, and their codebook; missing codes are missing values."""
    frame = read_columns(data, names_of(data) if names is None else names)
    said = data.codebook(frame) if isinstance(data, Location) else Codebook()
    declared = {name: said[name].codes for name in frame.columns if said[name].codes}
    return MissingCodes({}, declared).settled(frame), said
