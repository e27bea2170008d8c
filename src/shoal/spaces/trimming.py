"""Leaving out records that cost their class more than suppressing them."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from shoal.grouping import Grouping, Parts
from shoal.kernels.closures import Forms
from shoal.kernels.merging import best_trims
from shoal.problem import Problem


def trimmed(problem: Problem, parts: Parts, forms: Forms) -> Parts:
    """Suppress records, within the limit, where that lowers the loss; the same parts if it does nowhere.

    A suppressed record pays `full`, the others of its class what covers them without it. Points leave their classes
    one by one, those that save most per record first, and only where k records stay. So the loss only falls, and
    what bounds it from above still does. A class that breaks a promise without a point gets it back.

    Args:
        problem: What is asked; where missing values match everything, and promises look at more than numbers of
            records, nothing is left out, since every class counts for others.
        parts: Classes that keep all promises.
        forms: What they may be published as; all columns publish nodes of their trees.
    """
    if problem.limit == 0 or (problem.wildcard and len(problem.prunable) < len(problem.models)):
        return parts
    now = parts
    open_classes = np.ones(parts.n_classes, dtype=np.bool_)
    left = problem.limit
    while left > 0:
        gone = _next(problem, now, forms, open_classes, left)
        if len(gone) == 0:
            break
        tried = _without(now, gone)
        failing = _failing(problem, tried)
        open_classes[failing] = False
        gone = gone[~failing[now.classes[gone]]]
        now = _without(now, gone)
        left -= int(now.counts[gone].sum())
    return now if _allowed(problem, now) else parts


def _next(
    problem: Problem, parts: Parts, forms: Forms, open_classes: NDArray[np.bool_], left: int
) -> NDArray[np.int64]:
    """Return the next parts to leave out, one of a class at most, while they fit into the limit."""
    order = np.argsort(parts.classes, kind="stable")
    order = order[parts.classes[order] >= 0]
    offsets = np.searchsorted(parts.classes[order], np.arange(parts.n_classes + 1))
    codes = problem.tally.codes[parts.points[order]]
    best, gains = best_trims(
        offsets,
        parts.counts[order],
        codes,
        open_classes,
        problem.k,
        forms.full,
        forms.nodes,
        forms.parent,
        forms.prices,
    )
    classes = np.flatnonzero(best >= 0)
    chosen = order[best[classes[np.argsort(-gains[classes], kind="stable")]]]
    return chosen[np.cumsum(parts.counts[chosen]) <= left]


def _without(parts: Parts, gone: NDArray[np.int64]) -> Parts:
    classes = parts.classes.copy()
    classes[gone] = -1
    return replace(parts, classes=classes)


def _grouping(problem: Problem, parts: Parts) -> Grouping:
    """Return the released classes, compared with what they are released with."""
    groups = Grouping.of_parts(problem.tally, parts, parts.n_classes)
    if not problem.stars:
        return groups
    totals = np.bincount(problem.tally.profiles, problem.tally.counts, len(problem.tally.profile_codes))
    return replace(groups, totals=totals.astype(np.int64))


def _failing(problem: Problem, parts: Parts) -> NDArray[np.bool_]:
    groups = _grouping(problem, parts)
    failing = np.zeros(parts.n_classes, dtype=np.bool_)
    for model in problem.models:
        failing |= ~model.holds(groups)
    return failing


def _allowed(problem: Problem, parts: Parts) -> bool:
    """Tell whether all classes keep the promises, and the stars of what was left out, if they are a class."""
    if not problem.stars or not (parts.classes < 0).any():
        return not _failing(problem, parts).any()
    starred = np.where(parts.classes < 0, parts.n_classes, parts.classes).astype(np.int32)
    return not _failing(problem, replace(parts, classes=starred)).any()
