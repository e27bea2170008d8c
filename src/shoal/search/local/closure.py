"""The closure of each class: the least that may be published and covers all of its records."""

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from shoal.classes.grouping import Parts
from shoal.classes.recoding import Recoding, Subsets
from shoal.classes.tally import QuasiColumn, Tally
from shoal.foundation.errors import SpecError
from shoal.kernels.local.closures import meet_classes
from shoal.measures.measure import CellMeasure, Measure
from shoal.search.local.forms import cheapest
from shoal.tables.hierarchies.hierarchy import Hierarchy, Label

_WORD = 63  # a set of up to so many leaves fits into one integer


def recoding_of(tally: Tally, parts: Parts, measure: Measure) -> Recoding:
    """Return what each class of some parts is published as; none of the classes may be empty.

    A range or a set is the smallest that covers the class; a range of several values ends where the cells of the grid
    do. In a tree it is the lowest common ancestor, or a node above it that is cheaper by the measure. Where a measure
    charges ranges as the node above them, and there is a grid, that node is published.
    """
    order = np.argsort(parts.classes, kind="stable")
    order = order[parts.classes[order] >= 0]
    offsets = np.concatenate([[0], np.cumsum(np.bincount(parts.classes[order]))])
    leaves = tally.codes[parts.points[order]]
    del order

    def closed_column(number: int) -> tuple[Subsets, NDArray[np.int64]]:
        return _closed(tally.quasi[number], np.ascontiguousarray(leaves[:, number]), offsets, measure)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        closed = list(pool.map(closed_column, range(len(tally.quasi))))
    cells = np.column_stack([cells for _, cells in closed]).astype(np.int32)
    return Recoding(tally.quasi, tuple(subsets for subsets, _ in closed), cells)


def alike_recoding_of(tally: Tally, parts: Parts, intervals: NDArray[np.int32], measure: Measure) -> Recoding:
    """Return what each class is published as if equal values of a column must be published alike.

    Args:
        tally: The table.
        parts: The classes; values of records in none are not published.
        intervals: `intervals[class, column]`, the interval of the column's values that a class has. All classes with
            the same interval are published as the least that covers the values of all of them.
        measure: The loss.
    """
    some = parts.classes >= 0
    leaves, owners = tally.codes[parts.points[some]], intervals[parts.classes[some]]
    shown, cells = [], []
    for number, column in enumerate(tally.quasi):
        found, groups = np.unique(owners[:, number], return_inverse=True)
        order = np.argsort(groups, kind="stable")
        offsets = np.concatenate([[0], np.cumsum(np.bincount(groups, minlength=len(found)))])
        subsets, cell_of = _closed(column, leaves[order, number], offsets, measure)
        shown.append(subsets)
        cells.append(cell_of[np.searchsorted(found, intervals[:, number])])
    return Recoding(tally.quasi, tuple(shown), np.column_stack(cells).astype(np.int32))


def _closed(
    column: QuasiColumn, leaves: NDArray[np.int32], offsets: NDArray[np.int64], measure: Measure
) -> tuple[Subsets, NDArray[np.int64]]:
    """Return the distinct closures of one column, and which of them each class has."""
    hierarchy = column.hierarchy
    if hierarchy.form == "ranges" and (hierarchy.grid is None or not _by_nodes(column, measure)):
        return _ranges(column, leaves, offsets)
    if hierarchy.form == "sets":
        return _sets(column, leaves, offsets)
    nodes = meet_classes(leaves, offsets, hierarchy.tree().parent)
    if isinstance(measure, CellMeasure):
        nodes = cheapest(hierarchy, measure.costs(column))[nodes]
    found, cells = np.unique(nodes, return_inverse=True)
    return Subsets.of_nodes(hierarchy, found.tolist(), column.name), cells


def _by_nodes(column: QuasiColumn, measure: Measure) -> bool:
    """Tell whether a measure charges a range as the node above it."""
    return isinstance(measure, CellMeasure) and measure.costs(column).rule is None


def _ranges(
    column: QuasiColumn, leaves: NDArray[np.int32], offsets: NDArray[np.int64]
) -> tuple[Subsets, NDArray[np.int64]]:
    """Return the ranges from the first to the last leaf; the levels of an ordered domain consist of adjacent leaves.

    With a grid, those of several leaves go from the first leaf of a cell to the last leaf of a cell.
    """
    hierarchy = column.hierarchy
    low, high = (side.reduceat(leaves, offsets[:-1]) for side in (np.minimum, np.maximum))
    firsts, lasts = hierarchy.edges
    several = low < high
    low, high = (np.where(several, edge[end], end).astype(np.int64) for edge, end in ((firsts, low), (lasts, high)))
    high = np.where((high == hierarchy.missing_leaf) & (low < high), hierarchy.n_leaves, high)
    low = np.where(high == hierarchy.n_leaves, 0, low)
    keys, cells = np.unique(low * (hierarchy.n_leaves + 1) + high, return_inverse=True)
    low, high = np.divmod(keys, hierarchy.n_leaves + 1)
    tops = high == hierarchy.n_leaves
    levels = hierarchy.meeting_level(low.astype(np.int32), np.where(tops, 0, high).astype(np.int32))
    levels[tops] = hierarchy.height
    pairs = zip(low.tolist(), high.tolist(), tops.tolist(), strict=True)
    ends = [() if top else (a, b) if a < b else (a,) for a, b, top in pairs]
    return _named(column, ends, levels, " - "), cells


