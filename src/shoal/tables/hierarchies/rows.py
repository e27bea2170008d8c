"""Rows: hierarchies in editable form, one row for each value with its labels up to the top."""

import csv
import io
from collections.abc import Collection, Mapping, Sequence

from shoal.foundation.errors import SpecError
from shoal.tables.hierarchies.hierarchy import STAR, Hierarchy

Rows = list[list[str]]

_COVERED = (0.95, 0.8, 0.5)  # for each level, the share of the records whose values are kept


def rows_of(hierarchy: Hierarchy) -> Rows:
    """Return the rows of a hierarchy; the missing value needs none."""
    labels = [
        [names[code] for code in codes.tolist()] for names, codes in zip(hierarchy.labels, hierarchy.codes, strict=True)
    ]
    return [[str(label) for label in row] for row in zip(*labels, strict=True) if row[0] is not None]


def rows_text(rows: Rows) -> str:
    """Return the text of a levels file, with semicolons, and quotes where needed."""
    file = io.StringIO(newline="")
    within = any("\r" in field for row in rows for field in row)  # csv quotes only the line ends that it writes
    csv.writer(file, delimiter=";", lineterminator="\r\n" if within else "\n").writerows(rows)
    return file.getvalue()


def top_of(values: Sequence[str], top: str = STAR) -> str:
    """Return a label for the top: a star, or several if a value is a star."""
    known = set(values)
    while top in known:
        top += STAR
    return top


def with_ungrouped(rows: Rows, others: Sequence[str]) -> Rows:
    """Add values that belong to no group; each is kept up to the top, like a missing value."""
    steps = len(rows[0]) - 1 if rows else 1
    top = rows[0][-1] if rows else STAR
    return [*rows, *([value] * steps + [top] for value in others)]


def by_frequency(counts: Mapping[str, int]) -> Rows:
    """Group rare values, level by level: all but the most frequent ones that cover 95%, 80%, 50% of the records.

    Values are sorted from the most frequent to the rarest; ties by text. A level is left out if it would group fewer
    than two values, all of them, or no more than the previous level.
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
    rest = {cut: _other(len(ordered) - cut, counts) for cut in cuts}
    rows = [
        [value, *(value if place < cut else rest[cut] for cut in cuts), STAR] for place, value in enumerate(ordered)
    ]
    return with_distinct_labels(rows)


def by_groups(values: Sequence[str], groups: Rows, where: str) -> Rows:
    """Group values by given rows `value;group;...`; all other values form one group.

    Args:
        values: The values of the column.
        groups: The rows, all of one length; a top is added if they end in different labels.
        where: The name of the groups, for messages.
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
    rest = _other(len(others), {label for row in [*groups, others] for label in row}) if len(others) > 1 else ""
    rows = [[*row[: inner + 1], top] for row in groups]
    return with_distinct_labels([*rows, *([value, *[rest or value] * inner, top] for value in others)])


def _other(number: int, taken: Collection[str]) -> str:
    """Return the label of so many values without a group, with a mark if it is a value, or a group, by chance."""
    label = f"Other ({number} values)"
    while label in taken:
        label += " +"
    return label


def with_distinct_labels(rows: Rows) -> Rows:
    """Return the rows with a unique label for every group of values, and a top label that is not a value.

    Two nodes with the same label would be indistinguishable in a release with nodes of several levels. Only such labels
    are changed.
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
    """Return the label, with a mark if another group of values has it already."""
    name = label
    while owner.setdefault(name, places) != places:
        name += " +"
    return name
