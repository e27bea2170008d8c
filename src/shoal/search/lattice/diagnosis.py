"""Why a request cannot be met, in words: which promise fails, what is possible, and what would help."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.classes.grouping import Grouping
from shoal.foundation.errors import InfeasibleError
from shoal.measures.suppression import Suppression
from shoal.models.k_anonymity import KAnonymity
from shoal.models.model import PrivacyModel
from shoal.models.persons import Persons
from shoal.search.lattice.boxes import search
from shoal.search.lattice.lattice import Lattice
from shoal.search.problem import Problem

_SECONDS = 10.0  # time limit of the search for the least suppression; its answer is exact or said to be a bound


def infeasible(lattice: Lattice) -> InfeasibleError:
    """Return the error that explains why no node of the lattice is feasible."""
    problem = lattice.problem
    failures = [_failure(lattice, model) for model in problem.models]
    failing = [failure for failure in failures if failure is not None]
    largest_k = _largest_k(lattice)
    suppression = _least_suppression(lattice)
    lines = [
        f"No generalization keeps every promise with at most {float(problem.max_suppressed):.2%} of the "
        f"{problem.tally.n_records} records suppressed.",
        *(f"- {failure['words']}" for failure in failing),
    ]
    if any(isinstance(model, KAnonymity) for model in problem.models):
        lines.append(f"- The largest k possible within that limit, by k-anonymity alone, is {largest_k}.")
    lines.append(f"- {suppression['words']}")
    diagnosis = {"failing": failing, "largest_k": largest_k, "suppression": suppression}
    return InfeasibleError("\n".join(lines), diagnosis)


def _failure(lattice: Lattice, model: PrivacyModel) -> dict[str, Any] | None:
    """Return what one promise reaches in the most general release, or None if that is enough."""
    groups = lattice.packing.grouping(lattice.cells(lattice.top))
    holds = model.holds(groups)
    if holds.all():
        return None
    reached = model.achieved(groups)
    column = f" on '{model.sensitive_columns[0]}'" if model.sensitive_columns else ""
    wanted = ", ".join(f"{name} = {value}" for name, value in model.asked.items())
    got = ", ".join(f"{name} = {_short(value)}" for name, value in reached.items())
    whole = "one class of all records" if groups.n_classes == 1 else "the most general release"
    words = (
        f"{model.name}{column} fails: asked is {wanted}; even {whole} reaches only {got} "
        f"({int(groups.sizes[~holds].sum())} records fail)."
    )
    return {"model": model.name, "asked": dict(model.asked), "reachable": dict(reached), "words": words}


def _largest_k(lattice: Lattice) -> int:
    """Return the largest k for which the most general release suppresses no more records than allowed."""
    groups = lattice.packing.grouping(lattice.cells(lattice.top))
    entity = next((model.column for model in lattice.problem.models if isinstance(model, Persons)), None)
    counts = _counted(groups, entity)
    sizes = np.unique(counts)
    largest = 0
    for below, size in zip([0, *sizes[:-1]], sizes, strict=True):
        few = counts < size
        k = size
        if few.any() and lattice.problem.stars:  # the starred records are a class themselves
            k = min(size, *_counted(groups.only(few).merged(np.zeros(few.sum(), dtype=np.int32), 1), entity))
        if int(groups.sizes[few].sum()) <= lattice.problem.limit and k > below:
            largest = int(k)
    return largest


def _counted(groups: Grouping, entity: str | None) -> NDArray[np.int64]:
    """Return what k counts in each class: records, or persons if a column identifies them."""
    return groups.sizes if entity is None else groups.histogram(entity).distinct


def _least_suppression(lattice: Lattice) -> dict[str, Any]:
    """Return how many records would have to be suppressed, and which column costs most in that release."""
    problem = lattice.problem
    open_problem: Problem = replace(problem, max_suppressed=Fraction(1), measure=Suppression(), time_limit=_SECONDS)
    wider = Lattice(open_problem, lattice.steps)
    found = search(wider)
    if found.best is None and found.complete and problem.stars:
        dropped = _least_suppression(Lattice(replace(problem, stars=False), lattice.steps))
        hint = "The starred records are a class that fails in every release. With suppressed = 'drop': "
        return {"records": None, "dropped": dropped, "words": hint + dropped["words"]}
    if found.best is None and not found.complete:
        words = f"Whether suppressing more records helps was not settled within {_SECONDS:g} s."
        return {"records": None, "exact": False, "words": words}
    if found.best is None:
        return {"records": None, "words": "No amount of suppression helps: every class of every generalization fails."}
    records = found.best.suppressed
    share = records / problem.tally.n_records
    exact = "" if found.complete else " or fewer"
    columns = wider.solution(found.best.node, guarantee="none", measure=problem.measure).loss.columns
    dearest = max(columns, key=lambda name: columns[name])
    words = (
        f"Suppressing {records} records ({share:.2%}){exact} would be enough: set max_suppressed to at least "
        f"{np.ceil(share * 10_000) / 10_000:g}. Column '{dearest}' then loses most."
    )
    return {"records": records, "share": share, "exact": found.complete, "dearest_column": dearest, "words": words}


def _short(value: float | str) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
