"""Peeling by levels: classes that keep promises on sensitive values, from the finest generalization to the coarsest."""

from collections.abc import Iterator, Sequence
from itertools import pairwise, product
from math import inf, prod
from operator import itemgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.classes.grouping import Grouping, Parts
from shoal.classes.records import Records
from shoal.classes.tally import QuasiColumn
from shoal.kernels.clock import clock
from shoal.kernels.local.peeling import peel_groups
from shoal.kernels.sufficient_tests import SufficientTests
from shoal.measures.measure import CellMeasure
from shoal.models.model import holding
from shoal.search.local.partition import loss_of
from shoal.search.problem import Problem

_NODES = 4_000  # the largest number of generalizations that are all tried
_CHAINS = 4  # with more of them, so many ways from the values to the top
_VISITS = 60_000_000  # how many records are sorted into groups in all; some seconds
_BINS = (64, 32, 16, 8, 4, 2, 1)  # ranges have no levels: parts of about equally many records
_MOST_KEYS = 2**62


class Level(NamedTuple):
    """One level of a column: the group of each leaf, and what a record of it costs on average."""

    groups: NDArray[np.int64]
    price: float


class Peeled(NamedTuple):
    """Classes that keep the promises.

    Args:
        some: The classes below the top, or None if there are none; the records that fit into none of them are in none.
        every: The same with all records, or None if those that are left over fit nowhere.
    """

    some: Parts | None
    every: Parts | None


def peeled(problem: Problem, measure: CellMeasure, sufficient_tests: SufficientTests, end: float = inf) -> Peeled:
    """Return classes that keep the promises, found from the finest generalization to the coarsest.

    Records are grouped by their generalized values. The largest part of each group that keeps the promises becomes a
    class: with a cap on the share of a value, what exceeds it is pushed on to a coarser generalization. The cheapest
    generalizations come first: all of them in the order of their prices, or, if there are too many, those on a way to
    the top, along which the column is coarsened that costs least. Several ways are gone, on the others with the prices
    of the columns multiplied by random numbers, and the best classes are returned.

    Args:
        problem: The problem; one class of all its records keeps the promises.
        measure: Its measure.
        sufficient_tests: Tests that imply the promises beyond the number of records.
        end: When to try no more generalizations but the last, by the clock of searches.
    """
    records = Records.of(problem.tally)
    ladders = [_levels(column, measure) for column in problem.tally.quasi]
    found = []
    for steps in _orders(ladders, np.random.default_rng(problem.seed)):
        label, n_below = _classes(records, ladders, steps, sufficient_tests, problem.k, end)
        loss = loss_of(problem, records.parts(label)) if (label >= 0).any() else inf
        found.append((loss, label, n_below))
        if clock() >= end:
            break
    _, label, n_below = min(found, key=itemgetter(0))
    every = completed(problem, records, label)
    some = records.parts(np.where(label < n_below, label, -1)) if n_below > 0 else None
    return Peeled(some, None if every is None else records.parts(every))


def _levels(column: QuasiColumn, measure: CellMeasure) -> list[Level]:
    """Return the levels of a column, ascending, without those that cost as much as the one above."""
    hierarchy, costs = column.hierarchy, measure.costs(column)
    total = max(int(column.leaf_counts.sum()), 1)
    if hierarchy.form == "ranges":
        top = column.weight * float(costs.by_level[-1].max(initial=0.0))
        place = (np.cumsum(column.leaf_counts) - column.leaf_counts / 2) / total
        found = [Level(np.arange(hierarchy.n_leaves), 0.0)]
        for bins in _BINS:
            groups = np.minimum((place * bins).astype(np.int64), bins - 1)
            if bins > 1 and hierarchy.missing_leaf >= 0:
                groups[hierarchy.missing_leaf] = bins  # with other values it is published as the top
            found.append(Level(groups, top / bins))
    else:
        found = [
            Level(codes.astype(np.int64), column.weight * float(prices[codes] @ column.leaf_counts) / total)
            for codes, prices in zip(hierarchy.codes, costs.by_level, strict=True)
        ]
    return [level for level, above in pairwise(found) if level.price < above.price] + found[-1:]


