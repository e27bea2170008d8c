"""Samarati's binary search on the height of the lattice."""

from dataclasses import dataclass
from typing import ClassVar

from shoal.foundation.progress import Progress, silent
from shoal.search.algorithms.algorithm import Algorithm
from shoal.search.lattice.cells import Node
from shoal.search.lattice.diagnosis import infeasible
from shoal.search.lattice.lattice import Lattice
from shoal.search.lattice.minimal import preferred
from shoal.search.problem import Problem, Solution


@dataclass(frozen=True, slots=True, kw_only=True)
class Samarati(Algorithm):
    """Find the lowest height at which a generalization is feasible; of several at that height, the one of least loss.

    Why it is correct: a promise that classes keep is kept when classes are joined. So if some node of a height is
    feasible, some node of every greater height is (Ciriani et al. 2007, Theorem 3.4), and bisection of the heights
    finds the lowest. Where that does not hold (models that are not monotone with suppression), the heights are tried
    one after the other instead, and the remark says so.

    Guarantee: the smallest number of generalization steps (minimum absolute distance); none by other measures.

    Cost: the nodes of about log2(height) heights, each until the first feasible one. The records to suppress are
    counted on the classes of a node; the paper's matrix of distance vectors, which is quadratic in the distinct tuples
    and counts a small class once for each of its outliers, is not built. The limit of suppression is met with `<=`
    (Ciriani et al. 2007, Definition 3.4).
    """

    name: ClassVar[str] = "samarati"
    reference: ClassVar[str] = "Samarati 2001; Ciriani et al. 2007, Algorithm 3.1, corrected"
    weighs: ClassVar[bool] = True

    def solve(self, problem: Problem, progress: Progress = silent) -> Solution:
        """Bisect the range of heights, or try them one by one."""
        lattice = Lattice(problem)
        heights: dict[int, list[Node]] = {}
        for node in lattice.all_nodes():
            heights.setdefault(sum(node), []).append(node)
        lowest = self._halve(lattice, heights, progress) if lattice.inherits else self._walk(lattice, heights, progress)
        if lowest is None:
            raise infeasible(lattice)
        allowed = [node for node in heights[lowest] if lattice.allowed(node)]
        best = preferred(lattice, allowed, None)
        remark = f"lowest height {lowest}"
        if not lattice.inherits:
            remark += "; heights were tried one by one, since not all models are monotone with suppression"
        return lattice.solution(best.node, guarantee="none", remark=remark)

    def _halve(self, lattice: Lattice, heights: dict[int, list[Node]], progress: Progress) -> int | None:
        low, high = min(heights), max(heights)
        if not self._reached(lattice, heights[high]):
            return None
        while low < high:
            progress("halving the heights")
            middle = (low + high) // 2
            if self._reached(lattice, heights[middle]):
                high = middle
            else:
                low = middle + 1
        return high

    def _walk(self, lattice: Lattice, heights: dict[int, list[Node]], progress: Progress) -> int | None:
        for height in sorted(heights):
            progress("walking up the heights")
            if self._reached(lattice, heights[height]):
                return height
        return None

    def _reached(self, lattice: Lattice, nodes: list[Node]) -> bool:
        lattice.keep_time("the lowest height was found")
        return any(lattice.allowed(node) for node in nodes)