def _sets(
    column: QuasiColumn, leaves: NDArray[np.int32], offsets: NDArray[np.int64]
) -> tuple[Subsets, NDArray[np.int64]]:
    """Return the sets of leaves that occur."""
    hierarchy = column.hierarchy
    found, cells = (_few if hierarchy.n_leaves <= _WORD else _many)(leaves, offsets)
    mixed = [len(values) > 1 and values[-1] == hierarchy.missing_leaf for values in found]
    number: dict[tuple[int, ...], int] = {}
    cell_of = [number.setdefault(() if top else values, len(number)) for values, top in zip(found, mixed, strict=True)]
    levels = np.array([0 if len(values) == 1 else hierarchy.height for values in number], dtype=np.int32)
    return _named(column, list(number), levels, ", "), np.array(cell_of, dtype=np.int64)[cells]


def _few(leaves: NDArray[np.int32], offsets: NDArray[np.int64]) -> tuple[list[tuple[int, ...]], NDArray[np.int64]]:
    """Return the distinct sets of leaves, and which of them each class has; each set fits into one integer."""
    words = np.bitwise_or.reduceat(np.int64(1) << leaves.astype(np.int64), offsets[:-1])
    found, cells = np.unique(words, return_inverse=True)
    bits = np.unpackbits(found.astype("<i8").view(np.uint8).reshape(-1, 8), axis=1, bitorder="little")
    owners, members = np.nonzero(bits)
    return _tuples(owners, members, len(found)), cells


def _many(leaves: NDArray[np.int32], offsets: NDArray[np.int64]) -> tuple[list[tuple[int, ...]], NDArray[np.int64]]:
    """Return the same for any number of leaves."""
    width = int(leaves.max(initial=0)) + 1
    owners = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    owners, members = np.divmod(np.unique(owners * width + leaves), width)
    number: dict[tuple[int, ...], int] = {}
    cells = [number.setdefault(values, len(number)) for values in _tuples(owners, members, len(offsets) - 1)]
    return list(number), np.array(cells, dtype=np.int64)


def _tuples(owners: NDArray[np.int64], members: NDArray[np.int64], n_owners: int) -> list[tuple[int, ...]]:
    """Return the members of each owner; both arrays are sorted by owner."""
    starts, listed = np.searchsorted(owners, np.arange(n_owners + 1)).tolist(), members.tolist()
    return [tuple(listed[start:end]) for start, end in pairwise(starts)]


def _named(column: QuasiColumn, values: Sequence[Sequence[int]], levels: NDArray[np.int32], joint: str) -> Subsets:
    """Return subsets given by their leaves and the level of the node above; a single leaf is a node, none the top."""
    hierarchy = column.hierarchy
    first = np.array([leaves[0] if leaves else 0 for leaves in values], dtype=np.int64)
    several = [leaves if len(leaves) > 1 else () for leaves in values]
    return Subsets(
        labels=_labels(column, values, joint),
        levels=levels,
        codes=hierarchy.codes[levels, first],
        offsets=np.cumsum([0, *map(len, several)]).astype(np.int64),
        members=np.array([leaf for leaves in several for leaf in leaves], dtype=np.int32),
    )


def _labels(column: QuasiColumn, values: Sequence[Sequence[int]], joint: str) -> tuple[Label, ...]:
    """Return the texts of the subsets; the separator grows until no two subsets have the same text.

    This ends, since at last the separator is longer than anything like it in any value. Only a value that reads like
    the top cannot be told apart from it, and is refused.
    """
    plain = [_label(column.hierarchy, leaves, joint) for leaves in values if len(leaves) <= 1]
    if len(set(plain)) < len(plain):
        raise SpecError(
            f"A value of column '{column.name}' is written like the top of its hierarchy, so that a release "
            "could not distinguish them. Write that value differently."
        )
    while True:
        labels = tuple(_label(column.hierarchy, leaves, joint) for leaves in values)
        if len(set(labels)) == len(labels):
            return labels
        joint = joint.replace(joint.strip(), joint.strip() + joint.strip()[0])


def _label(hierarchy: Hierarchy, leaves: Sequence[int], joint: str) -> Label:
    if not leaves:
        return hierarchy.labels[hierarchy.height][0]
    if len(leaves) == 1:
        return hierarchy.values[leaves[0]]
    if hierarchy.grid is not None:
        return joint.join(hierarchy.grid.texts(leaves[0], leaves[-1]))
    text = joint.join([str(hierarchy.values[leaf]) for leaf in leaves])
    return f"{{{text}}}" if hierarchy.form == "sets" else text
