"""The lowest loss: good classes, improved until the work is done."""

from dataclasses import dataclass
from operator import attrgetter
from typing import Annotated, ClassVar

from pydantic import Field

from shoal.foundation.progress import Progress, silent
from shoal.search.algorithms.algorithm import Algorithm
from shoal.search.bounds.bounds import lower_bound
from shoal.search.exact.linear_bound import linear_bound
from shoal.search.local.forms import forms_of
from shoal.search.local.partition import cell_measure, check_local, solution_of
from shoal.search.local.tight import EFFORT, seconds_until, tight_parts
from shoal.search.problem import Problem, Solution

_NOT_IMPROVED = "classes of a quick start, not improved: a promise can be tested only on all of them"
_IMPROVING = 0.8  # the share of the time that is left which goes into the improvement; the rest is for the bound


@dataclass(frozen=True, slots=True, kw_only=True)
class Tightest(Algorithm):
    """Start from the best of some quick partitions, and anneal it: the lowest loss of all algorithms.

    Idea: a class is published as its closure, so that its loss is the number of its records times the price of the
    closure. The start are classes grown record by record, or those of top-down specialization (of a large table, of
    cuts by the loss as in `mondrian`), whichever lose less; with promises beyond k, those of top-down or of `mondrian`,
    by the median or by the loss. Then records move between classes, swap, or move in chains
    of two, and classes are opened, dissolved, and rebuilt some at a time. The change of the loss is exact, and worked
    out from what each class would be without each of its records. A change for the better is made; one for the worse is
    made the more rarely the worse it is and the later it comes. Records may be suppressed on the way, up to the limit,
    and come back.

    Guarantee: never worse than its start; and a proven bound, so that the certificate tells how far the release is
    from any other (`search/bounds/bounds.py`).

    Correctness: a class keeps at least k records, and passes a test of each promise that no failing class passes
    (`kernels/sufficient_tests.py`), before a change is made. The promises are decided again on the answer, exactly.

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

    effort: Annotated[int, Field(ge=0)] = EFFORT

    def solve(self, problem: Problem, progress: Progress = silent) -> Solution:
        """Start, improve, trim, and bound what is left."""
        deadline = problem.deadline()
        check_local(problem, self.name)
        forms = forms_of(problem.tally.quasi, cell_measure(problem, self.name))
        found = tight_parts(
            problem, forms, self.name, effort=self.effort, deadline=deadline, share=_IMPROVING, progress=progress
        )
        bound = lower_bound(problem, forms, seconds=seconds_until(deadline), progress=progress)
        bound = max(bound, linear_bound(problem, forms, found.parts, deadline, progress), key=attrgetter("total"))
        remark = bound.remark if found.improved else _NOT_IMPROVED
        return solution_of(problem, found.parts, bound=bound.total, remark=remark)
