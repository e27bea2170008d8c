"""Codebook: what a statistics file says about its columns beside their records."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from shoal.tables.formats.values import distinct_values


@dataclass(frozen=True, slots=True)
class Entry:
    """What is known of a column.

    Args:
        label: What the column is called in words.
        values: What a value stands for, by its text.
        missing: The values declared as missing, those that were declared together as one group.
        text: Whether the column is one of texts, though they may look like numbers.
    """

    label: str = ""
    values: Mapping[str, str] = field(default_factory=dict)
    missing: tuple[tuple[str, ...], ...] = ()
    text: bool = False

    @property
    def codes(self) -> frozenset[str]:
        """All values declared as missing."""
        return frozenset(code for group in self.missing for code in group)

    def labels_all(self, values: Sequence[str]) -> bool:
        """Tell whether all values of a column stand for words."""
        return bool(values) and all(value in self.values for value in values)

    def among(self, values: list[str]) -> "Entry":
        """Return what is left to say where only some values occur."""
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
    """The entries of columns by name; a format without such things has none."""

    entries: Mapping[str, Entry] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Entry:
        """Return what is known of a column, be it nothing."""
        return self.entries.get(name, Entry())

    @property
    def labelled(self) -> list[str]:
        """The columns whose values have labels."""
        return [name for name, entry in self.entries.items() if entry.values]

    def without_values(self, names: Collection[str]) -> "Codebook":
        """Return the same without what is known of the values of some columns."""
        return Codebook({name: Entry(entry.label) if name in names else entry for name, entry in self.entries.items()})

    def of(self, frame: pl.DataFrame) -> "Codebook":
        """Return what may be said about a table: no column and no value that is not in it."""
        return Codebook(
            {
                name: self.entries[name].among(distinct_values(frame.get_column(name)))
                for name in frame.columns
                if name in self.entries
            }
        )
