"""Codebook: the labels and missing codes that a statistics file declares for its columns."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

import polars as pl

from shoal.tables.formats.values import TextKind, distinct_values, kinds_of


@dataclass(frozen=True, slots=True)
class Entry:
    """The codebook entry of a column.

    Args:
        label: The label of the column.
        values: The label of each value, by its text.
        missing: The missing codes; those that were declared together are one group.
        text: Whether the column holds texts, even if they look like numbers.
    """

    label: str = ""
    values: Mapping[str, str] = field(default_factory=dict)
    missing: tuple[tuple[str, ...], ...] = ()
    text: bool = False

    @property
    def codes(self) -> frozenset[str]:
        """All missing codes."""
        return frozenset(code for group in self.missing for code in group)

    def labels_all(self, values: Sequence[str]) -> bool:
        """Tell whether all values of a column have labels."""
        return bool(values) and all(value in self.values for value in values)

    def among(self, values: list[str]) -> "Entry":
        """Return the entry restricted to some values."""
        there = set(values)
        groups = (tuple(code for code in group if code in there) for group in self.missing)
        return Entry(
            self.label,
            {value: label for value, label in self.values.items() if value in there},
            tuple(group for group in groups if group),
            self.text,
        )


@dataclass(frozen=True, slots=True)
class Codebook:
    """The entries of columns by name; empty for a format without labels."""

    entries: Mapping[str, Entry] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Entry:
        """Return the entry of a column; an empty one if there is none."""
        return self.entries.get(name, Entry())

    @property
    def labelled(self) -> list[str]:
        """The columns whose values have labels."""
        return [name for name, entry in self.entries.items() if entry.values]

    def without_values(self, names: Collection[str]) -> "Codebook":
        """Return the codebook without the value labels and missing codes of some columns."""
        return Codebook({name: Entry(entry.label) if name in names else entry for name, entry in self.entries.items()})

    def kinds(self, frame: pl.DataFrame) -> dict[str, TextKind]:
        """Return the kind of each column of a table; texts stay texts."""
        return {name: TextKind.TEXT if self[name].text else kind for name, kind in kinds_of(frame).items()}

    def with_texts(self, names: Collection[str]) -> "Codebook":
        """Return the codebook with some columns as texts, even if they look like numbers."""
        return Codebook({**self.entries, **{name: replace(self[name], text=True) for name in names}})

    def of(self, frame: pl.DataFrame) -> "Codebook":
        """Return the codebook restricted to the columns and values that a table contains."""
        return Codebook(
            {
                name: self.entries[name].among(distinct_values(frame.get_column(name)))
                for name in frame.columns
                if name in self.entries
            }
        )
