"""The best allocation of records to closed patterns: a linear bound, fewer patterns, whole numbers."""

from dataclasses import dataclass, replace
from math import ceil, inf
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InfeasibleError
from shoal.grouping import Parts
from shoal.kernels.closed import excesses
from shoal.kernels.closures import TREE, Forms
from shoal.kernels.prices import ENTROPY
from shoal.problem import Problem
from shoal.programs import Outcome
from shoal.progress import Progress, silent
from shoal.spaces.allocation import Allocation
from shoal.spaces.grid import Grid
from shoal.spaces.partition import solution_of

_TOLERANCE = 1e-6  # the solver's: by so much a row or a whole number may be missed
_WHOLE = 1e-4  # what is nearer to a whole number is taken for it
_SMALL = 8_000  # pairs of a pattern and a kind for which all patterns are taken at once
_SOME = 0.3  # the share of the time that is left for the promising patterns only
_SOME_SECONDS = 20.0


@dataclass(frozen=True, slots=True, eq=False)
class Allocated:
    """The best partition that is known, and what is proven.

    Args:
        parts: The records of each class; those in none are suppressed.
        bound: A lower bound on the loss of every partition, without what the measure charges in any case.
        proven: Whether nothing is better, as far as the solver's tolerance goes.
        stopped: Whether the time was up.
    """

    parts: Parts
    bound: float
    proven: bool
    stopped: bool


