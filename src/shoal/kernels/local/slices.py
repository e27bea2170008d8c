"""Slices: classes as slices of one array of entries, cut in place."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import inner_kernel, kernel


class Entries(NamedTuple):
    """The records as one array of entries; an entry is a point, or a part of its records. Every class is a slice.

    Args:
        rows: `rows[entry, column]`, the position of the entry's value in the order of the column.
        weights: The number of records of each entry.
        points: Its point in the tally.
        targets: The part of a cut that it goes to; written by one kernel, read by the next.
    """

    rows: NDArray[Any]
    weights: NDArray[np.int64]
    points: NDArray[np.int32]
    targets: NDArray[np.int32]


class Slices(NamedTuple):
    """Classes: where each begins among the entries, its number of entries, and its number of records."""

    first: NDArray[np.int64]
    length: NDArray[np.int64]
    records: NDArray[np.int64]


class Cuts(NamedTuple):
    """The cut that was chosen for each class.

    Args:
        ways: The number of parts; 0 if the class is not cut.
        shared: The entry whose records go to both sides, or -1.
        kept: How many of these records go to the first side.
    """

    ways: NDArray[np.int64]
    shared: NDArray[np.int64]
    kept: NDArray[np.int64]


@inner_kernel
def copy_entry(entries: Entries, source: int, target: int) -> None:
    """Copy one entry over another."""
    for j in range(entries.rows.shape[1]):
        entries.rows[target, j] = entries.rows[source, j]
    entries.weights[target] = entries.weights[source]
    entries.points[target] = entries.points[source]


@inner_kernel
def swap_entries(entries: Entries, one: int, other: int) -> None:
    """Exchange two entries."""
    for j in range(entries.rows.shape[1]):
        entries.rows[one, j], entries.rows[other, j] = entries.rows[other, j], entries.rows[one, j]
    entries.weights[one], entries.weights[other] = entries.weights[other], entries.weights[one]
    entries.points[one], entries.points[other] = entries.points[other], entries.points[one]
    entries.targets[one], entries.targets[other] = entries.targets[other], entries.targets[one]


@kernel
def sort_parts(
    entries: Entries, first: int, length: int, starts: NDArray[np.int64], records: NDArray[np.int64]
) -> None:
    """Sort the entries of a class by their part, in place; write where each part begins, and its records. O(entries).

    Each swap brings at least one entry to its part.
    """
    n_parts = records.shape[0]
    records[:] = 0
    ends = np.zeros(n_parts, dtype=np.int64)
    for i in range(first, first + length):
        ends[entries.targets[i]] += 1
        records[entries.targets[i]] += entries.weights[i]
    position = first
    for part in range(n_parts):
        starts[part] = position
        position += ends[part]
        ends[part] = position
    heads = starts.copy()
    for part in range(n_parts):
        while heads[part] < ends[part]:
            target = entries.targets[heads[part]]
            if target != part:
                swap_entries(entries, heads[part], heads[target])
            heads[target] += 1


@kernel
def spread_parts(entries: Entries, end: int, k: int, starts: NDArray[np.int64], records: NDArray[np.int64]) -> None:
    """Move the parts of a class apart, so that each has a free entry for each cut that may still be made in it.

    A class of w records is cut at most w // k - 1 times, and owns as many free entries. A cut into m >= 2 parts uses at
    most one of them, for a shared entry. The parts need the sum of w_i // k - 1, at most w // k - m <= w // k - 2. So
    they stay within the space of the class.
    """
    target = starts[0]
    targets = np.empty(starts.shape[0], dtype=np.int64)
    for part in range(starts.shape[0]):
        last = starts[part + 1] if part + 1 < starts.shape[0] else end
        targets[part] = target
        target += last - starts[part] + records[part] // k - 1
    for part in range(starts.shape[0] - 1, 0, -1):
        for i in range(end - starts[part] - 1, -1, -1):
            copy_entry(entries, starts[part] + i, targets[part] + i)
        end = starts[part]
        starts[part] = targets[part]


@kernel
def apply_cuts(entries: Entries, slices: Slices, cuts: Cuts, k: int, relaxed: bool) -> Slices:
    """Cut the classes as chosen, in place; return the parts as classes. O(entries)."""
    n_parts = 0
    for c in range(cuts.ways.shape[0]):
        n_parts += cuts.ways[c]
    first, length = np.empty(n_parts, dtype=np.int64), np.empty(n_parts, dtype=np.int64)
    records = np.empty(n_parts, dtype=np.int64)
    done = 0
    for c in range(slices.first.shape[0]):
        ways = cuts.ways[c]
        if ways == 0:
            continue
        end = slices.first[c] + slices.length[c]
        if cuts.shared[c] >= 0:
            copy_entry(entries, cuts.shared[c], end)
            entries.weights[end] -= cuts.kept[c]
            entries.weights[cuts.shared[c]] = cuts.kept[c]
            entries.targets[end] = 1
            end += 1
        starts = first[done : done + ways]
        sort_parts(entries, slices.first[c], end - slices.first[c], starts, records[done : done + ways])
        for part in range(ways):
            length[done + part] = (starts[part + 1] if part + 1 < ways else end) - starts[part]
        if relaxed:
            spread_parts(entries, end, k, starts, records[done : done + ways])
        done += ways
    return Slices(first, length, records)
