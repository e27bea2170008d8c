"""Rows: hierarchies as people edit them, one row for each value, from the value to the top."""

import csv
import io
from collections.abc import Mapping, Sequence

from shoal.foundation.errors import SpecError
from shoal.tables.hierarchies.hierarchy import STAR, Hierarchy

Rows = list[list[str]]

_COVERED = (0.95, 0.8, 0.5)  # share of the records whose values stay themselves, level by level


def rows_of(hierarchy: Hierarchy) -> Rows:
    """Return the rows of a hierarchy, without the missing value, which needs none."""
    labels = [
        [names[code] for code in codes.tolist()] for names, codes in zip(hierarchy.labels, hierarchy.codes, strict=True)
    ]
    return [[str(label) for label in row] for row in zip(*labels, strict=True) if row[0] is not None]


def rows_text(rows: Rows) -> str:
    """Return the text of a levels file, with semicolons, and quotes where a field needs them."""
    file = io.StringIO(newline="")
    within = any("\r" in field for row in rows for field in row)  # only the ends of lines are quoted in a field
    csv.writer(file, delimiter=";", lineterminator="\r\n" if within else "\n").writerows(rows)
    return file.getvalue()


def top_of(values: Sequence[str], top: str = STAR) -> str:
    """Return a label for the top: a star, or more of them where a value is a star."""
    known = set(values)
    while top in known:
        top += STAR
    return top


def with_ungrouped(rows: Rows, others: Sequence[str]) -> Rows:
    """Add values that belong to no group: each stays itself up to the top, as a missing value does."""
    steps = len(rows[0]) - 1 if rows else 1
    top = rows[0][-1] if rows else STAR
    return [*rows, *([value] * steps + [top] for value in others)]


def by_frequency(counts: Mapping[str, int]) -> Rows:
    """Put rare values together: first those of one record in twenty, then of one in five, then of one in two.

    Values are ordered from the most frequent to the rarest, those of one frequency by text. A level that would put
    together fewer than two values, all of them, or no more than the level before is left out.
    """
    ordered = sorted(counts, key=lambda value: (-counts[value], value))
    total, kept, passed = sum(counts.values()), [], 0
    for place, value in enumerate(ordered, 1):
        passed += counts[value]
        kept.append((place, passed))
    cuts: list[int] = []
    for share in _COVERED:
        cut = next((place for place, covered in kept if covered >= share * total), len(ordered))
        if 1 <= cut <= len(ordered) - 2 and (not cuts or cut < cuts[-1]):
            cuts.append(cut)
    rows = [
        [value, *(value if place < cut else f"Other ({len(ordered) - cut} values)" for cut in cuts), STAR]
        for place, value in enumerate(ordered)
    ]
    return with_distinct_labels(rows)


def by_groups(values: Sequence[str], groups: Rows, where: str) -> Rows:
    """Put values into groups that a person has given, as rows `value;group;...`; all others are put together.

    Args:
        values: The values of the column.
        groups: The rows, all of one length; a top is added where they end in different labels.
        where: What they are, for messages.
    """
    length = len(groups[0]) if groups else 0
    for number, row in enumerate(groups, 1):
        if len(row) != length or length < 2 or "" in row:
            raise SpecError(
                f"Row {number} of the {where} cannot be read: each row is 'value;group', all of one length."
            )
    given = {row[0]: row for row in groups}
    if len(given) < len(groups):
        raise SpecError(f"A value stands twice in the {where}.")
    others = [value for value in values if value not in given]
    closed = len({row[-1] for row in groups}) == 1 and length > 2
    inner = length - 2 if closed else length - 1
    top = groups[0][-1] if closed else top_of([*values, *given])
    rest = f"Other ({len(others)} values)" if len(others) > 1 else ""
    rows = [[*row[: inner + 1], top] for row in groups]
    return with_distinct_labels([*rows, *([value, *[rest or value] * inner, top] for value in others)])


def with_distinct_labels(rows: Rows) -> Rows:
    """Return the rows with every group of values under a label of its own, and the top under none of a value.

    Two groups, or a value and a group, with one label could not be told apart in a release that publishes nodes of
    several levels. A label is changed only where that is so.
    """
    values = [row[0] for row in rows]
    top = top_of(values, rows[0][-1] if rows else STAR)
    owner: dict[str, tuple[int, ...]] = {value: (place,) for place, value in enumerate(values)}
    owner[top] = (-1,)
    levels = [values]
    for level in range(1, len(rows[0]) - 1) if rows else ():
        members: dict[str, list[int]] = {}
        for place, row in enumerate(rows):
            members.setdefault(row[level], []).append(place)
        named = {label: _free(label, tuple(places), owner) for label, places in members.items()}
        levels.append([named[row[level]] for row in rows])
    return [[*labels, top] for labels in zip(*levels, strict=True)]


def _free(label: str, places: tuple[int, ...], owner: dict[str, tuple[int, ...]]) -> str:
    """Return the label, or it with a mark, that is free or belongs to the same values."""
    name = label
    while owner.setdefault(name, places) != places:
        name += " +"
    return name
