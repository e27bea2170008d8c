"""k-Optimize: the best set of cut points, all records recoded alike."""

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

from pydantic import Field

from shoal.foundation.errors import InfeasibleError, SpecError
from shoal.foundation.progress import Progress, silent
from shoal.search.algorithms.algorithm import Algorithm
from shoal.search.lattice.diagnosis import infeasible
from shoal.search.lattice.lattice import Lattice
from shoal.search.lattice.selection import NOTHING_SETTLED, UNSETTLED
from shoal.search.local.partition import check_outside
from shoal.search.problem import Problem, Solution
from shoal.search.removal import broken_by
from shoal.search.single_dimensional.enumeration import Enumeration
from shoal.search.single_dimensional.recodings import Recodings, known_measure


@dataclass(frozen=True, slots=True, kw_only=True)
class KOptimize(Algorithm):
    """Split the ordered values of each column by cut points, the same for all records, so that the loss is least.

    Idea: a release is a set of steps: cut points in columns of ranges or sets, and in trees nodes that are split into
    their children, each after the one above. More steps make smaller classes and more suppressed records. The sets are
    enumerated as a tree, and whole branches are pruned by bounds.

    Why a bound holds: consider the classes of the taken steps, and the atoms of these and all open steps. The records
    of a class that fails are suppressed in every set of the branch. Any other record ends in a class that contains its
    atom, so it costs at least what the atom costs, in a class of at least k records. Within a class that has at most
    half of the records, a step that leaves at most one passing part can be left out of any set at no loss: so atoms are
    only split by the other steps (`kernels/single_dimensional/steps.py`). Joining atoms or classes never lowers their
    price, in both measures.

    Guarantee: optimal among all sets of the steps, for every promise and limit of suppression; stopped by a time limit,
    the incumbent with a proven bound. Where only some of the cut points are candidates, the remark says so, with the
    bound, and nothing is claimed about the others.

    The paper's pseudo-code is corrected: a child takes an index above those of its parent, not equal to one; the least
    value of a column is no cut point; what is pruned is the child, not its parent; and a set may suppress records, or
    nothing would be feasible early.

    Cost: each evaluation of a branch is linear in the distinct rows times the columns; the number of evaluations may
    double with every further step, so a large table with many steps needs a time limit.
    """

    name: ClassVar[str] = "k-optimize"
    reference: ClassVar[str] = "Bayardo and Agrawal 2005; Ciriani et al. 2007, Algorithm 4.1, corrected"
    alike: ClassVar[bool] = True

    cuts: Annotated[int, Field(ge=1)] = 32

    def solve(self, problem: Problem, progress: Progress = silent) -> Solution:
        """Search the sets of steps."""
        deadline = problem.deadline()
        _check(problem, self.name)
        space = Recodings(problem, known_measure(problem, self.name), self.cuts)
        search = Enumeration(space, deadline)
        search.run(progress)
        if search.best is None:
            raise _nothing(problem, search)
        words = [] if search.stopped or search.complete else [UNSETTLED]
        thinned = space.n_steps < space.n_possible
        if thinned:  # nothing is proven about the cut points that are no candidates
            words.append(
                f"of {space.n_possible} cut points {space.n_steps} are candidates (cuts = {self.cuts}); no choice of "
                f"these loses less than {float(search.bound):.6g}"
            )
        solution = space.solution(search.best, "; ".join(words))
        return replace(
            solution,
            bound=None if thinned else float(search.bound),
            guarantee="optimal" if search.complete and not thinned else "none",
            nodes_checked=space.n_evaluations,
        )


def _check(problem: Problem, name: str) -> None:
    """Raise an error for what cannot be met, or not by cut points."""
    if problem.tally.populations:
        raise SpecError(
            f"The algorithm '{name}' does not count the records of an outside table. Use a full-domain algorithm "
            "such as 'optimal' for k-map and delta-presence."
        )
    check_outside(problem, name)
    if problem.by_record:
        raise SpecError(f"The algorithm '{name}' suppresses whole classes. Use suppress = 'classes'.")
    if problem.wildcard and any(column.hierarchy.missing_leaf >= 0 for column in problem.tally.quasi):
        raise SpecError(
            f"Where missing values match everything, classes overlap, and the bounds of the algorithm '{name}' do not "
            "hold. Use missing = 'category', or the algorithm 'optimal'."
        )
    failing = broken_by(problem.models, problem.tally)
    if failing and (problem.limit == 0 or any(model.monotone_with_suppression for model in failing)):
        raise infeasible(Lattice(problem))


def _nothing(problem: Problem, search: Enumeration) -> InfeasibleError:
    if not search.complete and not search.stopped:
        return InfeasibleError(NOTHING_SETTLED)
    if search.complete:
        return InfeasibleError(
            f"No set of cut points keeps every promise with at most {problem.limit} of the {problem.tally.n_records} "
            "records suppressed. Allow more suppression, more cuts, or use the algorithm 'optimal'."
        )
    return InfeasibleError(
        f"No allowed set of cut points was found within the time limit of {problem.time_limit} s. Allow more time."
    )
