"""Cuts: a partition made by cutting the table, and every class of it, until no cut is allowed."""

import os
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from shoal.classes.grouping import Grouping, Parts
from shoal.classes.tally import Tally
from shoal.foundation.progress import Progress, silent
from shoal.kernels.clock import clock
from shoal.kernels.grouping import take
from shoal.kernels.local.cuts import CutTerms, choose_medians
from shoal.kernels.local.gains import choose_gains
from shoal.kernels.local.slices import Cuts, Entries, Slices, apply_cuts
from shoal.measures.lm import Lm
from shoal.models.k_anonymity import KAnonymity
from shoal.models.model import PrivacyModel, holding
from shoal.search.local.forms import forms_of
from shoal.search.local.partition import cell_measure
from shoal.search.problem import Problem
from shoal.tables.hierarchies.hierarchy import Hierarchy

Mode = Literal["strict", "relaxed"]
CutRule = Literal["median", "loss"]
Categories = Literal["hierarchy", "order"]

_BLOCK = 65_536  # the largest number of entries that a thread cuts to the end at once: they stay in its cache
_SHARE = 8  # the least number of blocks for each thread, so that none is idle
_LEAST = 32_768  # entries of a block that is not worth dividing: calls cost more than a second thread saves


@dataclass(frozen=True, slots=True, eq=False)
class Cutting:
    """The classes after cutting, and whether no cut is left (rather than no time)."""

    parts: Parts
    complete: bool


