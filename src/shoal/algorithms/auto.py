"""How `auto` chooses an algorithm."""

from shoal.measures.measure import CellMeasure
from shoal.problem import Problem
from shoal.spaces.partition import broken_by_one_class

_LEVELS = "optimal"
_CLASSES = "tightest"


def choose(problem: Problem) -> tuple[str, str]:
    """Return the name of the algorithm for a problem, and why, in one line.

    Each class is recoded for itself by `tightest`, which loses least, unless that cannot be: then all records are
    generalized alike, and `optimal` finds the best such release.
    """
    reason = _alike(problem)
    if reason is not None:
        return _LEVELS, f"all records are generalized alike, to the optimum, since {reason}"
    tally = problem.tally
    return _CLASSES, (
        f"each class is recoded for itself, which loses least: {tally.n_records} records, {len(tally.quasi)} columns, "
        f"{problem.measure.name}"
    )


def _alike(problem: Problem) -> str | None:
    """Say why all records must be generalized alike, if they must."""
    if problem.tally.populations:
        return "the promises count records of an outside table"
    if not isinstance(problem.measure, CellMeasure):
        return f"{problem.measure.name} looks at classes as a whole"
    if problem.wildcard and len(problem.prunable) < len(problem.models):
        return "missing values match everything, and a promise may fail where classes overlap"
    if broken_by_one_class(problem):
        return "one class of all records breaks a promise, so that some must be suppressed"
    return None
