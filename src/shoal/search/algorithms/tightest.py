"""The lowest loss: good classes, improved until the work is done."""

from dataclasses import dataclass
from operator import attrgetter
from typing import Annotated, ClassVar

from pydantic import Field

from shoal.foundation.progress import Progress, silent
from shoal.models.k_anonymity import KAnonymity
from shoal.search.algorithms.algorithm import Algorithm
from shoal.search.bounds.best import local_bound
from shoal.search.exact.linear_bound import linear_bound
from shoal.search.local.forms import forms_of
from shoal.search.local.partition import cell_measure, solution_of, start_of
from shoal.search.local.tight import EFFORT, seconds_until, tight_parts
from shoal.search.problem import Problem, Solution

_NOT_IMPROVED = "classes of a quick start, not improved: a promise can be tested only on all of them"
_MORE, _FEW, _MODERATE = 4, 1_000, 8_000  # see `more_moves`
_IMPROVING = 0.8  # the share of the remaining time for the improvement; the rest is for the bound


@dataclass(frozen=True, slots=True, kw_only=True)
class Tightest(Algorithm):
    """Start from the best of some quick partitions, and anneal it: the lowest loss of all algorithms.

    Idea: a class is published as its closure, so its loss is the number of its records times the price of the closure.
    The start are classes grown record by record, or those of top-down specialization (for a large table, of cuts by the
    loss as in `mondrian`), whichever lose less; with promises beyond k, those of top-down specialization, of
    `mondrian`, by the median or by the loss, or classes peeled by levels (`search/local/peeling.py`). Then records move
    between classes, are swapped, or move in chains of two, and classes are opened, dissolved, and rebuilt, some at a
    time. The change of the loss is exact; it is computed from what each class would be without each of its records. A
    change for the better is always accepted; one for the worse with a probability that falls with its size and with the
    temperature (simulated annealing). Records may be suppressed on the way, up to the limit, and come back. Where
    sensitive values are too frequent for any partition of all records, as few as possible are suppressed at the start.

    Guarantee: never worse than its start; and a proven bound, so that the certificate tells how far the release is from
    any other (`search/bounds/best.py`).

    Correctness: before a change is made, each class has at least k records and passes a sufficient test of each promise
    (`kernels/sufficient_tests.py`). The promises are decided again on the answer, exactly.

    Cost: `effort` moves are tried for each record, fewer for more than 75,000 records or where k is above 15; each
    costs some microseconds, on both cores. With a time limit the work takes all of it, and depends on the machine's
    speed; else equal seeds give equal answers. Memory: some 2 kB for each distinct record of up to 500,000 records; a
    larger table is searched in fragments of as many, one after the other.

    Args:
        effort: How many moves are tried for each record.
    """

    name: ClassVar[str] = "tightest"
    reference: ClassVar[str] = "shoal; Kirkpatrick et al. 1983 for annealing"
    local: ClassVar[bool] = True
    weighs: ClassVar[bool] = True

    effort: Annotated[int, Field(ge=0)] = EFFORT

    def solve(self, problem: Problem, progress: Progress = silent) -> Solution:
        """Start, improve, trim, and bound what is left."""
        deadline = problem.deadline()
        start_of(problem, self.name)
        forms = forms_of(problem.tally.quasi, cell_measure(problem, self.name))
        effort = self.effort * more_moves(problem)
        found = tight_parts(
            problem, forms, self.name, effort=effort, deadline=deadline, share=_IMPROVING, progress=progress
        )
        charged = local_bound(problem, forms, seconds=seconds_until(deadline), progress=progress)
        bound = max(charged, linear_bound(problem, forms, found.parts, deadline, progress), key=attrgetter("total"))
        remark = bound.remark if found.improved else _NOT_IMPROVED
        return solution_of(problem, found.parts, bound=bound.total, remark=remark, witness=charged.witness)


def more_moves(problem: Problem) -> int:
    """Return how many times as many moves a table of moderate size gets, where promises beyond k let many of them fail.

    Small tables have many moves for each record, and large ones take long.
    """
    n = max(problem.tally.n_records, 1)
    if all(isinstance(model, KAnonymity) for model in problem.models):
        return 1
    return max(min(_MORE, _MORE * n // _FEW, _MODERATE // n), 1)
