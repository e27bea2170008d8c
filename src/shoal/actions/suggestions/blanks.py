"""Blanks: texts such as `NA` or `-` that mean a missing value."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from shoal.actions.suggestions.kinds import value_kind_of
from shoal.tables.formats.values import distinct_values
from shoal.tables.table import without_values

_WORDS = {
    "na", "n/a", "n.a.", "nan", "null", "<na>", "#n/a", "#na", "#null!", "k.a.", "n.d.", "n/d",
    "-", "--", "---", "\u2013", "\u2014", ".", "..", "...", "?", "??",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Blanks:
    """The texts of a table that may mean a missing value.

    Args:
        words: Those that most likely do: they occur in a column of numbers or dates, or in several columns.
        cells: The number of cells with these texts.
        doubtful: The others, by column: a word in a single column of texts may be a value, such as `NA` in a column of
            countries.
    """

    words: tuple[str, ...] = ()
    cells: int = 0
    doubtful: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, frame: pl.DataFrame, given: Sequence[str] | None = None) -> "Blanks":
        """Search the values of all columns for them, unless they are given."""
        if given is not None:
            return cls(tuple(given), _count(frame, given))
        found: dict[str, list[str]] = {}
        votes: Counter[str] = Counter()
        for column in frame:
            values = distinct_values(column)
            found[column.name] = words = _blanks(values)
            votes.update(words * (2 if words and _measured(values, words) else 1))
        sure = tuple(sorted(word for word, count in votes.items() if count > 1))
        left = {name: tuple(word for word in words if word not in sure) for name, words in found.items()}
        return cls(sure, _count(frame, sure), {name: words for name, words in left.items() if words})


def _count(frame: pl.DataFrame, words: Sequence[str]) -> int:
    """Return the number of cells with one of some words."""
    after = without_values(frame, words)
    return sum(after.get_column(name).null_count() - frame.get_column(name).null_count() for name in frame.columns)


def _blanks(values: Sequence[str]) -> list[str]:
    """Return the values that may mean a missing one; none if the column has no other values."""
    found = [value for value in values if value.strip().casefold() in _WORDS]
    return found if len(found) < len(values) else []


def _measured(values: Sequence[str], blanks: Sequence[str]) -> bool:
    """Tell whether all values but the blanks are numbers or dates."""
    return value_kind_of([value for value in values if value not in blanks]).name in ("number", "date")
