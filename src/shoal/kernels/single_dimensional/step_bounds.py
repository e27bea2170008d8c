"""Bounds on what a class costs whatever open steps are taken, and on what leaving one of them out adds to that."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import inner_kernel
from shoal.kernels.grouping import mix
from shoal.kernels.single_dimensional.step_classes import (
    LABELS,
    PRICE,
    SIZE,
    TAKEN,
    Borders,
    ClassTerms,
    RecordSets,
    Steps,
    bound_price,
    clear,
    empty_table,
    hash_cell,
    hash_row,
    join,
    place,
)


class Joints(NamedTuple):
    """The atoms of a class that are joined since no useful step splits them, and arrays to find them.

    Args:
        sets: The joined atoms.
        spare: Workspace for those that are joined further.
        table: Places of rows, by hash.
        own: The coarse interval of the class in each column.
        last: The number of the last interval of the class in each column.
        number: The number of each fine interval where only useful boundaries count.
        joint: The step before each interval that is so numbered.
        useful: The steps by which the class might gain.
    """

    sets: RecordSets
    spare: RecordSets
    table: NDArray[np.int32]
    own: NDArray[np.int64]
    last: NDArray[np.int64]
    number: NDArray[np.int32]
    joint: NDArray[np.int32]
    useful: NDArray[np.bool_]


@inner_kernel
def number_intervals(steps: Steps, borders: Borders, joints: Joints) -> None:
    """Number the intervals of a class where only useful boundaries count. O(open boundaries)."""
    for j in range(steps.start.shape[0] - 1):
        start = steps.start[j]
        low, high = borders.low[start + joints.own[j]], borders.high[start + joints.own[j]]
        number = 0
        joints.number[start + low] = 0
        for f in range(low + 1, high + 1):
            if joints.useful[borders.edge[start + f]]:
                number += 1
                joints.joint[start + number] = borders.edge[start + f]
            joints.number[start + f] = number
        joints.last[j] = number


@inner_kernel
def join_atoms(
    terms: ClassTerms,
    start: NDArray[np.int64],
    atoms: RecordSets,
    sets: RecordSets,
    table: NDArray[np.int32],
    size: int,
    number: NDArray[np.int32],
    count: int,
) -> int:
    """Join the atoms of a class that no useful step splits, and price them; return how many are left. O(atoms)."""
    rows, keys, counts, words = sets
    n_joined = 0
    for a in range(count):
        for j in range(rows.shape[1]):
            rows[n_joined, j] = number[start[j] + atoms.rows[a, j]]
        keys[n_joined] = hash_row(rows[n_joined])
        found = place(table, size, rows, keys, n_joined)
        if found == n_joined:
            clear(counts, words, n_joined)
            n_joined += 1
        join(counts, words, found, atoms.counts, atoms.words, a)
    for a in range(n_joined):
        counts[a, PRICE] = bound_price(terms, counts, a)
    return n_joined


@inner_kernel
def neighbour(
    table: NDArray[np.int32], size: int, rows: NDArray[np.int32], keys: NDArray[np.uint64], a: int, column: int
) -> int:
    """Return the row that differs from the row `a` only in that it lies one interval before in a column, or -1."""
    key = keys[a] - hash_cell(column, 1)
    slot = np.int64(mix(key) & np.uint64(size - 1))
    while table[slot] >= 0:
        other = table[slot]
        if keys[other] == key:
            same = True
            for j in range(rows.shape[1]):
                if rows[other, j] != rows[a, j] - (j == column):
                    same = False
            if same:
                return other
        slot = (slot + 1) & (size - 1)
    return -1


@inner_kernel
def joined_price(terms: ClassTerms, counts: NDArray[np.int64], a: int, b: int) -> int:
    """Return what the records of two sets pay at least if they are one."""
    size = counts[a, SIZE] + counts[b, SIZE]
    if terms.squares:
        return size * max(size, terms.k)
    most = 0
    for v in range(LABELS, counts.shape[1]):
        most = max(most, counts[a, v] + counts[b, v])
    return size - most


@inner_kernel
def leave_out(
    steps: Steps,
    terms: ClassTerms,
    state: NDArray[np.int8],
    joints: Joints,
    size: int,
    n_joined: int,
    dearer: NDArray[np.int64],
) -> None:
    """Add to each cut point what the bound of a class grows by if it is left out: two neighbours are one. O(atoms)."""
    rows, keys, counts, _ = joints.sets
    for j in range(rows.shape[1]):
        if joints.last[j] == 0:
            continue
        for a in range(n_joined):
            if rows[a, j] == 0:
                continue
            step = joints.joint[steps.start[j] + rows[a, j]]
            need = steps.needs[step]
            if steps.spans[step] or (need >= 0 and state[need] != TAKEN):
                continue
            other = neighbour(joints.table, size, rows, keys, a, j)
            if other >= 0:
                dearer[step] += joined_price(terms, counts, a, other) - counts[a, PRICE] - counts[other, PRICE]


@inner_kernel
def leave_whole(terms: ClassTerms, joints: Joints, n_joined: int, column: int) -> int:
    """Return what the atoms of a class cost at least if one column is not split. O(atoms)."""
    rows, keys, counts, words = joints.spare
    sets = joints.sets
    size = empty_table(joints.table, n_joined)
    count = 0
    for a in range(n_joined):
        for j in range(rows.shape[1]):
            rows[count, j] = sets.rows[a, j]
        rows[count, column] = 0
        keys[count] = hash_row(rows[count])
        found = place(joints.table, size, rows, keys, count)
        if found == count:
            clear(counts, words, count)
            count += 1
        join(counts, words, found, sets.counts, sets.words, a)
    total = 0
    for a in range(count):
        total += bound_price(terms, counts, a)
    return total


@inner_kernel
def bound_class(
    steps: Steps,
    terms: ClassTerms,
    state: NDArray[np.int8],
    borders: Borders,
    atoms: RecordSets,
    joints: Joints,
    count: int,
    dearer: NDArray[np.int64],
) -> int:
    """Return the bound on what a class of so many atoms costs, and add what leaving steps out does to it."""
    number_intervals(steps, borders, joints)
    size = empty_table(joints.table, count)
    n_joined = join_atoms(terms, steps.start, atoms, joints.sets, joints.table, size, joints.number, count)
    bound = 0
    for a in range(n_joined):
        bound += joints.sets.counts[a, PRICE]
    leave_out(steps, terms, state, joints, size, n_joined, dearer)
    for j in range(atoms.rows.shape[1]):
        for i in range(1, joints.last[j] + 1):
            step = joints.joint[steps.start[j] + i]
            need = steps.needs[step]
            if steps.spans[step] and (need < 0 or state[need] == TAKEN):
                dearer[step] += leave_whole(terms, joints, n_joined, j) - bound
                break
    return bound
