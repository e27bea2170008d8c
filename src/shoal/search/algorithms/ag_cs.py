"""Attribute generalization with cell suppression: one level for each column, and stars in single cells."""

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

from pydantic import Field

from shoal.foundation.progress import Progress, silent
from shoal.search.algorithms.algorithm import Algorithm
from shoal.search.bounds.best import local_bound
from shoal.search.bounds.bounds import LIGHT, Bound
from shoal.search.levels.at_levels import at_levels, recoding_at
from shoal.search.levels.level_optimum import level_optimum
from shoal.search.levels.level_search import Found, LevelSearch
from shoal.search.local.forms import forms_of
from shoal.search.local.partition import cell_measure, check_outside, solution_of, start_of
from shoal.search.local.tight import seconds_until
from shoal.search.problem import Guarantee, Problem, Solution


@dataclass(frozen=True, slots=True, kw_only=True)
class AgCs(Algorithm):
    """Publish one level of each column, and star single cells where too few records are alike.

    Idea: this is AG_CS of Ciriani et al. 2007. At given levels, each class is published as what all of its records
    share, or as a star, which is local recoding with two choices for each cell. Quick classes tell which levels are
    good: records that are alike, then those that are with one column starred, and so on. The classes of the best levels
    are annealed as by `tightest`.

    Guarantee: optimal for a few records (about 18), where all subsets are solved at all levels that may lose least.
    Else none, but a proven bound: at each choice of levels, what the nodes cost, and what classes of k records cost
    beside; the least of all choices. For those that are not looked at it is what their nodes cost.

    Correctness: classes at any levels keep the promises as they would in any local recoding, and are tested again on
    the answer, exactly.

    Cost: a choice of levels is tried in time proportional to the records, once for each set of starred columns that
    leaves records over. Some ten choices are mostly enough, since the nodes of most cost more than what is known.

    Args:
        effort: How many moves are tried for each record at the best levels.
    """

    name: ClassVar[str] = "ag-cs"
    reference: ClassVar[str] = "Ciriani et al. 2007, section 2.2"
    local: ClassVar[bool] = True
    one_level: ClassVar[bool] = True
    weighs: ClassVar[bool] = True

    effort: Annotated[int, Field(ge=0)] = 20

    def solve(self, problem: Problem, progress: Progress = silent) -> Solution:
        """Solve a few records at all levels; else search for levels, and for classes at the best of them."""
        deadline = problem.deadline()
        check_outside(problem, self.name)
        forms = forms_of(problem.tally.quasi, cell_measure(problem, self.name))
        few = level_optimum(problem, self.name, deadline, progress)
        if few is not None:
            return _solution(problem, few, Bound(max(few.loss, 0.0), "values"), "optimal")
        search = LevelSearch(problem, start_of(problem, self.name), self.name, deadline, progress)
        found = search.run(self.effort)
        if problem.unbounded:
            return _solution(problem, found, None)
        charged = local_bound(problem, forms, effort=LIGHT, seconds=seconds_until(deadline), progress=progress)
        return _solution(problem, found, replace(charged, total=max(charged.total, search.bound)))


def _solution(problem: Problem, found: Found, bound: Bound | None, guarantee: Guarantee = "none") -> Solution:
    """Return the release of classes at their levels."""
    parts = found.parts.filled()
    at = at_levels(problem, found.levels, AgCs.name)
    recoding = recoding_at(problem, found.levels, parts, at)
    named = zip(problem.tally.quasi, found.levels, strict=True)
    levels = ", ".join(f"{column.name} {level}" for column, level in named)
    solution = solution_of(
        problem,
        parts,
        bound=None if bound is None else bound.total,
        guarantee=guarantee,
        remark=f"the levels of the columns are {levels}",
        recoding=recoding,
        witness=None if bound is None else bound.witness,
    )
    return replace(solution, one_level=True)
