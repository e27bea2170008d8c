"""Filling: records that several classes cover are assigned so that classes get the records they need."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import inner_kernel, kernel


class Assignment(NamedTuple):
    """The class of each record, and the classes that it may be in. The records of a class are a doubly linked list.

    Attributes:
        firsts: Where the records of each point begin.
        point: The point of each record.
        profile: The sensitive profile of each record.
        options: `options[point, number]`, the classes that cover the point, the best first; -1 after the last.
        begins: Where the points of each class begin in `covered`.
        covered: The points that each class covers.
        alive: Whether records may be assigned to a class.
        label: The class of each record, or -1.
        sizes: The number of records of each class.
        heads: The first record of each class, or -1.
        after: The next record of the same class, or -1.
        before: The previous record of the same class, or -1.
    """

    firsts: NDArray[np.int64]
    point: NDArray[np.int64]
    profile: NDArray[np.int32]
    options: NDArray[np.int32]
    begins: NDArray[np.int64]
    covered: NDArray[np.int32]
    alive: NDArray[np.bool_]
    label: NDArray[np.int64]
    sizes: NDArray[np.int64]
    heads: NDArray[np.int64]
    after: NDArray[np.int64]
    before: NDArray[np.int64]


@kernel
def covered_points(options: NDArray[np.int32], n_classes: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return the points that each class covers: where they begin, and the points, ascending. O(options)."""
    begins = np.zeros(n_classes + 1, dtype=np.int64)
    for p in range(options.shape[0]):
        for i in range(options.shape[1]):
            if options[p, i] >= 0:
                begins[options[p, i] + 1] += 1
    for c in range(n_classes):
        begins[c + 1] += begins[c]
    ends = begins.copy()
    covered = np.empty(begins[n_classes], dtype=np.int32)
    for p in range(options.shape[0]):
        for i in range(options.shape[1]):
            c = options[p, i]
            if c >= 0:
                covered[ends[c]] = p
                ends[c] += 1
    return begins, covered


@kernel
def linked_lists(
    label: NDArray[np.int64], n_classes: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the size and the first record of each class, and the next and the previous record of each. O(n)."""
    sizes, heads = np.zeros(n_classes, dtype=np.int64), np.full(n_classes, -1, dtype=np.int64)
    after, before = np.full(label.shape[0], -1, dtype=np.int64), np.full(label.shape[0], -1, dtype=np.int64)
    for i in range(label.shape[0] - 1, -1, -1):
        c = label[i]
        if c >= 0:
            sizes[c] += 1
            after[i] = heads[c]
            if heads[c] >= 0:
                before[heads[c]] = i
            heads[c] = i
    return sizes, heads, after, before


@inner_kernel
def assign(assignment: Assignment, record: int, target: int) -> None:
    """Move a record from its class, if any, to another one, or to none (-1). O(1)."""
    old, next_one, last_one = assignment.label[record], assignment.after[record], assignment.before[record]
    if old >= 0:
        if last_one >= 0:
            assignment.after[last_one] = next_one
        else:
            assignment.heads[old] = next_one
        if next_one >= 0:
            assignment.before[next_one] = last_one
        assignment.sizes[old] -= 1
    assignment.label[record] = target
    assignment.before[record] = -1
    assignment.after[record] = -1
    if target >= 0:
        head = assignment.heads[target]
        assignment.after[record] = head
        if head >= 0:
            assignment.before[head] = record
        assignment.heads[target] = record
        assignment.sizes[target] += 1


@kernel
def fill_assignment(assignment: Assignment, wanted: NDArray[np.int64], least: int, reach: int) -> None:
    """Bring classes up to `least` records where others can spare them; no other class falls below `least`.

    A class takes a record from a class that has more, or from one that in turn takes another record, and so on. The
    shortest such chain is found breadth first (an augmenting path). If there is none among `reach` classes, the class
    stays as it is. Each record that a class lacks costs O(records that `reach` classes cover).

    Args:
        assignment: The records and classes; changed.
        wanted: The classes to fill.
        least: How many records each should have.
        reach: How many classes are visited for one record.
    """
    n_classes = assignment.sizes.shape[0]
    seen = np.zeros(n_classes, dtype=np.int64)
    parent, via = np.zeros(n_classes, dtype=np.int64), np.zeros(n_classes, dtype=np.int64)
    queue = np.zeros(reach + 1, dtype=np.int64)
    turn = 0
    for c in wanted:
        while 0 < assignment.sizes[c] < least:
            turn += 1
            seen[c], queue[0] = turn, c
            begin, end, giver, taker = 0, 1, -1, -1
            while begin < end and giver < 0:
                x = queue[begin]
                begin += 1
                for p in assignment.covered[assignment.begins[x] : assignment.begins[x + 1]]:
                    for i in range(assignment.firsts[p], assignment.firsts[p + 1]):
                        d = assignment.label[i]
                        if d < 0 or (d != x and assignment.sizes[d] > least):
                            giver, taker = i, x
                            break
                        if seen[d] != turn and end <= reach:
                            seen[d], parent[d], via[d], queue[end] = turn, x, i, d
                            end += 1
                    if giver >= 0:
                        break
            if giver < 0:
                break
            assign(assignment, giver, taker)
            while taker != c:
                assign(assignment, via[taker], parent[taker])
                taker = parent[taker]
