"""The persons of a class, and the values that they hold; where no column tells them, each record is a person."""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

Record = Mapping[str, str]
Class = Sequence[Record]
Persons = Sequence[set[str]]
"""The values that each person of a class holds."""
Reached = dict[str, Fraction | float | str]
Ways = Mapping[str, Callable[[list[str]], Sequence[Mapping[str, str]] | None]]
"""By column: returns the levels of a hierarchy over values, each a label by value; None if it has none."""

INFINITE = "infinite"


class NotJudgedError(Exception):
    """There is no definition here by which this promise could be judged."""


def persons_of(promise: Mapping[str, Any], block: Class) -> Persons:
    """Return the values that each person of a class holds in the column; each record is one if no column tells them."""
    entity, column = promise.get("entity"), promise.get("column")
    held: dict[Any, set[str]] = defaultdict(set)
    for place, record in enumerate(block):
        held[place if entity is None else record[entity]].add(record[column] if column is not None else "")
    return list(held.values())


def number(value: Any) -> Fraction:
    """Read a number of a job as the decimal, or the ratio, that is written."""
    return Fraction(str(value))


def holders(persons: Persons) -> Counter[str]:
    """Count, for each value, the persons who hold it."""
    return Counter(value for held in persons for value in held)


def needed(persons: Persons) -> int:
    """Return how many values it takes until each person could hold one: as many as there are, if each holds one."""
    counts, met = sorted(holders(persons).values(), reverse=True), 0
    for number, count in enumerate(counts, start=1):
        met += count
        if met >= len(persons):
            return number
    return len(counts)


def shares(persons: Persons) -> dict[str, Fraction]:
    return {value: Fraction(count, len(persons)) for value, count in holders(persons).items()}
