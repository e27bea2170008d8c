"""Placing: in which classes of a release each person may be, by the values that its cells cover."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.audits.attacks.matches import Matches
from shoal.audits.attacks.series.histories import ClassSets
from shoal.audits.covers import Cover
from shoal.tables.distinct_rows import numbered_rows
from shoal.tables.table import Column

PAIRS = 20_000_000
"""The most pairs of a point and a class that are listed; of more, everybody in some class may be in any."""


def placed(
    cells: NDArray[np.int32], sizes: NDArray[np.int64], covers: Sequence[Cover], columns: Sequence[Column]
) -> tuple[ClassSets, NDArray[np.int32]]:
    """Return sets of classes, and the set of each person; -1 if no class covers the person's values.

    Args:
        cells: `cells[class, column]`, the published cells as codes.
        sizes: The number of records of each class.
        covers: For each column, the values that its cells cover.
        columns: The same columns of the persons.
    """
    owners = [_owners(cover, np.unique(cells[:, j]), columns[j]) for j, cover in enumerate(covers)]
    known = [one[column.codes] for one, column in zip(owners, columns, strict=True) if one is not None]
    if len(known) == len(owners):
        return ClassSets.single(len(sizes)), _by_cells(cells, known)
    return _by_matches(Matches.of(cells, sizes, covers, columns), len(sizes))


def _owners(cover: Cover, used: NDArray[np.int32], column: Column) -> NDArray[np.int32] | None:
    """Return the one cell that covers each value of a column (-1: none); None if two of the cells cover a value."""
    owners = np.full(cover.n_values + 1, -1, dtype=np.int32)
    for cell in used.tolist():
        part = cover.parts[cell]
        if (owners[part] >= 0).any():
            return None
        owners[part] = cell
    if cover.wildcard and len(used) > 1 and (column.codes == cover.n_values).any():
        return None  # a person whose value is missing may be in any
    return owners


def _by_cells(cells: NDArray[np.int32], held: Sequence[NDArray[np.int32]]) -> NDArray[np.int32]:
    """Return the class with the cells of each person."""
    both = [np.concatenate([cells[:, j], one]) + 1 for j, one in enumerate(held)]
    numbers, places = numbered_rows(both, [int(one.max(initial=0)) + 1 for one in both], len(both[0]))
    classes = np.full(len(places), -1, dtype=np.int32)
    classes[numbers[: len(cells)]] = np.arange(len(cells))
    return classes[numbers[len(cells) :]]


def _by_matches(matches: Matches, n_classes: int) -> tuple[ClassSets, NDArray[np.int32]]:
    """Return the sets of classes that match the persons."""
    if int(matches.classes.sum()) > PAIRS:
        anywhere = np.where(matches.classes > 0, 0, -1).astype(np.int32)
        whole = ClassSets(np.array([0, n_classes]), np.arange(n_classes, dtype=np.int32))
        return whole, anywhere[matches.point_of]
    numbers: dict[bytes, int] = {}
    sets = np.full(len(matches.points), -1, dtype=np.int32)
    for lists in matches.lists():
        for point, begin, end in zip(lists.points, lists.offsets[:-1], lists.offsets[1:], strict=True):
            if end > begin:
                sets[point] = numbers.setdefault(lists.classes[begin:end].tobytes(), len(numbers))
    parts = [np.frombuffer(one, dtype=np.int32) for one in numbers]
    offsets = np.cumsum([0, *map(len, parts)]).astype(np.int64)
    classes = np.concatenate(parts) if parts else np.zeros(0, dtype=np.int32)
    return ClassSets(offsets, classes), sets[matches.point_of]
