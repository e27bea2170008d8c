"""Top-down local recoding: all records fully generalized, then specialized step by step."""

from dataclasses import dataclass
from typing import ClassVar

from shoal.foundation.progress import Progress, silent
from shoal.search.algorithms.algorithm import Algorithm
from shoal.search.bounds.best import best_bound
from shoal.search.local.partition import solution_of, start_of
from shoal.search.local.specialization import Specialization
from shoal.search.local.trimming import trimmed
from shoal.search.problem import Problem, Solution


@dataclass(frozen=True, slots=True, kw_only=True)
class TopDown(Algorithm):
    """Split classes in one column after the other, as long as every promise holds.

    Idea: at first one class contains all records. Each class is split in one column: into the children of its node, or
    into two where the column has ranges or sets. Children that keep all promises become classes. The records of the
    other children form a remainder. If it fails, it gets records of the passing children, as few as it needs and as
    leave these passing, or whole children. The column is the one that lowers the loss most. A class is done when no
    column can be split.

    Guarantee: none on the loss, but a proven bound comes with it (`best_bound`). In a monotone measure no step raises
    the loss.

    Correctness: the one class keeps all promises, or no partition does; where sensitive values are too frequent for
    that, as few records as possible are suppressed first. A class is split only into classes that keep the promises,
    compared with the whole table. Where records may be suppressed, those that cost their class more than that are left
    out at the end, if all promises still hold.

    Cost: each step visits every record once for each column, and at most once more for each pair of columns; there are
    about as many steps as the hierarchies have levels together.
    """

    name: ClassVar[str] = "top-down"
    reference: ClassVar[str] = "Wong et al. 2006; Ciriani et al. 2007, section 5"
    local: ClassVar[bool] = True

    def solve(self, problem: Problem, progress: Progress = silent) -> Solution:
        """Split all classes at once, step by step; stopped by the time limit, the classes so far are the answer."""
        start = start_of(problem, self.name)
        deadline = problem.deadline()
        parts, complete = Specialization(start.problem, self.name).run(deadline, progress)
        remark = "" if complete else "classes could still be split"
        bound = best_bound(problem, deadline=deadline)
        return solution_of(problem, trimmed(problem, start.whole(parts)), bound=bound, remark=remark)
