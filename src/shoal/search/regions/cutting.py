"""Cutting: a table into regions, as Mondrian cuts, by exact counts of a coarse tally."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from shoal.foundation.errors import InfeasibleError
from shoal.foundation.progress import Progress, silent
from shoal.kernels.local.closures import RANGES, SETS, TREE, Forms
from shoal.kernels.prices import price_subsets
from shoal.measures.lm import Lm
from shoal.search.local.cuts import leaf_order
from shoal.search.local.forms import forms_of
from shoal.search.problem import Problem
from shoal.search.regions.box import LeafBox
from shoal.search.regions.coarse import CoarseTally
from shoal.search.removal import broken_by, removal_of

_EVEN = 0.1  # a cut is even if the smaller side has at least this share of the rows
_TRIED = 8  # places that are tried in a column, from the most even one
_FAVOUR = {TREE: 1.0, RANGES: 0.5, SETS: 0.25}
"""By what a column's width counts: a cell that leaves a box costs as much as the whole in a tree, else often less."""


@dataclass(frozen=True, slots=True)
class TableRegion:
    """A box with at least one row.

    Args:
        box: The box.
        rows: The number of different rows in it.
        records: The number of records.
    """

    box: LeafBox
    rows: int
    records: int


def regions_of(
    problem: Problem, most: int, fill: Callable[[Sequence[CoarseTally]], None], progress: Progress = silent
) -> list[TableRegion]:
    """Cut a table into regions of at most so many different rows, each of which keeps all promises as one class.

    A region is cut along its widest column that can be cut evenly, between the children of the lowest node above it,
    where the two sides are most even; the widest is the one for whose closure `lm` charges most. So these are the
    first cuts of `mondrian`, or such as it would make later, and little is lost by them. A cut is made only if each
    side keeps the promises as one class, after no more records are suppressed than the share allows. A region that
    cannot be cut stays larger.

    The counts are exact. All depends on the table alone.

    Args:
        problem: The problem of the whole table, whose tally has one point for each sensitive tuple.
        most: The most different rows of a region.
        fill: Counts the rows of the table; called again where a region needs a finer tally.
        progress: Called with what is done.

    Raises:
        InfeasibleError: One class of all records does not keep the promises.
    """
    columns, n_profiles = problem.tally.quasi, len(problem.tally.profile_codes)
    if not _feasible(problem):
        failing = ", ".join(model.name for model in broken_by(problem.models, problem.tally))
        raise InfeasibleError(
            f"No release keeps every promise with at most {float(problem.max_suppressed):.2%} of the "
            f"{problem.tally.n_records} records suppressed: all records together do not keep {failing}."
        )
    forms, open_boxes, done = forms_of(columns, Lm()), [LeafBox.whole(columns)], list[TableRegion]()
    while open_boxes:
        progress("cutting the table into regions")
        tallies = [CoarseTally.of(box, columns, n_profiles) for box in open_boxes]
        fill(tallies)
        open_boxes = []
        for tally in tallies:
            for region in _Cutter(problem, forms, tally, most).regions():
                if region.rows > most and region.box != tally.box:
                    open_boxes.append(region.box)
                else:
                    done.append(region)
    return sorted(done, key=lambda region: region.box.low)


def _feasible(problem: Problem) -> bool:
    """Tell whether one class of all records keeps the promises, after no more are suppressed than may be."""
    removal = removal_of(problem)
    return removal is not None and removal.n_records <= (0 if problem.stars else problem.limit)


@dataclass(frozen=True, slots=True, eq=False)
class _Cut:
    column: int
    place: int
    width: float
    share: float


