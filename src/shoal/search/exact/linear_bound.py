"""Bounds from the linear relaxation of the exact program, for tables that are too large to solve it."""

from math import inf

import numpy as np

from shoal.classes.grouping import Parts
from shoal.foundation.errors import SolverError, SpecError
from shoal.foundation.progress import Progress, silent
from shoal.kernels.clock import clock
from shoal.kernels.local.closures import Forms
from shoal.models.k_anonymity import KAnonymity
from shoal.models.model import SensitiveModel
from shoal.search.bounds.bounds import Bound
from shoal.search.exact.allocating import Allocating
from shoal.search.exact.allocation import Allocation, PromiseRows
from shoal.search.exact.closed import Closed
from shoal.search.exact.kinds import Kinds, least_size
from shoal.search.exact.subsets import compares
from shoal.search.local.forms import offset_of
from shoal.search.local.partition import cell_measure
from shoal.search.problem import Problem

_MOST_POINTS = 3_000  # the largest number of points of a table whose patterns are listed
_MOST_COLUMNS = 50_000  # the largest number of columns of a program without a time limit: some seconds
_MOST_VALUES = 500  # the largest number of values of a column whose promise has rows for each of them
_NAME = "bounds"
_NOTHING = Bound(0.0, "values")


def linear_bound(problem: Problem, forms: Forms, parts: Parts, deadline: float, progress: Progress = silent) -> Bound:
    """Return what the linear program over closed patterns proves, if a promise requires more than a number of records.

    The charges of `lower_bound` use only the number of records of a class, and for that they are as good as the linear
    program. This one has a row for each promise in each pattern, if they are linear (see `Allocation`), so it proves
    much more about diversity and closeness. There is no such bound if the program is too large or a promise is not
    linear.

    Args:
        problem: The problem.
        forms: What a class may be published as, with the prices of the measure.
        parts: A partition that keeps all promises.
        deadline: When to stop, by the clock of searches.
        progress: Called with what is done.
    """
    by_size = all(isinstance(model, KAnonymity) for model in problem.models)
    missing = problem.wildcard and bool((problem.tally.codes == forms.missing).any())
    if problem.border is not None or problem.tally.weighted:  # classes may have records from outside, or pay by weight
        return _NOTHING
    if by_size or missing or compares(problem) or problem.tally.n_points > _MOST_POINTS or clock() >= deadline:
        return _NOTHING
    if _most_values(problem) > _MOST_VALUES:
        return _NOTHING
    try:
        allocation = _allocation(problem, forms, deadline)
    except SpecError:  # a promise is not linear, or there are too many patterns
        return _NOTHING
    if allocation is None or (deadline == inf and _size(allocation) > _MOST_COLUMNS):
        return _NOTHING
    offset = offset_of(problem.tally.quasi, cell_measure(problem, _NAME))
    try:
        _, bound = Allocating(problem, forms, allocation, parts, offset).linear(deadline, progress)
    except SolverError:  # the release does not depend on it, and there are other bounds
        return _NOTHING
    return Bound(max(bound + offset, 0.0), "program") if bound > -inf else _NOTHING


def _most_values(problem: Problem) -> int:
    """Return the largest number of values of a column that a promise is about."""
    named = {model.column for model in problem.models if isinstance(model, SensitiveModel)}
    return max((len(column.values) for column in problem.tally.sensitive if column.name in named), default=0)


def _allocation(problem: Problem, forms: Forms, deadline: float) -> Allocation | None:
    kinds = Kinds.of(problem)
    rules, k = PromiseRows.of(problem, kinds, _NAME), least_size(problem, kinds)
    closed = Closed.of(problem, forms, kinds, k, _NAME, deadline)
    if closed is None or (problem.stars and problem.limit > 0 and float(np.max(closed.prices)) > forms.full):
        return None
    limit = 0 if problem.stars else problem.limit  # published as its closure, a class of stars costs no more
    return Allocation(kinds, closed, rules.sharpened(k), k, limit, forms.full)


def _size(allocation: Allocation) -> int:
    return allocation.n_members + len(allocation.closed) * (1 + allocation.rules.amounts.shape[1])
