"""The optimal full-domain generalization, for any measure and any models."""

from dataclasses import dataclass
from typing import ClassVar

from shoal.foundation.progress import Progress, silent
from shoal.search.algorithms.algorithm import Algorithm
from shoal.search.lattice.lattice import Lattice
from shoal.search.lattice.optimum import optimum
from shoal.search.problem import Problem, Solution


@dataclass(frozen=True, slots=True, kw_only=True)
class Optimal(Algorithm):
    """Find the generalization of least loss by branch and bound over boxes of the lattice.

    Guarantee: optimal among all full-domain generalizations within the limit of suppression, for any measure and any
    set of models; stopped by a time limit, the incumbent with a proven bound.

    Cost: in the worst case every node; on real tables a few hundred of millions, since a box is dropped as a whole when
    its bound is no better than the incumbent or when its upper end shows that no node below can be feasible. The bounds
    are proved in `search/lattice/pricing.py`, the search in `search/lattice/boxes.py`. No pruning relies on a model
    being monotone unless it is, with the suppression that the job allows.
    """

    name: ClassVar[str] = "optimal"
    reference: ClassVar[str] = "shoal; the lattice of Ciriani et al. 2007, section 3"
    weighs: ClassVar[bool] = True

    def solve(self, problem: Problem, progress: Progress = silent) -> Solution:
        """Search the whole lattice."""
        return optimum(Lattice(problem), progress)