def cut_down(
    problem: Problem,
    *,
    mode: Mode,
    cut: CutRule,
    categories: Categories,
    progress: Progress = silent,
    threads: int | None = None,
) -> Cutting:
    """Cut the table, which must keep all promises as one class, as long as every part keeps them.

    The result does not depend on the number of threads: what becomes of a class depends on its records alone.

    Args:
        problem: The problem.
        mode: Whether records with the same value stay together in every cut (`strict`) or not (`relaxed`).
        cut: Whether a class is cut at the median of its widest column, or where the loss falls most.
        categories: Whether a column with a tree is cut along the tree, or by the order of its leaves.
        progress: Called with the share of records that are in their final class.
        threads: How many to use; as many as there are processors if left out.
    """
    tally = problem.tally
    terms = terms_of(problem, mode=mode, cut=cut, categories=categories)
    cutter = _Cutter(
        tally=tally,
        entries=entries_of(tally, free=tally.n_records // terms.k if terms.relaxed else 0),
        terms=terms,
        by_loss=cut == "loss",
        models=tuple(model for model in problem.models if not isinstance(model, KAnonymity)),
        totals=tally.totals,
        deadline=None if problem.time_limit is None else clock() + problem.time_limit,
    )
    return cutter.run(progress, threads or os.cpu_count() or 1)


def terms_of(problem: Problem, *, mode: Mode, cut: CutRule, categories: Categories) -> CutTerms:
    """Return what the compiled loops need to know of a problem; the width of a class is what `lm` charges for it."""
    quasi = problem.tally.quasi
    forms = forms_of(quasi, cell_measure(problem, "mondrian") if cut == "loss" else Lm())
    leaves = np.zeros(int(forms.nodes[-1]), dtype=np.int32)
    for start, column in zip(forms.nodes, quasi, strict=False):
        leaves[start : start + column.hierarchy.n_leaves] = leaf_order(column.hierarchy)
    ordered = [column.hierarchy.form != "tree" or categories == "order" for column in quasi]
    singly = [column.hierarchy.form == "sets" for column in quasi]
    return CutTerms(
        k=problem.k,
        relaxed=mode == "relaxed",
        forms=forms,
        leaves=leaves,
        ordered=np.array(ordered),
        singly=np.array(singly),
        widest=max(column.hierarchy.n_leaves for column in quasi),
        tallest=1 + max(column.hierarchy.height for column in quasi),
    )


def leaf_order(hierarchy: Hierarchy) -> NDArray[np.int64]:
    """Return the leaves in an order in which those below each node are adjacent, else by their codes."""
    if hierarchy.form != "tree":
        return np.arange(hierarchy.n_leaves)
    keys = []
    for codes in hierarchy.codes:
        first = np.full(codes.max(initial=0) + 1, hierarchy.n_leaves)
        np.minimum.at(first, codes, np.arange(hierarchy.n_leaves))
        keys.append(first[codes])
    return np.lexsort(keys)


def entries_of(tally: Tally, free: int = 0) -> Entries:
    """Return the points of a tally as entries, with values as positions in the order of their column.

    `free` unused entries follow behind them.
    """
    orders = [leaf_order(column.hierarchy) for column in tally.quasi]
    size = tally.n_points + free
    small = max(map(len, orders)) <= 2**16
    rows = np.empty((size, len(orders)), dtype=np.uint16 if small else np.int32)
    for j, order in enumerate(orders):
        positions = np.empty(len(order), dtype=rows.dtype)
        positions[order] = np.arange(len(order), dtype=rows.dtype)
        rows[: tally.n_points, j] = take(positions, np.ascontiguousarray(tally.codes[:, j]))
    weights = np.zeros(size, dtype=np.int64)
    weights[: tally.n_points] = tally.counts
    return Entries(rows, weights, np.arange(size, dtype=np.int32), np.empty(size, dtype=np.int32))


@dataclass(frozen=True, slots=True, eq=False)
class _Cutter:
    """Cuts classes, which are slices of the entries, in blocks that are distributed over threads."""

    tally: Tally
    entries: Entries
    terms: CutTerms
    by_loss: bool
    models: tuple[PrivacyModel, ...]
    totals: NDArray[np.int64]
    deadline: float | None

    def run(self, progress: Progress, threads: int) -> Cutting:
        """Cut the whole table, then its parts."""
        n_points, n_records = self.tally.n_points, self.tally.n_records
        whole = Slices(*(np.array([number], dtype=np.int64) for number in (0, n_points, n_records)))
        ended: list[Slices] = []
        complete, done = True, 0
        block = min(_BLOCK, max(_LEAST, -(-n_points // (_SHARE * threads))))
        with ThreadPoolExecutor(threads) as pool:
            running: set[Future[tuple[Slices, Slices]]] = {pool.submit(self._work, whole, block)}
            while running:
                finished, running = wait(running, return_when=FIRST_COMPLETED)
                for future in finished:
                    kept, active = future.result()
                    ended.append(kept)
                    done += int(kept.records.sum())
                    if self._late():
                        complete = complete and len(active.first) == 0
                        ended.append(active)
                    else:
                        running |= {pool.submit(self._work, some, block) for some in _blocks(active, block)}
                progress("cutting the classes", done / n_records)
        return Cutting(self._parts(_joined(ended)), complete)

    def _late(self) -> bool:
        return self.deadline is not None and clock() > self.deadline

    def _work(self, slices: Slices, block: int) -> tuple[Slices, Slices]:
        """Cut classes level by level, to the end if they fit into a block; return the final classes and the others."""
        ended: list[Slices] = []
        while True:
            kept, slices = self._deepen(slices)
            ended.append(kept)
            if len(slices.first) == 0 or slices.length.sum() > block or self._late():
                return _joined(ended), slices

    def _deepen(self, slices: Slices) -> tuple[Slices, Slices]:
        """Cut each class once; return the classes that are not cut again, and the others."""
        cuts = self._choose(slices, np.zeros(len(slices.first), dtype=np.int64))
        if self.models:
            self._check(slices, cuts)
        parts = apply_cuts(self.entries, slices, cuts, self.terms.k, self.terms.relaxed)
        large = parts.records >= 2 * self.terms.k
        return _joined([_some(slices, cuts.ways == 0), _some(parts, ~large)]), _some(parts, large)

    def _choose(self, slices: Slices, skips: NDArray[np.int64]) -> Cuts:
        """Choose a cut for each class, passing over some; records are shared only where no other cut is left."""
        if not self.by_loss:
            return choose_medians(self.entries, slices, skips, self.terms)
        cuts, left = choose_gains(self.entries, slices, skips, self.terms)
        stuck = np.flatnonzero(left >= 0)
        if self.terms.relaxed and len(stuck):
            shared = choose_medians(self.entries, _some(slices, stuck), left[stuck], self.terms)
            _put(cuts, stuck, shared)
        return cuts

    def _check(self, slices: Slices, cuts: Cuts) -> None:
        """Replace each cut after which some part breaks a promise by the next candidate, or by none."""
        skips = np.zeros(len(slices.first), dtype=np.int64)
        trying = np.flatnonzero(cuts.ways)
        while len(trying):
            trying = trying[~self._keep(_some(slices, trying), Cuts(*(each[trying] for each in cuts)))]
            if len(trying) == 0:
                return
            skips[trying] += 1
            following = self._choose(_some(slices, trying), skips[trying])
            _put(cuts, trying, following)
            trying = trying[following.ways > 0]

    def _keep(self, slices: Slices, cuts: Cuts) -> NDArray[np.bool_]:
        """Return for which cuts every part keeps all promises, compared with the whole table."""
        bases = np.cumsum(cuts.ways) - cuts.ways
        indices = _entry_indices(slices)
        labels = np.repeat(bases, slices.length) + self.entries.targets[indices]
        points, counts = self.entries.points[indices], self.entries.weights[indices]
        shared = np.flatnonzero(cuts.shared >= 0)
        at = cuts.shared[shared]
        counts[(np.cumsum(slices.length) - slices.length)[shared] + at - slices.first[shared]] = cuts.kept[shared]
        halves = Parts(
            np.concatenate([points, self.entries.points[at]]),
            np.concatenate([labels, bases[shared] + 1]).astype(np.int32),
            np.concatenate([counts, self.entries.weights[at] - cuts.kept[shared]]),
        )
        groups = Grouping.of_parts(self.tally, halves, int(cuts.ways.sum()))
        groups = replace(groups, totals=self.totals)
        return np.logical_and.reduceat(holding(self.models, groups), bases)

    def _parts(self, slices: Slices) -> Parts:
        """Return the classes, numbered by their positions."""
        slices = _some(slices, np.argsort(slices.first))
        classes = np.repeat(np.arange(len(slices.first), dtype=np.int32), slices.length)
        if not self.terms.relaxed:  # without gaps: the slices are all entries
            return Parts(self.entries.points, classes, self.entries.weights)
        indices = _entry_indices(slices)
        return Parts(self.entries.points[indices], classes, self.entries.weights[indices])


def _some(slices: Slices, chosen: NDArray[np.bool_] | NDArray[np.int64]) -> Slices:
    return Slices(slices.first[chosen], slices.length[chosen], slices.records[chosen])


def _put(cuts: Cuts, indices: NDArray[np.int64], new: Cuts) -> None:
    """Replace the cuts at some indices."""
    for each, replaced in zip(cuts, new, strict=True):
        each[indices] = replaced


def _joined(several: list[Slices]) -> Slices:
    return Slices(*(np.concatenate(each) for each in zip(*several, strict=True)))


def _entry_indices(slices: Slices) -> NDArray[np.int64]:
    """Return the indices of all entries of some classes."""
    ends = np.cumsum(slices.length)
    return np.repeat(slices.first - (ends - slices.length), slices.length) + np.arange(slices.length.sum())


def _blocks(slices: Slices, block: int) -> Iterator[Slices]:
    """Split classes into runs of roughly a block of entries each."""
    numbers = (np.cumsum(slices.length) - slices.length) // block
    for chosen in np.split(np.arange(len(numbers)), np.flatnonzero(np.diff(numbers)) + 1):
        if len(chosen):
            yield _some(slices, chosen)
