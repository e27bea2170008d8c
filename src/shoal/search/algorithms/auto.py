"""How `auto` chooses an algorithm."""

from dataclasses import dataclass

from shoal.foundation.errors import SpecError
from shoal.foundation.progress import Progress, silent
from shoal.measures.measure import CellMeasure
from shoal.search.algorithms.algorithm import Algorithm
from shoal.search.local.partition import broken_by_one_class
from shoal.search.problem import Problem, Solution

_MATCHED = 4_000  # for up to so many records the best classes of two and three are found in some seconds
_FEW = 100  # for up to so many distinct records the best classes may be found in some seconds,
_NODES = 100  # with at most so many nodes of a search tree, and
_WORK = 5_600_000  # at most so much work; with a time limit, equal seeds could give different releases


@dataclass(frozen=True, slots=True)
class Choice:
    """An algorithm, and the reason for it, in one line."""

    algorithm: Algorithm
    reason: str


def choices(problem: Problem) -> list[Choice]:
    """Return the algorithms for a problem, the best first; if one refuses it, the next is tried.

    Each class is recoded on its own, which loses least: by `optimal-2` or `exact` where the table is so small that the
    optimum may be found and proven, else by `tightest`. Where that is impossible, all records are generalized alike,
    and `optimal` finds the best such release.
    """
    reason = _alike(problem)
    if reason is not None:
        from shoal.search.algorithms.optimal import Optimal  # each of them loads much, and is imported if it is tried

        return [Choice(Optimal(), f"all records are generalized alike, to the optimum, since {reason}")]
    from shoal.search.algorithms.tightest import Tightest

    tally = problem.tally
    size = f"{tally.n_records} records, {len(tally.quasi)} columns, {problem.measure.name}"
    tight = Choice(Tightest(), f"each class is recoded for itself, which loses least: {size}")
    best = "each class is recoded for itself, and the table is small enough to look for the proven optimum"
    proving: list[Algorithm] = []
    if problem.k == 2 and tally.n_records <= _MATCHED:
        from shoal.search.algorithms.optimal_2 import Optimal2

        proving.append(Optimal2())
    if tally.n_points <= _FEW:
        from shoal.search.algorithms.exact import Exact

        proving.append(Exact() if problem.time_limit is not None else Exact(nodes=_NODES, work=_WORK))
    return [*(Choice(algorithm, f"{best}: {size}") for algorithm in proving), tight]


def solved(problem: Problem, progress: Progress = silent) -> tuple[Choice, Solution]:
    """Solve a problem by the first algorithm that does not refuse it."""
    *proving, last = choices(problem)
    for choice in proving:
        try:
            return choice, choice.algorithm.solve(problem, progress)
        except SpecError:  # it needs other promises, measures or columns; if the request is wrong, the last one says so
            progress("choosing another algorithm")
    return last, last.algorithm.solve(problem, progress)


def _alike(problem: Problem) -> str | None:
    """Return why all records must be generalized alike, or None."""
    if problem.tally.populations:
        return "the promises count records of an outside table"
    if not isinstance(problem.measure, CellMeasure):
        return f"{problem.measure.name} looks at classes as a whole"
    if problem.wildcard and len(problem.prunable) < len(problem.models):
        return "missing values match everything, and a promise may fail where classes overlap"
    if broken_by_one_class(problem):
        return "one class of all records breaks a promise, so that some must be suppressed"
    return None
