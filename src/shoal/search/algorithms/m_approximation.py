"""The m-approximation: records without enough equals form one class, with as few others as they need."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from shoal.classes.grouping import Parts
from shoal.foundation.progress import Progress, silent
from shoal.search.algorithms.algorithm import Algorithm
from shoal.search.bounds.best import best_bound
from shoal.search.local.leftovers import Leftovers, leftovers_bound, leftovers_of
from shoal.search.local.partition import check_local, solution_of
from shoal.search.problem import Guarantee, Problem, Solution


@dataclass(frozen=True, slots=True, kw_only=True)
class MApproximation(Algorithm):
    """Publish classes of at least k equal records unchanged, and join all other records into one class.

    Idea: each record with fewer than k equals, a leftover, pays for at least one column in every release. So they may
    all pay for every column, at most m times as much. If they are fewer than k themselves, they borrow the records that
    they lack from classes that can spare them; if too few can be spared, they join a whole class. The proof leaves open
    which records or class: the cheapest are taken. If suppressing all leftovers is allowed and cheaper, that is done.

    Guarantee, for k-anonymity: the loss is at most D/d times the optimum, where D is the most that any record can cost
    and d the least that one costs in a class of records that are not all equal. Let q be the number of records that
    cannot all be published unchanged (the cases of `leftovers_bound`): the optimum is at least q d, and at most q
    records cost more than their values here. With columns that are published or starred, of equal weight, D/d is m, the
    number of columns with more than one value (of all columns, where suppression is tried), by `stars`, `tree`, `lm`
    and `ncp`; with weights it is their sum over the least. With deeper trees, ranges or sets and other measures it is
    larger, and stated as it is. There is no factor where d is 0 (a node below the star is free by `stars`), nor for
    measures that lack what `leftovers_bound` needs. The certificate has the better one of this bound and `best_bound`.

    Other promises: the factor holds if all of them absorb (distinct l-diversity, p-sensitive k-anonymity) and the
    leftovers pass together, or may all be suppressed. Else the leftovers join as many passing classes as it takes, in
    the worst case all, and no factor is claimed.

    Cost: O(points x columns + nodes of the hierarchies), since the tally is sorted.
    """

    name: ClassVar[str] = "m-approximation"
    reference: ClassVar[str] = "Liang and Yuan 2013, Theorem 10"
    local: ClassVar[bool] = True

    def solve(self, problem: Problem, progress: Progress = silent) -> Solution:
        """Distinguish the three cases, and take the cheapest way that the proof allows."""
        check_local(problem, self.name)
        left = leftovers_of(problem)
        if left.size == 0:
            return _stated(left, left.untouched(), None, "every record is published as it is")
        nobody = np.zeros(0, dtype=np.int64)
        together = left.stand_with(nobody)
        if together:
            best = left.joined(nobody, nobody, "were joined into one class")
        else:
            ways = [*left.lent(), *left.with_classes(), *([left.suppressed()] if left.droppable else [])]
            best = min(ways, key=lambda way: way.price)
        proven = left.absorbing and (together or left.by_size or left.droppable)
        factor = _factor(left, suppressed=left.droppable and not together) if proven else None
        remark = f"{left.size} records cannot be published as they are and {best.words}"
        return _stated(left, best.parts, factor, remark)


def _factor(left: Leftovers, *, suppressed: bool) -> float | None:
    """Return the most that a record can cost over the least in a class of unequal records, if that is above 0."""
    least, most = float(left.least_charges().min()), left.most_charge(suppressed=suppressed)
    return max(most / least, 1.0) if least > 0 else None


def _stated(left: Leftovers, parts: Parts, factor: float | None, remark: str) -> Solution:
    """Return the solution with what is proven; the factor holds only where its bound does."""
    own = leftovers_bound(left)
    factor = None if own is None else factor
    untouched = own is not None and left.size == 0  # then no release loses less
    bound = own if untouched else best_bound(left.problem, own)
    guarantee: Guarantee = "none" if factor is None else "factor"
    solution = solution_of(left.problem, parts, bound=bound, guarantee=guarantee, factor=factor, remark=remark)
    if untouched:
        return replace(solution, bound=solution.loss.total, guarantee="optimal", factor=None)
    return replace(solution, factor=None) if solution.guarantee == "optimal" else solution
