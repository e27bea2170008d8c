"""The lowest loss: good classes, improved until the work is done."""

from dataclasses import dataclass
from math import ceil, inf
from time import monotonic
from typing import Annotated, ClassVar

from pydantic import Field

from shoal.algorithms.algorithm import Algorithm
from shoal.grouping import Parts
from shoal.kernels.closures import Forms
from shoal.kernels.screens import Screens
from shoal.problem import Problem, Solution
from shoal.progress import Progress, silent
from shoal.spaces.annealing import Annealer
from shoal.spaces.bounds import lower_bound
from shoal.spaces.forms import forms_of
from shoal.spaces.fragments import fragments, together
from shoal.spaces.partition import cell_measure, check_local, solution_of
from shoal.spaces.screens import screens_of
from shoal.spaces.specialization import Specialization
from shoal.spaces.trimming import trimmed

_FEW = 1_000  # records of a table for which as many moves are tried as for so many
_TRIES = 3_000_000  # moves that are tried at most, but one for each record
_SMALL = 15  # records of a class up to which a move costs about the same; then it costs in proportion
_FRAGMENT = 1_000_000  # records that are searched together
_NOT_IMPROVED = "the classes of top-down specialization, not improved: a promise can be tested only on all of them"
_IMPROVING = 0.8  # the share of the time that is left which goes into the improvement; the rest is for the bound
_PREPARING = 0.3  # the share of that which may go into the preparation


@dataclass(frozen=True, slots=True, kw_only=True)
class Tightest(Algorithm):
    """Start from the better of two quick partitions, and anneal it: the lowest loss of all algorithms.

    Idea: a class is published as its closure, so that its loss is the number of its records times the price of the
    closure. The start are classes grown record by record, or those of top-down specialization, whichever lose less.
    Then records move between classes, swap, or move in chains of two, and classes are opened, dissolved, and rebuilt
    some at a time. The change of the loss is exact, and worked out from what each class would be without each of
    its records. A change for the better is made; one for the worse is made the more rarely the worse it is and the
    later it comes. Records may be suppressed on the way, up to the limit, and come back.

    Guarantee: never worse than its start; and a proven bound, so that the certificate tells how far the release is
    from any other (`spaces/bounds.py`).

    Correctness: a class keeps at least k records, and passes a test of each promise that no failing class passes
    (`kernels/screens.py`), before a change is made. The promises are decided again on the answer, exactly.

    Cost: `effort` moves are tried for each record, fewer for more than 75,000 records or where k is above 15; each
    costs some microseconds, on both cores. With a time limit the work takes all of it, and depends on the machine's
    speed; else equal seeds give equal answers. Memory: some 2 kB for each different record, up to 1,000,000 records: a
    larger table is cut into boxes, as by `mondrian`, which are searched one after the other.

    Args:
        effort: How many moves are tried for each record.
    """

    name: ClassVar[str] = "tightest"
    reference: ClassVar[str] = "shoal; Kirkpatrick et al. 1983 for annealing"
    local: ClassVar[bool] = True

    effort: Annotated[int, Field(ge=0)] = 40

    def solve(self, problem: Problem, progress: Progress = silent) -> Solution:
        """Start and improve, fragment by fragment; then trim, and bound what is left."""
        deadline = problem.deadline()
        check_local(problem, self.name)
        forms = forms_of(problem.tally.quasi, cell_measure(problem, self.name))
        screens = screens_of(problem)
        n, end = problem.tally.n_records, _until(deadline, _IMPROVING)
        tries = min(self.effort * max(n, _FEW), max(_TRIES, n)) * _SMALL // max(problem.k, _SMALL)
        done, found = 0, []
        for fragment in fragments(problem, _FRAGMENT):
            size = fragment.problem.tally.n_records
            own_end, tell = _until(end, size / (n - done)), _told(progress, done / n, size / n)
            parts, _ = Specialization(fragment.problem, self.name, problem.tally.totals).run(own_end, tell)
            if screens is not None and monotonic() < own_end:
                parts = _improved(fragment.problem, forms, screens, parts, ceil(tries * size / n), own_end, tell)
            found.append((fragment, parts.filled()))
            done += size
        bound = lower_bound(problem, forms, seconds=_seconds(deadline), progress=progress)
        remark = bound.remark if screens is not None else _NOT_IMPROVED
        return solution_of(problem, trimmed(problem, together(found)), bound=bound.total, remark=remark)


def _improved(
    problem: Problem, forms: Forms, screens: Screens, parts: Parts, tries: int, end: float, progress: Progress
) -> Parts:
    annealer = Annealer(problem, forms, screens, _seconds(_until(end, _PREPARING)))
    label = annealer.records.labels(parts)
    if len(screens.tests) == 0:
        label = min(label, annealer.clustered(), key=annealer.loss)
    return annealer.records.parts(annealer.improved(label, tries, _seconds(end), progress))


def _until(deadline: float, share: float) -> float:
    """Return when a share of the time that is left has passed."""
    now = monotonic()
    return now + max(deadline - now, 0.0) * share


def _seconds(end: float) -> float | None:
    """Return the seconds that are left, or None without a time limit."""
    return None if end == inf else max(end - monotonic(), 0.0)


def _told(progress: Progress, begin: float, part: float) -> Progress:
    """Let the share of a part of the work be told as one of the whole."""

    def tell(step: str, share: float | None = None) -> None:
        progress(step, None if share is None else begin + part * share)

    return tell
