"""Cohorts: persons who come together, are in one class in every release, and leave together or not at all."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from shoal.foundation.errors import InfeasibleError
from shoal.foundation.progress import Progress
from shoal.models.k_anonymity import KAnonymity
from shoal.search.local.forms import forms_of
from shoal.search.local.partition import cell_measure
from shoal.search.local.tight import tight_parts
from shoal.search.series.newcomers import per_person
from shoal.search.series.people import People

Keeps = Callable[[Sequence[str]], bool]
"""Tells whether a group with these histories keeps the promises."""


def who_stays(
    leaving: Sequence[str], then: Sequence[str], now: Sequence[str], keeps: Keeps, rng: np.random.Generator
) -> NDArray[np.bool_]:
    """Tell who of a cohort stays, so that those who leave keep the promises by themselves, and so do those who stay.

    If too few leave, or all have one value, others are withheld with them, as few as are found: one after another,
    whoever brings what is rare among those who leave, as long as the rest keeps the promises. If that does not end
    well, the whole cohort is withheld: it kept the promises before.

    Args:
        leaving: The histories of those who leave.
        then: The histories of the others until now, which is what those have who are withheld.
        now: The same with this release.
        keeps: What decides on a group.
        rng: Decides among equals.
    """
    stays = np.ones(len(then), dtype=np.bool_)
    gone = list(leaving)
    turn = rng.permutation(len(then)).tolist()
    while gone and not keeps(gone):
        left = sorted((place for place in turn if stays[place]), key=lambda place: gone.count(then[place]))
        for place in left:
            stays[place] = False
            if keeps([now[one] for one in turn if stays[one]]):
                gone.append(then[place])
                break
            stays[place] = True
        else:
            return np.zeros(len(then), dtype=np.bool_)
    if not keeps([now[one] for one in turn if stays[one]]):
        return np.zeros(len(then), dtype=np.bool_)
    return stays


def new_cohorts(people: People, newcomers: NDArray[np.int64], least: int, progress: Progress) -> NDArray[np.int64]:
    """Return a class of each newcomer, all of them of at least so many newcomers; -1 for those who wait."""
    none = np.full(len(newcomers), -1, dtype=np.int64)
    if len(newcomers) < least:
        return none
    tally, points = people.problem.tally, people.points[newcomers]
    counts = np.bincount(points, minlength=tally.n_points).astype(np.int64)
    some = np.flatnonzero(counts)
    part = replace(
        people.problem,
        tally=tally.at(some, counts[some]),
        models=(*people.problem.models, KAnonymity(k=least)),
        max_suppressed=Fraction(0),
    )
    forms = forms_of(tally.quasi, cell_measure(part, "companions"))
    for share in (Fraction(0), Fraction(1)):
        try:
            found = tight_parts(replace(part, max_suppressed=share), forms, "companions", progress=progress).parts
        except InfeasibleError:
            continue
        return per_person(found, np.searchsorted(some, points))
    return none
