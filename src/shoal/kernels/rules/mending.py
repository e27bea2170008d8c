"""Mending: classes that break a promise exchange records with other classes until they keep it."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import inner_kernel, kernel
from shoal.kernels.rules.filling import Assignment, assign
from shoal.kernels.rules.lacking import HAIR, class_lack, lack_after
from shoal.kernels.sufficient_tests import SufficientTests

_WISHES = 64  # the largest number of wishes of a class

WISH = np.dtype([("profile", np.int64), ("taking", np.bool_), ("gain", np.float64)])


class Hunt(NamedTuple):
    """Workspace of a breadth-first search for a chain of classes.

    Attributes:
        seen: The turn in which each class was visited last.
        parent: The class from which it was visited.
        via: The record that would move between the two.
        queue: The classes visited in this turn, up to its length.
        pushed: Whether a class was already left with something that it lacks by a move of another.
    """

    seen: NDArray[np.int64]
    parent: NDArray[np.int64]
    via: NDArray[np.int64]
    queue: NDArray[np.int64]
    pushed: NDArray[np.bool_]


@inner_kernel
def _bears(hunt: Hunt, more: float, gain: float, other: int, pushing: bool) -> bool:
    """Tell whether a class may come to lack more, given the gain of another: less than that, or once just as much."""
    return more < gain - HAIR or (pushing and more <= gain + HAIR and not hunt.pushed[other])


@inner_kernel
def _wish(
    assignment: Assignment,
    sufficient_tests: SufficientTests,
    missing: float,
    record: int,
    c: int,
    least: int,
    wishes: Any,
    n: int,
) -> int:
    """Add the wish of a class to take or give a record of this profile, with its gain; return the number of wishes."""
    taking, profile = assignment.label[record] != c, assignment.profile[record]
    for i in range(n):
        if wishes[i].profile == profile and wishes[i].taking == taking:
            return n
    wishes[n].profile, wishes[n].taking = profile, taking
    wishes[n].gain = missing - lack_after(assignment, sufficient_tests, record, c, least)
    return n + 1


@inner_kernel
def _wishes(
    assignment: Assignment,
    sufficient_tests: SufficientTests,
    missing: float,
    c: int,
    least: int,
    tries: int,
    wishes: Any,
) -> int:
    """List the profiles that a class would take or give, with what it gains by that; return their number."""
    n, tried = 0, 0
    i = assignment.heads[c]
    while i >= 0 and n < _WISHES // 2:
        after = assignment.after[i]
        n = _wish(assignment, sufficient_tests, missing, i, c, least, wishes, n)
        i = after
    for p in assignment.covered[assignment.begins[c] : assignment.begins[c + 1]]:
        for i in range(assignment.firsts[p], assignment.firsts[p + 1]):
            if assignment.label[i] != c and n < _WISHES:
                n = _wish(assignment, sufficient_tests, missing, i, c, least, wishes, n)
            tried += 1
        if tried > tries:
            break
    return n


@inner_kernel
def _taken(
    assignment: Assignment,
    sufficient_tests: SufficientTests,
    lacks: NDArray[np.float64],
    c: int,
    wish: Any,
    least: int,
    hunt: Hunt,
    turn: int,
    pushing: bool,
) -> int:
    """Let a class take a record of a profile from a class that loses less than it gains; return that class, or -2.

    It is -1 if the record was in no class. Classes on the chain between the two take and give a record of that profile.
    """
    seen, parent, via, queue, _ = hunt
    seen[c], queue[0] = turn, c
    begin, end = 0, 1
    while begin < end:
        x = queue[begin]
        begin += 1
        for p in assignment.covered[assignment.begins[x] : assignment.begins[x + 1]]:
            for i in range(assignment.firsts[p], assignment.firsts[p + 1]):
                d = assignment.label[i]
                if assignment.profile[i] != wish.profile or d == x or (d >= 0 and seen[d] == turn):
                    continue
                if d < 0 or _bears(
                    hunt,
                    lack_after(assignment, sufficient_tests, i, d, least) - lacks[d],
                    wish.gain,
                    d,
                    pushing,
                ):
                    assign(assignment, i, x)
                    while x != c:
                        assign(assignment, via[x], parent[x])
                        x = parent[x]
                    return d
                if end < queue.shape[0]:
                    seen[d], parent[d], via[d], queue[end] = turn, x, i, d
                    end += 1
    return -2


@inner_kernel
def _given(
    assignment: Assignment,
    sufficient_tests: SufficientTests,
    lacks: NDArray[np.float64],
    c: int,
    wish: Any,
    least: int,
    hunt: Hunt,
    turn: int,
    pushing: bool,
) -> int:
    """Let a class give a record of a profile to a class that loses less than it gains; return that class, or -2."""
    seen, parent, via, queue, _ = hunt
    seen[c], queue[0] = turn, c
    begin, end = 0, 1
    while begin < end:
        x = queue[begin]
        begin += 1
        i = assignment.heads[x]
        while i >= 0:
            after = assignment.after[i]
            for e in assignment.options[assignment.point[i]]:
                if assignment.profile[i] != wish.profile or e < 0:
                    break
                if seen[e] == turn or not assignment.alive[e] or assignment.sizes[e] == 0:
                    continue
                more = lack_after(assignment, sufficient_tests, i, e, least) - lacks[e]
                if _bears(hunt, more, wish.gain, e, pushing):
                    assign(assignment, i, e)
                    while x != c:
                        assign(assignment, via[x], x)
                        x = parent[x]
                    return e
                if end < queue.shape[0]:
                    seen[e], parent[e], via[e], queue[end] = turn, x, i, e
                    end += 1
            i = after
    return -2


@inner_kernel
def _mend_one(
    assignment: Assignment,
    sufficient_tests: SufficientTests,
    lacks: NDArray[np.float64],
    c: int,
    wishes: Any,
    n: int,
    least: int,
    hunt: Hunt,
    turn: int,
    pushing: bool,
) -> tuple[int, int]:
    """Make the first move of a class that is found, by the gain of its wishes; return the other class, and the turn.

    Args:
        assignment: The records and classes; changed.
        sufficient_tests: Tests that imply the promises beyond the number of records.
        lacks: What each class lacks.
        c: The class.
        wishes: Its wishes.
        n: Their number.
        least: How many records each class must have.
        hunt: Workspace.
        turn: The last turn.
        pushing: Whether the other class may come to lack as much as this one gains, if that is all that it lacks.
    """
    while True:
        best = -1
        for w in range(n):
            if wishes[w].gain > HAIR and (best < 0 or wishes[w].gain > wishes[best].gain):
                best = w
        if best < 0 or (pushing and wishes[best].gain < lacks[c] - HAIR):
            return -2, turn
        turn += 1
        if wishes[best].taking:
            other = _taken(assignment, sufficient_tests, lacks, c, wishes[best], least, hunt, turn, pushing)
        else:
            other = _given(assignment, sufficient_tests, lacks, c, wishes[best], least, hunt, turn, pushing)
        if other > -2:
            return other, turn
        wishes[best].gain = 0.0  # tried


@kernel
def mend(
    assignment: Assignment,
    sufficient_tests: SufficientTests,
    wanted: NDArray[np.int64],
    least: int,
    tries: int,
    reach: int,
    budget: int,
) -> None:
    """Move records into and out of classes as long as that brings them nearer to their promises.

    A class takes or gives the record that helps it most, provided that the class at the other end loses less. Between
    the two there may be other classes, which take and give a record with the same sensitive values and so stay as they
    are. If there is no such move, but one that leaves nothing to wish for, the class at the other end may lose as much,
    once; it is mended in its turn, and may find what the first one did not.

    Args:
        assignment: The records and classes; changed.
        sufficient_tests: Tests that imply the promises beyond the number of records.
        wanted: The classes to mend.
        least: How many records each must have.
        tries: How many records are considered for what a class would take.
        reach: How many classes are visited for one move.
        budget: How many chains are searched for in all.
    """
    n_classes = assignment.sizes.shape[0]
    lacks, wishes = np.zeros(n_classes), np.zeros(_WISHES, dtype=WISH)
    for c in range(n_classes):
        lacks[c] = class_lack(assignment, sufficient_tests, c, least)
    empty = np.zeros(n_classes, dtype=np.int64)
    hunt = Hunt(empty, empty.copy(), empty.copy(), np.zeros(reach, dtype=np.int64), np.zeros(n_classes, dtype=np.bool_))
    work = np.zeros(len(wanted) + n_classes, dtype=np.int64)
    for at in range(len(wanted)):
        work[at] = wanted[at]
    turn, end, changed = 0, len(wanted), True
    while changed and turn < budget:
        changed, at = False, 0
        while at < end:
            c, other = work[at], 0
            at += 1
            while lacks[c] > 0 and other > -2 and turn < budget:
                for pushing in (False, True):
                    n = _wishes(assignment, sufficient_tests, lacks[c], c, least, tries, wishes)
                    other, turn = _mend_one(
                        assignment, sufficient_tests, lacks, c, wishes, n, least, hunt, turn, pushing
                    )
                    if other > -2:
                        break
                lacks[c] = class_lack(assignment, sufficient_tests, c, least)
                if other >= 0:
                    lacks[other] = class_lack(assignment, sufficient_tests, other, least)
                    if lacks[other] > 0 and not hunt.pushed[other]:
                        hunt.pushed[other] = True
                        work[end] = other
                        end += 1
                changed |= other > -2


@kernel
def shed(
    assignment: Assignment,
    sufficient_tests: SufficientTests,
    wanted: NDArray[np.int64],
    most: NDArray[np.int64],
    least: int,
) -> NDArray[np.bool_]:
    """Remove records from classes that keep their promises without them; these records are in no class then.

    Args:
        assignment: The records and classes; changed.
        sufficient_tests: Tests that imply the promises beyond the number of records.
        wanted: The classes.
        most: How many records each may lose; if that is not enough, it keeps them all.
        least: How many records each must have.

    Returns:
        Which of the classes keep their promises now.
    """
    helped = np.zeros(len(wanted), dtype=np.bool_)
    wishes = np.zeros(_WISHES, dtype=WISH)
    gone = np.zeros(assignment.label.shape[0], dtype=np.int64)
    for number in range(len(wanted)):
        c, n_gone = wanted[number], 0
        missing = class_lack(assignment, sufficient_tests, c, least)
        while missing > 0 and n_gone < most[number] and assignment.sizes[c] > least:
            n, best, gain, i = 0, -1, HAIR, assignment.heads[c]
            while i >= 0 and n < _WISHES:
                after, known = assignment.after[i], n
                n = _wish(assignment, sufficient_tests, missing, i, c, least, wishes, n)
                if n > known and wishes[known].gain > gain:
                    best, gain = i, wishes[known].gain
                i = after
            if best < 0:
                break
            assign(assignment, best, -1)
            gone[n_gone] = best
            n_gone += 1
            missing = class_lack(assignment, sufficient_tests, c, least)
        helped[number] = missing == 0
        if missing > 0:
            for i in gone[:n_gone]:
                assign(assignment, i, c)
    return helped


@kernel
def reassign(assignment: Assignment, sufficient_tests: SufficientTests, records: NDArray[np.int64], least: int) -> None:
    """Assign records to the first living class that covers them and is no further from its promises then, or to none.

    Args:
        assignment: The records and classes; changed.
        sufficient_tests: Tests that imply the promises beyond the number of records.
        records: The records.
        least: How many records each class must have.
    """
    for i in records:
        assign(assignment, i, -1)
        for c in assignment.options[assignment.point[i]]:
            if c < 0:
                break
            if assignment.alive[c] and (
                sufficient_tests.tests.shape[0] == 0
                or lack_after(assignment, sufficient_tests, i, c, least)
                <= class_lack(assignment, sufficient_tests, c, least) + HAIR
            ):
                assign(assignment, i, c)
                break


@kernel
def improve_assignment(assignment: Assignment, sufficient_tests: SufficientTests, least: int, budget: int) -> None:
    """Move records to a better class if that class and the one they leave keep their promises then.

    Args:
        assignment: The records and classes; changed.
        sufficient_tests: Tests that imply the promises beyond the number of records.
        least: How many records each class must have.
        budget: How many moves are tested in all.
    """
    for i in range(assignment.label.shape[0]):
        for e in assignment.options[assignment.point[i]]:
            old = assignment.label[i]
            if e < 0 or e == old or budget <= 0:
                break
            if not assignment.alive[e] or assignment.sizes[e] < least or (old >= 0 and assignment.sizes[old] <= least):
                continue
            assign(assignment, i, e)
            if sufficient_tests.tests.shape[0] == 0:
                break
            budget -= 1
            if class_lack(assignment, sufficient_tests, e, least) == 0 and (
                old < 0 or class_lack(assignment, sufficient_tests, old, least) == 0
            ):
                break
            assign(assignment, i, old)
