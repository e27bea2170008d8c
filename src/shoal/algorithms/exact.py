"""The optimum: the least loss of all releases whose classes are each recoded for themselves."""

from dataclasses import dataclass
from math import inf
from time import monotonic
from typing import ClassVar

from shoal.algorithms.algorithm import Algorithm
from shoal.problem import Problem, Solution
from shoal.progress import Progress, silent
from shoal.spaces.allocating import Allocating
from shoal.spaces.allocation import Allocation, Rules
from shoal.spaces.closed import Closed
from shoal.spaces.forms import forms_of, offset_of
from shoal.spaces.kinds import Kinds
from shoal.spaces.partition import cell_measure, check_local, solution_of
from shoal.spaces.subsets import Subsets
from shoal.spaces.tight import tight_parts


@dataclass(frozen=True, slots=True, kw_only=True)
class Exact(Algorithm):
    """Exact."""

    name: ClassVar[str] = "exact"
    reference: ClassVar[str] = "Liang and Yuan 2013, Theorems 8 and 9, corrected and sharpened"
    local: ClassVar[bool] = True

    def solve(self, problem: Problem, progress: Progress = silent) -> Solution:
        """Part all subsets of a few records; of more, allocate them to closed patterns."""
        deadline = problem.deadline()
        forms = forms_of(problem.tally.quasi, cell_measure(problem, self.name))
        check_local(problem, self.name)
        kinds = Kinds.of(problem)
        subsets = Subsets(problem, forms, kinds)
        if subsets.affordable():
            return by_subsets(problem, forms, subsets, deadline, progress)
        return by_allocation(problem, forms, kinds, deadline, progress)


def by_subsets(problem, forms, subsets, deadline=inf, progress=silent):
    found = subsets.best(deadline, progress)
    assert found is not None
    offset = offset_of(problem.tally.quasi, problem.measure)
    return solution_of(problem, found.parts, bound=found.loss + offset, guarantee="optimal")


def by_allocation(problem, forms, kinds, deadline=inf, progress=silent, effort=400):
    name = Exact.name
    rules = Rules.of(problem, kinds, name)
    closed = Closed.of(problem, forms, kinds, name)
    end = deadline if deadline == inf else monotonic() + 0.1 * (deadline - monotonic())
    start = tight_parts(problem, forms, name, effort=effort, deadline=end, progress=progress)
    offset = offset_of(problem.tally.quasi, problem.measure)
    allocation = Allocation(kinds, closed, rules, problem.k, problem.limit if not problem.stars else 0, forms.full, 0.0)
    search = Allocating(problem, forms, allocation, start.parts, offset)
    found = search.run(deadline, progress)
    return solution_of(
        problem, found.parts, bound=found.bound + offset, guarantee="optimal" if found.proven else "none"
    )
