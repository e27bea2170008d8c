"""The optimum: the least loss of all releases whose classes are each recoded on their own."""

from dataclasses import dataclass
from math import inf
from typing import Annotated, ClassVar

from pydantic import Field

from shoal.foundation.errors import SpecError
from shoal.foundation.progress import Progress, silent
from shoal.kernels.clock import clock
from shoal.kernels.local.closures import Forms
from shoal.search.algorithms.algorithm import Algorithm
from shoal.search.bounds.bounds import LIGHT, lower_bound
from shoal.search.exact.allocating import Allocated, Allocating
from shoal.search.exact.allocation import Allocation, PromiseRows
from shoal.search.exact.closed import Closed
from shoal.search.exact.kinds import Kinds, least_size
from shoal.search.exact.subsets import SubsetSearch, compares
from shoal.search.lattice.diagnosis import infeasible
from shoal.search.lattice.lattice import Lattice
from shoal.search.local.forms import forms_of, offset_of
from shoal.search.local.partition import cell_measure, check_outside, solution_of, start_of
from shoal.search.local.tight import seconds_until, tight_parts
from shoal.search.problem import Problem, Solution

_EFFORT = (20, 400)  # least and largest number of moves for each record before the program;
_FOR_EACH = 0.4  # between these, in proportion to the number of records
_STARTING = 0.2  # the share of the time that they may take,
_QUICK = 2.0  # but at most so many seconds,
_RECORDS = 2_000  # plus one for so many records
_LISTED = 6  # for each matrix entry that the program may visit, the listing of patterns may visit so many rows


@dataclass(frozen=True, slots=True, kw_only=True)
class Exact(Algorithm):
    """Find the best of all partitions, and prove that it is: the least loss that any local recoding can have.

    Idea: a class is published as its closure, so its loss is its number of records times the price of the closure.

    A few records (about 18): the best partition of a subset is one class that contains its last record, and the best
    partition of the rest. Every subset is tested against all promises, exactly, whatever they are. Records that are
    alike in all that matters are counted, not listed. For k-anonymity alone, classes of k to 2k - 1 records suffice,
    since a larger one can be divided into two that cost no more. (Liang and Yuan 2013, Theorem 8 has this recursion,
    but with the optimum of the one class instead of its cost, so that it never ends.)

    More records: a mixed-integer program (Liang and Yuan 2013, Theorem 9) over closed patterns, which are the closures
    of classes of at least k records, and kinds of records. The numbers of records of each kind in each pattern are
    continuous where the rest is a transport problem, whose vertices are integral: with k-anonymity, distinct
    l-diversity and p-sensitivity. Patterns, and records in them, that no better partition can use are left out, by the
    dual values of the linear program in whole numbers. Promises are rows of the program: see `Linear` in
    `models/linear.py`. The least numbers of records, and of records with some sensitive values, that a class can have
    are computed first; they make the linear program tighter.

    Guarantee: optimal. Stopped by a time limit: the incumbent, and a proven bound.

    Correctness: the answer is checked in whole numbers like any other. The bound is that of the dual values in whole
    numbers. Where this does not reach the loss, it is the solver's bound minus what its tolerance of a millionth in
    each record can amount to, rounded up to the next possible loss where the prices have a common unit. Where they have
    none (the entropies), optimal means up to that tolerance.

    Cost: 3^n / 2 steps for n distinct records, about half a second for 18. The program grows with the number of closed
    patterns, and of records in them: up to 2,000,000, or it is refused. The problem is NP-hard.

    Args:
        nodes: How many nodes of its search tree the program may visit, so that its work is limited in the same way on
            any machine; no limit if None.
        work: How many matrix entries the program may visit, over all of these nodes together. A table that needs more
            for the first node is refused. No limit if None.
    """

    name: ClassVar[str] = "exact"
    reference: ClassVar[str] = "Liang and Yuan 2013, Theorems 8 and 9"
    local: ClassVar[bool] = True

    nodes: Annotated[int, Field(ge=1)] | None = None
    work: Annotated[int, Field(ge=1)] | None = None

    def solve(self, problem: Problem, progress: Progress = silent) -> Solution:
        """Divide all subsets of a few records; allocate more records to closed patterns."""
        deadline = problem.deadline()
        forms = forms_of(problem.tally.quasi, cell_measure(problem, self.name))
        check_outside(problem, self.name)
        _check_missing(problem, forms)
        kinds = Kinds.of(problem)
        subsets = SubsetSearch(problem, forms, kinds)
        if subsets.affordable():
            return split(problem, forms, subsets, deadline, progress)
        start_of(problem, self.name)
        return allocated(problem, forms, kinds, deadline, progress, nodes=self.nodes, work=self.work)


