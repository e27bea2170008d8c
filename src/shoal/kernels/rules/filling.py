"""Filling: records that several classes cover are shared out, so that classes reach what they must have."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import inner_kernel, kernel


class Assignment(NamedTuple):
    """Which class each record is in, and in which it may be.

    Attributes:
        firsts: Where the records of each point begin.
        point: The point of each record.
        profile: Its sensitive profile.
        options: `options[point, number]`, the classes that cover it, the best first; -1 after the last.
        begins: Where the points of each class begin.
        covered: The points that each class covers.
        alive: Whether records may go to a class.
        label: The class of each record, or -1.
        sizes: The number of records of each class.
        heads: A record of each class, or -1.
        after: The next record of the same class, or -1.
        before: The one before it, or -1.
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
    """Return the points that each class covers: where they begin, and which they are, ascending. O(options)."""
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
def linked(
    label: NDArray[np.int64], n_classes: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the size of each class, one record of it, and for each record the next and the one before it. O(n)."""
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
def move(places: Assignment, record: int, target: int) -> None:
    """Take a record out of its class, if it is in one, and put it into another, or into none (-1)."""
    old, next_one, last_one = places.label[record], places.after[record], places.before[record]
    if old >= 0:
        if last_one >= 0:
            places.after[last_one] = next_one
        else:
            places.heads[old] = next_one
        if next_one >= 0:
            places.before[next_one] = last_one
        places.sizes[old] -= 1
    places.label[record] = target
    places.before[record] = -1
    places.after[record] = -1
    if target >= 0:
        head = places.heads[target]
        places.after[record] = head
        if head >= 0:
            places.before[head] = record
        places.heads[target] = record
        places.sizes[target] += 1


@kernel
def fill(places: Assignment, wanted: NDArray[np.int64], least: int, reach: int) -> None:
    """Bring classes up to `least` records, if others can spare them: no other class falls below it.

    A class takes a record from one that has more, or from one that takes another in its turn, and so on: the shortest
    such chain, found breadth first. If there is none among `reach` classes, the class stays as it is. Each record that
    a class lacks costs O(records that `reach` classes cover).

    Args:
        places: The records and classes, which are changed.
        wanted: The classes.
        least: How many records each should have.
        reach: How many classes are looked at for one record.
    """
    n_classes = places.sizes.shape[0]
    seen = np.zeros(n_classes, dtype=np.int64)
    parent, via = np.zeros(n_classes, dtype=np.int64), np.zeros(n_classes, dtype=np.int64)
    queue = np.zeros(reach + 1, dtype=np.int64)
    turn = 0
    for c in wanted:
        while 0 < places.sizes[c] < least:
            turn += 1
            seen[c], queue[0] = turn, c
            begin, end, giver, taker = 0, 1, -1, -1
            while begin < end and giver < 0:
                x = queue[begin]
                begin += 1
                for p in places.covered[places.begins[x] : places.begins[x + 1]]:
                    for i in range(places.firsts[p], places.firsts[p + 1]):
                        d = places.label[i]
                        if d < 0 or (d != x and places.sizes[d] > least):
                            giver, taker = i, x
                            break
                        if seen[d] != turn and end <= reach:
                            seen[d], parent[d], via[d], queue[end] = turn, x, i, d
                            end += 1
                    if giver >= 0:
                        break
            if giver < 0:
                break
            move(places, giver, taker)
            while taker != c:
                move(places, via[taker], parent[taker])
                taker = parent[taker]
