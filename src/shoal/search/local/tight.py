"""Tight classes: the best partition that a search without a proof of optimality finds."""

from dataclasses import dataclass, replace
from functools import partial
from math import ceil, inf

import numpy as np
from numpy.typing import NDArray

from shoal.classes.grouping import Parts
from shoal.foundation.progress import Progress, silent
from shoal.kernels.clock import clock
from shoal.kernels.local.closures import Forms
from shoal.kernels.sufficient_tests import SufficientTests
from shoal.models.k_anonymity import KAnonymity
from shoal.search.local.annealing import Annealer, Closing, may_suppress
from shoal.search.local.cuts import CutRule, cut_down
from shoal.search.local.fragments import fragments, together
from shoal.search.local.partition import cell_measure, loss_of, start_of
from shoal.search.local.peeling import Peeled, completed, peeled
from shoal.search.local.specialization import Specialization
from shoal.search.local.sufficient_tests import sufficient_tests_of
from shoal.search.local.trimming import trimmed
from shoal.search.problem import Problem

EFFORT = 40
"""How many moves are tried for each record by default."""

_FEW = 1_000  # a table with fewer records gets as many moves as one with so many
_TRIES = 3_000_000  # the largest number of moves, unless there are more records
_SMALL = 15  # up to this k a move costs about the same; above, in proportion to k
_MANY = 200_000  # with more points, specialization takes too long
_FRAGMENT = 500_000  # records of a fragment, which is searched as a whole
_PREPARING = 0.3  # the share of the improvement's time that its preparation may take


@dataclass(frozen=True, slots=True, eq=False)
class Tight:
    """Classes that keep all promises, with a low loss.

    Args:
        parts: The records of each class; those in none are suppressed.
        improved: Whether they are more than a quick start. Some promises can be tested only on all classes at once;
            then nothing is improved.
    """

    parts: Parts
    improved: bool


def tight_parts(
    problem: Problem,
    forms: Forms,
    name: str,
    *,
    effort: int = EFFORT,
    deadline: float = inf,
    share: float = 1.0,
    progress: Progress = silent,
    start: Parts | None = None,
) -> Tight:
    """Return the best of some quick partitions, annealed, and trimmed where records may be suppressed.

    Where records must be suppressed first, others may take their place later, unless the promises compare a class with
    the release, or the table is searched in fragments.

    Args:
        problem: The problem.
        forms: What a class may be published as, and its price.
        name: The name of the algorithm, for messages.
        effort: How many moves are tried for each record; with a deadline, as many as there is time for.
        deadline: When to be done, by the clock of searches.
        share: The share of the time left after the start that goes into the improvement.
        progress: Called with the share of the work that is done.
        start: Classes to start from, in place of quick ones, where no records must be suppressed first.
    """
    begin = start_of(problem, name)
    if begin.n_records > 0 and (not may_suppress(problem) or problem.tally.n_records > _FRAGMENT):
        found = tight_parts(
            begin.problem, forms, name, effort=effort, deadline=deadline, share=share, progress=progress
        )
        return replace(found, parts=begin.whole(found.parts))
    peels = None
    if start is None:
        peels = _peeled(begin.problem, name, deadline)
        start = begin.whole(_start(begin.problem, name, deadline, progress, peels))
    sufficient_tests = sufficient_tests_of(problem)
    if sufficient_tests is None:
        return Tight(trimmed(problem, start), improved=False)
    waiting = None if peels is None or begin.n_records > 0 else peels.some
    end = _until(deadline, share)
    parts = _improved(problem, forms, sufficient_tests, start, waiting, effort, end, progress)
    better = trimmed(problem, parts)
    if problem.limit > 0 and len(sufficient_tests.tests) > 0:  # the improved classes may have less to trim
        better = min(better, trimmed(problem, start), key=partial(loss_of, problem))
    return Tight(better, improved=True)