class Allocating:
    """Searches the best allocation, from a partition that is known.

    Args:
        problem: What is asked.
        forms: What a class may show, with the prices of the measure.
        allocation: The program.
        start: A partition that keeps all promises.
        offset: What the measure charges whatever is released.
    """

    def __init__(self, problem: Problem, forms: Forms, allocation: Allocation, start: Parts, offset: float) -> None:
        self.problem, self.allocation, self.offset = problem, allocation, offset
        self.grid = Grid.of(np.append(allocation.closed.prices, forms.full))
        self.allocation = replace(allocation, step=self.grid.unit if self.grid.exact else 0.0)
        self.growing = not bool(((forms.kinds != TREE) & (forms.rules == ENTROPY)).any())
        self.parts, self.loss = start, self._loss(start)
        dearest = max(float(np.abs(allocation.closed.prices).max()), forms.full)
        self.margin = _TOLERANCE * dearest * allocation.kinds.n_records

    def run(self, deadline: float = inf, progress: Progress = silent) -> Allocated:
        """Bound, improve, leave out what cannot matter, and prove."""
        progress("solving the linear program", None)
        program = self.allocation.program()
        linear = program.solve(_left(deadline))
        if linear.status != "optimal":
            return Allocated(self.parts, -inf, proven=False, stopped=True)
        bound = self._rounded(linear.bound - self.margin)
        allocation, kept = self.allocation, np.ones(self.allocation.n_members, dtype=np.bool_)
        if self.allocation.rules.by_size:
            reduction = Reduction(allocation, self.grid, linear.duals[: len(allocation.kinds)])
            bound = max(bound, reduction.bound)
            if self._reached(bound):
                return Allocated(self.parts, bound, proven=True, stopped=False)
            if allocation.n_members > _SMALL:
                self._improve(reduction.likely(self._some()), linear, deadline, progress)
            kept = reduction.kept(self._units())
        before = self.loss
        final = self._solve(kept, deadline, progress)
        bound = max(bound, min(before, self._rounded(final.bound - self.margin)))
        if final.status == "infeasible":  # nothing that is left out is better, and there is nothing else
            bound = max(bound, before)
        proven = final.status in ("optimal", "infeasible") and self.loss <= max(final.bound, bound) + 2 * self.margin
        return Allocated(
            self.parts, min(bound, self.loss), proven=proven, stopped=final.status in ("feasible", "unknown")
        )

    def _some(self) -> NDArray[np.bool_]:
        """Return the members that the partition which is known uses."""
        found = self.allocation.values_of(*self._entries(self.parts))
        return (
            np.zeros(self.allocation.n_members, dtype=np.bool_)
            if found is None
            else found[0][: self.allocation.n_members] > 0
        )

    def _improve(self, kept: NDArray[np.bool_], linear: Outcome, deadline: float, progress: Progress) -> None:
        end = min(monotonic() + _SOME_SECONDS, monotonic() + _SOME * _left(deadline))
        self._solve(kept, end, progress)

    def _solve(self, kept: NDArray[np.bool_], deadline: float, progress: Progress) -> Outcome:
        """Solve with some members only, and keep what is better."""
        own = replace(self.allocation, closed=self.allocation.closed.only(kept | self._some()))
        program = own.program()
        program.set_integer(own.whole())
        start = own.values_of(*self._entries(self.parts))
        if start is not None:
            program.start_from(*start)
        seconds = _left(deadline)
        outcome = program.solve(
            seconds,
            lambda passed: progress("searching for the optimum", min(passed / seconds, 1.0) if seconds < inf else None),
        )
        if len(outcome.values):
            self._take(own, outcome.values)
        return outcome

    def _take(self, own: Allocation, values: NDArray[np.float64]) -> None:
        """Read a partition off the values; take it if it is one, keeps all promises and loses less."""
        parts = self._read(own, values)
        if parts is None:  # with the patterns fixed, the rest is a linear program, whose corners are whole
            program, n = own.program(), own.n_members
            opened = np.rint(values[n : n + len(own.closed)])
            program.bound_columns(np.arange(n, n + len(own.closed)), opened, opened)
            parts = self._read(own, program.solve().values)
        loss = inf if parts is None else self._loss(parts)
        if parts is not None and loss < self.loss:
            self.parts, self.loss = parts, loss

    def _read(self, own: Allocation, values: NDArray[np.float64]) -> Parts | None:
        n = own.n_members
        if len(values) == 0:
            return None
        whole = np.rint(values[:n]).astype(np.int64)
        used = np.bincount(own.closed.members, weights=whole, minlength=len(own.kinds))
        gone = own.kinds.counts - used
        if np.abs(values[:n] - whole).max() > _WHOLE or gone.min() < 0 or gone.sum() > own.limit:
            return None
        some = whole > 0
        return own.kinds.parts(own.closed.members[some], own.closed.owners[some], whole[some]).filled()

    def _loss(self, parts: Parts) -> float:
        """Return what the classes of a partition lose; infinite if they break a promise."""
        try:
            return solution_of(self.problem, parts).loss.total - self.offset
        except InfeasibleError:
            return inf

    def _entries(self, parts: Parts) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Return the kinds, classes and numbers of records of a partition, each pair of the first two once."""
        n_classes = parts.n_classes + 1
        keys = self.allocation.kinds.kind_of[parts.points] * n_classes + parts.classes + 1
        pairs, number = np.unique(keys, return_inverse=True)
        amounts = np.bincount(number, weights=parts.counts).astype(np.int64)
        return pairs // n_classes, pairs % n_classes - 1, amounts

    def _rounded(self, bound: float) -> float:
        """Return a bound as the next loss there can be."""
        return self.grid.amount(ceil(bound / self.grid.unit - 1e-9)) if self.grid.exact and bound > -inf else bound

    def _reached(self, bound: float) -> bool:
        return self.loss <= bound + 1e-9 * abs(bound)

    def _units(self) -> int:
        """Return the loss of the best partition in units, rounded up."""
        units = self.loss / self.grid.unit
        return round(units) if self.grid.exact else ceil(units + 1)


class Reduction:
    """What charges prove about every partition into classes of k records, in whole numbers.

    Charge each record of a kind an amount u. A partition costs at least all charges, less what those of the classes in
    each pattern exceed its price: see `spaces/bounds.py`. The charges are the duals of the linear program, rounded to
    units; the bound holds whatever they are. A partition that uses a pattern, or a kind in it, costs at least as much as
    the bound with the most that the pattern can exceed then in place of its excess.

    Args:
        allocation: The patterns and kinds.
        grid: The unit of all prices.
        duals: The dual value of each kind.
    """

    def __init__(self, allocation: Allocation, grid: Grid, duals: NDArray[np.float64]) -> None:
        closed, counts, self.allocation, self.grid = allocation.closed, allocation.kinds.counts, allocation, grid
        charges = np.rint(duals / grid.unit).astype(np.int64)
        prices = grid.whole(closed.prices)
        totals, forced = excesses(charges, counts, prices, closed.begins, closed.members, allocation.k)
        above = np.repeat(np.maximum(totals, 0), np.diff(closed.begins))
        self.lost = above - forced
        self.units = int(charges @ counts) - int(np.maximum(totals, 0).sum()) - self._suppressing(charges)
        self.bound = grid.amount(self.units)

    def _suppressing(self, charges: NDArray[np.int64]) -> int:
        """Return the most that the charges of suppressed records can exceed what these cost."""
        if self.allocation.limit == 0:
            return 0
        gains = charges - int(self.grid.whole(np.array([self.allocation.full]))[0])
        order = np.argsort(-gains, kind="stable")
        counts = self.allocation.kinds.counts[order]
        taken = np.clip(self.allocation.limit - (np.cumsum(counts) - counts), 0, counts)
        return int((np.maximum(gains[order], 0) * taken).sum())

    def kept(self, units: int) -> NDArray[np.bool_]:
        """Return the members that a partition which loses less than so many units may use."""
        return self.units + self.lost < units

    def likely(self, used: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return the most promising members, and those of a partition that is known."""
        most = np.partition(self.lost, _SMALL)[_SMALL]
        return (self.lost <= most) | used


def _left(deadline: float) -> float:
    return max(deadline - monotonic(), 0.0)
