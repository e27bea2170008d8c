"""Steps: what a set of cut points costs, and bounds on what each further one can make of it.

Each column's values stand in an order, parted into grains. A step is one or more boundaries between grains of one
column: a cut point, or the parting of a node of a tree into its children, which needs that of the node above. Every
step is out, open (it may still be taken) or taken. The taken ones make the classes, all that are not out the atoms.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import inner_kernel, kernel
from shoal.kernels.step_classes import (
    OPEN,
    TAKEN,
    Points,
    Room,
    Steps,
    add_member,
    bound_price,
    clear,
    empty_table,
    hash_cell,
    hash_row,
    passes,
    place,
    price,
    seek,
)

LOST, COST, TAKE, LEAVE, USE = range(5)  # what is found out about a step


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
def sort_by_class(points: Points, steps: Steps, coarse: NDArray[np.int32], room: Room) -> int:
    """Write the points by class into `room.order`, and where each class begins into `room.begins`. O(points)."""
    n, n_columns = points.rows.shape
    atoms = room.atoms
    size = empty_table(room.table, n)
    count = 0
    for i in range(n):
        for j in range(n_columns):
            atoms.rows[count, j] = coarse[steps.start[j] + points.rows[i, j]]
        atoms.keys[count] = hash_row(atoms.rows[count])
        found = place(room.table, size, atoms, count)
        if found == count:
            room.begins[count] = 0
            count += 1
        room.owners[i] = found
        room.begins[found] += 1
    total = 0
    for c in range(count):
        total += room.begins[c]
        room.begins[c] = total
    room.begins[count] = total
    for i in range(n - 1, -1, -1):
        c = room.owners[i]
        room.begins[c] -= 1
        room.order[room.begins[c]] = i
    return count


@inner_kernel
def gather_atoms(points: Points, steps: Steps, borders: Borders, room: Room, begin: int, end: int) -> int:
    """Join the points of a class that no step which is not out can part; return the number of atoms. O(points)."""
    atoms, n_columns = room.atoms, points.rows.shape[1]
    size = empty_table(room.table, end - begin)
    count = 0
    for p in range(begin, end):
        i = room.order[p]
        for j in range(n_columns):
            atoms.rows[count, j] = borders.fine[steps.start[j] + points.rows[i, j]]
        atoms.keys[count] = hash_row(atoms.rows[count])
        found = place(room.table, size, atoms, count)
        if found == count:
            clear(atoms, count)
            room.firsts[count] = i
            count += 1
        add_member(atoms, found, points.sizes[i], points.labels[i], points.words[i])
    return count


@inner_kernel
def keep_atoms(points: Points, room: Room, count: int, kept: Points, n_kept: int) -> int:
    """Write the atoms of a class as points, behind those that were kept before; return how many there are. O(atoms)."""
    atoms = room.atoms
    for a in range(count):
        for j in range(points.rows.shape[1]):
            kept.rows[n_kept + a, j] = points.rows[room.firsts[a], j]
        kept.sizes[n_kept + a] = atoms.sizes[a]
        for v in range(atoms.labels.shape[1]):
            kept.labels[n_kept + a, v] = atoms.labels[a, v]
        for w in range(atoms.words.shape[1]):
            kept.words[n_kept + a, w] = atoms.words[a, w]
    return n_kept + count


@inner_kernel
def fill_column(steps: Steps, room: Room, count: int, column: int, low: int, width: int) -> None:
    """Add up sizes, bounds, labels and values over the intervals of one column, from the first on. O(atoms + width)."""
    atoms, sums = room.atoms, room.sums
    for f in range(width + 1):
        clear(sums, f)
        sums.prices[f] = 0
    for a in range(count):
        f = atoms.rows[a, column] - low + 1
        add_member(sums, f, atoms.sizes[a], atoms.labels[a], atoms.words[a])
        sums.prices[f] += atoms.prices[a]
    n_words = sums.words.shape[1]
    for w in range(n_words):
        room.after[width, w] = 0
        for f in range(width, 0, -1):
            room.after[f - 1, w] = room.after[f, w] | sums.words[f, w]
        room.before[0, w] = 0
        for f in range(1, width + 1):
            room.before[f, w] = room.before[f - 1, w] | sums.words[f, w]
    for f in range(1, width + 1):
        sums.sizes[f] += sums.sizes[f - 1]
        sums.prices[f] += sums.prices[f - 1]
        for v in range(sums.labels.shape[1]):
            sums.labels[f, v] += sums.labels[f - 1, v]


@inner_kernel
def close_part(steps: Steps, room: Room, step: int, end: int, width: int) -> None:
    """Judge the part of a class from where the step's last part ended up to `end`, and note it with the step."""
    sums, part = room.sums, room.part
    begin = room.last[step]
    room.last[step] = end
    part.sizes[0] = sums.sizes[end] - sums.sizes[begin]
    if part.sizes[0] == 0:
        return
    for v in range(part.labels.shape[1]):
        part.labels[0, v] = sums.labels[end, v] - sums.labels[begin, v]
    for w in range(part.words.shape[1]):
        if begin == 0:
            part.words[0, w] = room.before[end, w]
        elif end == width:
            part.words[0, w] = room.after[begin, w]
        else:
            part.words[0, w] = 0
            for f in range(begin + 1, end + 1):
                part.words[0, w] |= sums.words[f, w]
    if passes(steps, part, 0):
        room.passing[step] += 1
        room.rest[step] += sums.prices[end] - sums.prices[begin]
        room.exact[step] += price(steps, part, 0)
    else:
        room.failed[step] += part.sizes[0]
        room.alone[step] += bound_price(steps, part, 0)
        room.exact[step] += steps.full * part.sizes[0]


