"""Greedy cover: the best sets of k to 2k - 1 records one after the other, then a partition from them."""

from dataclasses import dataclass
from math import log
from typing import ClassVar

import numpy as np

from shoal.foundation.progress import Progress, silent
from shoal.kernels.clock import clock
from shoal.models.k_anonymity import KAnonymity
from shoal.search.algorithms.algorithm import Algorithm
from shoal.search.bounds.best import best_bound
from shoal.search.bounds.bounds import LIGHT
from shoal.search.local.cover import Covering, greedy_cover, parts_of_cover
from shoal.search.local.forms import forms_of
from shoal.search.local.merging import alike_joined, merged
from shoal.search.local.partition import cell_measure, check_local, solution_of
from shoal.search.local.patterns import patterns_of
from shoal.search.local.trimming import trimmed
from shoal.search.problem import Problem, Solution


@dataclass(frozen=True, slots=True, kw_only=True)
class GreedyCover(Algorithm):
    """Cover the records by the sets that cost least for each newly covered record, then make the sets disjoint.

    Idea: the price d(S) of a set S is what each of its records costs if S is a class. Phase 1 takes, of all sets of k
    to 2k - 1 records, the one with the least d(S) for each newly covered record, until all records are covered. Phase 2
    removes overlaps: a record in two sets leaves one that has more than k, and two sets of exactly k become one.

    There are far too many sets, but closed patterns suffice (a node in each column that cannot be lowered without
    losing a record; `search/local/patterns.py`). Let u(p) be the number of uncovered records of pattern p, and its
    ratio price(p) / min(2k - 1, u(p)). The least ratio of a pattern with k records is that of a set:

    - Let p be the closure of a set S. Then d(S) = price(p), and S newly covers at most min(2k - 1, u(p)) records. So S
      has no smaller ratio than p.
    - From p take min(2k - 1, u(p)) uncovered records, and if they are fewer than k, covered ones up to k. The closure
      of this set lies below p, so it costs no more, and its ratio is no larger than that of p.

    So each step is one of the paper's greedy algorithm. A ratio only grows while records are covered: a heap of
    patterns with outdated ratios is exact if the top is counted again before it is taken. Of equal ratios the one that
    covers more records is taken, then the first in the order of codes.

    Guarantee: at most 2 (1 + ln 2k) times the loss of the best local recoding (Gionis and Tassa 2009, Theorem 6.6). The
    greedy cover costs at most 1 + ln 2k times the cheapest cover, and phase 2 does not raise its cost: a set that loses
    a record costs no more, and in each column of two sets with a common record one node is an ancestor of the other, so
    both together cost at most the sum. A class has k to 2k - 1 records, which adds the factor 2. This needs nodes of a
    tree (ranges and sets are refused), prices that are not negative (all but `nonuniform-entropy`, for which no factor
    is known) and do not fall towards the top (`Forms` sees to it), k-anonymity alone, no suppression, and missing
    values that match only each other. Else no factor is claimed: classes that fail another promise are joined with what
    costs least, and where records may be suppressed, those that cost their class much are left out.

    Bound: at least what each record costs in its cheapest closed pattern, which is the floor of `best_bound` in trees.

    Cost: O(rows x columns) for each vector of levels that is visited, and a heap of the patterns with uncovered
    records. A vector is visited only if its cheapest pattern may be the next. Stopped by a time limit, the records that
    are not covered form classes in the order of their codes, without a factor; the bound stays proven.
    """

    name: ClassVar[str] = "greedy-cover"
    reference: ClassVar[str] = "Gionis and Tassa 2009, section 6.3"
    local: ClassVar[bool] = True

    def solve(self, problem: Problem, progress: Progress = silent) -> Solution:
        """List patterns, cover all records, make classes of the sets."""
        deadline = problem.deadline()
        forms = forms_of(problem.tally.quasi, cell_measure(problem, self.name))
        patterns = patterns_of(problem, forms, self.name)
        check_local(problem, self.name)

        def go_on(share: float) -> bool:
            progress("covering the records", share)
            return clock() <= deadline

        covering = greedy_cover(patterns, go_on)
        cover = alike_joined(problem.tally, parts_of_cover(problem.tally, patterns, covering), forms)
        kept = merged(problem, cover, forms)
        proven = covering.complete and factor_holds(problem, bool(np.all(forms.prices >= 0)))
        return solution_of(
            problem,
            trimmed(problem, kept),
            bound=best_bound(problem, effort=LIGHT, deadline=deadline),
            guarantee="factor" if proven else "none",
            factor=2 * (1 + log(2 * problem.k)) if proven else None,
            remark=_remark(covering, cover.n_classes - kept.n_classes),
        )


def _remark(covering: Covering, n_joined: int) -> str:
    """Return what a user should know about a cover, some of whose classes were joined with others."""
    words = [f"{covering.n_patterns} closed patterns listed, {len(covering.ratios)} times one chosen"]
    if not covering.complete:
        left = int(np.count_nonzero(covering.turns < 0))
        words.append(
            f"{left} of {len(covering.turns)} records not covered: they form classes in the order of their codes"
        )
    if n_joined > 0:
        words.append(f"{n_joined} classes joined with others to keep every promise")
    return "; ".join(words)


def factor_holds(problem: Problem, priced: bool) -> bool:
    """Return whether the factor is proven if all columns publish trees and, with `priced`, no price is negative."""
    by_size = all(isinstance(model, KAnonymity) for model in problem.models)
    return priced and by_size and problem.limit == 0 and not problem.wildcard
