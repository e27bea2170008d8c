"""Forest: classes of k from the trees of nearest neighbours."""

from dataclasses import dataclass
from typing import ClassVar

from shoal.foundation.progress import Progress, silent
from shoal.search.algorithms.algorithm import Algorithm
from shoal.search.bounds.best import best_bound
from shoal.search.local.decomposition import decomposed, largest_class
from shoal.search.local.forms import check_trees, forms_of, offset_of
from shoal.search.local.merging import alike_joined, merged
from shoal.search.local.partition import cell_measure, check_local, solution_of
from shoal.search.local.trimming import trimmed
from shoal.search.neighbours.exact import QuasiRows, neighbours
from shoal.search.problem import Problem, Solution


@dataclass(frozen=True, slots=True, kw_only=True)
class Forest(Algorithm):
    """Join each record with one of its k - 1 nearest neighbours until all trees have k records, and cut large trees.

    Idea: a record that hides among k costs at least its distance to its (k-1)-th nearest neighbour (a lower bound). A
    tree that is too small gets an edge from its root to a neighbour of the root outside. So each record pays for at
    most one edge, to one of its k - 1 nearest neighbours. The trees are then cut into classes of k to max(2k - 1, 3k -
    5) records whose trees share no edge.

    Guarantee: the loss is at most max(2k - 1, 3k - 5) times that of the best local recoding. All edges together weigh
    at most the bound. Each record of a class costs at most the weight of the class's tree: in each column, the lowest
    common ancestors of the ends of its edges lie on one path upwards, since neighbouring edges share a record, and the
    highest of them covers the class. So a class costs at most its size times its weight. This needs

    - columns that publish nodes of a tree. Ranges and sets overlap, so two of them that share a record may cover,
      together, far more than each; such columns are refused;
    - prices that are not negative (all but `nonuniform-entropy`, which depends on the record as well) and do not fall
      from a node to one above. The prices of `entropy` do; but a class may be published as any node above it, and the
      least price at or above a node does not fall. Both the release and the best one are judged by that price, so
      nothing else changes (Gionis and Tassa 2009, section 4.2.2 coarsens the trees to the same end);
    - no promise beyond the number of records, or one that all classes keep as they are. Else failing classes are joined
      with what costs least, and no factor is claimed; the bound stays;
    - missing values that match only each other.

    Suppression: a suppressed record costs `full`, which no distance exceeds, so bound and factor hold (Aggarwal et al.
    2005, end of section 4). Records are left out where that lowers the loss.

    Cost: buckets of all rows for some hundreds of level vectors, O(rows x columns) each, then O(records x k). The
    search for neighbours is exact: `search/neighbours/exact.py`. The paper's way to cut trees may leave trees that are
    too small; the one used here, with its proof, is in `kernels/local/trees.py`.
    """

    name: ClassVar[str] = "forest"
    reference: ClassVar[str] = "Aggarwal et al. 2005, section 4, corrected; Gionis and Tassa 2009, section 6.4"
    local: ClassVar[bool] = True

    def solve(self, problem: Problem, progress: Progress = silent) -> Solution:
        """Find neighbours, grow trees, cut them, mend what fails."""
        deadline, measure = problem.deadline(), cell_measure(problem, self.name)
        tally, k = problem.tally, problem.k
        forms = forms_of(tally.quasi, measure)
        check_trees(tally.quasi, forms, self.name)
        check_local(problem, self.name)
        near = neighbours(QuasiRows.of(tally), tally.quasi, forms, k, progress)
        cut = alike_joined(tally, decomposed(tally, forms, near, k), forms)
        kept = merged(problem, cut, forms)
        proven = kept is cut and not problem.wildcard and bool((forms.prices >= 0).all())
        own = None if problem.wildcard else max(near.bound + offset_of(tally.quasi, measure), 0.0)
        remark = ""
        if kept is not cut:
            remark = f"{cut.n_classes - kept.n_classes} classes were joined with others to keep every promise"
        return solution_of(
            problem,
            trimmed(problem, kept),
            bound=best_bound(problem, own, deadline=deadline),
            guarantee="factor" if proven else "none",
            factor=float(largest_class(k)) if proven else None,
            remark=remark,
        )
