"""Sets of records in the search over steps: how points, classes and atoms are counted, tested and priced."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import inner_kernel
from shoal.kernels.grouping import mix

OUT, OPEN, TAKEN = range(3)  # the state of a step
SIZE, PRICE, LABELS = range(3)  # columns of `RecordSets.counts`; from `LABELS` on, one for each label

_ONE = np.uint64(1)


class RecordSets(NamedTuple):
    """Sets of records: the points of a table, its classes, or its atoms.

    Args:
        rows: `rows[set, column]`, the number of its grain (points) or of its interval (classes, atoms).
        keys: A hash of each row.
        counts: `counts[set]`: the number of records, a price, and the number of records with each label to be
            predicted.
        words: `words[set]`, which sensitive values occur, one bit for each value; the words of each test are adjacent.
    """

    rows: NDArray[np.int32]
    keys: NDArray[np.uint64]
    counts: NDArray[np.int64]
    words: NDArray[np.uint64]


class Steps(NamedTuple):
    """The steps of all columns, numbered through; see `steps`.

    Args:
        start: Where the grains of each column begin in `owner`.
        owner: The step of the boundary between each grain and the one before it; -1 for the first grain of a column.
        needs: The step that must be taken before each step, or -1.
        spans: Whether the step splits a node: without it, all grains from `begin` to before `end` are one interval.
        begin: The first grain, within its column, that the step can split.
        end: The end of these grains.
    """

    start: NDArray[np.int64]
    owner: NDArray[np.int32]
    needs: NDArray[np.int32]
    spans: NDArray[np.bool_]
    begin: NDArray[np.int64]
    end: NDArray[np.int64]


class Borders(NamedTuple):
    """The intervals of the columns in one state; the entries of column `j` begin at `start[j]`.

    Fine intervals end at all boundaries that are not out, coarse intervals at the taken ones only.

    Args:
        fine: The fine interval of each grain.
        coarse: The coarse interval of each grain.
        edge: For each fine interval, the step of the boundary before it.
        low: For each coarse interval, its first fine interval.
        high: For each coarse interval, its last fine interval.
    """

    fine: NDArray[np.int32]
    coarse: NDArray[np.int32]
    edge: NDArray[np.int32]
    low: NDArray[np.int32]
    high: NDArray[np.int32]


class ClassTerms(NamedTuple):
    """When a class passes, and what it costs.

    Args:
        n_records: The number of records of the table.
        k: The least number of records of a class.
        full: The cost of suppressing one record.
        squares: Whether a class costs the square of its size; else the number of records without its most frequent
            label.
        ends: Where the words of each test end.
        least: The number of distinct values that each test requires.
    """

    n_records: int
    k: int
    full: int
    squares: bool
    ends: NDArray[np.int64]
    least: NDArray[np.int64]


@inner_kernel
def hash_row(row: NDArray[np.int32]) -> np.uint64:
    """Return a hash of a row: the sum of the hashes of its cells. O(columns).

    So the hash of a row with one changed cell is found in O(1).
    """
    key = np.uint64(0)
    for j in range(row.shape[0]):
        key += hash_cell(j, row[j])
    return key


@inner_kernel
def hash_cell(column: int, value: int) -> np.uint64:
    """Return what one cell contributes to the hash of its row; linear in the value."""
    return np.uint64(value) * (mix(np.uint64(column + 1)) | _ONE)


@inner_kernel
def clear_table(table: NDArray[np.int32], n: int) -> int:
    """Clear the first slots of a hash table, at least twice as many as rows; return their number, a power of two."""
    size = 16
    while size < 2 * n:
        size *= 2
    for slot in range(size):
        table[slot] = -1
    return size


@inner_kernel
def row_slot(
    table: NDArray[np.int32], size: int, rows: NDArray[np.int32], keys: NDArray[np.uint64], new: int
) -> np.int64:
    """Return the slot of the row that equals row `new`, or the free slot where it would be inserted."""
    slot = np.int64(mix(keys[new]) & np.uint64(size - 1))
    while table[slot] >= 0:
        old = table[slot]
        if keys[old] == keys[new]:
            same = True
            for j in range(rows.shape[1]):
                if rows[old, j] != rows[new, j]:
                    same = False
            if same:
                return slot
        slot = (slot + 1) & (size - 1)
    return slot


@inner_kernel
def find_or_insert(
    table: NDArray[np.int32], size: int, rows: NDArray[np.int32], keys: NDArray[np.uint64], new: int
) -> int:
    """Return the row in the table that equals row `new`; insert `new` if there is none. O(columns) expected."""
    slot = row_slot(table, size, rows, keys, new)
    if table[slot] < 0:
        table[slot] = new
    return table[slot]


@inner_kernel
def clear_set(counts: NDArray[np.int64], words: NDArray[np.uint64], a: int) -> None:
    """Make set `a` empty."""
    for v in range(counts.shape[1]):
        counts[a, v] = 0
    for w in range(words.shape[1]):
        words[a, w] = 0


@inner_kernel
def add_set(
    counts: NDArray[np.int64],
    words: NDArray[np.uint64],
    a: int,
    other_counts: NDArray[np.int64],
    other_words: NDArray[np.uint64],
    b: int,
) -> None:
    """Add the records of set `b` of other counts and words to set `a`."""
    for v in range(counts.shape[1]):
        counts[a, v] += other_counts[b, v]
    for w in range(words.shape[1]):
        words[a, w] |= other_words[b, w]


@inner_kernel
def set_passes(terms: ClassTerms, counts: NDArray[np.int64], words: NDArray[np.uint64], a: int) -> bool:
    """Return whether a set has at least k records, and enough distinct values for each test. O(words)."""
    if counts[a, SIZE] < terms.k:
        return False
    w = 0
    for t in range(terms.least.shape[0]):
        different = 0
        while w < terms.ends[t]:
            word = words[a, w]
            while word != np.uint64(0):
                word &= word - _ONE
                different += 1
            w += 1
        if different < terms.least[t]:
            return False
    return True


@inner_kernel
def minority_size(counts: NDArray[np.int64], a: int) -> int:
    """Return the number of records that do not have the most frequent label."""
    most = 0
    for v in range(LABELS, counts.shape[1]):
        most = max(most, counts[a, v])
    return counts[a, SIZE] - most


@inner_kernel
def class_price(terms: ClassTerms, counts: NDArray[np.int64], a: int) -> int:
    """Return the cost of a class that is released."""
    if terms.squares:
        return counts[a, SIZE] * counts[a, SIZE]
    return minority_size(counts, a)


@inner_kernel
def bound_price(terms: ClassTerms, counts: NDArray[np.int64], a: int) -> int:
    """Return a lower bound on what the records of a set cost, whatever they are joined with.

    By squares of sizes each record costs the size of its class, which is at least the size of the set and at least k.
    By labels the records without the most frequent label can only become more when sets are joined.
    """
    if terms.squares:
        return counts[a, SIZE] * max(counts[a, SIZE], terms.k)
    return minority_size(counts, a)


@inner_kernel
def fill_borders(steps: Steps, state: NDArray[np.int8], borders: Borders) -> None:
    """Number the fine and the coarse intervals of all columns. O(grains)."""
    fine, coarse, edge, low, high = borders
    for j in range(steps.start.shape[0] - 1):
        start = steps.start[j]
        f = c = 0
        low[start] = 0
        for g in range(start, steps.start[j + 1]):
            step = steps.owner[g]
            if step >= 0 and state[step] >= OPEN:
                f += 1
                edge[start + f] = step
                if state[step] == TAKEN:
                    high[start + c] = f - 1
                    c += 1
                    low[start + c] = f
            fine[g] = f
            coarse[g] = c
        high[start + c] = f


@inner_kernel
def sort_points_by_class(
    points: NDArray[np.int32],
    start: NDArray[np.int64],
    coarse: NDArray[np.int32],
    rows: NDArray[np.int32],
    keys: NDArray[np.uint64],
    workspace: tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]],
) -> int:
    """Sort the points by class into `order`, write where each class begins; return the number of classes. O(points)."""
    table, order, owners, begins = workspace
    n, n_columns = points.shape
    size = clear_table(table, n)
    count = 0
    for i in range(n):
        for j in range(n_columns):
            rows[count, j] = coarse[start[j] + points[i, j]]
        keys[count] = hash_row(rows[count])
        found = find_or_insert(table, size, rows, keys, count)
        if found == count:
            begins[count] = 0
            count += 1
        owners[i] = found
        begins[found] += 1
    total = 0
    for c in range(count):
        total += begins[c]
        begins[c] = total
    begins[count] = total
    for i in range(n - 1, -1, -1):
        begins[owners[i]] -= 1
        order[begins[owners[i]]] = i
    return count
