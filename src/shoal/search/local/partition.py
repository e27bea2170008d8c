"""Partitions: classes of records, each recoded on its own, as a solution."""

from dataclasses import replace

import numpy as np

from shoal.classes.grouping import Parts
from shoal.classes.recoding import Recoding
from shoal.foundation.errors import InfeasibleError, SpecError
from shoal.measures.measure import CellMeasure
from shoal.models.model import SensitiveModel
from shoal.search.lattice.diagnosis import infeasible
from shoal.search.lattice.lattice import Lattice
from shoal.search.local.closure import recoding_of
from shoal.search.problem import Guarantee, Problem, Solution, Witness, with_suppressed
from shoal.search.removal import Removal, broken_by, removal_of
from shoal.tables.distinct_rows import distinct_rows

_ROUNDING = 1e-9  # a loss this close to its bound equals it: sums in another order differ by less


def start_of(problem: Problem, name: str) -> Removal:
    """Return the records to suppress so that one class of all others keeps the promises: where a search may start.

    One class keeps every promise that any partition keeps, since the promises are monotone. So if more records must be
    suppressed than may be, no partition is allowed. Shown as stars, suppressed records are a class themselves: if that
    kept the promises, so would one class of all records.

    Args:
        problem: The problem; an error is raised if it cannot be solved by recoding each class on its own.
        name: The name of the algorithm, for messages.
    """
    check_outside(problem, name)
    removal = removal_of(problem)
    if removal is not None and removal.n_records <= (0 if problem.stars else problem.limit):
        return removal
    raise infeasible(Lattice(problem), local=True)


def check_outside(problem: Problem, name: str) -> None:
    """Raise a SpecError if a promise counts the records of an outside table, or persons who hold values."""
    for model in problem.models:
        if isinstance(model, SensitiveModel) and model.entity is not None:
            raise SpecError(
                f"The algorithm '{name}' merges and splits classes, but {model.name} counts persons: a person "
                "with records in two classes counts once when they are merged, so that merging classes may break "
                "it. Use a full-domain algorithm such as 'optimal', or per = 'record' in the promise, which then "
                "counts records."
            )
    if problem.tally.populations:
        raise SpecError(
            f"The algorithm '{name}' recodes each class separately, so that the records of an external table "
            "that match different classes overlap. Use a full-domain algorithm such as 'optimal' for k-map "
            "and delta-presence."
        )


def check_local(problem: Problem, name: str) -> None:
    """Raise an error if a problem cannot be solved by an algorithm that starts from one class of all records."""
    if start_of(problem, name).n_records > 0:
        failing = ", ".join(model.name for model in broken_by(problem.models, problem.tally))
        raise InfeasibleError(
            f"A single class of all records does not keep {failing}, and the algorithm '{name}' starts by "
            "splitting that class. Use 'tightest', which suppresses some records first."
        )


def cell_measure(problem: Problem, name: str) -> CellMeasure:
    """Return the problem's measure if it prices single cells; else raise a SpecError."""
    if isinstance(problem.measure, CellMeasure):
        return problem.measure
    raise SpecError(
        f"The algorithm '{name}' minimizes a loss that is a sum over cells, but '{problem.measure.name}' "
        "depends on whole classes. Use a measure such as 'lm', 'ncp', 'entropy' or 'stars', or the "
        "algorithm 'optimal'."
    )


def solution_of(
    problem: Problem,
    parts: Parts,
    *,
    bound: float | None = None,
    guarantee: Guarantee = "none",
    factor: float | None = None,
    remark: str = "",
    recoding: Recoding | None = None,
    witness: Witness | None = None,
) -> Solution:
    """Return the release of a partition: each class is published as its closure; equal closures are one class.

    Args:
        problem: The problem.
        parts: The records of each class; those in none are suppressed.
        bound: A proven lower bound on the loss of every partition.
        guarantee: What the algorithm guarantees; a loss that reaches its bound is optimal.
        factor: The proven factor.
        remark: What the user should know.
        recoding: What the classes are published as, if not as their closures.
        witness: Charges that prove the bound, or one below it.
    """
    parts = parts.filled()
    if parts.n_classes == 0:
        raise _not_kept(problem)
    if recoding is None:
        recoding = recoding_of(problem.tally, parts, problem.measure)
    parts, recoding = _joined(parts, recoding)
    groups, shown, released = with_suppressed(problem.tally, parts, recoding)
    if not problem.keeps(groups, shown, released):
        raise _not_kept(problem)
    loss = problem.measure.loss(groups, shown, released)
    if bound is not None and loss.total <= bound * (1 + _ROUNDING):
        bound, guarantee = loss.total, "optimal"
    kept = groups.only(released)
    return Solution(
        parts=parts,
        groups=kept if problem.stars else kept.own_totals(),
        recoding=recoding,
        suppressed=int(groups.sizes[~released].sum()),
        loss=loss,
        bound=bound,
        guarantee=guarantee,
        factor=factor,
        remark=remark,
        witness=witness,
    )


def loss_of(problem: Problem, parts: Parts) -> float:
    """Return the loss of the release of a partition, whether or not it keeps the promises."""
    parts = parts.filled()
    return problem.measure.loss(
        *with_suppressed(problem.tally, parts, recoding_of(problem.tally, parts, problem.measure))
    ).total


def _not_kept(problem: Problem) -> InfeasibleError:
    return InfeasibleError(
        "The classes that were found do not keep every promise"
        + (" where missing values match everything" if problem.wildcard else "")
        + f" with at most {problem.limit} records suppressed. Use the algorithm 'optimal', which searches releases of "
        "one level for each column."
    )


def _joined(parts: Parts, recoding: Recoding) -> tuple[Parts, Recoding]:
    """Join classes that are published alike, and the parts of one point in one class."""
    sizes = [len(subsets) for subsets in recoding.shown]
    target, cells = distinct_rows(list(recoding.cells.T), sizes, recoding.n_classes)
    classes = np.where(parts.classes >= 0, target[parts.classes], -1)
    part_of = np.full(int(parts.points.max(initial=-1)) + 1, -1, dtype=np.int32)
    part_of[parts.points] = np.arange(len(parts.points), dtype=np.int32)
    order = part_of[part_of >= 0]
    if len(order) == len(parts.points):  # no point is split
        whole = Parts(parts.points[order], classes[order].astype(np.int32), parts.counts[order])
        return whole, replace(recoding, cells=cells)
    keys, first = np.unique(parts.points.astype(np.int64) * (len(cells) + 1) + classes + 1, return_inverse=True)
    counts = np.bincount(first, weights=parts.counts, minlength=len(keys)).astype(np.int64)
    points, classes = np.divmod(keys, len(cells) + 1)
    return Parts(points.astype(np.int32), (classes - 1).astype(np.int32), counts), replace(recoding, cells=cells)
