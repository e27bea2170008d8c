"""Optimal 2-anonymity and optimal 2-diversity, by matching."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.classes.grouping import Parts
from shoal.foundation.progress import Progress, silent
from shoal.kernels.clock import clock
from shoal.search.algorithms.algorithm import Algorithm
from shoal.search.bounds.best import best_bound
from shoal.search.local.forms import forms_of, offset_of
from shoal.search.local.partition import cell_measure, solution_of, start_of
from shoal.search.local.tight import EFFORT, tight_parts
from shoal.search.matching.pairing import Pairing, check_pairs
from shoal.search.matching.simplex_matching import matched
from shoal.search.problem import Problem, Solution

_MOVING = 0.005  # seconds for each record: ten times what a good start takes


@dataclass(frozen=True, slots=True, kw_only=True)
class Optimal2(Algorithm):
    """Split the records into classes of two and three at the least loss: no local recoding loses less.

    Idea: a class of four or more records that keeps the promise can be split into classes of two and three that keep
    it, and a part costs no more for each record than the whole. For 2-anonymity this is obvious. For 2-diversity (no
    value of the sensitive column in more than half of a class), take one record each of the two most frequent values:
    what is left is still 2-diverse (Liang and Yuan 2013, Lemma 2). So the optimum is a partition into pairs and
    triples; for 2-diversity, a triple has three different values. Such a hypergraph satisfies the simplex condition: a
    triple costs at least half as much as its three pairs, since three times the price of all is at least the sum of the
    prices of the pairs.

    Method: a linear program over pairs and triples in which each record is in one class, with rows for odd sets S of
    records: at least one class has an odd number of records of S. By the simplex condition a triple can matter only
    inside such a set. So the program is solved over all pairs and triples by pricing all pairs, and few triples. What
    is left fractional is decided over the classes that a better partition may have.

    Guarantee: optimal, each run with its proof: a bound in whole numbers that reaches the loss, or a complete search of
    all classes that may be part of a better partition. Whether the rows for odd sets always suffice is not known, so no
    running time is promised. It needs

    - k = 2: 2-anonymity, or frequency-l-diversity with l = 2 for one column, or (alpha, k)-anonymity with alpha = 1/2.
      For two sensitive columns at once, or for `distinct-l-diversity`, classes of more records may be needed;
    - prices that do not fall where more is covered. In trees they never do (`Forms`). Ranges and sets have such prices
      in every measure but `entropy`, with which they are refused;
    - missing values that match only each other.

    Suppression: a suppressed record is a class of one, at the price of suppressing it, and these are limited in number.
    Where they are shown as stars they must keep the promise as well, which is refused.

    Cost: O(kinds^2) memory, and time for each pricing of all pairs; some tens of these. Equal records, for 2-diversity
    of equal sensitive value, are one kind, and the program has a row for each kind (`MatchingProgram`). Of equal
    records, pairs are set aside until three or four are left (`Pairing`), where the columns publish trees and only
    2-anonymity is required. So a large table with few distinct records can be solved. Stopped by a time limit it
    returns the incumbent, and a proven bound.
    """

    name: ClassVar[str] = "optimal-2"
    reference: ClassVar[str] = (
        "Liang and Yuan 2013, Theorem 11; Blocki and Williams 2010; Anshelevich and Karagiozova 2011"
    )
    local: ClassVar[bool] = True
    most_k: ClassVar[int | None] = 2

    def solve(self, problem: Problem, progress: Progress = silent) -> Solution:
        """Set pairs aside, start from tight classes, and match."""
        deadline, measure = problem.deadline(), cell_measure(problem, self.name)
        forms = forms_of(problem.tally.quasi, measure)
        start_of(problem, self.name)
        column = check_pairs(problem, forms, self.name)
        if problem.k == 1 and column is None:  # nothing is required
            alone = Parts.whole(problem.tally, np.arange(problem.tally.n_points, dtype=np.int32))
            return solution_of(problem, alone, bound=best_bound(problem, deadline=deadline), guarantee="optimal")
        pairing = Pairing.of(problem, forms, column, self.name)
        effort = EFFORT if len(pairing.matched) * _MOVING < deadline - clock() else 0
        tight = tight_parts(pairing.problem, forms, self.name, effort=effort, progress=progress)
        classes = pairing.classes(forms)
        found = matched(classes, pairing.sets(tight.parts), problem.limit, deadline, progress)
        proven = found.cost if found.optimal else found.bound
        own = 0.0
        if proven is not None:
            own = offset_of(problem.tally.quasi, measure) + pairing.settled(forms) + proven * classes.unit
        return solution_of(
            problem,
            pairing.parts(found.sets),
            bound=max(own, 0.0) if found.optimal else best_bound(problem, own, deadline=deadline),
            guarantee="optimal" if found.optimal else "none",
            remark=_remark(optimal=found.optimal),
        )


def _remark(*, optimal: bool) -> str:
    if optimal:
        return "proven: no release whose classes are each recoded for themselves loses less"
    return "not proven optimal: the classes that a better release may have are too many to look at"
