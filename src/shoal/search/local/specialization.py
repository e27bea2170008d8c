"""Specialization: every class is split in the column that lowers the loss most, as long as the promises hold."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from shoal.classes.grouping import Parts
from shoal.foundation.progress import Progress
from shoal.kernels.clock import clock
from shoal.kernels.local.closures import SETS, TREE, Forms
from shoal.kernels.local.specialization import Closures, close_classes, sort_entries_by_class, split_column
from shoal.search.local.forms import forms_of
from shoal.search.local.partition import cell_measure
from shoal.search.local.remainders import settled
from shoal.search.local.splits import ClassSlices, Judge, Split
from shoal.search.problem import Problem

_THREADS = 2
_ROUNDING = 1e-9  # a split may raise the loss by this share, which rounding can explain


class Specialization:
    """Top-down specialization: splits classes while the promises hold and the loss does not grow.

    Args:
        problem: The problem.
        name: The name of the algorithm, for messages.
    """

    def __init__(self, problem: Problem, name: str) -> None:
        self.problem = problem
        self.forms: Forms = forms_of(problem.tally.quasi, cell_measure(problem, name))
        self.judge = Judge(problem)

    def start(self) -> ClassSlices:
        """Return one class of all records."""
        tally = self.problem.tally
        points = np.flatnonzero(tally.counts).astype(np.int32)
        return ClassSlices(points, tally.counts[points], np.array([0, len(points)], dtype=np.int64))

    def run(self, deadline: float, progress: Progress) -> tuple[Parts, bool]:
        """Split all classes, step by step, until none can be split or the deadline has passed.

        Returns the classes, and whether none was left to split.
        """
        split, finished = self.start(), []
        while split.n_classes and clock() <= deadline:
            split, done = self.step(split)
            finished.append(done)
            n_done = sum(int(entries.counts.sum()) for entries in finished)
            progress("specializing", n_done / self.problem.tally.n_records)
        return parts_of_slices([*finished, split]), split.n_classes == 0

    def step(self, entries: ClassSlices) -> tuple[ClassSlices, ClassSlices]:
        """Split each class in its best column; return the resulting classes, and the classes that stay whole."""
        if entries.n_classes == 0:
            return entries, entries
        leaves = self.problem.tally.codes[entries.points]
        above = self.closures(entries, leaves)
        columns = range(leaves.shape[1])
        with ThreadPoolExecutor(_THREADS) as pool:
            splits = list(pool.map(lambda j: self.split(j, entries, leaves, above), columns))
        gains = np.stack([split.gains for split in splits])
        best = np.argmax(gains, axis=0)
        split = gains[best, np.arange(entries.n_classes)] > -np.inf
        return _applied(entries, splits, np.where(split, best, -1)), entries.only(~split)

    def closures(self, entries: ClassSlices, leaves: NDArray[np.int32]) -> Closures:
        """Return the closure of each class."""
        forms, m = self.forms, leaves.shape[1]
        sizes = np.array([column.hierarchy.n_leaves for column in self.problem.tally.quasi], dtype=np.int32)
        low = np.where(forms.kinds == TREE, np.diff(forms.nodes) - 1, np.where(forms.kinds == SETS, sizes, 0))
        everything = Closures(low.astype(np.int32).reshape(1, m), (sizes - 1).reshape(1, m), np.zeros(1))
        owners = np.zeros(entries.n_classes, dtype=np.int64)
        return close_classes(forms, leaves, np.arange(len(leaves)), entries.offsets, owners, everything)

    def split(self, column: int, entries: ClassSlices, leaves: NDArray[np.int32], above: Closures) -> Split:
        """Split each class in one column, as far as the promises hold, with the gain of each split."""
        k, nodes = self.problem.k, np.ascontiguousarray(above.low[:, column])
        child, firsts = split_column(self.forms, column, leaves, entries.counts, entries.offsets, nodes, k)
        return self._with_gains(self._passing_children(entries, child, firsts), entries, leaves, above)

    def _passing_children(self, entries: ClassSlices, child: NDArray[np.int32], firsts: NDArray[np.int64]) -> Split:
        """Make each child that keeps all promises a group, and all others of its class one more, the remainder."""
        n_children = np.diff(firsts)
        owners = np.repeat(np.arange(entries.n_classes), n_children)
        keeps = self.judge.keep(entries.points, child, entries.counts, len(owners), n_children[owners] > 1)
        n_keeping = np.bincount(owners, weights=keeps, minlength=entries.n_classes).astype(np.int64)
        split = n_keeping > 0
        leaves_some = split & (n_keeping < n_children)
        n_groups = np.where(split, n_keeping + leaves_some, 0)
        first = np.cumsum(n_groups) - n_groups
        before: NDArray[np.int64] = np.cumsum(keeps) - keeps
        position = before - before[firsts[:-1]][owners]
        group = first[owners] + np.where(keeps, position, n_keeping[owners])
        groups = np.where(split[owners], group, -1).astype(np.int32)[child]
        rests = np.where(leaves_some, first + n_keeping, -1)
        return settled(Split(groups, n_groups), entries, rests, self.judge, self.forms)

    def _with_gains(self, split: Split, entries: ClassSlices, leaves: NDArray[np.int32], above: Closures) -> Split:
        """Return the split with its gains: the loss of each class minus that of its groups."""
        n = int(split.n_groups.sum())
        indices, groups, counts = split.entries(entries.counts)
        order, offsets = sort_entries_by_class(groups, n)
        owners = np.repeat(np.arange(entries.n_classes), split.n_groups)
        closures = close_classes(self.forms, leaves, indices[order], offsets, owners, above)
        sizes = np.bincount(groups, weights=counts, minlength=n)
        after = np.bincount(owners, weights=sizes * closures.prices, minlength=entries.n_classes)
        before = entries.sizes * above.prices
        gains = before - after
        allowed = (split.n_groups > 0) & (gains >= -_ROUNDING * np.maximum(np.abs(before), 1.0))
        return replace(split, gains=np.where(allowed, gains, -np.inf))


def _applied(entries: ClassSlices, splits: list[Split], chosen: NDArray[np.int64]) -> ClassSlices:
    """Return the groups of each class in the column chosen for it; -1 leaves a class out."""
    owners = entries.owners
    n_groups = np.zeros(entries.n_classes, dtype=np.int64)
    for j, split in enumerate(splits):
        n_groups[chosen == j] = split.n_groups[chosen == j]
    first = np.cumsum(n_groups) - n_groups
    points, classes, counts = [], [], []
    for j, split in enumerate(splits):
        shift = np.where(chosen == j, first - split.firsts, 0)
        indices, groups, numbers = split.entries(entries.counts)
        mine = chosen[owners[indices]] == j
        indices, groups, numbers = indices[mine], groups[mine], numbers[mine]
        points.append(entries.points[indices])
        classes.append((groups + shift[owners[indices]]).astype(np.int32))
        counts.append(numbers)
    order, offsets = sort_entries_by_class(np.concatenate(classes), int(n_groups.sum()))
    return ClassSlices(np.concatenate(points)[order], np.concatenate(counts)[order], offsets)


def parts_of_slices(finished: list[ClassSlices]) -> Parts:
    """Return the classes of several lists, numbered one after the other."""
    starts = np.cumsum([0, *(entries.n_classes for entries in finished)])
    classes = [entries.owners + start for entries, start in zip(finished, starts, strict=False)]
    return Parts(
        np.concatenate([entries.points for entries in finished]),
        np.concatenate(classes).astype(np.int32),
        np.concatenate([entries.counts for entries in finished]),
    )
