"""Lower bounds on the cost of a class for any choice of the open steps, and how they grow if one is left out."""

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
    add_set,
    bound_price,
    clear_set,
    clear_table,
    find_or_insert,
    hash_cell,
    hash_row,
)


class JoinedAtoms(NamedTuple):
    """The atoms of a class, joined where no useful step splits them, and workspaces to find them.

    Args:
        sets: The joined atoms.
        spare: Workspace for a coarser joining.
        table: A hash table of row numbers; -1 marks a free slot.
        own: The coarse interval of the class in each column.
        last: The highest interval number of the class in each column; intervals are numbered from 0.
        number: For each fine interval of a column, its number if only useful boundaries count.
        joint: For each such number, the step of the boundary before it.
        useful: Whether the class might gain by each step.
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
def number_intervals(steps: Steps, borders: Borders, joints: JoinedAtoms) -> None:
    """Number the intervals of a class, ending them at useful boundaries only. O(open boundaries)."""
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
    """Join the atoms of a class that no useful step splits, and bound the cost of each; return their number.

    O(atoms).
    """
    rows, keys, counts, words = sets
    n_joined = 0
    for a in range(count):
        for j in range(rows.shape[1]):
            rows[n_joined, j] = number[start[j] + atoms.rows[a, j]]
        keys[n_joined] = hash_row(rows[n_joined])
        found = find_or_insert(table, size, rows, keys, n_joined)
        if found == n_joined:
            clear_set(counts, words, n_joined)
            n_joined += 1
        add_set(counts, words, found, atoms.counts, atoms.words, a)
    for a in range(n_joined):
        counts[a, PRICE] = bound_price(terms, counts, a)
    return n_joined


@inner_kernel
def preceding_set(
    table: NDArray[np.int32], size: int, rows: NDArray[np.int32], keys: NDArray[np.uint64], a: int, column: int
) -> int:
    """Return the row that equals row `a` except that it is one interval earlier in `column`; -1 if there is none.

    O(columns).
    """
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
def joined_bound(terms: ClassTerms, counts: NDArray[np.int64], a: int, b: int) -> int:
    """Return a lower bound on the cost of the records of two sets that are in one class. O(labels)."""
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
    joints: JoinedAtoms,
    size: int,
    n_joined: int,
    growth: NDArray[np.int64],
) -> None:
    """Add to each cut point by how much the bound of a class grows if the cut is left out. O(atoms x columns).

    Without the cut, the joined atoms on both sides of it are in one class wherever they agree in the other columns. The
    bound of each such pair replaces the two bounds of its members.
    """
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
            other = preceding_set(joints.table, size, rows, keys, a, j)
            if other >= 0:
                growth[step] += joined_bound(terms, counts, a, other) - counts[a, PRICE] - counts[other, PRICE]


@inner_kernel
def leave_whole(terms: ClassTerms, joints: JoinedAtoms, n_joined: int, column: int) -> int:
    """Return a lower bound on the cost of a class if one column is not split at all. O(atoms)."""
    rows, keys, counts, words = joints.spare
    sets = joints.sets
    size = clear_table(joints.table, n_joined)
    count = 0
    for a in range(n_joined):
        for j in range(rows.shape[1]):
            rows[count, j] = sets.rows[a, j]
        rows[count, column] = 0
        keys[count] = hash_row(rows[count])
        found = find_or_insert(joints.table, size, rows, keys, count)
        if found == count:
            clear_set(counts, words, count)
            count += 1
        add_set(counts, words, found, sets.counts, sets.words, a)
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
    joints: JoinedAtoms,
    count: int,
    growth: NDArray[np.int64],
) -> int:
    """Return a lower bound on the cost of a class for any choice of the open steps. O(atoms x columns).

    The bound is the sum over the joined atoms. It holds since steps that are not useful never lower the cost of the
    class (`mark_useful`), and no useful step splits a joined atom. Added to `growth`, for each step that may be taken
    next, is by how much the bound grows if the step is left out.
    """
    number_intervals(steps, borders, joints)
    size = clear_table(joints.table, count)
    n_joined = join_atoms(terms, steps.start, atoms, joints.sets, joints.table, size, joints.number, count)
    bound = 0
    for a in range(n_joined):
        bound += joints.sets.counts[a, PRICE]
    leave_out(steps, terms, state, joints, size, n_joined, growth)
    for j in range(atoms.rows.shape[1]):
        for i in range(1, joints.last[j] + 1):
            step = joints.joint[steps.start[j] + i]
            need = steps.needs[step]
            if steps.spans[step] and (need < 0 or state[need] == TAKEN):
                growth[step] += leave_whole(terms, joints, n_joined, j) - bound
                break
    return bound
