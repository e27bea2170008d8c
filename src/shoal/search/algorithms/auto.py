"""How `auto` chooses an algorithm."""

from dataclasses import dataclass

from shoal.foundation.errors import InfeasibleError, SpecError
from shoal.foundation.progress import Progress, silent
from shoal.measures.measure import CellMeasure
from shoal.models.model import SensitiveModel
from shoal.search.algorithms.algorithm import Algorithm
from shoal.search.by_class import by_class, tables_of
from shoal.search.problem import Problem, Solution
from shoal.search.removal import removal_of

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
    and `optimal` finds the best such release. A loss with sampling weights is that of `tightest` or `optimal`.
    """
    reason = _alike(problem)
    if reason is not None:
        return [_optimal(reason)]
    tally = problem.tally
    size = f"{tally.n_records} records, {len(tally.quasi)} columns, {problem.measure.name}"
    best = "each class is recoded for itself, and the table is small enough to look for the proven optimum"
    proving: list[Algorithm] = []
    if tally.weighted:
        return [_last(problem, f"{size} weighted")]
    if problem.k == 2 and tally.n_records <= _MATCHED:
        from shoal.search.algorithms.optimal_2 import Optimal2  # each loads much, and is imported if it is tried

        proving.append(Optimal2())
    if tally.n_points <= _FEW:
        from shoal.search.algorithms.exact import Exact

        proving.append(Exact() if problem.time_limit is not None else Exact(nodes=_NODES, work=_WORK))
    return [*(Choice(algorithm, f"{best}: {size}") for algorithm in proving), _last(problem, size)]


def _last(problem: Problem, size: str) -> Choice:
    """Return the algorithm for a table of any size."""
    removal = removal_of(problem)
    if removal is None or removal.least <= problem.limit < removal.n_records:
        return _optimal("one class of all records breaks a promise, and it is not known which of them to suppress")
    from shoal.search.algorithms.tightest import Tightest

    return Choice(Tightest(), f"each class is recoded for itself, which loses least: {size}")


def _optimal(reason: str) -> Choice:
    from shoal.search.algorithms.optimal import Optimal

    return Choice(Optimal(), f"all records are generalized alike, to the optimum, since {reason}")


def solved(problem: Problem, progress: Progress = silent) -> tuple[Choice, Solution]:
    """Solve a problem by the first algorithm that does not refuse it."""
    *proving, last = choices(by_class(problem))
    for choice in proving:
        try:
            return choice, choice.algorithm.answer(problem, progress)
        except (SpecError, InfeasibleError) as error:
            if isinstance(error, InfeasibleError) and error.diagnosis.get("proven", True):
                raise
            progress("choosing another algorithm")  # if the request is wrong, the last one says so
    try:
        return last, last.algorithm.answer(problem, progress)
    except InfeasibleError as error:
        if error.diagnosis.get("proven", True) or not (last.algorithm.by_class and tables_of(problem)):
            raise
    last = _optimal("a promise about all of them is kept by none that was found of classes recoded each for itself")
    return last, last.algorithm.answer(problem, progress)


def _alike(problem: Problem) -> str | None:
    """Return why all records must be generalized alike, or None."""
    if problem.tally.populations:
        return "the promises count records of an outside table"
    if any(isinstance(model, SensitiveModel) and model.entity is not None for model in problem.models):
        return "a promise counts persons, who may have records in several classes that are recoded each for itself"
    if problem.together:
        return "records of a person, whom a pseudonym tells, must stay together"
    if not isinstance(problem.measure, CellMeasure):
        return f"{problem.measure.name} looks at classes as a whole"
    if problem.wildcard and len(problem.prunable) < len(problem.models):
        return "missing values match everything, and a promise may fail where classes overlap"
    return None