@inner_kernel
def try_column(steps: Steps, borders: Borders, room: Room, column: int, coarse: int, n_seen: int) -> int:
    """Part a class by each open step of one column; return the number of steps seen so far. O(width)."""
    start = steps.start[column]
    low = borders.low[start + coarse]
    width = borders.high[start + coarse] - low + 1
    first = n_seen
    for f in range(1, width):
        step = borders.edge[start + low + f]
        if room.passing[step] < 0:
            room.seen[n_seen] = step
            n_seen += 1
            room.passing[step] = room.rest[step] = room.failed[step] = room.alone[step] = room.exact[step] = 0
            room.last[step] = max(borders.fine[start + steps.begin[step]] - low, 0)
        close_part(steps, room, step, f, width)
    for s in range(first, n_seen):
        step = room.seen[s]
        close_part(steps, room, step, min(borders.fine[start + steps.end[step] - 1] - low + 1, width), width)
    return n_seen


@inner_kernel
def mark_useful(steps: Steps, state: NDArray[np.int8], room: Room, n_seen: int, size: int) -> bool:
    """Mark the steps by which a part of the class might gain, and those that they need; tell whether there are any.

    A step that leaves at most one part which passes never lowers what the class costs, whatever else is taken: the
    records of the other parts are suppressed, and joining them to the one that passes costs no more. By the squares of
    the sizes that needs a class of at most half of the records.
    """
    large = steps.squares and 2 * size > steps.n_records
    some = False
    for s in range(n_seen):
        step = room.seen[s]
        if large or room.passing[step] >= 2:
            some = True
            while step >= 0 and state[step] == OPEN and not room.useful[step]:
                room.useful[step] = True
                step = steps.needs[step]
    return some


@inner_kernel
def join_atoms(steps: Steps, borders: Borders, room: Room, count: int) -> int:
    """Join the atoms of a class that no useful step parts; return the number of what is left. O(atoms)."""
    atoms, joined = room.atoms, room.joined
    n_columns = atoms.rows.shape[1]
    for j in range(n_columns):
        start, c = steps.start[j], room.own[j]
        number = 0
        for f in range(borders.low[start + c], borders.high[start + c] + 1):
            if f > borders.low[start + c] and room.useful[borders.edge[start + f]]:
                number += 1
                room.joint[start + number] = borders.edge[start + f]
            room.number[start + f] = number
    size = empty_table(room.table, count)
    room.table_size[0] = size
    n_joined = 0
    for a in range(count):
        for j in range(n_columns):
            joined.rows[n_joined, j] = room.number[steps.start[j] + atoms.rows[a, j]]
        joined.keys[n_joined] = hash_row(joined.rows[n_joined])
        found = place(room.table, size, joined, n_joined)
        if found == n_joined:
            clear(joined, n_joined)
            n_joined += 1
        add_member(joined, found, atoms.sizes[a], atoms.labels[a], atoms.words[a])
    return n_joined


@inner_kernel
def leave_out(steps: Steps, state: NDArray[np.int8], room: Room, n_joined: int, dearer: NDArray[np.int64]) -> None:
    """Add to each cut point what the bound of a class grows by if it is left out: two neighbours are one. O(atoms)."""
    joined, n_columns = room.joined, room.joined.rows.shape[1]
    size = room.table_size[0]
    for a in range(n_joined):
        for j in range(n_columns):
            if joined.rows[a, j] == 0:
                continue
            step = room.joint[steps.start[j] + joined.rows[a, j]]
            need = steps.needs[step]
            if steps.spans[step] or (need >= 0 and state[need] != TAKEN):
                continue
            for c in range(n_columns):
                joined.rows[n_joined, c] = joined.rows[a, c]
            joined.rows[n_joined, j] -= 1
            joined.keys[n_joined] = joined.keys[a] - hash_cell(j, 1)
            other = seek(room.table, size, joined, n_joined)
            if other >= 0:
                dearer[step] -= joined.prices[a] + joined.prices[other]
                clear(room.part, 0)
                add_member(room.part, 0, joined.sizes[a], joined.labels[a], joined.words[a])
                add_member(room.part, 0, joined.sizes[other], joined.labels[other], joined.words[other])
                dearer[step] += bound_price(steps, room.part, 0)


