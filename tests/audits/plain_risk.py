"""Risks, written as plainly as possible: records are tuples of quasi values, persons stand beside them."""

from fractions import Fraction
from itertools import combinations

Record = tuple[str | None, ...]


def persons_alike(records: list[Record], persons: list[str], record: Record, *, wildcard: bool) -> int:
    """Count the persons who have a record that cannot be told from this one."""

    def same(one: str | None, other: str | None) -> bool:
        return one == other or (wildcard and (one in (None, "*") or other in (None, "*")))

    found = {person for other, person in zip(records, persons, strict=True) if all(map(same, record, other))}
    return len(found)


def alike(one: Record, other: Record, *, wildcard: bool) -> bool:
    """Tell whether two records have the same values, where with wildcards a missing value is any."""
    return bool(persons_alike([other], ["somebody"], one, wildcard=wildcard))


def worst(records: list[Record], persons: list[str], *, wildcard: bool) -> dict[str, int]:
    """Return the smallest class of each person."""
    found: dict[str, int] = {}
    for record, person in zip(records, persons, strict=True):
        size = persons_alike(records, persons, record, wildcard=wildcard)
        found[person] = min(found.get(person, size), size)
    return found


def above(sizes: list[int], threshold: Fraction) -> int:
    return sum(Fraction(1, size) > threshold for size in sizes)


def alone(
    records: list[Record], persons: list[str], number: int, columns: tuple[int, ...], *, wildcard: bool = False
) -> bool:
    """Tell whether nobody else has this record's values in some columns."""

    def same(one: str | None, other: str | None) -> bool:
        return one == other or (wildcard and (one in (None, "*") or other in (None, "*")))

    return all(
        person == persons[number]
        for record, person in zip(records, persons, strict=True)
        if all(same(record[j], records[number][j]) for j in columns)
    )


def msus(
    records: list[Record], persons: list[str], number: int, largest: int, *, wildcard: bool = False
) -> set[tuple[int, ...]]:
    """Return the sets of columns in which a record is alone, but not in any smaller part of the set.

    A wildcard tells nothing, so no set holds a column where the record has one.
    """
    columns = [j for j, value in enumerate(records[number]) if not wildcard or value not in (None, "*")]
    found: set[tuple[int, ...]] = set()
    for size in range(1, largest + 1):
        for chosen in combinations(columns, size):
            parts = [part for length in range(1, size) for part in combinations(chosen, length)]
            if alone(records, persons, number, chosen, wildcard=wildcard) and not any(
                alone(records, persons, number, part, wildcard=wildcard) for part in parts
            ):
                found.add(chosen)
    return found


GUIDE = [
    ("Urban", "Female", "Secondary incomplete", "Employed", "180"),
    ("Urban", "Female", "Secondary incomplete", "Employed", "180"),
    ("Urban", "Female", "Primary incomplete", "Non-LF", "215"),
    ("Urban", "Male", "Secondary complete", "Employed", "76"),
    ("Rural", "Female", "Secondary complete", "Unemployed", "186"),
    ("Urban", "Male", "Secondary complete", "Employed", "76"),
    ("Urban", "Female", "Primary complete", "Non-LF", "180"),
    ("Urban", "Male", "Post-secondary", "Unemployed", "215"),
    ("Urban", "Female", "Secondary incomplete", "Non-LF", "186"),
    ("Urban", "Female", "Secondary incomplete", "Non-LF", "76"),
]
"""The example of the practice guide of statistical disclosure control by the World Bank, with sampling weights."""
GUIDE_RISKS = [0.0054, 0.0054, 0.0251, 0.0126, 0.0282, 0.0126, 0.0290, 0.0251, 0.0074, 0.0074]
GUIDE_SUDA = [0, 0, 6, 0, 12, 0, 6, 10, 0, 0]
GUIDE_DIS_SUDA = [0.0051, 0.0107, 0.0051, 0.0088]
GUIDE_COLUMNS = ["residence", "gender", "education", "labour"]
