"""Promises about a whole release, for algorithms that look at one class at a time."""

from collections.abc import Callable
from dataclasses import replace

from shoal.foundation.errors import InfeasibleError
from shoal.foundation.progress import Progress, silent
from shoal.measures.measure import CellMeasure
from shoal.models.k_anonymity import KAnonymity
from shoal.models.table_model import TableModel
from shoal.search.bounds.bounds import LIGHT, Bound, lower_bound
from shoal.search.local.forms import forms_of
from shoal.search.problem import Problem, Solution

_BOUNDING = 0.2  # the share of a time limit for the bound
_ROUNDING = 1e-9  # a loss this close to its bound equals it


def tables_of(problem: Problem) -> tuple[TableModel, ...]:
    """Return the promises about the whole release."""
    return tuple(model for model in problem.models if isinstance(model, TableModel))


def by_class(problem: Problem) -> Problem:
    """Return a problem with a size of each class in place of each promise about the whole release.

    A release that is allowed there is allowed here, since classes of that size suffice. The converse does not hold: a
    release may keep the promise with some smaller classes beside larger ones.
    """
    tables = tables_of(problem)
    return _with(problem, max(model.enough for model in tables)) if tables else problem


def without_tables(problem: Problem) -> Problem:
    """Return a problem without the promises about the whole release: what no release loses there, none loses here."""
    return _with(problem, 1) if tables_of(problem) else problem


def _with(problem: Problem, k: int) -> Problem:
    kept = tuple(model for model in problem.models if not isinstance(model, TableModel))
    asked = max((model.least_size for model in kept if isinstance(model, KAnonymity)), default=0)
    return replace(problem, models=kept if asked >= k else (*kept, KAnonymity(k=k)))


def answered(solve: Callable[[Problem, Progress], Solution], problem: Problem, progress: Progress = silent) -> Solution:
    """Solve a problem by a search that looks at one class at a time, with a size of each class that suffices.

    What is proven of the problem with that size is not claimed of the one that was asked: the bound is that of releases
    without the promise, a release is called optimal only if it reaches it, and that there is none is not proven.
    """
    tables = tables_of(problem)
    if not tables:
        return solve(problem, progress)
    narrow = by_class(problem)
    names = " and ".join(dict.fromkeys(model.name for model in tables))
    try:
        found = solve(replace(narrow, unbounded=True), progress)
    except InfeasibleError as error:
        raise InfeasibleError(
            f"{error}\n- In place of {names} classes of {narrow.k} records were asked for. They suffice, and are more "
            f"than is promised: a release may exist. Use the algorithm 'optimal', which looks at all classes together.",
            {**error.diagnosis, "proven": False},
        ) from None
    bound = _bound(problem, found, progress)
    reached = bound is not None and found.loss.total <= bound.total * (1 + _ROUNDING)
    remark = f"for {names}, each class has {narrow.k} records or more, which suffices; less may do, and lose less"
    return replace(
        found,
        bound=None if bound is None else found.loss.total if reached else bound.total,
        witness=None if bound is None else bound.witness,
        guarantee="optimal" if reached else "none",
        factor=None,
        remark="; ".join(part for part in (found.remark, remark) if part),
    )


def _bound(problem: Problem, found: Solution, progress: Progress) -> Bound | None:
    """Return a bound on the loss of all releases that keep the other promises; None if there is none to look for."""
    measure = problem.measure
    if problem.unbounded or found.spread is not None or not isinstance(measure, CellMeasure):
        return None
    seconds = None if problem.time_limit is None else problem.time_limit * _BOUNDING
    forms = forms_of(problem.tally.quasi, measure)
    return lower_bound(without_tables(problem), forms, effort=LIGHT, seconds=seconds, progress=progress)
