"""A table and a request as lists and dicts of text: what the brute force works on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from shoal.models import PrivacyModel

Value = str | None
Record = Mapping[str, Value]
Rows = Mapping[str, tuple[str, ...]]
"""A hierarchy: for each value its labels, from the value itself up to the top."""

Node = tuple[int, ...]
Key = tuple[Value, ...]
"""What a class is published as; None is a missing value."""


@dataclass(frozen=True)
class PlainTable:
    """Records with their hierarchies; `people` is an outside table with the same quasi columns."""

    records: Sequence[Record]
    hierarchies: Mapping[str, Rows]
    sensitive: tuple[str, ...] = ()
    weights: Mapping[str, float] = field(default_factory=dict)
    people: Sequence[Record] = ()

    @property
    def quasi(self) -> tuple[str, ...]:
        return tuple(self.hierarchies)

    def height(self, column: str) -> int:
        return len(next(iter(self.hierarchies[column].values()))) - 1

    def domain(self, column: str) -> list[Value]:
        """Return the values of the hierarchy, and the missing one if any record misses it."""
        missing = any(record[column] is None for record in [*self.records, *self.people])
        return [*self.hierarchies[column], *([None] if missing else [])]

    def label(self, column: str, value: Value, level: int) -> Value:
        """Generalize a value; a missing one stays apart from all others below the top."""
        if value is not None:
            return self.hierarchies[column][value][level]
        top = next(iter(self.hierarchies[column].values()))[-1]
        return top if level == self.height(column) else None

    def key(self, record: Record, node: Node) -> Key:
        """Return what a record is published as."""
        return tuple(self.label(column, record[column], level) for column, level in zip(self.quasi, node, strict=True))

    def below(self, column: str, label: Value, level: int) -> list[Value]:
        """Return the values that a label may stand for."""
        return [value for value in self.domain(column) if self.label(column, value, level) == label]


@dataclass(frozen=True)
class Rules:
    """What a release must keep: the promises, and how suppressed and missing values are read."""

    models: tuple[PrivacyModel, ...]
    stars: bool = False
    wildcard: bool = False
