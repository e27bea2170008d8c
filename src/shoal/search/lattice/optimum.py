"""The best release of a lattice, as a solution."""

from shoal.foundation.errors import InfeasibleError
from shoal.foundation.progress import Progress, silent
from shoal.search.lattice.boxes import BestNode, search
from shoal.search.lattice.column_blocks import floor_of
from shoal.search.lattice.diagnosis import infeasible
from shoal.search.lattice.lattice import Lattice, NodeOutcome
from shoal.search.lattice.selection import NOTHING_SETTLED, UNSETTLED
from shoal.search.problem import Solution


def optimum(lattice: Lattice, progress: Progress = silent) -> Solution:
    """Return the feasible release of least loss.

    If the time limit stops the search, it is the incumbent, with a lower bound.
    """
    found = search(lattice, progress, floor_of(lattice))
    if found.best is None:
        if found.complete:
            raise infeasible(lattice)
        if not found.stopped:
            raise InfeasibleError(NOTHING_SETTLED)
        raise InfeasibleError(
            f"No allowed release was found within the time limit of {lattice.problem.time_limit} s "
            f"({lattice.nodes_checked} of {lattice.n_nodes} generalizations were checked). Allow more time."
        )
    node = _lowered(lattice, found.best).node
    if found.complete:
        return lattice.solution(node, guarantee="optimal")
    return lattice.solution(node, guarantee="none", bound=found.bound, remark=_why_not_proven(lattice, found))


def _why_not_proven(lattice: Lattice, found: BestNode) -> str:
    if found.stopped:
        return f"{lattice.nodes_checked} of {lattice.n_nodes} generalizations were checked"
    return UNSETTLED


def _lowered(lattice: Lattice, best: NodeOutcome) -> NodeOutcome:
    """Step down while the loss does not grow.

    The search keeps the first of equal losses, which is the most general one.
    """
    while True:
        below = [lattice.evaluate(node) for node in lattice.below(best.node)]
        as_good = [outcome for outcome in below if outcome.feasible and outcome.loss <= best.loss]
        if not as_good:
            return best
        best = min(as_good, key=lambda outcome: (outcome.loss, outcome.node))