def _improved(
    problem: Problem,
    forms: Forms,
    sufficient_tests: SufficientTests,
    parts: Parts,
    waiting: Parts | None,
    effort: int,
    end: float,
    progress: Progress,
) -> Parts:
    """Return better classes.

    Args:
        problem: The problem.
        forms: What a class may be published as, and its price.
        sufficient_tests: Tests that imply the promises beyond the number of records.
        parts: Classes to start from.
        waiting: Classes to start from rather, if they lose less; records in none of them wait for one. What comes of
            them takes half of the moves; the rest goes to the best of it and `parts`.
        effort: How many moves are tried for each record.
        end: When to be done, by the clock of searches.
        progress: Called with the share of the work that is done.
    """
    n = problem.tally.n_records
    tries = min(effort * max(n, _FEW), max(_TRIES, n)) * _SMALL // max(problem.k, _SMALL)
    done, found = 0, []
    for fragment in fragments(problem, parts, _FRAGMENT):
        size, own = fragment.problem.tally.n_records, fragment.parts
        own_end, tell = _until(end, size / (n - done)), _told(progress, done / n, size / n)
        if clock() < own_end:
            annealer = Annealer(fragment.problem, forms, sufficient_tests, seconds_until(_until(own_end, _PREPARING)))
            label = annealer.records.labels(own)
            if len(sufficient_tests.tests) == 0:
                label = min(label, annealer.clustered(), key=annealer.loss)
            moves = ceil(tries * size / n)
            open_label = label if waiting is None or size < n else annealer.records.labels(waiting)
            if annealer.loss(open_label) < annealer.loss(label):
                closing, moves, half = (
                    _closing(fragment.problem, annealer, label),
                    ceil(moves / 2),
                    _until(own_end, 0.5),
                )
                label = annealer.improved(open_label, moves, seconds_until(half), _told(tell, 0.0, 0.5), closing)
                tell = _told(tell, 0.5, 0.5)
            label = annealer.improved(label, moves, seconds_until(own_end), tell)
            own = annealer.records.parts(label).filled()
        found.append((fragment, own))
        done += size
    return together(found)


def _closing(problem: Problem, annealer: Annealer, start: NDArray[np.int64]) -> Closing:
    """Return what makes allowed classes of those that records wait for.

    It takes the best of these: themselves, if so many records may be suppressed; the same, with those records in the
    dearest classes; the start.
    """

    def close(label: NDArray[np.int64]) -> NDArray[np.int64]:
        found = [start]
        if int((label < 0).sum()) <= annealer.limit:
            found.append(label)
        every = completed(problem, annealer.records, label, annealer.prices(label))
        return min(found if every is None else [*found, every], key=annealer.loss)

    return close


def _start(problem: Problem, name: str, deadline: float, progress: Progress, peels: Peeled | None) -> Parts:
    """Return quick classes: by top-down specialization, or, where that takes too long, by cuts that lower the loss.

    Where promises require more than k records, any of these methods may stop too early, where a step breaks a promise.
    So the best of both, of cuts at the median, and of classes that are peeled by levels is returned.
    """

    def cuts(cut: CutRule) -> Parts:
        left = replace(problem, time_limit=seconds_until(deadline))
        return cut_down(left, mode="strict", cut=cut, categories="hierarchy", progress=progress).parts

    def specialized() -> Parts:
        return Specialization(problem, name).run(deadline, progress)[0]

    large = problem.tally.n_points > _MANY or problem.tally.n_records > _FRAGMENT
    if all(isinstance(model, KAnonymity) for model in problem.models):
        return cuts("loss") if large else specialized()
    starts = [cuts("median"), cuts("loss"), *([] if large else [specialized()])]
    if peels is not None and peels.every is not None:
        starts.append(peels.every)
    return min(starts, key=partial(loss_of, problem))


def _peeled(problem: Problem, name: str, deadline: float) -> Peeled | None:
    """Return classes that are peeled by levels, where promises beyond k can be tested on a class alone."""
    sufficient_tests = sufficient_tests_of(problem)
    if sufficient_tests is None or len(sufficient_tests.tests) == 0:
        return None
    return peeled(problem, cell_measure(problem, name), sufficient_tests, _until(deadline, _PREPARING))


def _until(deadline: float, share: float) -> float:
    """Return when a share of the time that is left has passed."""
    now = clock()
    return now + max(deadline - now, 0.0) * share


def seconds_until(end: float) -> float | None:
    """Return the seconds that are left, or None without a time limit."""
    return None if end == inf else max(end - clock(), 0.0)


def _told(progress: Progress, begin: float, part: float) -> Progress:
    """Return a progress that reports the share of a part of the work as one of the whole."""

    def tell(step: str, share: float | None = None) -> None:
        progress(step, None if share is None else begin + part * share)

    return tell
