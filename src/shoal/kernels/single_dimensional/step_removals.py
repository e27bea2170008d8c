"""Removals: how the cost of a set of steps changes if one of them is not taken."""

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import inner_kernel, kernel
from shoal.kernels.single_dimensional.step_bounds import preceding_set
from shoal.kernels.single_dimensional.step_classes import (
    PRICE,
    SIZE,
    TAKEN,
    Borders,
    ClassTerms,
    RecordSets,
    Steps,
    add_set,
    class_price,
    clear_set,
    clear_table,
    fill_borders,
    find_or_insert,
    hash_row,
    set_passes,
)
from shoal.kernels.single_dimensional.steps import StepWorkspace


@inner_kernel
def class_cost(terms: ClassTerms, sets: RecordSets, a: int) -> int:
    """Return the cost of a class, whether it is released or suppressed."""
    if set_passes(terms, sets.counts, sets.words, a):
        return class_price(terms, sets.counts, a)
    return terms.full * sets.counts[a, SIZE]


@inner_kernel
def suppressed_size(terms: ClassTerms, sets: RecordSets, a: int) -> int:
    """Return how many records of a class are suppressed: all or none."""
    return 0 if set_passes(terms, sets.counts, sets.words, a) else sets.counts[a, SIZE]


@inner_kernel
def gather_classes(
    points: RecordSets,
    classes: RecordSets,
    steps: Steps,
    coarse: NDArray[np.int32],
    workspace: StepWorkspace,
    size: int,
) -> int:
    """Join the points of each class of the taken steps; return the number of classes. O(points)."""
    count = 0
    for i in range(points.rows.shape[0]):
        for j in range(points.rows.shape[1]):
            classes.rows[count, j] = coarse[steps.start[j] + points.rows[i, j]]
        classes.keys[count] = hash_row(classes.rows[count])
        found = find_or_insert(workspace.table, size, classes.rows, classes.keys, count)
        if found == count:
            clear_set(classes.counts, classes.words, count)
            count += 1
        add_set(classes.counts, classes.words, found, points.counts, points.words, i)
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
    """Add the change of cost and of suppressed records if the cut before interval `at` of a column is removed.

    O(classes).
    """
    classes, part = workspace.atoms, workspace.part
    rows, keys = classes.rows, classes.keys
    for a in range(count):
        if rows[a, column] != at:
            continue
        other = preceding_set(workspace.table, size, rows, keys, a, column)
        if other >= 0:
            clear_set(part.counts, part.words, 0)
            add_set(part.counts, part.words, 0, classes.counts, classes.words, a)
            add_set(part.counts, part.words, 0, classes.counts, classes.words, other)
            found[0, step] += class_cost(terms, part, 0) - classes.counts[a, PRICE] - classes.counts[other, PRICE]
            found[1, step] += (
                suppressed_size(terms, part, 0)
                - suppressed_size(terms, classes, a)
                - suppressed_size(terms, classes, other)
            )


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
    """Add the change of cost and of suppressed records if the intervals `first` to `last` of a column are joined.

    O(classes).
    """
    classes, joined, table = workspace.atoms, workspace.joints.sets, workspace.joints.table
    size = clear_table(table, count)
    n_joined = 0
    for a in range(count):
        if not first <= classes.rows[a, column] <= last:
            continue
        for j in range(classes.rows.shape[1]):
            joined.rows[n_joined, j] = classes.rows[a, j]
        joined.rows[n_joined, column] = first
        joined.keys[n_joined] = hash_row(joined.rows[n_joined])
        other = find_or_insert(table, size, joined.rows, joined.keys, n_joined)
        if other == n_joined:
            clear_set(joined.counts, joined.words, n_joined)
            n_joined += 1
        add_set(joined.counts, joined.words, other, classes.counts, classes.words, a)
        found[0, step] -= classes.counts[a, PRICE]
        found[1, step] -= suppressed_size(terms, classes, a)
    for a in range(n_joined):
        found[0, step] += class_cost(terms, joined, a)
        found[1, step] += suppressed_size(terms, joined, a)


@kernel
def price_removals(
    points: RecordSets,
    steps: Steps,
    terms: ClassTerms,
    state: NDArray[np.int8],
    borders: Borders,
    workspace: StepWorkspace,
) -> NDArray[np.int64]:
    """Return how the removal of each taken step changes the cost (row 0) and the number of suppressed records (row 1).

    Valid for steps that no other taken step needs. O(points x columns + steps x classes).
    """
    found = np.zeros((2, state.shape[0]), dtype=np.int64)
    done = np.zeros(state.shape[0], dtype=np.bool_)
    fill_borders(steps, state, borders)
    size = clear_table(workspace.table, points.rows.shape[0])
    count = gather_classes(points, workspace.atoms, steps, borders.coarse, workspace, size)
    for a in range(count):
        workspace.atoms.counts[a, PRICE] = class_cost(terms, workspace.atoms, a)
    for j in range(points.rows.shape[1]):
        start = steps.start[j]
        for g in range(start + 1, steps.start[j + 1]):
            step = steps.owner[g]
            if step < 0 or state[step] != TAKEN or done[step]:
                continue
            done[step] = True  # the split of a node has several boundaries
            if steps.spans[step]:
                first, last = borders.coarse[start + steps.begin[step]], borders.coarse[start + steps.end[step] - 1]
                join_span(terms, workspace, count, j, first, last, step, found)
            else:
                join_neighbours(terms, workspace, size, count, j, borders.coarse[g], step, found)
    return found