def _orders(ladders: Sequence[Sequence[Level]], rng: np.random.Generator) -> Iterator[list[tuple[int, ...]]]:
    """Yield generalizations in the order in which they are tried; the last is the top."""
    top = tuple(len(ladder) - 1 for ladder in ladders)
    if prod(map(len, ladders)) <= _NODES:
        nodes = list(product(*(range(len(ladder)) for ladder in ladders)))
        prices = [sum(ladder[level].price for ladder, level in zip(ladders, node, strict=True)) for node in nodes]
        yield [nodes[place] for place in np.argsort(prices, kind="stable") if nodes[place] != top] + [top]
        return
    for number in range(_CHAINS):
        factors = np.ones(len(ladders)) if number == 0 else rng.exponential(size=len(ladders))
        now, way = [0] * len(ladders), [(0,) * len(ladders)]
        while way[-1] != top:
            more = [
                factor * (ladder[level + 1].price - ladder[level].price) if level + 1 < len(ladder) else inf
                for factor, ladder, level in zip(factors, ladders, now, strict=True)
            ]
            now[int(np.argmin(more))] += 1
            way.append(tuple(now))
        yield way


def _classes(
    records: Records,
    ladders: Sequence[Sequence[Level]],
    steps: Sequence[tuple[int, ...]],
    sufficient_tests: SufficientTests,
    least: int,
    end: float,
) -> tuple[NDArray[np.int64], int]:
    """Return the class of each record, -1 for none, and the number of classes below the top; coarser ones are last."""
    label = np.full(len(records.point), -1, dtype=np.int64)
    rest, codes = np.arange(len(label)), records.codes[records.point]
    n_classes, before, visits = 0, 0, 0
    for step in steps:
        if len(rest) < least:
            break
        if step != steps[-1] and (visits > _VISITS or clock() >= end):
            continue
        visits, before = visits + len(rest), n_classes
        keys = _keys([ladder[level].groups[own] for ladder, level, own in zip(ladders, step, codes.T, strict=True)])
        order = np.argsort(keys, kind="stable")
        n_classes = peel_groups(rest[order], keys[order], records.profile, sufficient_tests, least, label, before)
        if n_classes > before:
            left = label[rest] < 0
            rest, codes = rest[left], codes[left]
    return label, before if step == steps[-1] else n_classes


def _keys(groups: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Return one number for each row of groups; equal rows have equal numbers."""
    keys, size = np.zeros(len(groups[0]) if groups else 0, dtype=np.int64), 1
    for own in groups:
        width = int(own.max(initial=0)) + 1
        if size * width > _MOST_KEYS:
            keys = np.unique(keys, return_inverse=True)[1].astype(np.int64)
            size = len(keys)
        keys, size = keys * width + own, size * width
    return keys


def completed(
    problem: Problem, records: Records, label: NDArray[np.int64], prices: NDArray[np.float64] | None = None
) -> NDArray[np.int64] | None:
    """Return classes of all records: those that are in none are one more, or join one, two, four, ... of the dearest.

    Args:
        problem: The problem.
        records: Its records.
        label: The class of each record, -1 for none.
        prices: The price of each class; without it, classes with higher numbers are dearer.

    Returns:
        The class of each record; None if not even all of them keep the promises as one class.
    """
    left, joining = label < 0, 0
    if not left.any():
        return label
    n_classes = int(label.max(initial=-1)) + 1
    order = np.arange(n_classes) if prices is None else np.argsort(prices[:n_classes], kind="stable")
    rank = np.append(np.empty(n_classes, dtype=np.int64), n_classes)
    rank[order] = np.arange(n_classes)
    while True:
        first = max(n_classes - joining, 0)
        joined = rank[label] >= first
        sides = records.parts(np.where(joined, 0, 1))
        if holding(problem.models, Grouping.of_parts(problem.tally, sides, sides.n_classes))[0]:
            return np.where(joined, first, rank[label])
        if first == 0:
            return None
        joining = max(2 * joining, 1)