@inner_kernel
def leave_whole(
    steps: Steps, room: Room, n_joined: int, column: int, step: int, bound: int, dearer: NDArray[np.int64]
) -> None:
    """Add to the step of a node what the bound of a class grows by if the node is not parted. O(atoms)."""
    atoms, joined = room.atoms, room.joined  # the atoms are no longer needed
    size = empty_table(room.table, n_joined)
    count = 0
    for a in range(n_joined):
        for j in range(joined.rows.shape[1]):
            atoms.rows[count, j] = joined.rows[a, j]
        atoms.rows[count, column] = 0
        atoms.keys[count] = hash_row(atoms.rows[count])
        found = place(room.table, size, atoms, count)
        if found == count:
            clear(atoms, count)
            count += 1
        add_member(atoms, found, joined.sizes[a], joined.labels[a], joined.words[a])
    for a in range(count):
        dearer[step] += bound_price(steps, atoms, a)
    dearer[step] -= bound


@inner_kernel
def bound_class(
    steps: Steps, state: NDArray[np.int8], borders: Borders, room: Room, count: int, dearer: NDArray[np.int64]
) -> int:
    """Return the bound on what a class of so many atoms costs, and add what leaving steps out does to it."""
    joined = room.joined
    n_joined = join_atoms(steps, borders, room, count)
    bound = 0
    for a in range(n_joined):
        joined.prices[a] = bound_price(steps, joined, a)
        bound += joined.prices[a]
    leave_out(steps, state, room, n_joined, dearer)
    for j in range(joined.rows.shape[1]):
        start, c = steps.start[j], room.own[j]
        for f in range(borders.low[start + c] + 1, borders.high[start + c] + 1):
            step = borders.edge[start + f]
            need = steps.needs[step]
            if steps.spans[step] and (need < 0 or state[need] == TAKEN):
                if room.useful[step]:
                    leave_whole(steps, room, n_joined, j, step, bound, dearer)
                break
    return bound


@inner_kernel
def note_steps(
    steps: Steps, state: NDArray[np.int8], room: Room, n_seen: int, cost: int, bound: int, found: NDArray[np.int64]
) -> None:
    """Add to each step what one class tells of it, and forget the class."""
    for s in range(n_seen):
        step = room.seen[s]
        need = steps.needs[step]
        if need < 0 or state[need] == TAKEN:
            found[LOST, step] += room.failed[step]
            found[COST, step] += room.exact[step] - cost
            more = steps.full * room.failed[step]
            if room.useful[step]:
                found[TAKE, step] += more - room.alone[step]
            else:
                found[TAKE, step] += max(more + room.rest[step] - bound, 0)
        if room.useful[step]:
            found[USE, step] = 1
        room.useful[step] = False
        room.passing[step] = -1


@kernel
def look(
    points: Points, steps: Steps, state: NDArray[np.int8], borders: Borders, room: Room, kept: Points
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return what the taken steps lose, cost, and a bound on what they cost with any open ones; and of each step, so.

    For each open step that may be taken next: the further records that are lost with it (`LOST`), by how much it changes
    the cost (`COST`), by how much the bound grows if it is taken (`TAKE`) or left out, with all that need it
    (`LEAVE`); and for all open ones whether any class might gain by it (`USE`). The atoms of the classes that pass are
    written to `kept`: they are the points of all states within this one. O(points x columns).
    """
    totals = np.zeros(4, dtype=np.int64)
    found = np.zeros((5, state.shape[0]), dtype=np.int64)
    fill_borders(steps, state, borders)
    n_classes = sort_by_class(points, steps, borders.coarse, room)
    atoms, n_columns = room.atoms, points.rows.shape[1]
    for c in range(n_classes):
        begin, end = room.begins[c], room.begins[c + 1]
        clear(room.part, 0)
        for p in range(begin, end):
            i = room.order[p]
            add_member(room.part, 0, points.sizes[i], points.labels[i], points.words[i])
        size = room.part.sizes[0]
        if not passes(steps, room.part, 0):
            totals[0] += size
            totals[1] += steps.full * size
            totals[2] += steps.full * size
            continue
        cost = price(steps, room.part, 0)
        count = gather_atoms(points, steps, borders, room, begin, end)
        totals[3] = keep_atoms(points, room, count, kept, totals[3])
        for a in range(count):
            atoms.prices[a] = bound_price(steps, atoms, a)
        n_seen = 0
        for j in range(n_columns):
            own = borders.coarse[steps.start[j] + points.rows[room.order[begin], j]]
            room.own[j] = own
            low, high = borders.low[steps.start[j] + own], borders.high[steps.start[j] + own]
            if low < high:
                fill_column(steps, room, count, j, low, high - low + 1)
                n_seen = try_column(steps, borders, room, j, own, n_seen)
        bound = cost
        if mark_useful(steps, state, room, n_seen, size):
            bound = bound_class(steps, state, borders, room, count, found[LEAVE])
        note_steps(steps, state, room, n_seen, cost, bound, found)
        totals[1] += cost
        totals[2] += bound
    return totals, found
