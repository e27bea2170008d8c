"""The three phases: frequency l-diversity with few records that are not published as they are."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.classes.grouping import Parts
from shoal.foundation.errors import SpecError
from shoal.foundation.progress import Progress, silent
from shoal.models.frequency_l_diversity import FrequencyLDiversity
from shoal.models.k_anonymity import KAnonymity
from shoal.search.algorithms.algorithm import Algorithm
from shoal.search.bounds.best import best_bound
from shoal.search.local.forms import offset_of
from shoal.search.local.leftovers import Leftovers, leftovers_bound, leftovers_of
from shoal.search.local.partition import cell_measure, check_local, check_outside, solution_of
from shoal.search.local.residue import Residue, residue_of
from shoal.search.problem import Problem, Solution


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreePhase(Algorithm):
    """Publish records as they are where frequency l-diversity allows it, and all others as one class.

    Idea: a class of equal records is published as it is, but for what exceeds the share of a value. What exceeds it,
    the residue, is one class. If it does not keep the promise itself, classes give further records, first such as the
    residue has few of (`search/local/residue.py`).

    Guarantee: the loss is at most D/d times r/q of the optimum, where q is the number of records that no release
    publishes as they are, and r the number of records of the residue; D is the most that any record can cost, and d the
    least that one costs in a class of records that are not all equal. With columns that are published or starred, of
    equal weight, D/d is m, the number of columns with more than one value. Xiao, Yi and Tao prove r at most l q for
    their three phases, and so the factor l m; r and q are those of the table, so what is told is proven of it alone,
    and is less on most. There is no factor where records may be suppressed, nor where `m-approximation` has none.

    Cost: O(records + classes of equal records x values) for each step of the residue.
    """

    name: ClassVar[str] = "three-phase"
    reference: ClassVar[str] = "Xiao, Yi and Tao 2010"
    local: ClassVar[bool] = True

    def solve(self, problem: Problem, progress: Progress = silent) -> Solution:
        """Take the residue out, and join it."""
        cell_measure(problem, self.name)
        check_outside(problem, self.name)
        share, column = _asked(problem)
        check_local(problem, self.name)
        left = leftovers_of(problem)
        keys, n_values = left.classes.astype(np.int64), 1
        if column is not None:
            n_values = len(problem.tally.sensitive[column].values)
            keys = keys * n_values + problem.tally.profile_codes[problem.tally.profiles, column]
        counts = np.bincount(keys, problem.tally.counts, len(left.codes) * n_values).astype(np.int64)
        progress("taking the residue out")
        residue = residue_of(counts.reshape(-1, n_values), share, problem.k)
        parts = _parted(problem, left, keys, residue.taken.reshape(-1))
        return _stated(problem, left, residue, parts)


def _asked(problem: Problem) -> tuple[Fraction, int | None]:
    """Return the largest share of a value and the number of its column; a SpecError tells if there are other models."""
    asked = [model for model in problem.models if isinstance(model, FrequencyLDiversity)]
    others = [model for model in problem.models if not isinstance(model, FrequencyLDiversity | KAnonymity)]
    if others or len(asked) > 1 or any(model.others != "ignored" for model in asked):
        raise SpecError(
            f"The algorithm '{ThreePhase.name}' keeps k-anonymity and frequency-l-diversity of one column, and nothing "
            "else. Use 'tightest', which keeps any."
        )
    names = [column.name for column in problem.tally.sensitive]
    return (asked[0].share, names.index(asked[0].column)) if asked else (Fraction(1), None)


def _parted(problem: Problem, left: Leftovers, keys: NDArray[np.int64], taken: NDArray[np.int64]) -> Parts:
    """Return the classes of equal records without the residue, and the residue as one more class."""
    tally = problem.tally
    order = np.argsort(keys, kind="stable")
    before = np.cumsum(tally.counts[order]) - tally.counts[order]
    first = np.searchsorted(keys[order], keys[order])
    gone = np.zeros(tally.n_points, dtype=np.int64)
    gone[order] = np.clip(taken[keys[order]] - (before - before[first]), 0, tally.counts[order])
    points = np.arange(tally.n_points, dtype=np.int32)
    labels = np.concatenate([left.classes, np.full(tally.n_points, len(left.codes))])
    counts = np.concatenate([tally.counts - gone, gone])
    some = counts > 0
    _, classes = np.unique(labels[some], return_inverse=True)
    return Parts(np.concatenate([points, points])[some], classes.astype(np.int32), counts[some])


def _stated(problem: Problem, left: Leftovers, residue: Residue, parts: Parts) -> Solution:
    """Return the solution with what is proven."""
    own, factor = leftovers_bound(left), None
    if residue.size == 0:
        bound = best_bound(problem, own)
        return solution_of(problem, parts, bound=bound, remark="every record is published as it is")
    least = float(left.least_charges().min())
    if own is not None and problem.limit == 0:
        base = float(left.values @ left.groups.sizes) + offset_of(problem.tally.quasi, cell_measure(problem, "bounds"))
        own = max(own, base + least * residue.least)
        if least > 0:
            factor = max(left.most_charge(suppressed=False) / least * residue.size / residue.least, 1.0)
    return solution_of(
        problem,
        parts,
        bound=best_bound(problem, own),
        guarantee="none" if factor is None else "factor",
        factor=factor,
        remark=f"{residue.size} records are one class, and no release publishes {residue.least} as they are",
    )
