"""Joining classes until each keeps every promise."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from shoal.classes.grouping import Grouping, Parts
from shoal.classes.tally import Tally
from shoal.classes.wildcard_matching import neighbourhoods
from shoal.foundation.parallel import THREADS
from shoal.kernels.local.closures import Forms, meet_classes
from shoal.kernels.local.merging import nearest_classes
from shoal.models.model import holding
from shoal.search.local.closure import recoding_of
from shoal.search.local.components import Components
from shoal.search.problem import Problem
from shoal.tables.distinct_rows import distinct_rows

_PAIRS = 1_000_000_000  # pairs of classes that are compared in a round; with more classes, each is compared with fewer
_FEWEST = 256
_CANDIDATES = 32  # classes that a failing class may be joined with
_PAIRING_ROUNDS = 30
_BLOCK = 20_000  # failing classes whose unions are tested at once

NearestClasses = Callable[[Parts, NDArray[np.int64], int], tuple[NDArray[np.int32], NDArray[np.float64]]]


def alike_joined(tally: Tally, parts: Parts, forms: Forms) -> Parts:
    """Join the classes that have the same closure, which costs nothing."""
    closures = closures_of(tally, parts, forms)
    sizes = np.diff(forms.nodes).tolist()
    target, _ = distinct_rows(list(closures.T), sizes, parts.n_classes)
    return _relabelled(parts, target)


def merged(problem: Problem, parts: Parts, forms: Forms) -> Parts:
    """Join classes that fail a promise with classes that cost little to cover together, until all pass.

    Args:
        problem: The problem.
        parts: Classes of all records.
        forms: What they may be published as; all columns publish nodes of their trees.
    """
    return join_failing(
        problem, parts, lambda parts, asking, most: _cheapest_unions(problem.tally, parts, asking, forms, most)
    )


def join_failing(problem: Problem, parts: Parts, nearest: NearestClasses) -> Parts:
    """Join classes that fail a promise with near classes until all pass.

    In each round a failing class is joined with one of the classes near it: the cheapest with which all promises hold,
    else the cheapest. No class is joined twice in a round. If some still fail after many rounds, they are joined with
    one, two, four, ... classes at a time. This ends, since promises are monotone and one class of all records keeps
    them (`check_local`). What was proven about the loss of the given parts does not hold for the joined ones; if all
    classes pass, the given parts themselves are returned.

    Args:
        problem: The problem.
        parts: Classes of all records that are released.
        nearest: Given the classes, the asking ones and how many are wanted, returns the classes near each asking one,
            `[asking, near]`, -1 where there are no more, and the costs of joining.
    """
    turn = 0
    while parts.n_classes > 1 and (failing := _failing(problem, parts)).any():
        asking = np.flatnonzero(failing)
        at_once = min(2 ** max(0, turn - _PAIRING_ROUNDS), parts.n_classes)
        others, costs = nearest(parts, asking, max(_CANDIDATES, at_once))
        if turn < _PAIRING_ROUNDS:
            helps = _helps(problem, parts, asking, others)
            pairs = _paired(asking, others, np.where(others < 0, 2, np.where(helps, 0, 1)), costs)
        else:
            many = zip(asking.tolist(), others[:, :at_once].tolist(), strict=True)
            pairs = [(own, other) for own, near in many for other in near]
        parts = _relabelled(parts, _components(parts.n_classes, pairs))
        turn += 1
    return parts


def closures_of(tally: Tally, parts: Parts, forms: Forms) -> NDArray[np.int32]:
    """Return the closure of each class in each column, as `[class, column]`."""
    order = np.argsort(parts.classes, kind="stable")
    order = order[parts.classes[order] >= 0]
    offsets = np.searchsorted(parts.classes[order], np.arange(parts.n_classes + 1))
    leaves = tally.codes[parts.points[order]]
    columns = [
        meet_classes(np.ascontiguousarray(leaves[:, j]), offsets, forms.parent[start:end])
        for j, (start, end) in enumerate(zip(forms.nodes[:-1], forms.nodes[1:], strict=True))
    ]
    return np.column_stack(columns)


def _failing(problem: Problem, parts: Parts) -> NDArray[np.bool_]:
    """Return which classes break a promise; missing values match everything if the problem says so."""
    groups = Grouping.of_parts(problem.tally, parts, parts.n_classes)
    if problem.wildcard:
        recoding = recoding_of(problem.tally, parts, problem.measure)
        groups = neighbourhoods(groups, recoding.cells, recoding.missing_cells())
    return ~holding(problem.models, groups)


def _cheapest_unions(
    tally: Tally, parts: Parts, asking: NDArray[np.int64], forms: Forms, most: int
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Return the classes that cost least to join with each asking class, and the costs."""
    closures = closures_of(tally, parts, forms)
    sizes = np.bincount(parts.classes, weights=parts.counts).astype(np.int64)
    window = max(_PAIRS // len(asking), _FEWEST)
    trees = (forms.nodes, forms.parent, forms.prices)
    with ThreadPoolExecutor(THREADS) as pool:
        found = list(
            pool.map(
                lambda some: nearest_classes(some, closures, sizes, window, most, *trees),
                np.array_split(asking, THREADS),
            )
        )
    return np.vstack([others for others, _ in found]), np.vstack([costs for _, costs in found])


def _helps(problem: Problem, parts: Parts, asking: NDArray[np.int64], others: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Return, for each asking class and each of the others, whether the two joined keep all promises by themselves."""
    whole = Grouping.of_parts(problem.tally, parts, parts.n_classes)
    order = np.argsort(parts.classes, kind="stable")
    starts = np.searchsorted(parts.classes[order], np.arange(parts.n_classes + 1))
    helps = np.empty(others.shape, dtype=np.bool_)
    for first in range(0, len(asking), _BLOCK):
        block = slice(first, first + _BLOCK)
        near = np.maximum(others[block], 0)
        sides = np.concatenate([np.repeat(asking[block], near.shape[1]), near.reshape(-1)])
        lengths = np.diff(starts)[sides]
        within = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        chosen = order[np.repeat(starts[sides], lengths) + within]
        unions = np.repeat(np.tile(np.arange(near.size, dtype=np.int32), 2), lengths)
        joint = Grouping.of_parts(problem.tally, Parts(parts.points[chosen], unions, parts.counts[chosen]), near.size)
        joint = replace(joint, totals=whole.totals)
        helps[block] = holding(problem.models, joint).reshape(near.shape)
    return helps


def _paired(
    asking: NDArray[np.int64], others: NDArray[np.int32], ranks: NDArray[np.int64], costs: NDArray[np.float64]
) -> list[tuple[int, int]]:
    """Return disjoint pairs of classes, those of the best rank first, then the cheapest; rank 2 means no pair."""
    owners = np.repeat(asking, others.shape[1])
    order = np.lexsort((costs.reshape(-1), ranks.reshape(-1)))
    order = order[ranks.reshape(-1)[order] < 2]
    taken: set[int] = set()
    pairs = []
    for own, other in zip(owners[order].tolist(), others.reshape(-1)[order].tolist(), strict=True):
        if own not in taken and other not in taken:
            taken |= {own, other}
            pairs.append((own, other))
    return pairs


def _components(n_classes: int, pairs: Sequence[tuple[int, int]]) -> NDArray[np.int32]:
    """Return the class that each class becomes a part of if these pairs are joined."""
    components = Components(n_classes)
    for own, other in pairs:
        if other >= 0:
            components.join(own, other)
    return np.array([components.leader(one) for one in range(n_classes)], dtype=np.int32)


def _relabelled(parts: Parts, target: NDArray[np.int32]) -> Parts:
    """Return the parts in new classes, numbered by their first points, so that similar classes are adjacent."""
    named = target[parts.classes]
    classes, own = np.unique(named, return_inverse=True)
    first = np.full(len(classes), np.iinfo(np.int32).max, dtype=np.int32)
    np.minimum.at(first, own, parts.points)
    rank = np.empty(len(classes), dtype=np.int32)
    rank[np.argsort(first, kind="stable")] = np.arange(len(classes), dtype=np.int32)
    return replace(parts, classes=rank[own])
