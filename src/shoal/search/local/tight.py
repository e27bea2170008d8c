"""Tight classes: the best partition that a search without a proof finds."""

from dataclasses import dataclass, replace
from functools import partial
from math import ceil, inf

from shoal.classes.grouping import Parts
from shoal.foundation.progress import Progress, silent
from shoal.kernels.clock import clock
from shoal.kernels.local.closures import Forms
from shoal.kernels.sufficient_tests import SufficientTests
from shoal.models.k_anonymity import KAnonymity
from shoal.search.local.annealing import Annealer
from shoal.search.local.cuts import CutRule, cut_down
from shoal.search.local.fragments import fragments, together
from shoal.search.local.partition import loss_of
from shoal.search.local.specialization import Specialization
from shoal.search.local.sufficient_tests import sufficient_tests_of
from shoal.search.local.trimming import trimmed
from shoal.search.problem import Problem

EFFORT = 40
"""How many moves are tried for each record, where nothing else is asked."""

_FEW = 1_000  # records of a table for which as many moves are tried as for so many
_TRIES = 3_000_000  # moves that are tried at most, but one for each record
_SMALL = 15  # records of a class up to which a move costs about the same; then it costs in proportion
_MANY = 200_000  # points for which specialization takes too long
_FRAGMENT = 500_000  # records that are searched together
_PREPARING = 0.3  # the share of the time for the improvement that may go into its preparation


@dataclass(frozen=True, slots=True, eq=False)
class Tight:
    """Classes that keep all promises, with a low loss.

    Args:
        parts: The records of each class; those in none are suppressed.
        improved: Whether they are more than a quick start: some promises can be tested only on all classes at once,
            and then nothing is improved.
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
) -> Tight:
    """Return the best of some quick partitions, annealed, and trimmed where records may be suppressed.

    Args:
        problem: What is asked, which one class of all records must meet (`check_local`).
        forms: What a class may be published as, and its price.
        name: The name of the algorithm, for messages.
        effort: How many moves are tried for each record; with a deadline, as many as there is time for.
        deadline: When to be done, by the clock of searches.
        share: The share of the time left after the start that goes into the improvement.
        progress: Where to tell how far it is.
    """
    start = _start(problem, name, deadline, progress)
    sufficient_tests = sufficient_tests_of(problem)
    if sufficient_tests is None:
        return Tight(trimmed(problem, start), improved=False)
    parts = _improved(problem, forms, sufficient_tests, start, effort, _until(deadline, share), progress)
    found = trimmed(problem, parts)
    if problem.limit > 0 and len(sufficient_tests.tests) > 0:  # what was improved may have less to trim
        found = min(found, trimmed(problem, start), key=partial(loss_of, problem))
    return Tight(found, improved=True)


def _improved(
    problem: Problem,
    forms: Forms,
    sufficient_tests: SufficientTests,
    parts: Parts,
    effort: int,
    end: float,
    progress: Progress,
) -> Parts:
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
            label = annealer.improved(label, ceil(tries * size / n), seconds_until(own_end), tell)
            own = annealer.records.parts(label).filled()
        found.append((fragment, own))
        done += size
    return together(found)


def _start(problem: Problem, name: str, deadline: float, progress: Progress) -> Parts:
    """Return quick classes: of top-down specialization, or, where that would take too long, of cuts by the loss.

    Where promises ask for more than k records, a step of any of these that breaks one ends it too soon, now here and
    now there: so it is the best of both and of cuts at the median.
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
    return min(starts, key=partial(loss_of, problem))


def _until(deadline: float, share: float) -> float:
    """Return when a share of the time that is left has passed."""
    now = clock()
    return now + max(deadline - now, 0.0) * share


def seconds_until(end: float) -> float | None:
    """Return the seconds that are left, or None without a time limit."""
    return None if end == inf else max(end - clock(), 0.0)


def _told(progress: Progress, begin: float, part: float) -> Progress:
    """Let the share of a part of the work be told as one of the whole."""

    def tell(step: str, share: float | None = None) -> None:
        progress(step, None if share is None else begin + part * share)

    return tell
