"""Newcomers: those who fill no hole get new signatures, in the classes that lose least."""

from dataclasses import replace
from fractions import Fraction
from math import ceil

import numpy as np
from numpy.typing import NDArray

from shoal.classes.grouping import Parts
from shoal.foundation.progress import Progress
from shoal.models.frequency_l_diversity import FrequencyLDiversity
from shoal.models.k_anonymity import KAnonymity
from shoal.search.local.forms import forms_of
from shoal.search.local.partition import cell_measure
from shoal.search.local.tight import EFFORT, tight_parts
from shoal.search.problem import Problem
from shoal.search.series.signatures import SignatureClasses

_ROUNDS = 8  # who is left over after so many goes at it waits
_ROOM = 2  # times the size of the smallest class, where a class shows a value more than once


def sign_up(
    classes: SignatureClasses,
    newcomers: NDArray[np.int64],
    m: int,
    column: str,
    rng: np.random.Generator,
    progress: Progress,
) -> None:
    """Put newcomers into new classes that show at least m values equally often; those who do not balance stay in none.

    A class of n persons in which no value occurs more than n / m times can be dealt into n // m groups (rounded down)
    in which every value occurs once: the persons in the order of their values, one to each group in turn. Each group
    has m persons or more. So the classes of least loss in which no value is more frequent than 1 / m need be parted
    only, and a part costs no more than its class. Where k asks for more persons than a group has, as many of one value
    as are needed are dealt out together.

    Args:
        classes: All classes; new ones are opened.
        newcomers: Who is to be put into them.
        m: The least number of values.
        column: The sensitive column.
        rng: Decides who waits where a value is too frequent.
        progress: Called with the share of the work that is done.
    """
    people = classes.people
    together = ceil(people.problem.k / m)
    for _ in range(_ROUNDS):
        some = _balanced(people.values[newcomers], m, together, rng)
        coming = newcomers[some]
        if not len(coming):
            return
        parts = _classes_of(classes, coming, m, together, column, progress)
        classes.label[coming] = -1
        _deal(classes, coming, parts, m, together)
        left = newcomers[classes.label[newcomers] < 0]
        if len(left) == len(newcomers):
            return
        newcomers = left


def _balanced(values: NDArray[np.int64], m: int, together: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return as many persons as can be in classes together, by their values: of each value no more than one in m."""
    numbers = np.bincount(values) // together
    groups = 0
    for number in sorted(numbers.tolist(), reverse=True):
        if int(np.minimum(numbers, number).sum()) >= m * number:
            groups = number
            break
    more = groups  # between two numbers there may be more groups than the smaller one has
    while int(np.minimum(numbers, more + 1).sum()) >= m * (more + 1):
        more += 1
    order = rng.permutation(len(values))
    order = order[np.argsort(values[order], kind="stable")]
    ordered = values[order]
    turn = np.arange(len(order)) - np.searchsorted(ordered, ordered)
    kept = np.minimum(numbers, more) * together if together > 1 else np.minimum(numbers, more)
    return np.sort(order[turn < kept[ordered]])


def _classes_of(
    classes: SignatureClasses, coming: NDArray[np.int64], m: int, together: int, column: str, progress: Progress
) -> NDArray[np.int64]:
    """Return classes of some persons in which no value is too frequent, with the least loss."""
    people = classes.people
    tally, points = people.problem.tally, people.points[coming]
    counts = np.bincount(points, minlength=tally.n_points).astype(np.int64)
    some = np.flatnonzero(counts)
    k = people.problem.k if together == 1 else _ROOM * m * together
    part: Problem = replace(
        people.problem,
        tally=replace(tally.at(some, counts[some]), populations={}),
        models=(KAnonymity(k=min(max(k, m), len(coming))), FrequencyLDiversity(l=m, column=column)),
        max_suppressed=Fraction(0),
        unbounded=True,
    )
    forms = forms_of(tally.quasi, cell_measure(part, "m-invariance"))
    found = tight_parts(part, forms, "m-invariance", effort=EFFORT, progress=progress).parts
    return per_person(found, np.searchsorted(some, points))


def per_person(parts: Parts, points: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the class of each person: those of one point are alike, so any of them may go to any of its classes."""
    order = np.lexsort((parts.classes, parts.points))
    by_point = np.repeat(parts.classes[order], parts.counts[order])
    label = np.empty(len(points), dtype=np.int64)
    label[np.argsort(points, kind="stable")] = by_point
    return label


def _deal(
    classes: SignatureClasses, coming: NDArray[np.int64], parts: NDArray[np.int64], m: int, together: int
) -> None:
    """Part each class into groups that show each of their values `together` times."""
    people = classes.people
    values = people.values[coming]
    widest = people.places[coming].max(axis=0).argmax()
    order = np.lexsort((people.places[coming, widest], values, parts))
    ends = np.append(np.flatnonzero(np.diff(parts[order])), len(order) - 1) + 1
    for begin, end in zip([0, *ends[:-1].tolist()], ends.tolist(), strict=True):
        if parts[order[begin]] >= 0:
            _dealt(classes, coming[order[begin:end]], values[order[begin:end]], m, together)


def _dealt(
    classes: SignatureClasses, persons: NDArray[np.int64], values: NDArray[np.int64], m: int, together: int
) -> None:
    """Part one class, whose persons are given in the order of their values."""
    firsts = np.flatnonzero(np.append(True, values[1:] != values[:-1]))
    units = np.diff(np.append(firsts, len(values))) // together
    groups = 0
    while int(np.minimum(units, groups + 1).sum()) >= m * (groups + 1):
        groups += 1
    if groups == 0:
        return
    kept = np.minimum(units, groups)
    starts = np.repeat(firsts, kept) + together * (np.arange(int(kept.sum())) - np.repeat(np.cumsum(kept) - kept, kept))
    dealt = np.arange(len(starts)) % groups
    for group in range(groups):
        own = starts[dealt == group]
        signature = tuple(values[own].tolist())
        label = classes.opened(np.array([classes.number(signature)]))
        classes.label[persons[(own[:, None] + np.arange(together)).ravel()]] = label[0]
