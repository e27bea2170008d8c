"""Steps: what a set of cut points costs, and bounds on what each further one can make of it.

Each column's values stand in an order, split into grains. A step is one or more boundaries between grains of one
column: a cut point, or the split of a node of a tree into its children, which needs that of the node above. Every
step is out, open (it may still be taken) or taken. The taken ones make the classes, all that are not out the atoms.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import inner_kernel, kernel
from shoal.kernels.single_dimensional.step_bounds import Joints, bound_class
from shoal.kernels.single_dimensional.step_classes import (
    OPEN,
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
    hash_row,
    join,
    passes,
    place,
    price,
)

LOST, COST, TAKE, LEAVE, USE = range(5)  # what is found out about a step
_LAST, _PASSING, _FAILED, _REST, _ALONE, _EXACT = range(6)  # what one class tells of a step


class StepWorkspace(NamedTuple):
    """Arrays that a look writes to, so that it need not make them.

    Args:
        atoms: The atoms of a class.
        joints: Those that are joined, and what is to know of them.
        sums: By the intervals of one column, what lies before their ends.
        part: One set of records.
        before: By the intervals of one column, the values up to its end.
        after: The values behind it.
        table: Places of rows, by hash.
        order: The points by class.
        owners: The class of each point.
        begins: Where each class begins.
        firsts: A point of each atom.
        seen: The steps that might split the class.
        tried: What the class tells of each step.
        kept: The atoms of all classes that pass.
    """

    atoms: RecordSets
    joints: Joints
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
def fill_borders(steps: Steps, state: NDArray[np.int8], borders: Borders) -> None:
    """Number the intervals of all columns. O(grains)."""
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
def sort_by_class(
    points: NDArray[np.int32],
    start: NDArray[np.int64],
    coarse: NDArray[np.int32],
    rows: NDArray[np.int32],
    keys: NDArray[np.uint64],
    workspace: tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]],
) -> int:
    """Write the points by class into `order`, and where each class begins into `begins`. O(points)."""
    table, order, owners, begins = workspace
    n, n_columns = points.shape
    size = empty_table(table, n)
    count = 0
    for i in range(n):
        for j in range(n_columns):
            rows[count, j] = coarse[start[j] + points[i, j]]
        keys[count] = hash_row(rows[count])
        found = place(table, size, rows, keys, count)
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
    """Join the points of a class that no step which is not out can split; return the number of atoms. O(points)."""
    size = empty_table(table, members.shape[0])
    count = 0
    for i in members:
        for j in range(start.shape[0] - 1):
            atoms.rows[count, j] = fine[start[j] + points.rows[i, j]]
        atoms.keys[count] = hash_row(atoms.rows[count])
        found = place(table, size, atoms.rows, atoms.keys, count)
        if found == count:
            clear(atoms.counts, atoms.words, count)
            firsts[count] = i
            count += 1
        join(atoms.counts, atoms.words, found, points.counts, points.words, i)
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
    """Write the atoms of a class as points, behind those that were kept before, and price them. O(atoms)."""
    for a in range(count):
        for j in range(points.rows.shape[1]):
            kept.rows[n_kept + a, j] = points.rows[firsts[a], j]
        clear(kept.counts, kept.words, n_kept + a)
        join(kept.counts, kept.words, n_kept + a, atoms.counts, atoms.words, a)
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
    """Add up sizes, bounds, labels and values over the intervals of one column, from the first on. O(atoms + width)."""
    counts, words = sums.counts, sums.words
    for f in range(width + 1):
        clear(counts, words, f)
    for a in range(count):
        join(counts, words, atoms.rows[a, column] - low + 1, atoms.counts, atoms.words, a)
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
    """Find the values of the intervals after `begin` up to `end`."""
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
    """Judge the part of a class between two ends, and note it with the step."""
    for v in range(counts.shape[1]):
        counts[0, v] = sums[end, v] - sums[begin, v]
    if passes(terms, counts, words, 0):
        tried[_PASSING, step] += 1
        tried[_REST, step] += counts[0, PRICE]
        tried[_EXACT, step] += price(terms, counts, 0)
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
    """Split a class by each open step of one column; return the number of steps seen so far. O(width)."""
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
    """Mark the steps by which a part of the class might gain, and those that they need; tell whether there are any.

    A step that leaves at most one part which passes never lowers what the class costs, whatever else is taken: the
    records of the other parts are suppressed, and joining them to the one that passes costs no more. By the squares of
    the sizes that needs a class of at most half of the records.
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
    """Add to each step what one class tells of it, and forget the class."""
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
def whole_class(points: RecordSets, part: RecordSets, members: NDArray[np.int64]) -> None:
    """Join all points of a class. O(points)."""
    clear(part.counts, part.words, 0)
    for i in members:
        join(part.counts, part.words, 0, points.counts, points.words, i)


@kernel
def look(
    points: RecordSets,
    steps: Steps,
    terms: ClassTerms,
    state: NDArray[np.int8],
    borders: Borders,
    workspace: StepWorkspace,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return what the taken steps lose, cost, and a bound on what they cost with any open ones; and of each step, so.

    For each open step that may be taken next: the further records that are lost with it (`LOST`), by how much it
    changes the cost (`COST`), by how much the bound grows if it is taken (`TAKE`) or left out, with all that need it
    (`LEAVE`); and for all open ones whether any class might gain by it (`USE`). The atoms of the classes that pass are
    written to `workspace.kept`, and their number is the last total: they are the points of all states within this one.
    O(points x columns).
    """
    totals = np.zeros(4, dtype=np.int64)
    found = np.zeros((5, state.shape[0]), dtype=np.int64)
    fill_borders(steps, state, borders)
    atoms, joints, part, start = workspace.atoms, workspace.joints, workspace.part, steps.start
    sorting = (workspace.table, workspace.order, workspace.owners, workspace.begins)
    for c in range(sort_by_class(points.rows, start, borders.coarse, atoms.rows, atoms.keys, sorting)):
        members = workspace.order[workspace.begins[c] : workspace.begins[c + 1]]
        whole_class(points, part, members)
        size = part.counts[0, SIZE]
        if not passes(terms, part.counts, part.words, 0):
            totals[0] += size
            totals[1] += terms.full * size
            totals[2] += terms.full * size
            continue
        cost = price(terms, part.counts, 0)
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