def split(
    problem: Problem, forms: Forms, subsets: SubsetSearch, deadline: float = inf, progress: Progress = silent
) -> Solution:
    """Return the best of all partitions of a few records."""
    best = subsets.best(deadline, progress)
    if best is None:
        return _stopped(problem, forms, deadline, progress)
    if best.loss == inf:
        raise infeasible(Lattice(problem), local=True, proven=True)
    offset = offset_of(problem.tally.quasi, cell_measure(problem, Exact.name))
    remark = f"the best of all partitions of {problem.tally.n_records} records"
    bound = max(best.loss + offset, 0.0)  # rounding may bring the sum below
    return solution_of(problem, best.parts, bound=bound, guarantee="optimal", remark=remark)


def allocated(
    problem: Problem,
    forms: Forms,
    kinds: Kinds,
    deadline: float = inf,
    progress: Progress = silent,
    effort: int | None = None,
    nodes: int | None = None,
    work: int | None = None,
) -> Solution:
    """Return the best allocation of records to closed patterns."""
    if compares(problem):
        raise SpecError(
            f"The algorithm '{Exact.name}' takes promises that compare a class with the whole release "
            f"({', '.join(model.name for model in problem.models if model.relative)}) together with suppressed records "
            "that are left out only for a few records, since each choice of these changes the comparison. Allow no "
            "suppressed records, release them as stars, or use 'tightest'."
        )
    rules, k = PromiseRows.of(problem, kinds, Exact.name), least_size(problem, kinds)
    seconds = min(_STARTING * (deadline - clock()), _QUICK + kinds.n_records / _RECORDS)
    end = inf if deadline == inf else clock() + seconds
    if effort is None:
        effort = round(min(max(_FOR_EACH * kinds.n_records, _EFFORT[0]), _EFFORT[1]))
    start = tight_parts(problem, forms, Exact.name, effort=effort, deadline=end, progress=progress)
    most = inf if work is None else _LISTED * work
    closed = Closed.of(problem, forms, kinds, k, Exact.name, deadline, most)
    if closed is None:
        return _stopped(problem, forms, deadline, progress)
    if problem.stars and problem.limit > 0 and float(closed.prices.max()) > forms.full:
        raise SpecError(
            f"By the measure '{problem.measure.name}' a record may pay more in a range or a set than if it is "
            f"suppressed, and the algorithm '{Exact.name}' does not look for the best class of stars. Allow no "
            "suppressed records, or use 'tightest'."
        )
    limit = 0 if problem.stars else problem.limit  # published as its closure, a class of stars costs no more
    offset = offset_of(problem.tally.quasi, cell_measure(problem, Exact.name))
    allocation = Allocation(kinds, closed, rules.sharpened(k), k, limit, forms.full, most_nodes=nodes)
    found = Allocating(problem, forms, allocation, start.parts, offset, work).run(deadline, progress)
    if found.bound == -inf:
        return _stopped(problem, forms, deadline, progress, found)
    return solution_of(
        problem,
        found.parts,
        bound=max(found.bound + offset, 0.0),  # rounding may bring the sum below
        guarantee="optimal" if found.proven else "none",
        remark=f"{found.remark} ({len(closed):,} closed patterns)",
    )


def _check_missing(problem: Problem, forms: Forms) -> None:
    """Raise a SpecError where missing values match everything: then classes overlap."""
    if problem.wildcard and bool((problem.tally.codes == forms.missing).any()):
        raise SpecError(
            f"The algorithm '{Exact.name}' splits the records into classes, and where missing values match everything "
            "classes overlap. Let missing values match only each other, or use 'tightest' or 'optimal'."
        )


def _stopped(
    problem: Problem, forms: Forms, deadline: float, progress: Progress, found: Allocated | None = None
) -> Solution:
    """Return what is known when the time is up too early: quick classes, and the bound of `lower_bound`."""
    parts = found.parts if found is not None else tight_parts(problem, forms, Exact.name, deadline=deadline).parts
    bound = lower_bound(problem, forms, effort=LIGHT, seconds=seconds_until(deadline), progress=progress)
    return solution_of(problem, parts, bound=bound.total, remark="nothing could be proven optimal")
