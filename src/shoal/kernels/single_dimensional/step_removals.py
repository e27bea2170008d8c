"""Removals: what a set of steps costs without one of them."""

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import inner_kernel, kernel
from shoal.kernels.single_dimensional.step_bounds import neighbour
from shoal.kernels.single_dimensional.step_classes import (
    PRICE,
    SIZE,
    TAKEN,
    Borders,
    ClassTerms,
    RecordSets,
    Steps,
    clear,
    empty_table,
    hash_row,
    join,
    passes,
    place,
    price,
)
from shoal.kernels.single_dimensional.steps import StepWorkspace, fill_borders


@inner_kernel
def due(terms: ClassTerms, sets: RecordSets, a: int) -> int:
    """Return what a class costs, released or suppressed."""
    if passes(terms, sets.counts, sets.words, a):
        return price(terms, sets.counts, a)
    return terms.full * sets.counts[a, SIZE]


@inner_kernel
def lost(terms: ClassTerms, sets: RecordSets, a: int) -> int:
    """Return how many records of a class are suppressed."""
    return 0 if passes(terms, sets.counts, sets.words, a) else sets.counts[a, SIZE]


@inner_kernel
def gather_classes(
    points: RecordSets,
    classes: RecordSets,
    steps: Steps,
    coarse: NDArray[np.int32],
    workspace: StepWorkspace,
    size: int,
) -> int:
    """Join the points of each class by the taken steps; return the number of classes. O(points)."""
    count = 0
    for i in range(points.rows.shape[0]):
        for j in range(points.rows.shape[1]):
            classes.rows[count, j] = coarse[steps.start[j] + points.rows[i, j]]
        classes.keys[count] = hash_row(classes.rows[count])
        found = place(workspace.table, size, classes.rows, classes.keys, count)
        if found == count:
            clear(classes.counts, classes.words, count)
            count += 1
        join(classes.counts, classes.words, found, points.counts, points.words, i)
    return count


@inner_kernel
def join_neighbours(
    terms: ClassTerms,
    workspace: StepWorkspace,
    size: int,
    count: int,
    column: int,
    at: int,
    step: int,
    found: NDArray[np.int64],
) -> None:
    """Add what it changes to join the classes on both sides of a cut point, before the interval `at`. O(classes)."""
    classes, part = workspace.atoms, workspace.part
    rows, keys = classes.rows, classes.keys
    for a in range(count):
        if rows[a, column] != at:
            continue
        other = neighbour(workspace.table, size, rows, keys, a, column)
        if other >= 0:
            clear(part.counts, part.words, 0)
            join(part.counts, part.words, 0, classes.counts, classes.words, a)
            join(part.counts, part.words, 0, classes.counts, classes.words, other)
            found[0, step] += due(terms, part, 0) - classes.counts[a, PRICE] - classes.counts[other, PRICE]
            found[1, step] += lost(terms, part, 0) - lost(terms, classes, a) - lost(terms, classes, other)


@inner_kernel
def join_span(
    terms: ClassTerms,
    workspace: StepWorkspace,
    count: int,
    column: int,
    first: int,
    last: int,
    step: int,
    found: NDArray[np.int64],
) -> None:
    """Add what it changes to join all classes from one interval of a column to another. O(classes)."""
    classes, joined, table = workspace.atoms, workspace.joints.sets, workspace.joints.table
    size = empty_table(table, count)
    n_joined = 0
    for a in range(count):
        if not first <= classes.rows[a, column] <= last:
            continue
        for j in range(classes.rows.shape[1]):
            joined.rows[n_joined, j] = classes.rows[a, j]
        joined.rows[n_joined, column] = first
        joined.keys[n_joined] = hash_row(joined.rows[n_joined])
        other = place(table, size, joined.rows, joined.keys, n_joined)
        if other == n_joined:
            clear(joined.counts, joined.words, n_joined)
            n_joined += 1
        join(joined.counts, joined.words, other, classes.counts, classes.words, a)
        found[0, step] -= classes.counts[a, PRICE]
        found[1, step] -= lost(terms, classes, a)
    for a in range(n_joined):
        found[0, step] += due(terms, joined, a)
        found[1, step] += lost(terms, joined, a)


@kernel
def removals(
    points: RecordSets,
    steps: Steps,
    terms: ClassTerms,
    state: NDArray[np.int8],
    borders: Borders,
    workspace: StepWorkspace,
) -> NDArray[np.int64]:
    """Return, for each taken step, by how much its removal changes the cost, and the number of suppressed records.

    Only for steps that no taken one needs. O(points x columns + steps x classes).
    """
    found = np.zeros((2, state.shape[0]), dtype=np.int64)
    done = np.zeros(state.shape[0], dtype=np.bool_)
    fill_borders(steps, state, borders)
    size = empty_table(workspace.table, points.rows.shape[0])
    count = gather_classes(points, workspace.atoms, steps, borders.coarse, workspace, size)
    for a in range(count):
        workspace.atoms.counts[a, PRICE] = due(terms, workspace.atoms, a)
    for j in range(points.rows.shape[1]):
        start = steps.start[j]
        for g in range(start + 1, steps.start[j + 1]):
            step = steps.owner[g]
            if step < 0 or state[step] != TAKEN or done[step]:
                continue
            done[step] = True  # a node has several boundaries
            if steps.spans[step]:
                first, last = borders.coarse[start + steps.begin[step]], borders.coarse[start + steps.end[step] - 1]
                join_span(terms, workspace, count, j, first, last, step, found)
            else:
                join_neighbours(terms, workspace, size, count, j, borders.coarse[g], step, found)
    return found
