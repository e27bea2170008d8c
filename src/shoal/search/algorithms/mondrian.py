"""Mondrian: cut the table, and every class of it, until no cut is allowed."""

from dataclasses import dataclass
from typing import ClassVar

from shoal.foundation.errors import SpecError
from shoal.foundation.progress import Progress, silent
from shoal.search.algorithms.algorithm import Algorithm
from shoal.search.bounds.best import best_bound
from shoal.search.local.cuts import Categories, CutRule, Mode, cut_down
from shoal.search.local.partition import cell_measure, solution_of, start_of
from shoal.search.local.trimming import trimmed
from shoal.search.problem import Problem, Solution


@dataclass(frozen=True, slots=True, kw_only=True)
class Mondrian(Algorithm):
    """Cut the table in two, the parts again, and so on, as long as each part keeps all promises.

    Idea: the quasi columns span a space with the records in it. A class is a box, cut along one column. The widest
    column is tried first (its width is what `lm` charges for the class, times the column's weight) and cut where the
    two sides are most even, which is right after or before the median; if a part breaks a promise, the next widest is
    tried. Each class is published as tightly as its own records allow.

    Guarantee: none, but a proven bound comes with the loss (`best_bound`), if the measure has a price for a cell. For
    k-anonymity alone the strict partition is minimal (Ciriani et al. 2007, Definition 4.3): in no class does a cut
    along a column that is cut by order, or between the children of its node, leave k records on both sides, since the
    most even cut is tried. A class is larger than 2k - 1 only where values repeat.

    Correctness: one class of all records keeps the promises, and a cut is made only if all of its parts do, decided as
    in the release. Where sensitive values are too frequent for one class, as few records as possible are suppressed
    first. Promises that compare a class with the table are compared with all others, since no more are suppressed
    before the end. Then, where it is allowed, records that cost their class more than suppressing them are left out, if
    all promises still hold. Promises that are not monotone may forbid a cut and yet allow a later one, which is not
    found.

    Cost: O(points x columns) for each depth by the median, O(points x columns squared) by the loss; the depth is about
    log2(records / k). Memory: the coded table once more.

    Args:
        mode: `strict` keeps the records of one value together in each cut along its column. `relaxed` divides the
            records of the median where that makes the sides even, in columns that are cut by order.
        cut: `median`, or `loss`: of all cuts along all columns the one that lowers the measure most, exactly.
        categories: Columns with a tree are cut into the children of the class's node if every child is large enough,
            else in two between children (`hierarchy`); by the loss also into any node below and the rest. Or they are
            cut by the order of their leaves, like ranges and sets (`order`).
    """

    name: ClassVar[str] = "mondrian"
    reference: ClassVar[str] = "LeFevre et al. 2006; Ciriani et al. 2007, Algorithm 4.2"
    local: ClassVar[bool] = True
    weighs: ClassVar[bool] = True

    mode: Mode = "strict"
    cut: CutRule = "median"
    categories: Categories = "hierarchy"

    def solve(self, problem: Problem, progress: Progress = silent) -> Solution:
        """Cut until no cut is allowed."""
        if self.cut == "loss":
            cell_measure(problem, self.name)
            if problem.tally.weighted:
                raise SpecError(
                    "cut = 'loss' finds the cut that lowers the loss of records most, and these have sampling weights. "
                    "Use cut = 'median', or the algorithm 'tightest', which goes by the weighted loss."
                )
        deadline = problem.deadline()
        start = start_of(problem, self.name)
        found = cut_down(start.problem, mode=self.mode, cut=self.cut, categories=self.categories, progress=progress)
        remark = "" if found.complete else "classes could still be cut"
        parts = trimmed(problem, start.whole(found.parts))
        return solution_of(problem, parts, bound=best_bound(problem, deadline=deadline), remark=remark)
