"""Removals: what a set of steps costs without one of them."""

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import inner_kernel, kernel
from shoal.kernels.step_classes import (
    TAKEN,
    Atoms,
    Points,
    Room,
    Steps,
    add_member,
    clear,
    empty_table,
    hash_row,
    passes,
    place,
    price,
    seek,
)
from shoal.kernels.steps import Borders, fill_borders


@inner_kernel
def due(steps: Steps, atoms: Atoms, a: int) -> int:
    """Return what a class costs, released or suppressed."""
    return price(steps, atoms, a) if passes(steps, atoms, a) else steps.full * atoms.sizes[a]


@inner_kernel
def lost(steps: Steps, atoms: Atoms, a: int) -> int:
    """Return how many records of a class are suppressed."""
    return 0 if passes(steps, atoms, a) else atoms.sizes[a]


@inner_kernel
def gather_classes(points: Points, steps: Steps, coarse: NDArray[np.int32], room: Room) -> int:
    """Join the points of each class by the taken steps; return the number of classes. O(points)."""
    atoms, n_columns = room.atoms, points.rows.shape[1]
    size = empty_table(room.table, points.rows.shape[0])
    room.table_size[0] = size
    count = 0
    for i in range(points.rows.shape[0]):
        for j in range(n_columns):
            atoms.rows[count, j] = coarse[steps.start[j] + points.rows[i, j]]
        atoms.keys[count] = hash_row(atoms.rows[count])
        found = place(room.table, size, atoms, count)
        if found == count:
            clear(atoms, count)
            count += 1
        add_member(atoms, found, points.sizes[i], points.labels[i], points.words[i])
    return count


@inner_kernel
def join_neighbours(
    steps: Steps, room: Room, count: int, column: int, at: int, step: int, found: NDArray[np.int64]
) -> None:
    """Add what it changes to join the classes on both sides of a cut point, before the interval `at`. O(classes)."""
    atoms, part = room.atoms, room.part
    for a in range(count):
        if atoms.rows[a, column] != at:
            continue
        for j in range(atoms.rows.shape[1]):
            atoms.rows[count, j] = atoms.rows[a, j]
        atoms.rows[count, column] = at - 1
        atoms.keys[count] = hash_row(atoms.rows[count])
        other = seek(room.table, room.table_size[0], atoms, count)
        if other >= 0:
            clear(part, 0)
            add_member(part, 0, atoms.sizes[a], atoms.labels[a], atoms.words[a])
            add_member(part, 0, atoms.sizes[other], atoms.labels[other], atoms.words[other])
            found[0, step] += due(steps, part, 0) - atoms.prices[a] - atoms.prices[other]
            found[1, step] += lost(steps, part, 0) - lost(steps, atoms, a) - lost(steps, atoms, other)


@inner_kernel
def join_span(
    steps: Steps, room: Room, count: int, column: int, first: int, last: int, step: int, found: NDArray[np.int64]
) -> None:
    """Add what it changes to join all classes from one interval of a column to another. O(classes)."""
    atoms, joined = room.atoms, room.joined
    size = empty_table(room.spare, count)
    n_joined = 0
    for a in range(count):
        if not first <= atoms.rows[a, column] <= last:
            continue
        for j in range(atoms.rows.shape[1]):
            joined.rows[n_joined, j] = atoms.rows[a, j]
        joined.rows[n_joined, column] = first
        joined.keys[n_joined] = hash_row(joined.rows[n_joined])
        other = place(room.spare, size, joined, n_joined)
        if other == n_joined:
            clear(joined, n_joined)
            n_joined += 1
        add_member(joined, other, atoms.sizes[a], atoms.labels[a], atoms.words[a])
        found[0, step] -= atoms.prices[a]
        found[1, step] -= lost(steps, atoms, a)
    for a in range(n_joined):
        found[0, step] += due(steps, joined, a)
        found[1, step] += lost(steps, joined, a)


@kernel
def removals(
    points: Points, steps: Steps, state: NDArray[np.int8], borders: Borders, room: Room
) -> NDArray[np.int64]:
    """Return, for each taken step, by how much its removal changes the cost, and the number of suppressed records.

    Only for steps that no taken one needs. O(points x columns + steps x classes).
    """
    found = np.zeros((2, state.shape[0]), dtype=np.int64)
    fill_borders(steps, state, borders)
    count = gather_classes(points, steps, borders.coarse, room)
    for a in range(count):
        room.atoms.prices[a] = due(steps, room.atoms, a)
    for j in range(points.rows.shape[1]):
        start = steps.start[j]
        for g in range(start + 1, steps.start[j + 1]):
            step = steps.owner[g]
            if step < 0 or state[step] != TAKEN:
                continue
            if not steps.spans[step]:
                join_neighbours(steps, room, count, j, borders.coarse[g], step, found)
            elif not room.useful[step]:  # once, at its first boundary
                room.useful[step] = True
                first, last = borders.coarse[start + steps.begin[step]], borders.coarse[start + steps.end[step] - 1]
                join_span(steps, room, count, j, first, last, step, found)
    room.useful[:] = False
    return found
