"""What the search over steps counts and prices: points, and the classes and atoms that are made of them."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import inner_kernel
from shoal.kernels.grouping import mix

OUT, OPEN, TAKEN = range(3)  # what may become of a step
SIZE, PRICE, LABELS = range(3)  # the columns of counts

_ONE = np.uint64(1)


class RecordSets(NamedTuple):
    """Sets of records: the points of a table, its classes, or its atoms.

    Args:
        rows: `rows[set, column]`, the grain or the interval of each column.
        keys: A hash of each row.
        counts: The number of records, a price, and the number of records of each label that is to be predicted.
        words: The sensitive values that occur, as bits, test by test.
    """

    rows: NDArray[np.int32]
    keys: NDArray[np.uint64]
    counts: NDArray[np.int64]
    words: NDArray[np.uint64]


class Steps(NamedTuple):
    """The steps of all columns.

    Args:
        start: Where the grains of each column begin in `owner`.
        owner: The step that parts each grain from the one before it, or -1.
        needs: The step that must be taken before, or -1.
        spans: Whether the step splits a node: all grains from `begin` to `end` are one interval without it.
        begin: The first of the grains of its column that it can split.
        end: The end of these grains.
    """

    start: NDArray[np.int64]
    owner: NDArray[np.int32]
    needs: NDArray[np.int32]
    spans: NDArray[np.bool_]
    begin: NDArray[np.int64]
    end: NDArray[np.int64]


class Borders(NamedTuple):
    """The intervals of the columns; the entries of column `j` begin at `start[j]`.

    Args:
        fine: The interval of each grain between boundaries that are not out.
        coarse: The interval of each grain between boundaries that are taken.
        edge: For each fine interval, the step that parts it from the one before.
        low: For each coarse interval, its first fine one.
        high: Its last fine one.
    """

    fine: NDArray[np.int32]
    coarse: NDArray[np.int32]
    edge: NDArray[np.int32]
    low: NDArray[np.int32]
    high: NDArray[np.int32]


class ClassTerms(NamedTuple):
    """What makes a class pass, and what it costs.

    Args:
        n_records: The number of records of the table.
        k: The least number of records of a class.
        full: The price of suppressing a record.
        squares: Whether a class costs the square of its size; else the records beside its most frequent label.
        ends: Where the words of each test end.
        least: The number of different values that each test asks for.
    """

    n_records: int
    k: int
    full: int
    squares: bool
    ends: NDArray[np.int64]
    least: NDArray[np.int64]


@inner_kernel
def hash_row(row: NDArray[np.int32]) -> np.uint64:
    """Return a hash of a row, which is a sum over its columns. O(columns)."""
    key = np.uint64(0)
    for j in range(row.shape[0]):
        key += hash_cell(j, row[j])
    return key


@inner_kernel
def hash_cell(column: int, value: int) -> np.uint64:
    """Return what a column adds to the hash of a row."""
    return np.uint64(value) * (mix(np.uint64(column + 1)) | _ONE)


@inner_kernel
def empty_table(table: NDArray[np.int32], n: int) -> int:
    """Empty a part of the table that holds `n` rows with ease, and return its size, a power of two."""
    size = 16
    while size < 2 * n:
        size *= 2
    for slot in range(size):
        table[slot] = -1
    return size


@inner_kernel
def slot_of(
    table: NDArray[np.int32], size: int, rows: NDArray[np.int32], keys: NDArray[np.uint64], new: int
) -> np.int64:
    """Return the slot of the row that equals the row `new`, or the free one where it would stand."""
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
def place(table: NDArray[np.int32], size: int, rows: NDArray[np.int32], keys: NDArray[np.uint64], new: int) -> int:
    """Return the row that equals the row `new`, which is put into the table if there is none."""
    slot = slot_of(table, size, rows, keys, new)
    if table[slot] < 0:
        table[slot] = new
    return table[slot]


@inner_kernel
def clear(counts: NDArray[np.int64], words: NDArray[np.uint64], a: int) -> None:
    """Take all records out of a set."""
    for v in range(counts.shape[1]):
        counts[a, v] = 0
    for w in range(words.shape[1]):
        words[a, w] = 0


@inner_kernel
def join(
    counts: NDArray[np.int64],
    words: NDArray[np.uint64],
    a: int,
    other_counts: NDArray[np.int64],
    other_words: NDArray[np.uint64],
    b: int,
) -> None:
    """Put the records of the set `b` of others into the set `a`."""
    for v in range(counts.shape[1]):
        counts[a, v] += other_counts[b, v]
    for w in range(words.shape[1]):
        words[a, w] |= other_words[b, w]


@inner_kernel
def passes(terms: ClassTerms, counts: NDArray[np.int64], words: NDArray[np.uint64], a: int) -> bool:
    """Tell whether a set has enough records, and enough different values of each test."""
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
def beside(counts: NDArray[np.int64], a: int) -> int:
    """Return the number of records beside the most frequent label."""
    most = 0
    for v in range(LABELS, counts.shape[1]):
        most = max(most, counts[a, v])
    return counts[a, SIZE] - most


@inner_kernel
def price(terms: ClassTerms, counts: NDArray[np.int64], a: int) -> int:
    """Return what a class costs that is released."""
    if terms.squares:
        return counts[a, SIZE] * counts[a, SIZE]
    return beside(counts, a)


@inner_kernel
def bound_price(terms: ClassTerms, counts: NDArray[np.int64], a: int) -> int:
    """Return what the records of a set pay at least, whatever they are joined with: a class has k records."""
    if terms.squares:
        return counts[a, SIZE] * max(counts[a, SIZE], terms.k)
    return beside(counts, a)
