"""Attribute suppression: each column is kept or starred as a whole."""

from dataclasses import dataclass
from typing import ClassVar

from shoal.foundation.progress import Progress, silent
from shoal.search.algorithms.algorithm import Algorithm
from shoal.search.lattice.lattice import Lattice
from shoal.search.lattice.optimum import optimum
from shoal.search.problem import Problem, Solution


@dataclass(frozen=True, slots=True, kw_only=True)
class AttributeSuppression(Algorithm):
    """Choose which columns to publish unchanged and which to star out (AS in Ciriani et al. 2007, section 2.2).

    Guarantee: the least loss of all such choices, within the limit of suppressed records (give 0 for pure AS).

    Cost: as `optimal`, on the lattice that has only the lowest and the highest level of each column.
    """

    name: ClassVar[str] = "attribute-suppression"
    reference: ClassVar[str] = "Ciriani et al. 2007, section 2.2, AS; Meyerson and Williams 2004"
    whole: ClassVar[bool] = True
    weighs: ClassVar[bool] = True

    def solve(self, problem: Problem, progress: Progress = silent) -> Solution:
        """Search the lattice with two levels in each column."""
        heights = [column.hierarchy.height for column in problem.tally.quasi]
        return optimum(Lattice(problem, [(0, height) for height in heights]), progress)
