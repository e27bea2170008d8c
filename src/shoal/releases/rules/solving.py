"""The solution that rules give for a table: without a search there is no bound; the loss is measured."""

from collections.abc import Collection, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from shoal.classes.grouping import Parts
from shoal.classes.tally import Tally
from shoal.clusters.distances.number import Number
from shoal.clusters.distances.place import Place
from shoal.jobs.job import Job
from shoal.measures.measure import Loss
from shoal.releases.rules.finding import Finder, NearestCentre
from shoal.releases.rules.record_assignment import grouped, grouping_of, renumbered
from shoal.releases.rules.rules import Rules
from shoal.search.clusters.clustering import MetricTable
from shoal.search.problem import Problem, Solution
from shoal.tables.hierarchies.hierarchy import Label


def solution_by(problem: Problem, finder: Finder, parts: Parts, rules: Rules, job: Job) -> Solution | None:
    """Return the solution of the classes with records; None if it breaks a promise or the suppression limit.

    Args:
        problem: The problem.
        finder: The classes.
        parts: The records of each class, -1 if they are suppressed.
        rules: The rules.
        job: The request.
    """
    tally, draft = problem.tally, draft_of(problem.tally, finder, parts, rules)
    n_classes = draft.recoding.n_classes
    lost = (draft.parts.classes < 0) & (draft.parts.counts > 0)
    starred = replace(draft.parts, classes=np.where(lost, n_classes, draft.parts.classes).astype(np.int32))
    groups = grouping_of(tally, starred, n_classes + int(lost.any()))
    cells = draft.recoding.cells
    shown = replace(draft.recoding, cells=np.vstack([cells, cells[:1]])) if lost.any() else draft.recoding
    released = np.arange(groups.n_classes) < n_classes
    if not problem.keeps(groups, shown, released):
        return None
    kept = groups.only(released)
    solution = replace(draft, groups=kept if problem.stars else kept.own_totals())
    if isinstance(finder, NearestCentre):
        return _gathered(problem, finder, solution, np.unique(parts.classes[parts.classes >= 0]), job)
    return replace(solution, loss=problem.measure.loss(groups, shown, released))


def draft_of(tally: Tally, finder: Finder, parts: Parts, rules: Rules) -> Solution:
    """Return the classes as a solution whose loss is not measured and whose promises are not checked."""
    groups, recoding, used = grouped(tally, finder.recoding, parts)
    number = renumbered(used, finder.recoding.n_classes)
    levels = {name: rule.level for name, rule in rules.columns.items() if rule.level is not None}
    return Solution(
        parts=replace(parts, classes=number[parts.classes]),
        groups=groups,
        recoding=recoding,
        suppressed=tally.n_records - groups.n_records,
        loss=Loss("", 0.0, 0.0, {}),
        levels=levels if rules.recoding == "full-domain" else {},
        alike=rules.recoding == "single-dimensional",
    )


def _gathered(
    problem: Problem, finder: NearestCentre, solution: Solution, used: NDArray[np.int64], job: Job
) -> Solution:
    """Add the distances of the records of each cluster from its centre."""
    places = MetricTable.of(problem, "rules")
    inside = solution.parts.classes >= 0
    parts = Parts(solution.parts.points[inside], solution.parts.classes[inside], solution.parts.counts[inside])
    spread = places.spread(parts, finder.centres[:, used])
    every = Parts.whole(problem.tally, np.zeros(problem.tally.n_points, dtype=np.int32))
    whole = places.spread(every, places.middles(every))
    setup = 0.0 if job.search.algorithm is None else job.search.algorithm.cluster_cost
    return replace(solution, spread=spread, loss=spread.loss(job.objective or "radius", whole, setup))


def on_a_line(job: Job, name: str) -> bool:
    """Tell whether a column holds numbers or positions on the earth, so that a centre need not be one of its values."""
    partners = [column.distance.partner for column in job.columns.values() if column.distance is not None]
    return name in partners or isinstance(job.columns[name].distance, Number | Place)


def with_centres(tally: Tally, job: Job, centres: Mapping[str, Collection[Label]]) -> Tally:
    """Return the tally with the categories of the centres marked as occurring, even if no record has them.

    Args:
        tally: The table.
        job: The request.
        centres: The values of the centres in each quasi column.
    """
    quasi = []
    for column in tally.quasi:
        counts = column.leaf_counts.copy()
        if not on_a_line(job, column.name):
            found = set(centres[column.name])
            here = np.array([value in found for value in column.hierarchy.values], dtype=np.bool_)
            counts[here] = np.maximum(counts[here], 1)
        quasi.append(replace(column, leaf_counts=counts))
    return replace(tally, quasi=tuple(quasi))
