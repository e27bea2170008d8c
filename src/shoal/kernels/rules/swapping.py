"""Swapping: a class that breaks a promise takes a record of one profile, and gives one of another to the same class."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import inner_kernel, kernel
from shoal.kernels.rules.filling import Assignment, assign
from shoal.kernels.rules.lacking import HAIR, class_lack
from shoal.kernels.sufficient_tests import SufficientTests

_PROFILES = 32  # the largest number of profiles that a class takes or gives


class Tree(NamedTuple):
    """Classes that a class reaches by chains of records of one profile.

    Attributes:
        seen: The turn in which each class was reached last.
        parent: The class from which it was reached.
        via: The record that would move between the two.
        queue: The classes that were reached in this turn, up to its length.
    """

    seen: NDArray[np.int64]
    parent: NDArray[np.int64]
    via: NDArray[np.int64]
    queue: NDArray[np.int64]


@inner_kernel
def _reach(assignment: Assignment, c: int, profile: int, taking: bool, tree: Tree, turn: int) -> int:
    """Find the classes from which a record of a profile can come, or to which it can go; return their number.

    Classes on a chain take and give a record of that profile, and so stay as they are. The first is the class itself.
    """
    seen, parent, via, queue = tree
    seen[c], queue[0] = turn, c
    begin, end = 0, 1
    while begin < end:
        x = queue[begin]
        begin += 1
        if taking:
            for p in assignment.covered[assignment.begins[x] : assignment.begins[x + 1]]:
                for i in range(assignment.firsts[p], assignment.firsts[p + 1]):
                    d = assignment.label[i]
                    if d >= 0 and assignment.profile[i] == profile and seen[d] != turn and end < queue.shape[0]:
                        seen[d], parent[d], via[d], queue[end] = turn, x, i, d
                        end += 1
        else:
            i = assignment.heads[x]
            while i >= 0:
                if assignment.profile[i] == profile:
                    for e in assignment.options[assignment.point[i]]:
                        if e < 0 or end == queue.shape[0]:
                            break
                        if assignment.alive[e] and assignment.sizes[e] > 0 and seen[e] != turn:
                            seen[e], parent[e], via[e], queue[end] = turn, x, i, e
                            end += 1
                i = assignment.after[i]
    return end


@inner_kernel
def _lack_swapped(
    assignment: Assignment, sufficient_tests: SufficientTests, c: int, coming: int, going: int, least: int
) -> float:
    """Return what a class would lack if one record joined it and another left it."""
    old = assignment.label[coming]
    assign(assignment, going, -1)
    assign(assignment, coming, c)
    found = class_lack(assignment, sufficient_tests, c, least)
    assign(assignment, coming, old)
    assign(assignment, going, c)
    return found


@inner_kernel
def _profiles(assignment: Assignment, c: int, taken: NDArray[np.int64], given: NDArray[np.int64], tries: int) -> None:
    """Put down a record of each profile that a class could take, and of each that it could give; -1 after the last."""
    for n in range(_PROFILES):
        taken[n], given[n] = -1, -1
    i, n = assignment.heads[c], 0
    while i >= 0 and n < _PROFILES:
        n = _added(assignment, given, n, i)
        i = assignment.after[i]
    n, tried = 0, 0
    for p in assignment.covered[assignment.begins[c] : assignment.begins[c + 1]]:
        for i in range(assignment.firsts[p], assignment.firsts[p + 1]):
            tried += 1
            if n < _PROFILES and assignment.label[i] >= 0 and assignment.label[i] != c:
                n = _added(assignment, taken, n, i)
        if tried > tries:
            break


@inner_kernel
def _added(assignment: Assignment, records: NDArray[np.int64], n: int, record: int) -> int:
    """Add a record unless one of its profile is there; return their number."""
    for i in records[:n]:
        if assignment.profile[i] == assignment.profile[record]:
            return n
    records[n] = record
    return n + 1


@inner_kernel
def _partner(
    assignment: Assignment,
    sufficient_tests: SufficientTests,
    gain: float,
    taking: Tree,
    giving: Tree,
    n_given: int,
    turn: int,
    least: int,
) -> int:
    """Return a class that is reached by both chains and loses less by the swap than the first one gains, or -1."""
    for e in giving.queue[1:n_given]:
        if taking.seen[e] == turn:
            before = class_lack(assignment, sufficient_tests, e, least)
            after = _lack_swapped(assignment, sufficient_tests, e, giving.via[e], taking.via[e], least)
            if after - before < gain - HAIR:
                return e
    return -1


@inner_kernel
def _swap_one(
    assignment: Assignment,
    sufficient_tests: SufficientTests,
    c: int,
    least: int,
    tries: int,
    taking: Tree,
    giving: Tree,
    taken: NDArray[np.int64],
    given: NDArray[np.int64],
    turn: int,
) -> tuple[bool, int]:
    """Make one swap that brings a class nearer to its promises, if there is one; return that, and the turn."""
    _profiles(assignment, c, taken, given, tries)
    missing = class_lack(assignment, sufficient_tests, c, least)
    for i in taken:
        reached = False
        for j in given:
            if i < 0 or j < 0 or assignment.profile[i] == assignment.profile[j]:
                continue
            gain = missing - _lack_swapped(assignment, sufficient_tests, c, i, j, least)
            if gain <= HAIR:
                continue
            if not reached:
                turn += 1
                _reach(assignment, c, assignment.profile[i], True, taking, turn)
                reached = True
            n_given = _reach(assignment, c, assignment.profile[j], False, giving, turn)
            e = _partner(assignment, sufficient_tests, gain, taking, giving, n_given, turn, least)
            for x in giving.queue[:n_given]:
                giving.seen[x] = 0
            if e >= 0:
                x = e
                while x != c:
                    assign(assignment, taking.via[x], taking.parent[x])
                    x = taking.parent[x]
                x = e
                while x != c:
                    assign(assignment, giving.via[x], x)
                    x = giving.parent[x]
                return True, turn
    return False, turn


@kernel
def swap(
    assignment: Assignment,
    sufficient_tests: SufficientTests,
    wanted: NDArray[np.int64],
    least: int,
    tries: int,
    reach: int,
    budget: int,
) -> bool:
    """Swap records of different profiles between classes as long as that brings classes nearer to their promises.

    All classes keep their sizes. Between the two classes of a swap there may be others, which take and give a record
    with the same sensitive values. Each swap lowers what all classes lack together, so it ends.

    Args:
        assignment: The records and classes; changed.
        sufficient_tests: Tests that imply the promises beyond the number of records.
        wanted: The classes to mend.
        least: How many records each must have.
        tries: How many records are considered for what a class would take.
        reach: How many classes are visited for one chain.
        budget: How many chains are searched for in all.

    Returns:
        Whether any records were swapped.
    """
    none, queue = np.zeros(assignment.sizes.shape[0], dtype=np.int64), np.zeros(reach, dtype=np.int64)
    taking = Tree(none, none.copy(), none.copy(), queue)
    giving = Tree(none.copy(), none.copy(), none.copy(), queue.copy())
    taken, given = np.zeros(_PROFILES, dtype=np.int64), np.zeros(_PROFILES, dtype=np.int64)
    turn, swapped = 0, False
    for c in wanted:
        found = True
        while found and turn < budget and class_lack(assignment, sufficient_tests, c, least) > 0:
            found, turn = _swap_one(assignment, sufficient_tests, c, least, tries, taking, giving, taken, given, turn)
            swapped |= found
    return swapped
