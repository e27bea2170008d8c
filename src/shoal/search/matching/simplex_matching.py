"""Simplex matching: the cheapest partition of records into classes of two and three, with a proof."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from shoal.foundation.progress import Progress, silent
from shoal.kernels.clock import clock
from shoal.search.matching.matching_program import DualValues, MatchingProgram, OddSets
from shoal.search.matching.odd_sets import odd_sets
from shoal.search.matching.small_classes import SmallClasses

_FEW = (2, 10)  # classes for each record among which a better partition is searched for, one number after the other
_PATIENCE = 40  # rounds of odd sets without a better bound, after which it stops
_BETTER = 1e-7  # the share by which a bound must grow to be better
_MOST_WORK = 1_000_000_000  # pairs of neighbours that are looked at to list all classes: some seconds
_MOST_CLASSES = 1_000_000  # the largest number of classes in a mixed-integer program


@dataclass(frozen=True, slots=True, eq=False)
class Matched:
    """Classes of two and three records, and of suppressed ones, with what is proven about their cost.

    Args:
        sets: The classes.
        cost: Their cost, in the small unit.
        bound: A lower bound on the cost of every such partition; None if there was no time to find one.
        optimal: Whether no partition costs less.
    """

    sets: OddSets
    cost: int
    bound: int | None = None
    optimal: bool = False


def matched(classes: SmallClasses, start: OddSets, limit: int, deadline: float, progress: Progress = silent) -> Matched:
    """Return the cheapest classes, or the best that were found until the deadline.

    First the linear program is solved, with rows for odd sets as long as they help. If its values are not whole, all
    classes are listed that a cheaper partition may have: those whose reduced cost is at most the gap between the
    incumbent and the bound. The best whole choice of these is the optimum.

    Args:
        classes: The costs of classes.
        start: Classes of all records, to start with.
        limit: How many records may be suppressed.
        deadline: When to stop, by the clock of searches.
        progress: Called at each step.
    """
    program = MatchingProgram(classes, start, limit)
    best, duals, highest, quiet = Matched(start, int(program.costs(start).sum())), None, -np.inf, 0
    while quiet < _PATIENCE:
        progress("pairing the records")
        found = program.solve(deadline - clock())
        if found.status != "optimal":
            break
        if program.add(program.priced(program.charges(found.duals))):
            continue
        best, quiet = _better(best, program, program.sets, found.values), quiet + 1
        if found.objective > highest + _BETTER * abs(highest) or duals is None:
            duals, highest, quiet = found.duals, found.objective, 0
        odd = odd_sets(program.sets, found.values, classes.copies)
        if not odd or best.cost * classes.unit <= highest:
            break
        program.cut(odd)
    if duals is None:
        return best
    charges, bound = program.settled(program.charges(duals))
    return _closed(replace(best, bound=bound), program, charges, deadline)


def _better(best: Matched, program: MatchingProgram, sets: OddSets, values: NDArray[np.float64]) -> Matched:
    """Return the classes that whole values choose, if they are a better partition."""
    sets = np.repeat(sets, np.maximum(np.rint(values).astype(np.int64), 0), axis=0) if len(values) else sets[:0]
    cost = int(program.costs(sets).sum())
    return replace(best, sets=sets, cost=cost) if program.parts_all(sets) and cost < best.cost else best


def _closed(best: Matched, program: MatchingProgram, charges: DualValues, deadline: float) -> Matched:
    """Return the best whole choice: of a few classes in the program first, then of all that a better one may have."""
    bound = best.bound or 0
    for few in (*_FEW, None):
        slack = program.slack(bound, best.cost)
        if slack < 0:
            return replace(best, optimal=True)
        sets = program.within(charges, slack, _MOST_WORK) if few is None else program.nearest(charges, slack, few)
        if sets is None or len(sets) > _MOST_CLASSES or clock() > deadline:
            return best
        found = program.chosen(sets, charges, best.sets, deadline - clock())
        best = _better(best, program, sets, found.values)
    nothing_better = found.status == "infeasible" or (
        found.status == "optimal" and program.slack(round(found.objective / program.classes.unit), best.cost) < 0
    )
    return replace(best, optimal=nothing_better)
