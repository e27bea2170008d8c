"""Exhaustive search of the lattice."""

from dataclasses import dataclass, replace
from typing import ClassVar

from shoal.foundation.errors import InfeasibleError
from shoal.foundation.progress import Progress, silent
from shoal.search.algorithms.algorithm import Algorithm
from shoal.search.lattice.diagnosis import infeasible
from shoal.search.lattice.lattice import Lattice
from shoal.search.lattice.minimal import Preference, least_nodes, preferred
from shoal.search.lattice.selection import UNSETTLED
from shoal.search.problem import Problem, Solution


@dataclass(frozen=True, slots=True, kw_only=True)
class Exhaustive(Algorithm):
    """Evaluate every generalization and take the best: Sweeney's search, and the plain oracle of all others.

    With `prefer`, take instead the minimal generalization that one of Samarati's criteria prefers.

    Guarantee: optimal by the measure (without `prefer`), for any measure and any models. All minimal generalizations
    are returned as well.

    Cost: the product of the numbers of levels; each node is grouped from the smallest one below it.
    """

    name: ClassVar[str] = "exhaustive"
    reference: ClassVar[str] = "Sweeney 2002; Ciriani et al. 2007, section 3.2"
    weighs: ClassVar[bool] = True

    prefer: Preference | None = None

    def solve(self, problem: Problem, progress: Progress = silent) -> Solution:
        """Evaluate all nodes, the most specific first."""
        lattice = Lattice(problem)
        allowed = []
        remark = ""
        for done, node in enumerate(lattice.all_nodes()):
            if lattice.out_of_time:
                remark = f"{done} of {lattice.n_nodes} generalizations were checked"
                break
            if lattice.allowed(node):
                allowed.append(node)
            progress("looking at every generalization", done / lattice.n_nodes)
        if not allowed and remark:
            raise InfeasibleError(f"No allowed release was found within the time limit ({remark}). Allow more time.")
        if not allowed:
            raise infeasible(lattice)
        minimal = least_nodes(allowed)
        best = preferred(lattice, minimal if self.prefer else allowed, self.prefer)
        bound = lattice.least_open(best.loss)
        if not remark and (bound < best.loss or lattice.n_undecided):
            remark = UNSETTLED
        optimal = not remark and self.prefer is None
        solution = lattice.solution(
            best.node,
            guarantee="optimal" if optimal else "none",
            bound=bound if bound < best.loss and not lattice.out_of_time else None,
            remark=remark,
        )
        return replace(solution, minimal=tuple(lattice.named(node) for node in minimal))
