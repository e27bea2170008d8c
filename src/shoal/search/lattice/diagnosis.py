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
from shoal.search.lattice.lattice import Lattice, NodeOutcome
from shoal.search.problem import Problem
from shoal.search.removal import broken_by, removal_of

_SECONDS = 10.0  # time limit of the search for the least suppression; its answer is exact or said to be a bound


def infeasible(lattice: Lattice, *, local: bool = False, proven: bool = False) -> InfeasibleError:
    """Return the error that explains why no release was found.

    Args:
        lattice: The lattice.
        local: Whether each class may be recoded on its own, and lose single records; else no node is feasible.
        proven: Whether it is known that there is none; else that is found out.
    """
    problem = lattice.problem
    failures = [_failure(lattice, model) for model in problem.models]
    failing = [failure for failure in failures if failure is not None]
    largest_k = _largest_k(lattice)
    removed = _least_removed(problem)
    suppression = removed if local and removed is not None else _least_suppression(lattice, removed)
    proven = proven or not local or _proven(problem, removed)
    lines = [
        f"No {'release' if local else 'generalization'} {'keeps' if proven else 'was found that keeps'} every promise "
        f"with at most {float(problem.max_suppressed):.2%} of the {problem.tally.n_records} records suppressed.",
        *(f"- {failure['words']}" for failure in failing),
    ]
    if any(isinstance(model, KAnonymity) for model in problem.models):
        lines.append(f"- The largest k possible within that limit, by k-anonymity alone, is {largest_k}.")
    lines.append(f"- {suppression['words']}")
    if not proven:
        lines.append(
            "- It is not proven that there is none. Use the algorithm 'exact' for a small table, or 'optimal'."
        )
    diagnosis = {"failing": failing, "largest_k": largest_k, "suppression": suppression, "proven": proven}
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


def _least_removed(problem: Problem) -> dict[str, Any] | None:
    """Return how many records must be suppressed if each class may be recoded on its own; None if it is not known."""
    removal = None if problem.tally.populations else removal_of(problem)
    if removal is None:
        return None
    records, exact = removal.n_records, removal.n_records == removal.least
    share = records / problem.tally.n_records
    words = (
        f"Suppressing {records} records ({share:.2%}){'' if exact else ' or fewer'} would be enough: set "
        f"max_suppressed to at least {_rounded_up(share):g}{', and suppressed to drop' if problem.stars else ''}."
    )
    return {"records": records, "least": removal.least, "share": share, "exact": exact, "words": words}


def _least_suppression(lattice: Lattice, removed: dict[str, Any] | None) -> dict[str, Any]:
    """Return how many records would have to be suppressed, in whole classes, and which column costs most then.

    Args:
        lattice: The lattice.
        removed: How many are enough if each class is recoded on its own, and may lose single records.
    """
    problem = lattice.problem
    wider, best, complete = _least_by_record(lattice) if problem.by_record else _least_by_class(lattice)
    if best is None and complete and problem.stars:
        dropped = _least_suppression(Lattice(replace(problem, stars=False), lattice.steps), removed)
        hint = "The starred records are a class that fails in every release. With suppressed = 'drop': "
        return {"records": None, "dropped": dropped, "words": hint + dropped["words"]}
    hint = _hint(removed, best)
    if best is None and not complete:
        words = f"Whether suppressing more classes helps was not settled within {_SECONDS:g} s."
        return {"records": None, "exact": False, "words": words + hint}
    if best is None:
        helps = (
            "No amount of suppression helps" if _fails_in_every_part(problem) else "Suppressing classes does not help"
        )
        return {"records": None, "words": f"{helps}: every class of every generalization fails.{hint}"}
    records = best.suppressed
    share = records / problem.tally.n_records
    exact = "" if complete else " or fewer"
    columns = wider.solution(best.node, guarantee="none", measure=problem.measure).loss.columns
    dearest = max(columns, key=lambda name: columns[name])
    words = (
        f"Suppressing {records} records ({share:.2%}){exact} would be enough: set max_suppressed to at least "
        f"{_rounded_up(share):g}. Column '{dearest}' then loses most.{hint}"
    )
    return {"records": records, "share": share, "exact": complete, "dearest_column": dearest, "words": words}


def _hint(removed: dict[str, Any] | None, best: NodeOutcome | None) -> str:
    """Return what single records would do, if fewer of them are enough than of whole classes."""
    if removed is None or (best is not None and removed["records"] >= best.suppressed):
        return ""
    few = f"it is enough to suppress {removed['records']} records ({removed['share']:.2%})"
    return f" If each class is recoded on its own, as by the algorithm 'auto', {few}."


def _least_by_class(lattice: Lattice) -> tuple[Lattice, NodeOutcome | None, bool]:
    """Return the node that suppresses the fewest records, with its lattice, and whether all were looked at."""
    problem = lattice.problem
    open_problem: Problem = replace(problem, max_suppressed=Fraction(1), measure=Suppression(), time_limit=_SECONDS)
    wider = Lattice(open_problem, lattice.steps)
    found = search(wider)
    return wider, found.best, found.complete


def _least_by_record(lattice: Lattice) -> tuple[Lattice, NodeOutcome | None, bool]:
    """Return the same: the top, since classes that are joined lose no more records than before."""
    wider = Lattice(replace(lattice.problem, max_suppressed=Fraction(1)), lattice.steps)
    top = wider.evaluate(wider.top)
    return wider, top if top.feasible else None, True


def _proven(problem: Problem, removed: dict[str, Any] | None) -> bool:
    """Return whether no release is allowed, given that one class of all records, or of most, breaks a promise.

    Where missing values match everything, classes overlap: each may keep a promise that all records together break.
    """
    if _fails_in_every_part(problem):
        return True
    if not all(model.monotone_without_suppression for model in problem.models):
        return False
    few = problem.limit == 0 or problem.stars or (removed is not None and removed["least"] > problem.limit)
    return few and not problem.wildcard


def _fails_in_every_part(problem: Problem) -> bool:
    """Return whether a promise fails for all records together, and therefore for any of them."""
    if problem.tally.populations:
        return False
    return any(model.monotone_with_suppression for model in broken_by(problem.models, problem.tally))


def _rounded_up(share: float) -> float:
    return float(np.ceil(share * 10_000) / 10_000)


def _short(value: float | str) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
