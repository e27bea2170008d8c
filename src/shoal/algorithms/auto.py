"""How `auto` chooses an algorithm."""

from shoal.problem import Problem


def choose(problem: Problem) -> tuple[str, str]:
    """Return the name of the algorithm for a problem, and why, in one line."""
    columns = len(problem.tally.quasi)
    return "optimal", f"full-domain generalization of {columns} columns is searched to the optimum"
