"""Descent: step down from a generalization as long as that loses less. Quick, and no proof of the least."""

from collections.abc import Mapping

from shoal.search.lattice.lattice import Lattice
from shoal.search.problem import Problem, Solution


def descend(problem: Problem, levels: Mapping[str, int], *, whole: bool = False) -> Solution | None:
    """Return a release at or below a generalization, or below the top if that is not allowed; None if neither is.

    Of the steps down, one level in one column each, that which loses least is taken, until none loses less. So at most
    the levels of all columns times the columns are evaluated.

    Args:
        problem: The problem.
        levels: The level of each column to start from; the top for columns that have none.
        whole: Whether a column is only kept, or starred as a whole.
    """
    heights = {column.name: column.hierarchy.height for column in problem.tally.quasi}
    lattice = Lattice(problem, [(0, height) for height in heights.values()] if whole else None)
    start = tuple(levels.get(name, height) for name, height in heights.items())
    best = lattice.evaluate(start)
    if not best.feasible:
        best = lattice.evaluate(lattice.top)
    if not best.feasible:
        return None
    while True:
        below = [lattice.evaluate(node) for node in lattice.below(best.node)]
        better = [outcome for outcome in below if outcome.feasible and outcome.loss < best.loss]
        if not better:
            return lattice.solution(best.node, guarantee="none")
        best = min(better, key=lambda outcome: (outcome.loss, outcome.node))
