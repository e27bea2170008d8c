"""Blind releases: classes that are made without the sensitive values, and suppressed whole if they break a promise.

Proof that such a release tells nothing by how it was made. Let two tables differ by a permutation of the sensitive
values inside of the classes that the release of the first shows. The classes are made of the quasi columns alone, so
that both have the same classes, with the same multiset of sensitive values in each that is shown, and the very same
records in each that is not. Which classes keep the promises depends on these multisets, and on those of all classes
that are left, and on nothing else. So both tables have the same release: whoever knows the algorithm, and all but the
sensitive values, can rule out none of these permutations.
"""

from dataclasses import replace
from fractions import Fraction

import numpy as np

from shoal.classes.grouping import Grouping, Parts
from shoal.classes.tally import Tally
from shoal.foundation.errors import InfeasibleError, SpecError
from shoal.models.k_anonymity import KAnonymity
from shoal.search.problem import Problem, Solution, with_suppressed


def blinded(problem: Problem, tally: Tally) -> Problem:
    """Return the problem that a blind search solves: classes of at least k records, nothing suppressed.

    Args:
        problem: The problem; a SpecError is raised if it cannot be solved blindly.
        tally: The same table, counted by its quasi columns alone.
    """
    if problem.metric is not None or problem.tally.populations:
        raise SpecError(
            "blind = true makes classes of cells by their number of records, without clusters and outside tables. Use "
            "another algorithm and other promises, or blind = false."
        )
    if problem.measure.sensitive_columns:
        raise SpecError(
            f"blind = true makes classes without the sensitive values, and the measure '{problem.measure.name}' looks "
            "at them. Use a measure such as 'lm'."
        )
    k = KAnonymity(k=problem.k)
    return replace(problem, tally=tally, models=(k,), max_suppressed=Fraction(0), by_record=False)


def judged(problem: Problem, solution: Solution, parts: Parts) -> Solution:
    """Return a blind solution without the classes that break a promise.

    Args:
        problem: The problem.
        solution: Classes that were made blindly.
        parts: The records of each class, by their quasi and sensitive values.
    """
    recoding = solution.recoding
    groups = Grouping.of_parts(problem.tally, parts, recoding.n_classes)
    released = problem.released(groups, recoding)
    if not problem.feasible(groups, recoding, released):
        raise _infeasible(problem, int((~released).sum()), len(released), int(groups.sizes[~released].sum()))
    number = np.append(np.where(released, np.cumsum(released) - 1, -1), -1).astype(np.int32)
    own = replace(parts, classes=number[parts.classes])
    loss = problem.measure.loss(*with_suppressed(problem.tally, own, recoding.only(released)))
    kept = groups.only(released)
    return replace(
        solution,
        parts=replace(solution.parts, classes=number[solution.parts.classes]),
        groups=kept if problem.stars else kept.own_totals(),
        recoding=recoding.only(released),
        suppressed=problem.tally.n_records - kept.n_records,
        loss=loss,
        bound=None,
        witness=None,
        guarantee="none",
        factor=None,
        remark=_remark(solution, int((~released).sum())),
    )


def _infeasible(problem: Problem, n_failing: int, n_classes: int, n_records: int) -> InfeasibleError:
    share = n_records / problem.tally.n_records
    limit = f"at most {float(problem.max_suppressed):.2%} may be suppressed"
    if n_records <= problem.limit:
        limit = "as stars they break a promise themselves" if n_failing < n_classes else "nothing would be left"
    return InfeasibleError(
        f"{n_failing} of the {n_classes} classes that were made without the sensitive values break a promise. They "
        f"have {n_records} records ({share:.2%}), and {limit}. Ask for a larger k, so that classes are more mixed, "
        "allow more suppression, or use blind = false."
    )


def _remark(solution: Solution, n_lost: int) -> str:
    told = f"made without the sensitive values; {n_lost} classes that broke a promise were suppressed"
    return f"{solution.remark}; {told}" if solution.remark else told
