"""Suppressing records that cost their class more than their suppression."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from shoal.classes.grouping import Grouping, Parts
from shoal.classes.tally import weights_of_profiles
from shoal.kernels.local.classes import GROUP, Classes
from shoal.kernels.local.states import Columns
from shoal.kernels.local.trims import drop_parts, find_leavers
from shoal.measures.measure import CellMeasure
from shoal.models.model import holding
from shoal.search.local.forms import forms_of
from shoal.search.local.layout import laid_out
from shoal.search.local.states import encoding_of
from shoal.search.problem import Problem


def trimmed(problem: Problem, parts: Parts) -> Parts:
    """Return the parts with more records suppressed, within the limit, where that lowers the loss; else the same parts.

    A suppressed record costs `full` times its weight; the others of its class cost what covers them without it. Parts
    leave their classes one by one, those that save most per record first, and only where k records stay. So the loss
    only falls, and upper bounds on it stay valid. A class that breaks a promise without a part gets it back.

    Args:
        problem: The problem. Nothing is suppressed if missing values match everything and promises depend on more than
            numbers of records, since every class counts for others then; nor if the measure has no price for a cell.
        parts: Classes that keep all promises.
    """
    left = problem.limit - int(parts.counts[parts.classes < 0].sum())
    if left <= 0 or (problem.wildcard and len(problem.prunable) < len(problem.models)):
        return parts
    if not isinstance(problem.measure, CellMeasure):
        return parts
    forms = forms_of(problem.tally.quasi, problem.measure)
    parts = parts.filled()
    encoding = encoding_of(problem.tally.quasi, forms)
    now, inside = parts, np.flatnonzero(parts.classes >= 0)
    classes = _classes(problem, parts, inside, encoding.columns, encoding.states(problem.tally.codes))
    open_classes = np.ones(parts.n_classes, dtype=np.bool_)
    best, savings = np.zeros(parts.n_classes, dtype=np.int64), np.zeros(parts.n_classes)
    while left > 0:
        find_leavers(
            encoding.columns, classes, parts.counts[inside], open_classes, problem.k, forms.full, best, savings
        )
        order = np.argsort(-savings, kind="stable")
        chosen = best[order[savings[order] > 0]]
        chosen = chosen[np.cumsum(parts.counts[inside[chosen]]) <= left]
        if len(chosen) == 0:
            break
        failing = _failing(problem, _without(now, inside[chosen]))
        kept = ~failing[parts.classes[inside[chosen]]]
        open_classes[failing] = False
        chosen = chosen[kept]
        drop_parts(classes, chosen)
        now = _without(now, inside[chosen])
        left -= int(parts.counts[inside[chosen]].sum())
    return now if _allowed(problem, now) else parts


def _classes(
    problem: Problem, parts: Parts, inside: NDArray[np.int64], columns: Columns, states: NDArray[np.int64]
) -> Classes:
    """Return the arrays of the classes of some parts, as if each part were a record."""
    groups = np.zeros(parts.n_classes, dtype=GROUP)
    groups["capacity"] = np.bincount(parts.classes[inside], minlength=len(groups))
    groups["least"] = 1
    points, labels = parts.points[inside].astype(np.int64), parts.classes[inside].astype(np.int64)
    tally = problem.tally
    each = weights_of_profiles(tally.sensitive, tally.profile_codes)
    weights = parts.counts[inside] * (1 if each is None else each[tally.profiles[points]])
    return laid_out(columns, states, points, np.zeros(len(inside), dtype=np.int32), labels, groups, weights)


def _without(parts: Parts, gone: NDArray[np.int64]) -> Parts:
    classes = parts.classes.copy()
    classes[gone] = -1
    return replace(parts, classes=classes)


def _failing(problem: Problem, parts: Parts) -> NDArray[np.bool_]:
    """Return which released classes break a promise, compared with the whole release."""
    groups = Grouping.of_parts(problem.tally, parts, parts.n_classes)
    if problem.stars:
        groups = replace(groups, totals=problem.tally.totals)
    return ~holding(problem.models, groups)


def _allowed(problem: Problem, parts: Parts) -> bool:
    """Return whether all classes keep the promises, including the class of stars of what was left out, if it is one."""
    if not problem.stars or not (parts.classes < 0).any():
        return not _failing(problem, parts).any()
    starred = np.where(parts.classes < 0, parts.n_classes, parts.classes).astype(np.int32)
    return not _failing(problem, replace(parts, classes=starred)).any()
