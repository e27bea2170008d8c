"""Bounds on what a class costs whatever open steps are taken, and on what leaving some of them out costs.

Each record of a class pays at least for k records and for all of its atom. By the squares of the sizes, what leaving
steps out adds to that is at least the sum of what each adds alone: the atoms around a record grow by other records each
time, and a price that is convex in the size grows ever faster. And where all steps around an atom of fewer than k
records are taken, these records are lost. So of the steps around each such atom one is left out, or its records pay
in full: the bound grows by any way to spread payments over these atoms in which no step is paid for more than leaving it
out costs.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import inner_kernel
from shoal.kernels.step_classes import (
    PRICE,
    SIZE,
    TAKEN,
    Borders,
    Sets,
    Steps,
    Terms,
    bound_price,
    clear,
    empty_table,
    hash_cell,
    hash_row,
    join,
    place,
    slot_of,
)


class Joints(NamedTuple):
    """The atoms of a class that are joined since no useful step parts them, and arrays to find them.

    Args:
        sets: The joined atoms.
        spare: Room for those that are joined further.
        table: Places of rows, by hash.
        own: The coarse interval of the class in each column.
        last: The number of the last interval of the class in each column.
        number: The number of each fine interval where only useful boundaries count.
        joint: The step before each interval that is so numbered.
        useful: The steps by which the class might gain.
        n_small: The number of small atoms of all classes so far.
        around: The steps around each of them, then -1.
        records: The number of records of each.
    """

    sets: Sets
    spare: Sets
    table: NDArray[np.int32]
    own: NDArray[np.int64]
    last: NDArray[np.int64]
    number: NDArray[np.int32]
    joint: NDArray[np.int32]
    useful: NDArray[np.bool_]
    n_small: NDArray[np.int64]
    around: NDArray[np.int32]
    records: NDArray[np.int64]


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
    terms: Terms,
    start: NDArray[np.int64],
    atoms: Sets,
    sets: Sets,
    table: NDArray[np.int32],
    size: int,
    number: NDArray[np.int32],
    count: int,
) -> int:
    """Join the atoms of a class that no useful step parts, and price them; return how many are left. O(atoms)."""
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
def leave_out(
    steps: Steps,
    terms: Terms,
    state: NDArray[np.int8],
    joints: Joints,
    size: int,
    n_joined: int,
    dearer: NDArray[np.int64],
) -> None:
    """Add to each cut point what the bound of a class grows by if it is left out: two neighbours are one. O(atoms)."""
    rows, keys, counts, words = joints.sets
    spare = joints.spare
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
            for c in range(rows.shape[1]):
                rows[n_joined, c] = rows[a, c]
            rows[n_joined, j] -= 1
            keys[n_joined] = keys[a] - hash_cell(j, 1)
            other = joints.table[slot_of(joints.table, size, rows, keys, n_joined)]
            if other >= 0:
                clear(spare.counts, spare.words, 0)
                join(spare.counts, spare.words, 0, counts, words, a)
                join(spare.counts, spare.words, 0, counts, words, other)
                dearer[step] += bound_price(terms, spare.counts, 0) - counts[a, PRICE] - counts[other, PRICE]


@inner_kernel
def leave_whole(terms: Terms, joints: Joints, n_joined: int, column: int) -> int:
    """Return what the atoms of a class cost at least if one column is not parted. O(atoms)."""
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
def note_small(steps: Steps, terms: Terms, state: NDArray[np.int8], joints: Joints, n_joined: int) -> None:
    """Note the steps around each atom that has too few records, if all of them may be taken next. O(atoms)."""
    rows, counts = joints.sets.rows, joints.sets.counts
    for a in range(n_joined):
        if counts[a, SIZE] >= terms.k:
            continue
        n = joints.n_small[0]
        known, ready = 0, True
        for j in range(rows.shape[1]):
            for side in range(2):
                at = rows[a, j] + side
                if at == 0 or at > joints.last[j]:
                    continue
                step = joints.joint[steps.start[j] + at]
                need = steps.needs[step]
                ready = ready and (need < 0 or state[need] == TAKEN)
                if side == 0 or known == 0 or joints.around[n, known - 1] != step:
                    joints.around[n, known] = step
                    known += 1
        joints.around[n, known] = -1
        if ready and known > 0:
            joints.records[n] = counts[a, SIZE]
            joints.n_small[0] += 1


@inner_kernel
def bound_class(
    steps: Steps,
    terms: Terms,
    state: NDArray[np.int8],
    borders: Borders,
    atoms: Sets,
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
    if terms.squares:
        note_small(steps, terms, state, joints, n_joined)
    for j in range(atoms.rows.shape[1]):
        for i in range(1, joints.last[j] + 1):
            step = joints.joint[steps.start[j] + i]
            need = steps.needs[step]
            if steps.spans[step] and (need < 0 or state[need] == TAKEN):
                dearer[step] += leave_whole(terms, joints, n_joined, j) - bound
                break
    return bound


@inner_kernel
def hit_all(terms: Terms, joints: Joints, slack: NDArray[np.int64]) -> int:
    """Return what all small atoms pay together, those with few steps around them first; less is left of the slack.

    No atom pays more than it costs to lose its records, and no step is paid for beyond its slack. O(atoms x columns).
    """
    around, total = joints.around, 0
    for known in range(1, around.shape[1]):
        for n in range(joints.n_small[0]):
            if around[n, known] != -1 or around[n, known - 1] == -1:
                continue
            paid = np.int64(2**62) if terms.none_lost else joints.records[n] * (terms.full - terms.k)
            for i in range(known):
                paid = min(paid, slack[around[n, i]])
            if paid > 0:
                total += paid
                for i in range(known):
                    slack[around[n, i]] -= paid
    return total
