"""What the search over steps counts and prices: points, and the classes and atoms that are made of them."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import inner_kernel
from shoal.kernels.grouping import mix

OUT, OPEN, TAKEN = range(3)  # what may become of a step

_ONE = np.uint64(1)


class Points(NamedTuple):
    """The different rows of grains.

    Args:
        rows: `rows[point, column]`, the grain of each column.
        sizes: The number of records.
        labels: `labels[point, label]`, the number of records of each label that is to be predicted; else no labels.
        words: The sensitive values that occur, as bits, test by test.
    """

    rows: NDArray[np.int32]
    sizes: NDArray[np.int64]
    labels: NDArray[np.int64]
    words: NDArray[np.uint64]


class Steps(NamedTuple):
    """The steps, and what makes a class pass and cost.

    Args:
        start: Where the grains of each column begin in `owner`.
        owner: The step that parts each grain from the one before it, or -1.
        needs: The step that must be taken before, or -1.
        spans: Whether the step parts a node: all grains from `begin` to `end` are one interval without it.
        begin: The first of the grains of its column that it can part.
        end: The end of these grains.
        n_records: The number of records of the table.
        k: The least number of records of a class.
        ends: Where the words of each test end.
        least: The number of different values that each test asks for.
        squares: Whether a class costs the square of its size; else the records beside its most frequent label.
        full: The price of suppressing a record.
    """

    start: NDArray[np.int64]
    owner: NDArray[np.int32]
    needs: NDArray[np.int32]
    spans: NDArray[np.bool_]
    begin: NDArray[np.int64]
    end: NDArray[np.int64]
    n_records: int
    k: int
    ends: NDArray[np.int64]
    least: NDArray[np.int64]
    squares: bool
    full: int


class Atoms(NamedTuple):
    """Sets of records, each with its row, a hash of that, sizes, labels, values, and a price."""

    rows: NDArray[np.int32]
    keys: NDArray[np.uint64]
    sizes: NDArray[np.int64]
    labels: NDArray[np.int64]
    words: NDArray[np.uint64]
    prices: NDArray[np.int64]


class Room(NamedTuple):
    """Arrays that a look writes to, so that it need not make them.

    Args:
        atoms: The atoms of a class.
        joined: Those of them that no useful step parts are one here.
        sums: By the intervals of one column, what lies before their ends.
        part: One set of records.
        before: By the intervals of one column, the values up to its end.
        after: The values behind it.
        table: Places of rows, by hash.
        spare: Another such table.
        table_size: How much of the table is in use.
        order: The points by class.
        firsts: A point of each atom.
        owners: The class of each point.
        begins: Where each class begins.
        own: The coarse interval of the class in each column.
        number: The number of each fine interval where only useful boundaries count.
        joint: The step before each interval that is so numbered.
        seen: The steps that might part the class.
        useful: Those by which it might gain.
        last: Where the last part that a step makes ended.
        passing: The number of its parts that pass; -1 where it was not seen.
        failed: The number of records in those that fail.
        rest: The bounds of those that pass.
        alone: The bounds of those that fail, each as one.
        exact: What all of them cost.
    """

    atoms: Atoms
    joined: Atoms
    sums: Atoms
    part: Atoms
    before: NDArray[np.uint64]
    after: NDArray[np.uint64]
    table: NDArray[np.int32]
    spare: NDArray[np.int32]
    table_size: NDArray[np.int64]
    order: NDArray[np.int64]
    firsts: NDArray[np.int64]
    owners: NDArray[np.int64]
    begins: NDArray[np.int64]
    own: NDArray[np.int64]
    number: NDArray[np.int32]
    joint: NDArray[np.int32]
    seen: NDArray[np.int64]
    useful: NDArray[np.bool_]
    last: NDArray[np.int64]
    passing: NDArray[np.int64]
    failed: NDArray[np.int64]
    rest: NDArray[np.int64]
    alone: NDArray[np.int64]
    exact: NDArray[np.int64]


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
def slot_of(table: NDArray[np.int32], size: int, atoms: Atoms, new: int) -> int:
    """Return the slot of the row that equals the row `new`, or the free one where it would stand."""
    slot = np.int64(mix(atoms.keys[new]) & np.uint64(size - 1))
    while table[slot] >= 0:
        old = table[slot]
        if atoms.keys[old] == atoms.keys[new]:
            same = True
            for j in range(atoms.rows.shape[1]):
                if atoms.rows[old, j] != atoms.rows[new, j]:
                    same = False
            if same:
                return slot
        slot = (slot + 1) & (size - 1)
    return slot


@inner_kernel
def place(table: NDArray[np.int32], size: int, atoms: Atoms, new: int) -> int:
    """Return the row that equals the row `new`, which is put into the table if there is none."""
    slot = slot_of(table, size, atoms, new)
    if table[slot] < 0:
        table[slot] = new
    return table[slot]


@inner_kernel
def seek(table: NDArray[np.int32], size: int, atoms: Atoms, new: int) -> int:
    """Return the row that equals the row `new`, or -1."""
    return table[slot_of(table, size, atoms, new)]


@inner_kernel
def clear(atoms: Atoms, a: int) -> None:
    """Take all records out of a set."""
    atoms.sizes[a] = 0
    for v in range(atoms.labels.shape[1]):
        atoms.labels[a, v] = 0
    for w in range(atoms.words.shape[1]):
        atoms.words[a, w] = 0


@inner_kernel
def add_member(atoms: Atoms, a: int, size: int, labels: NDArray[np.int64], words: NDArray[np.uint64]) -> None:
    """Put records into a set."""
    atoms.sizes[a] += size
    for v in range(labels.shape[0]):
        atoms.labels[a, v] += labels[v]
    for w in range(words.shape[0]):
        atoms.words[a, w] |= words[w]


@inner_kernel
def passes(steps: Steps, atoms: Atoms, a: int) -> bool:
    """Tell whether a set has enough records, and enough different values of each test."""
    if atoms.sizes[a] < steps.k:
        return False
    w = 0
    for t in range(steps.least.shape[0]):
        different = 0
        while w < steps.ends[t]:
            word = atoms.words[a, w]
            while word != np.uint64(0):
                word &= word - _ONE
                different += 1
            w += 1
        if different < steps.least[t]:
            return False
    return True


@inner_kernel
def beside(atoms: Atoms, a: int) -> int:
    """Return the number of records beside the most frequent label."""
    most = 0
    for v in range(atoms.labels.shape[1]):
        most = max(most, atoms.labels[a, v])
    return atoms.sizes[a] - most


@inner_kernel
def price(steps: Steps, atoms: Atoms, a: int) -> int:
    """Return what a class costs that is released."""
    if steps.squares:
        return atoms.sizes[a] * atoms.sizes[a]
    return beside(atoms, a)


@inner_kernel
def bound_price(steps: Steps, atoms: Atoms, a: int) -> int:
    """Return what the records of a set pay at least, whatever they are joined with: a class has k records."""
    if steps.squares:
        return atoms.sizes[a] * max(atoms.sizes[a], steps.k)
    return beside(atoms, a)
