"""Mending: classes that break a promise give records to others and take some, until they keep it."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import inner_kernel, kernel
from shoal.kernels.rules.filling import Assignment, move
from shoal.kernels.sufficient_tests import SufficientTests, lack

_HAIR = 1e-9  # a change by less is none
_WISHES = 64  # profiles that a class would give or take, at most

WISH = np.dtype([("profile", np.int64), ("taking", np.bool_), ("gain", np.float64)])


class Hunt(NamedTuple):
    """Where a search for a chain of classes keeps what it has seen.

    Attributes:
        seen: The turn in which each class was seen last.
        parent: The class from which it was seen.
        via: The record that would change between the two.
        queue: The classes that were seen in this turn; as many as it has room for.
    """

    seen: NDArray[np.int64]
    parent: NDArray[np.int64]
    via: NDArray[np.int64]
    queue: NDArray[np.int64]


@inner_kernel
def _lack(places: Assignment, sufficient_tests: SufficientTests, c: int, least: int) -> float:
    """Return how far a class is from what it must have, about in records; 0 if it has it, or no records."""
    size = places.sizes[c]
    if size == 0:
        return 0.0
    missing = float(max(least - size, 0))
    counts = sufficient_tests.counts[0]
    for s in range(sufficient_tests.tests.shape[0]):
        column = sufficient_tests.tests[s].column
        i = places.heads[c]
        while i >= 0:
            counts[sufficient_tests.codes[places.profile[i], column]] += 1
            i = places.after[i]
        missing += lack(sufficient_tests.tests[s], sufficient_tests.values, counts, size, sufficient_tests.shares[0])
        i = places.heads[c]
        while i >= 0:
            counts[sufficient_tests.codes[places.profile[i], column]] = 0
            i = places.after[i]
    return missing


@inner_kernel
def _lack_after(places: Assignment, sufficient_tests: SufficientTests, record: int, c: int, least: int) -> float:
    """Return what a class would lack if a record came into it, or, if it is in it, left it."""
    old = places.label[record]
    move(places, record, -1 if old == c else c)
    found = _lack(places, sufficient_tests, c, least)
    move(places, record, old)
    return found


@inner_kernel
def _wish(
    places: Assignment,
    sufficient_tests: SufficientTests,
    missing: float,
    record: int,
    c: int,
    least: int,
    wishes: Any,
    n: int,
) -> int:
    """Note that a class would be nearer to its promises with a record, or without it; return the number of wishes."""
    taking, profile = places.label[record] != c, places.profile[record]
    for i in range(n):
        if wishes[i].profile == profile and wishes[i].taking == taking:
            return n
    wishes[n].profile, wishes[n].taking = profile, taking
    wishes[n].gain = missing - _lack_after(places, sufficient_tests, record, c, least)
    return n + 1


@inner_kernel
def _wishes(
    places: Assignment, sufficient_tests: SufficientTests, missing: float, c: int, least: int, tries: int, wishes: Any
) -> int:
    """List the profiles that a class would take from others, or give to them, with what it gains by that."""
    n, tried = 0, 0
    i = places.heads[c]
    while i >= 0 and n < _WISHES // 2:
        after = places.after[i]
        n = _wish(places, sufficient_tests, missing, i, c, least, wishes, n)
        i = after
    for p in places.covered[places.begins[c] : places.begins[c + 1]]:
        for i in range(places.firsts[p], places.firsts[p + 1]):
            if places.label[i] != c and n < _WISHES:
                n = _wish(places, sufficient_tests, missing, i, c, least, wishes, n)
            tried += 1
        if tried > tries:
            break
    return n


@inner_kernel
def _taken(
    places: Assignment,
    sufficient_tests: SufficientTests,
    lacks: NDArray[np.float64],
    c: int,
    wish: Any,
    least: int,
    hunt: Hunt,
    turn: int,
) -> int:
    """Let a class take a record of a profile from one that loses less by it; return that class, -2 if there is none.

    Classes between the two take one of that profile and give one.
    """
    seen, parent, via, queue = hunt
    seen[c], queue[0] = turn, c
    begin, end = 0, 1
    while begin < end:
        x = queue[begin]
        begin += 1
        for p in places.covered[places.begins[x] : places.begins[x + 1]]:
            for i in range(places.firsts[p], places.firsts[p + 1]):
                d = places.label[i]
                if places.profile[i] != wish.profile or d == x or (d >= 0 and seen[d] == turn):
                    continue
                if d < 0 or _lack_after(places, sufficient_tests, i, d, least) - lacks[d] < wish.gain - _HAIR:
                    move(places, i, x)
                    while x != c:
                        move(places, via[x], parent[x])
                        x = parent[x]
                    return d
                if end < queue.shape[0]:
                    seen[d], parent[d], via[d], queue[end] = turn, x, i, d
                    end += 1
    return -2


@inner_kernel
def _given(
    places: Assignment,
    sufficient_tests: SufficientTests,
    lacks: NDArray[np.float64],
    c: int,
    wish: Any,
    least: int,
    hunt: Hunt,
    turn: int,
) -> int:
    """Let a class give a record of a profile to one that loses less by it; return that class, -2 if there is none."""
    seen, parent, via, queue = hunt
    seen[c], queue[0] = turn, c
    begin, end = 0, 1
    while begin < end:
        x = queue[begin]
        begin += 1
        i = places.heads[x]
        while i >= 0:
            after = places.after[i]
            for e in places.options[places.point[i]]:
                if places.profile[i] != wish.profile or e < 0:
                    break
                if seen[e] == turn or not places.alive[e] or places.sizes[e] == 0:
                    continue
                if _lack_after(places, sufficient_tests, i, e, least) - lacks[e] < wish.gain - _HAIR:
                    move(places, i, e)
                    while x != c:
                        move(places, via[x], x)
                        x = parent[x]
                    return e
                if end < queue.shape[0]:
                    seen[e], parent[e], via[e], queue[end] = turn, x, i, e
                    end += 1
            i = after
    return -2


@kernel
def mend(
    places: Assignment,
    sufficient_tests: SufficientTests,
    wanted: NDArray[np.int64],
    least: int,
    tries: int,
    reach: int,
    budget: int,
) -> None:
    """Move records into and out of classes as long as that brings them nearer to what they must have.

    A class takes or gives the record that helps it most and harms the class at the other end less. Between the two
    there may be others that take one and give one with the same sensitive values, and so stay what they are.

    Args:
        places: The records and classes, which are changed.
        sufficient_tests: The tests of the promises beyond the number of records.
        wanted: The classes.
        least: How many records each must have.
        tries: How many records are looked at for what a class would take.
        reach: How many classes are looked at for one move.
        budget: How many chains are searched for in all.
    """
    n_classes = places.sizes.shape[0]
    lacks, wishes = np.zeros(n_classes), np.zeros(_WISHES, dtype=WISH)
    for c in range(n_classes):
        lacks[c] = _lack(places, sufficient_tests, c, least)
    empty = np.zeros(n_classes, dtype=np.int64)
    hunt = Hunt(empty, empty.copy(), empty.copy(), np.zeros(reach, dtype=np.int64))
    turn, changed = 0, True
    while changed and turn < budget:
        changed = False
        for c in wanted:
            other = 0
            while lacks[c] > 0 and other > -2 and turn < budget:
                other = -2
                n = _wishes(places, sufficient_tests, lacks[c], c, least, tries, wishes)
                for w in np.argsort(-wishes["gain"][:n]):
                    if wishes[w].gain <= _HAIR or other > -2:
                        break
                    turn += 1
                    if wishes[w].taking:
                        other = _taken(places, sufficient_tests, lacks, c, wishes[w], least, hunt, turn)
                    else:
                        other = _given(places, sufficient_tests, lacks, c, wishes[w], least, hunt, turn)
                lacks[c] = _lack(places, sufficient_tests, c, least)
                if other >= 0:
                    lacks[other] = _lack(places, sufficient_tests, other, least)
                changed |= other > -2


@kernel
def shed(
    places: Assignment,
    sufficient_tests: SufficientTests,
    wanted: NDArray[np.int64],
    most: NDArray[np.int64],
    least: int,
) -> NDArray[np.bool_]:
    """Take records out of classes that have what they must have without them; they are in no class then.

    Args:
        places: The records and classes, which are changed.
        sufficient_tests: The tests of the promises beyond the number of records.
        wanted: The classes.
        most: How many records each may lose; if that is not enough, it keeps them.
        least: How many records each must have.

    Returns:
        Which of the classes have now what they must have.
    """
    helped = np.zeros(len(wanted), dtype=np.bool_)
    wishes = np.zeros(_WISHES, dtype=WISH)
    gone = np.zeros(places.label.shape[0], dtype=np.int64)
    for number in range(len(wanted)):
        c, n_gone = wanted[number], 0
        missing = _lack(places, sufficient_tests, c, least)
        while missing > 0 and n_gone < most[number] and places.sizes[c] > least:
            n, best, gain, i = 0, -1, _HAIR, places.heads[c]
            while i >= 0 and n < _WISHES:
                after, known = places.after[i], n
                n = _wish(places, sufficient_tests, missing, i, c, least, wishes, n)
                if n > known and wishes[known].gain > gain:
                    best, gain = i, wishes[known].gain
                i = after
            if best < 0:
                break
            move(places, best, -1)
            gone[n_gone] = best
            n_gone += 1
            missing = _lack(places, sufficient_tests, c, least)
        helped[number] = missing == 0
        if missing > 0:
            for i in gone[:n_gone]:
                move(places, i, c)
    return helped


@kernel
def send_on(places: Assignment, sufficient_tests: SufficientTests, records: NDArray[np.int64], least: int) -> None:
    """Put records into the first living class that covers them and is no further from its promises then, or into none.

    Args:
        places: The records and classes, which are changed.
        sufficient_tests: The tests of the promises beyond the number of records.
        records: The records.
        least: How many records each class must have.
    """
    for i in records:
        move(places, i, -1)
        for c in places.options[places.point[i]]:
            if c < 0:
                break
            if places.alive[c] and (
                sufficient_tests.tests.shape[0] == 0
                or _lack_after(places, sufficient_tests, i, c, least)
                <= _lack(places, sufficient_tests, c, least) + _HAIR
            ):
                move(places, i, c)
                break


@kernel
def settle(places: Assignment, sufficient_tests: SufficientTests, least: int, budget: int) -> None:
    """Let records go to a better class, if that and the one they leave have all that they must have then.

    Args:
        places: The records and classes, which are changed.
        sufficient_tests: The tests of the promises beyond the number of records.
        least: How many records each class must have.
        budget: How many moves are tried in all.
    """
    for i in range(places.label.shape[0]):
        for e in places.options[places.point[i]]:
            old = places.label[i]
            if e < 0 or e == old or budget <= 0:
                break
            if not places.alive[e] or places.sizes[e] < least or (old >= 0 and places.sizes[old] <= least):
                continue
            move(places, i, e)
            if sufficient_tests.tests.shape[0] == 0:
                break
            budget -= 1
            if _lack(places, sufficient_tests, e, least) == 0 and (
                old < 0 or _lack(places, sufficient_tests, old, least) == 0
            ):
                break
            move(places, i, old)