class _Cutter:
    """Cuts one coarse tally.

    Args:
        problem: The problem of the whole table.
        forms: What a class may be published as, priced by `lm`.
        tally: The coarse tally.
        most: The most different rows of a region.
    """

    def __init__(self, problem: Problem, forms: Forms, tally: CoarseTally, most: int) -> None:
        self._problem, self._forms, self._tally, self._most = problem, forms, tally, most
        self._cells, self._profiles, self._rows, self._records = tally.entries()
        self._orders = [leaf_order(column.hierarchy).astype(np.int32) for column in problem.tally.quasi]

    def regions(self) -> Iterator[TableRegion]:
        """Cut until the regions are small, or no cut is allowed."""
        waiting = [(np.arange(len(self._rows)), self._tally.box)]
        while waiting:
            entries, box = waiting.pop()
            rows = int(self._rows[entries].sum())
            cut = self._cut(entries, box) if rows > self._most else None
            if cut is None:
                yield TableRegion(box, rows, int(self._records[entries].sum()))
                continue
            before = self._before(entries, cut)
            for side, part in zip((entries[before], entries[~before]), box.cut(cut.column, cut.place), strict=True):
                waiting.append((side, part))

    def _before(self, entries: NDArray[np.int64], cut: _Cut) -> NDArray[np.bool_]:
        starts = self._tally.starts[cut.column]
        return np.asarray(starts[self._cells[entries, cut.column]] < cut.place)

    def _cut(self, entries: NDArray[np.int64], box: LeafBox) -> _Cut | None:
        """Return the first cut, from the best, that leaves sides which keep the promises."""
        columns = [number for number, column in enumerate(self._problem.tally.quasi) if column.weight > 0]
        for between_children in (True, False):
            found = [cut for number in columns for cut in self._places(entries, box, number, between_children)]
            even = sorted(
                (cut for cut in found if cut.share >= _EVEN), key=lambda cut: (-cut.width, cut.column, -cut.share)
            )
            uneven = sorted((cut for cut in found if cut.share < _EVEN), key=lambda cut: (-cut.share, -cut.width))
            for cut in (*even, *uneven):
                before = self._before(entries, cut)
                if self._keeps(entries[before]) and self._keeps(entries[~before]):
                    return cut
        return None

    def _places(self, entries: NDArray[np.int64], box: LeafBox, number: int, between_children: bool) -> list[_Cut]:
        """Return the most even cuts along a column."""
        starts, cells = self._tally.starts[number], self._cells[entries, number]
        rows = np.bincount(cells, self._rows[entries], len(starts))
        present = np.flatnonzero(rows)
        if len(present) < 2:
            return []
        ends = np.minimum(np.append(starts[1:], box.high[number]), box.high[number])
        low, high = int(starts[present[0]]), int(ends[present[-1]]) - 1
        places, total = starts[present[1:]], rows.sum()
        before = np.cumsum(rows[present])[:-1]
        if between_children:
            at_child = self._at_child(number, low, high, places)
            places, before = places[at_child], before[at_child]
        width = self._width(number, low, high, [range(starts[bin_], ends[bin_]) for bin_ in present])
        width *= _FAVOUR[int(self._forms.kinds[number])]
        order = np.argsort(np.abs(2 * before - total), kind="stable")[:_TRIED]
        shares = np.minimum(before, total - before) / total
        return [_Cut(number, int(places[i]), width, float(shares[i])) for i in order]

    def _at_child(self, number: int, low: int, high: int, places: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Tell which places are between children of the lowest node above a range; in ranges and sets all are."""
        hierarchy, order = self._problem.tally.quasi[number].hierarchy, self._orders[number]
        if hierarchy.form != "tree":
            return np.ones(len(places), dtype=np.bool_)
        level = int(hierarchy.meeting_level(order[[low]], order[[high]])[0])
        codes = hierarchy.codes[max(level - 1, 0)]
        return np.asarray(codes[order[places - 1]] != codes[order[places]])

    def _width(self, number: int, low: int, high: int, bins: list[range]) -> float:
        """Return what `lm` charges for the closure of a range, or of a set of bins."""
        forms, hierarchy, order = self._forms, self._problem.tally.quasi[number].hierarchy, self._orders[number]
        start = int(forms.nodes[number])
        if forms.kinds[number] == TREE:
            level = int(hierarchy.meeting_level(order[[low]], order[[high]])[0])
            return float(forms.prices[start + hierarchy.tree().node_at[level][hierarchy.codes[level][order[low]]]])
        if high == forms.missing[number]:
            return float(forms.tops[number])
        if forms.kinds[number] == RANGES:
            sums = forms.upper[:, start + high] - forms.lower[:, start + low]
        else:
            sums = forms.adds[:, start + np.concatenate([np.arange(one.start, one.stop) for one in bins])].sum(axis=1)
        constant = float(forms.constants[number])
        priced = price_subsets(int(forms.rules[number]), sums[:1].copy(), sums[1:].copy(), constant)
        return float(forms.weights[number] * priced[0])

    def _keeps(self, entries: NDArray[np.int64]) -> bool:
        """Tell whether one class of some entries keeps the promises."""
        tally = self._problem.tally
        counts = np.bincount(self._profiles[entries], self._records[entries], len(tally.profile_codes)).astype(np.int64)
        some = np.flatnonzero(counts)
        side = replace(
            tally, codes=tally.codes[some], profiles=tally.profiles[some], counts=counts[some], whole=tally.totals
        )
        return _feasible(replace(self._problem, tally=side))
