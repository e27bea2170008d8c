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
from shoal.spaces.cuts import cut_down
from shoal.spaces.forms import forms_of
from shoal.spaces.fragments import fragments, together
from shoal.spaces.partition import cell_measure, check_local, solution_of
from shoal.spaces.screens import screens_of
from shoal.spaces.specialization import Specialization
from shoal.spaces.trimming import trimmed

_FEW = 1_000  # records of a table for which as many moves are tried as for so many
_TRIES = 3_000_000  # moves that are tried at most, but one for each record
_SMALL = 15  # records of a class up to which a move costs about the same; then it costs in proportion
_MANY = 200_000  # points for which specialization takes too long
_FRAGMENT = 500_000  # records that are searched together
_NOT_IMPROVED = "classes of a quick start, not improved: a promise can be tested only on all of them"
_IMPROVING = 0.8  # the share of the time that is left which goes into the improvement; the rest is for the bound
_PREPARING = 0.3  # the share of that which may go into the preparation


@dataclass(frozen=True, slots=True, kw_only=True)
class Tightest(Algorithm):
    """Start from the better of two quick partitions, and anneal it: the lowest loss of all algorithms.

    Idea: a class is published as its closure, so that its loss is the number of its records times the price of the
    closure. The start are classes grown record by record, or those of top-down specialization (of a large table, of
    cuts by the loss as in `mondrian`), whichever lose less. Then records move between classes, swap, or move in chains
    of two, and classes are opened, dissolved, and rebuilt some at a time. The change of the loss is exact, and worked
    out from what each class would be without each of its records. A change for the better is made; one for the worse is
    made the more rarely the worse it is and the later it comes. Records may be suppressed on the way, up to the limit,
    and come back.

    Guarantee: never worse than its start; and a proven bound, so that the certificate tells how far the release is
    from any other (`spaces/bounds.py`).

    Correctness: a class keeps at least k records, and passes a test of each promise that no failing class passes
    (`kernels/screens.py`), before a change is made. The promises are decided again on the answer, exactly.

    Cost: `effort` moves are tried for each record, fewer for more than 75,000 records or where k is above 15; each
    costs some microseconds, on both cores. With a time limit the work takes all of it, and depends on the machine's
    speed; else equal seeds give equal answers. Memory: some 2 kB for each different record of up to 500,000 records; a
    larger table is searched in fragments of as many, one after the other.

    Args:
        effort: How many moves are tried for each record.
    """

    name: ClassVar[str] = "tightest"
    reference: ClassVar[str] = "shoal; Kirkpatrick et al. 1983 for annealing"
    local: ClassVar[bool] = True

    effort: Annotated[int, Field(ge=0)] = 40

    def solve(self, problem: Problem, progress: Progress = silent) -> Solution:
        """Start, improve, trim, and bound what is left."""
        deadline = problem.deadline()
        check_local(problem, self.name)
        forms = forms_of(problem.tally.quasi, cell_measure(problem, self.name))
        parts = _start(problem, deadline, progress)
        screens = screens_of(problem)
        if screens is not None:
            parts = self._improved(problem, forms, screens, parts, _until(deadline, _IMPROVING), progress)
        bound = lower_bound(problem, forms, seconds=_seconds(deadline), progress=progress)
        remark = bound.remark if screens is not None else _NOT_IMPROVED
        return solution_of(problem, trimmed(problem, parts), bound=bound.total, remark=remark)

    def _improved(
        self, problem: Problem, forms: Forms, screens: Screens, parts: Parts, end: float, progress: Progress
    ) -> Parts:
        n = problem.tally.n_records
        tries = min(self.effort * max(n, _FEW), max(_TRIES, n)) * _SMALL // max(problem.k, _SMALL)
        done, found = 0, []
        for fragment in fragments(problem, parts, _FRAGMENT):
            size, own = fragment.problem.tally.n_records, fragment.parts
            own_end, tell = _until(end, size / (n - done)), _told(progress, done / n, size / n)
            if monotonic() < own_end:
                annealer = Annealer(fragment.problem, forms, screens, _seconds(_until(own_end, _PREPARING)))
                label = annealer.records.labels(own)
                if len(screens.tests) == 0:
                    label = min(label, annealer.clustered(), key=annealer.loss)
                label = annealer.improved(label, ceil(tries * size / n), _seconds(own_end), tell)
                own = annealer.records.parts(label).filled()
            found.append((fragment, own))
            done += size
        return together(found)


def _start(problem: Problem, deadline: float, progress: Progress) -> Parts:
    """Return quick classes: of top-down specialization, or, where that would take too long, of cuts by the loss."""
    if problem.tally.n_points <= _MANY and problem.tally.n_records <= _FRAGMENT:
        return Specialization(problem, Tightest.name).run(deadline, progress)[0]
    return cut_down(problem, mode="strict", cut="loss", categories="hierarchy", progress=progress).parts


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
