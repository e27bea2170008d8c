"""Evaluate a set of cut points: its cost, and bounds on the cost after each further cut.

The values of a column stand in a fixed order and are divided into grains, which are never split. A step is one or more
boundaries between grains of one column: either a cut point, or the split of a node of a tree into its children. The
split of a node requires the split of the node above it. Every step is in one of three states: `OUT`, `OPEN` (it may
still be taken) or `TAKEN`. The taken steps divide the records into classes. The steps that are not out divide them into
atoms, which are at least as fine.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import inner_kernel, kernel
from shoal.kernels.single_dimensional.step_bounds import JoinedAtoms, bound_class
from shoal.kernels.single_dimensional.step_classes import (
    OPEN,
    PRICE,
    SIZE,
    TAKEN,
    Borders,
    ClassTerms,
    RecordSets,
    Steps,
    add_set,
    bound_price,
    class_price,
    clear_set,
    clear_table,
    fill_borders,
    find_or_insert,
    hash_row,
    set_passes,
    sort_points_by_class,
)

LOST, COST, TAKE, LEAVE, USE = range(5)  # rows of `found`, see `evaluate_state`
_LAST, _PASSING, _FAILED, _REST, _ALONE, _EXACT = range(6)  # rows of `tried`, see `StepWorkspace`


class StepWorkspace(NamedTuple):
    """Arrays that `evaluate_state` overwrites, allocated once.

    `tried` has one row for each of: `_LAST`, where the part that is being counted begins; `_PASSING`, the number of
    parts that pass, or -1 if the step has not been met in this class; `_FAILED`, the records of the parts that fail;
    `_REST`, a lower bound on what the passing parts cost; `_ALONE`, the same for the failing parts; `_EXACT`, the cost
    of all parts if no other step is taken.

    Args:
        atoms: The atoms of one class.
        joints: The same atoms, joined where no useful step splits them.
        sums: `sums[f]`, totals over the first `f` intervals of one column; its words are those of interval `f` alone.
        part: A single set of records.
        before: `before[f]`, the sensitive values in the first `f` intervals of one column.
        after: `after[f]`, the sensitive values in the intervals behind these.
        table: A hash table of row numbers; -1 marks a free slot.
        order: The points, sorted by class.
        owners: The class of each point.
        begins: Where each class begins in `order`.
        firsts: One point of each atom.
        seen: The steps that split the current class, in the order in which they were met.
        tried: `tried[row, step]`, what becomes of the current class if only this step is taken.
        kept: The atoms of all classes that pass.
    """

    atoms: RecordSets
    joints: JoinedAtoms
    sums: RecordSets
    part: RecordSets
    before: NDArray[np.uint64]
    after: NDArray[np.uint64]
    table: NDArray[np.int32]
    order: NDArray[np.int64]
    owners: NDArray[np.int64]
    begins: NDArray[np.int64]
    firsts: NDArray[np.int64]
    seen: NDArray[np.int64]
    tried: NDArray[np.int64]
    kept: RecordSets


@inner_kernel
def gather_atoms(
    points: RecordSets,
    atoms: RecordSets,
    start: NDArray[np.int64],
    fine: NDArray[np.int32],
    table: NDArray[np.int32],
    members: NDArray[np.int64],
    firsts: NDArray[np.int64],
) -> int:
    """Join the points of a class that agree in all fine intervals; return the number of atoms. O(points).

    A fine interval ends at every boundary whose step is not out, so no state within this one can separate the points of
    an atom.
    """
    size = clear_table(table, members.shape[0])
    count = 0
    for i in members:
        for j in range(start.shape[0] - 1):
            atoms.rows[count, j] = fine[start[j] + points.rows[i, j]]
        atoms.keys[count] = hash_row(atoms.rows[count])
        found = find_or_insert(table, size, atoms.rows, atoms.keys, count)
        if found == count:
            clear_set(atoms.counts, atoms.words, count)
            firsts[count] = i
            count += 1
        add_set(atoms.counts, atoms.words, found, points.counts, points.words, i)
    return count


@inner_kernel
def keep_atoms(
    points: RecordSets,
    atoms: RecordSets,
    terms: ClassTerms,
    firsts: NDArray[np.int64],
    count: int,
    kept: RecordSets,
    n_kept: int,
) -> int:
    """Append the atoms of a class to `kept`, as points, and write the lower bound of each. O(atoms)."""
    for a in range(count):
        for j in range(points.rows.shape[1]):
            kept.rows[n_kept + a, j] = points.rows[firsts[a], j]
        clear_set(kept.counts, kept.words, n_kept + a)
        add_set(kept.counts, kept.words, n_kept + a, atoms.counts, atoms.words, a)
        atoms.counts[a, PRICE] = bound_price(terms, atoms.counts, a)
    return n_kept + count


@inner_kernel
def fill_column(
    atoms: RecordSets,
    sums: RecordSets,
    before: NDArray[np.uint64],
    after: NDArray[np.uint64],
    count: int,
    column: int,
    low: int,
    width: int,
) -> None:
    """Write the total counts and the sensitive values of each prefix of the intervals of one column. O(atoms + width).

    `after` receives the values of the intervals behind each prefix.
    """
    counts, words = sums.counts, sums.words
    for f in range(width + 1):
        clear_set(counts, words, f)
    for a in range(count):
        add_set(counts, words, atoms.rows[a, column] - low + 1, atoms.counts, atoms.words, a)
    for w in range(words.shape[1]):
        after[width, w] = 0
        for f in range(width, 0, -1):
            after[f - 1, w] = after[f, w] | words[f, w]
        before[0, w] = 0
        for f in range(1, width + 1):
            before[f, w] = before[f - 1, w] | words[f, w]
    for f in range(1, width + 1):
        for v in range(counts.shape[1]):
            counts[f, v] += counts[f - 1, v]


@inner_kernel
def split_words(
    sums: NDArray[np.uint64],
    before: NDArray[np.uint64],
    after: NDArray[np.uint64],
    part: NDArray[np.uint64],
    begin: int,
    end: int,
    width: int,
) -> None:
    """Write the sensitive values that occur in the intervals `begin + 1` to `end`.

    O(words) where they begin at the first interval or end at the last one, else O(words x intervals).
    """
    for w in range(part.shape[1]):
        if begin == 0:
            part[0, w] = before[end, w]
        elif end == width:
            part[0, w] = after[begin, w]
        else:
            part[0, w] = 0
            for f in range(begin + 1, end + 1):
                part[0, w] |= sums[f, w]


@inner_kernel
def close_part(
    terms: ClassTerms,
    sums: NDArray[np.int64],
    counts: NDArray[np.int64],
    words: NDArray[np.uint64],
    tried: NDArray[np.int64],
    step: int,
    begin: int,
    end: int,
) -> None:
    """Test the part of a class between two ends, and add the result to those of the step."""
    for v in range(counts.shape[1]):
        counts[0, v] = sums[end, v] - sums[begin, v]
    if set_passes(terms, counts, words, 0):
        tried[_PASSING, step] += 1
        tried[_REST, step] += counts[0, PRICE]
        tried[_EXACT, step] += class_price(terms, counts, 0)
    else:
        tried[_FAILED, step] += counts[0, SIZE]
        tried[_ALONE, step] += bound_price(terms, counts, 0)
        tried[_EXACT, step] += terms.full * counts[0, SIZE]


@inner_kernel
def try_column(
    steps: Steps,
    terms: ClassTerms,
    borders: Borders,
    workspace: StepWorkspace,
    column: int,
    low: int,
    width: int,
    n_seen: int,
) -> int:
    """Split a class by each open step of one column alone; return the number of steps met so far. O(width).

    The boundaries are visited from left to right, and each one ends a part of its step. Then the last part of every
    step is ended, where the grains of the step end.
    """
    start, sums, tried, part = steps.start[column], workspace.sums, workspace.tried, workspace.part
    first, f = n_seen, 0
    while True:
        f += 1
        if f < width:
            step, end = borders.edge[start + low + f], f
            if tried[_PASSING, step] < 0:
                workspace.seen[n_seen] = step
                n_seen += 1
                tried[:, step] = 0
                tried[_LAST, step] = max(borders.fine[start + steps.begin[step]] - low, 0)
        elif f - width < n_seen - first:
            step = workspace.seen[first + f - width]
            end = min(borders.fine[start + steps.end[step] - 1] - low + 1, width)
        else:
            return n_seen
        begin = tried[_LAST, step]
        tried[_LAST, step] = end
        if sums.counts[end, SIZE] > sums.counts[begin, SIZE]:
            split_words(sums.words, workspace.before, workspace.after, part.words, begin, end, width)
            close_part(terms, sums.counts, part.counts, part.words, tried, step, begin, end)


@inner_kernel
def mark_useful(
    steps: Steps,
    terms: ClassTerms,
    state: NDArray[np.int8],
    seen: NDArray[np.int64],
    tried: NDArray[np.int64],
    useful: NDArray[np.bool_],
    size: int,
) -> bool:
    """Mark the steps by which the class might gain, and the steps that they need; return whether there are any.

    A step that leaves at most one passing part never lowers the cost of the class, whatever other steps are taken: the
    records of the other parts are suppressed, and joining them to the part that passes costs no more. Where the cost is
    the square of the size, this holds for a class of at most half of the records; in a larger one every step is useful.
    """
    large = terms.squares and 2 * size > terms.n_records
    some = False
    for s in range(seen.shape[0]):
        step = seen[s]
        if large or tried[_PASSING, step] >= 2:
            some = True
            while step >= 0 and state[step] == OPEN and not useful[step]:
                useful[step] = True
                step = steps.needs[step]
    return some


@inner_kernel
def note_steps(
    steps: Steps,
    terms: ClassTerms,
    state: NDArray[np.int8],
    seen: NDArray[np.int64],
    tried: NDArray[np.int64],
    useful: NDArray[np.bool_],
    cost: int,
    bound: int,
    found: NDArray[np.int64],
) -> None:
    """Add what one class contributes to each step, and reset what was noted of the class. O(steps met).

    If the step is taken, its failing parts are suppressed, which costs `full` for each record. The bound already counts
    these records. For a useful step it counts at most `_ALONE` for them, so it grows by at least the difference. For
    any other step the bound with the step taken is compared with the bound of the class itself.
    """
    for step in seen:
        need = steps.needs[step]
        if need < 0 or state[need] == TAKEN:
            found[LOST, step] += tried[_FAILED, step]
            found[COST, step] += tried[_EXACT, step] - cost
            more = terms.full * tried[_FAILED, step]
            if useful[step]:
                found[TAKE, step] += more - tried[_ALONE, step]
            else:
                found[TAKE, step] += max(more + tried[_REST, step] - bound, 0)
        if useful[step]:
            found[USE, step] = 1
        useful[step] = False
        tried[_PASSING, step] = -1


@inner_kernel
def join_class(points: RecordSets, part: RecordSets, members: NDArray[np.int64]) -> None:
    """Write the union of all points of a class into `part`. O(points)."""
    clear_set(part.counts, part.words, 0)
    for i in members:
        add_set(part.counts, part.words, 0, points.counts, points.words, i)


@kernel
def evaluate_state(
    points: RecordSets,
    steps: Steps,
    terms: ClassTerms,
    state: NDArray[np.int8],
    borders: Borders,
    workspace: StepWorkspace,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the totals of a state, and the effect of each of its steps. O(points x columns).

    A state decides some steps (out or taken) and leaves the others open. The totals are:

        0. the number of records that are suppressed if no further step is taken,
        1. the cost of that release,
        2. a lower bound on the cost with any subset of the open steps,
        3. the number of atoms in `workspace.kept`.

    `found[row, step]` is filled for each open step that may be taken next, that is, whose required step is taken:

        `LOST`: how many more records are suppressed if the step is taken;
        `COST`: by how much the cost changes if the step is taken;
        `TAKE`: by how much at least the lower bound grows if the step is taken;
        `LEAVE`: by how much at least it grows if the step, and all that need it, are left out.

    `USE` is filled for all open steps: 1 if some class might gain by the step.

    `workspace.kept` receives the atoms of the classes that pass. Every state that decides further open steps can be
    evaluated on these atoms instead of the points: an atom is split by no step that is not out, and a class that fails
    here fails in all such states.
    """
    totals = np.zeros(4, dtype=np.int64)
    found = np.zeros((5, state.shape[0]), dtype=np.int64)
    fill_borders(steps, state, borders)
    atoms, joints, part, start = workspace.atoms, workspace.joints, workspace.part, steps.start
    sorting = (workspace.table, workspace.order, workspace.owners, workspace.begins)
    for c in range(sort_points_by_class(points.rows, start, borders.coarse, atoms.rows, atoms.keys, sorting)):
        members = workspace.order[workspace.begins[c] : workspace.begins[c + 1]]
        join_class(points, part, members)
        size = part.counts[0, SIZE]
        if not set_passes(terms, part.counts, part.words, 0):
            totals[0] += size
            totals[1] += terms.full * size
            totals[2] += terms.full * size
            continue
        cost = class_price(terms, part.counts, 0)
        count = gather_atoms(points, atoms, start, borders.fine, workspace.table, members, workspace.firsts)
        totals[3] = keep_atoms(points, atoms, terms, workspace.firsts, count, workspace.kept, totals[3])
        n_seen = 0
        for j in range(start.shape[0] - 1):
            own = borders.coarse[start[j] + points.rows[members[0], j]]
            joints.own[j] = own
            low, high = borders.low[start[j] + own], borders.high[start[j] + own]
            if low < high:
                fill_column(atoms, workspace.sums, workspace.before, workspace.after, count, j, low, high - low + 1)
                n_seen = try_column(steps, terms, borders, workspace, j, low, high - low + 1, n_seen)
        bound = cost
        if mark_useful(steps, terms, state, workspace.seen[:n_seen], workspace.tried, joints.useful, size):
            bound = bound_class(steps, terms, state, borders, atoms, joints, count, found[LEAVE])
        note_steps(steps, terms, state, workspace.seen[:n_seen], workspace.tried, joints.useful, cost, bound, found)
        totals[1] += cost
        totals[2] += bound
    return totals, found
