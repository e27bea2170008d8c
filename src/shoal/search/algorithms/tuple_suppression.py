"""Tuple suppression: no value is changed; records of failing classes are left out."""

from dataclasses import dataclass
from typing import ClassVar

from shoal.foundation.progress import Progress, silent
from shoal.search.algorithms.algorithm import Algorithm
from shoal.search.lattice.lattice import Lattice
from shoal.search.lattice.optimum import optimum
from shoal.search.problem import Problem, Solution


@dataclass(frozen=True, slots=True, kw_only=True)
class TupleSuppression(Algorithm):
    """Publish the table unchanged, without the records of classes that fail (TS in Ciriani et al. 2007, section 2.2).

    Guarantee: the least loss of all choices of the classes to leave out. There is one, the classes that fail, unless a
    promise compares a class with the release or suppressed records are published as stars.

    Cost: one evaluation of the bottom of the lattice.
    """

    name: ClassVar[str] = "tuple-suppression"
    reference: ClassVar[str] = "Ciriani et al. 2007, section 2.2, TS"
    whole: ClassVar[bool] = True
    weighs: ClassVar[bool] = True

    def solve(self, problem: Problem, progress: Progress = silent) -> Solution:
        """Evaluate the only node."""
        return optimum(Lattice(problem, [(0,) for _ in problem.tally.quasi]), progress)
