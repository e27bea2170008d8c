"""The best allocation of records to closed patterns: linear bound, reduction, mixed-integer program."""

from dataclasses import dataclass, replace
from math import ceil, inf, isfinite

import numpy as np
from numpy.typing import NDArray

from shoal.classes.grouping import Parts
from shoal.foundation.errors import InfeasibleError, SpecError
from shoal.foundation.progress import Progress, silent
from shoal.kernels.clock import clock
from shoal.kernels.exact.closed import excesses
from shoal.kernels.local.closures import TREE, Forms
from shoal.search.bounds.grid import PriceGrid
from shoal.search.exact.allocation import Allocation
from shoal.search.local.partition import solution_of
from shoal.search.problem import Problem
from shoal.search.solver import Program, SolverResult

_TOLERANCE = 1e-6  # the solver's tolerance for rows and whole numbers
_WHOLE = 1e-4  # a value this close to a whole number is taken for it
_FINER = 1 << 16  # parts of a unit in which charges are counted
_SMALL = 8_000  # with up to so many pairs of a pattern and a kind, all patterns are used at once
_SOME = 0.3  # the share of the remaining time for a search with some patterns only,
_SOME_SECONDS = 20.0  # and its limit
_MOST_AT_ONCE = 120_000  # with more pairs the solver overruns its time limit
_ROOT = 400  # the root of a search tree takes about as long as so many other nodes
_ROUNDING = 1e-9  # sums of prices in another order differ by less than this share


@dataclass(frozen=True, slots=True, eq=False)
class Allocated:
    """The best partition known, and what is proven.

    Args:
        parts: The records of each class; those in none are suppressed.
        bound: A lower bound on the loss of every partition, without what the measure charges in any case.
        proven: Whether nothing is better, up to the solver's tolerance.
        remark: How it was found.
    """

    parts: Parts
    bound: float
    proven: bool
    remark: str


class Allocating:
    """Searches for the best allocation, starting from a known partition.

    1. The linear program gives a bound, and a charge (dual value) for each kind of records.
    2. Members of patterns that no better partition can use are left out (`Reduction`); these are many where only
       numbers of records count. To have a good incumbent by then, the mixed-integer program is first solved with the
       patterns that the linear one uses, and then, if much is left, with the most promising ones.
    3. The mixed-integer program is solved with all that is left.

    The solver works with a tolerance of a millionth. In what it accepts as an allocation, each record may be short by
    that much, and a record costs at most the highest price. So its bound may be too high by a millionth of that for
    each record. This margin is subtracted before the bound is rounded up to the next possible loss.

    Args:
        problem: The problem.
        forms: What a class may be published as, with the prices of the measure.
        allocation: The program.
        start: A partition that keeps all promises.
        offset: What the measure charges whatever is released.
        work: How many matrix entries the solver may visit, over all nodes together; no limit if None.
    """

    def __init__(
        self,
        problem: Problem,
        forms: Forms,
        allocation: Allocation,
        start: Parts,
        offset: float,
        work: int | None = None,
    ) -> None:
        self.problem, self.offset, self.work = problem, offset, work
        self.grid = _grid(forms, allocation)
        self.parts, self.loss = start, self._loss(start)
        highest = max(float(np.abs(allocation.closed.prices).max()), abs(forms.full))
        self.margin = _TOLERANCE * highest * allocation.kinds.n_records
        self.stepwise = self.grid.exact and self.grid.unit > 4 * self.margin
        # the solver may stop only when its bound minus the margin is above the next smaller loss
        self.allocation = replace(allocation, step=self.grid.unit - 2 * self.margin if self.stepwise else 0.0)

    def linear(self, deadline: float, progress: Progress = silent) -> tuple[SolverResult, float]:
        """Return the best fractional allocation, and the bound that it gives; minus infinity if the time is up."""
        progress("solving the linear program")
        found = self.allocation.program().solve(_left(deadline))
        return found, self._rounded(found.bound - self.margin) if found.status == "optimal" else -inf

    def run(self, deadline: float = inf, progress: Progress = silent) -> Allocated:
        """Bound, improve, leave out what cannot matter, and prove."""
        linear, bound = self.linear(deadline, progress)
        if bound == -inf:
            return Allocated(self.parts, -inf, proven=False, remark="")
        bound, kept = self._reduced(linear, bound, deadline, progress)
        if self._reached(bound):
            return Allocated(self.parts, bound, proven=True, remark="optimal, by the linear program")
        if deadline < inf and int(kept.sum()) > _MOST_AT_ONCE:  # the solver would not check its clock in time
            return self._not_proven(bound, stopped=True)
        before = self.loss
        final = self._solve(kept, deadline, progress)
        if final.status != "infeasible":  # it never is, since a partition is known
            bound = max(bound, min(before, self._rounded(final.bound - self.margin)))
        near = self._reached(bound) or self.loss <= final.bound + 2 * self.margin
        if final.status != "optimal" or not near:
            return self._not_proven(min(bound, self.loss), stopped=final.status in ("feasible", "unknown"))
        words = "" if self.stepwise else f", but for a tolerance of {2 * self.margin:.2g}"
        remark = f"optimal, by the mixed-integer program{words}"
        return Allocated(self.parts, min(bound, self.loss), proven=True, remark=remark)

    def _not_proven(self, bound: float, *, stopped: bool) -> Allocated:
        gap = (self.loss - bound) / max(abs(self.loss + self.offset), _TOLERANCE)
        why = "not settled, since the solver's answer does not stand up to whole numbers: "
        if stopped:
            why = "stopped by the limit of its work: " if self.problem.time_limit is None else ""
        return Allocated(self.parts, bound, proven=False, remark=f"{why}the loss is at most {gap:.2%} too high")

    def _reduced(
        self, linear: SolverResult, bound: float, deadline: float, progress: Progress
    ) -> tuple[float, NDArray[np.bool_]]:
        """Improve the incumbent with few patterns; return the bound of the charges, and what may be better."""
        allocation = self.allocation
        reduction = Reduction(allocation, self.grid, linear.duals[: len(allocation.kinds)])
        bound = max(bound, reduction.bound)
        kept = reduction.kept(self._units())
        if self._reached(bound) or self.work is not None or int(kept.sum()) <= _SMALL:
            return bound, kept
        opened = linear.values[allocation.n_members :][: len(allocation.closed)] > _TOLERANCE
        self._solve(np.repeat(opened, np.diff(allocation.closed.begins)), _soon(deadline), progress)
        kept = reduction.kept(self._units())
        if allocation.rules.by_size and not self._reached(bound) and int(kept.sum()) > 2 * _SMALL:
            self._solve(reduction.likely(), _soon(deadline), progress)
            kept = reduction.kept(self._units())
        return bound, kept

    def _limited(self, program: Program) -> None:
        """Limit the nodes of a program by the allowed work; raise a SpecError if even the root is too much."""
        if self.work is None:
            return
        nodes = self.work // program.n_entries - _ROOT
        if nodes < 1:
            raise SpecError(
                f"A program of {program.n_entries:,} entries is more than the work of {self.work:,} allows. Allow "
                "more, use fewer columns, or the algorithm 'tightest'."
            )
        program.limit_nodes(min(nodes, self.allocation.most_nodes or nodes))

    def _solve(self, kept: NDArray[np.bool_], deadline: float, progress: Progress) -> SolverResult:
        """Solve the mixed-integer program with some members only; keep the result if it is better."""
        entries = self._entries(self.parts)
        x = self.allocation.values_of(*entries)[0][: len(kept)]
        own = replace(self.allocation, closed=self.allocation.closed.only(kept | (x > 0)))
        program = own.program()
        self._limited(program)
        program.set_integer(own.whole())
        program.start_from(*own.values_of(*entries))
        outcome = program.solve(
            _left(deadline), lambda passed: progress("searching the optimum", _share(passed, deadline))
        )
        if len(outcome.values):
            self._take(own, outcome.values)
        return outcome

    def _take(self, own: Allocation, values: NDArray[np.float64]) -> None:
        """Read a partition from the values; keep it if it is valid, keeps all promises and has less loss."""
        parts = self._read(own, values)
        if parts is None:  # with the integer columns fixed, the rest is a linear program with integral vertices
            program, whole = own.program(), own.whole()
            fixed = np.rint(values[whole])
            program.bound_columns(whole, fixed, fixed)
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
        """Return the loss of a partition; infinite if it breaks a promise."""
        try:
            return solution_of(self.problem, parts).loss.total - self.offset
        except InfeasibleError:
            return inf

    def _entries(self, parts: Parts) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Return the kinds, classes and numbers of records of a partition; each pair of kind and class occurs once."""
        n_classes = parts.n_classes + 1
        keys = self.allocation.kinds.kind_of[parts.points] * n_classes + parts.classes + 1
        pairs, number = np.unique(keys, return_inverse=True)
        amounts = np.bincount(number, weights=parts.counts).astype(np.int64)
        return pairs // n_classes, pairs % n_classes - 1, amounts

    def _rounded(self, bound: float) -> float:
        """Return a bound rounded up to the next possible loss."""
        return self.grid.amount(ceil(bound / self.grid.unit - 1e-9)) if self.stepwise and isfinite(bound) else bound

    def _reached(self, bound: float) -> bool:
        return self.loss <= bound + _ROUNDING * abs(bound)

    def _units(self) -> int:
        """Return the loss of the incumbent in units, rounded up."""
        units = self.loss / self.grid.unit
        return round(units) if self.grid.exact else ceil(units + 1)


class Reduction:
    """What charges prove about every partition into classes of at least k records, in whole numbers.

    Charge each record of a kind an amount. A partition costs at least the sum of all charges minus the excesses of its
    patterns (see `search/bounds/bounds.py`). The charges are the dual values of the linear program, rounded to parts of
    a unit; the bound holds whatever they are. A partition in which a pattern has a record of some kind costs at least
    the bound with the excess of that pattern replaced by the largest excess it can have then.

    Args:
        allocation: The patterns and kinds.
        grid: The unit of all prices.
        duals: The dual value of each kind.
    """

    def __init__(self, allocation: Allocation, grid: PriceGrid, duals: NDArray[np.float64]) -> None:
        closed, counts, self.allocation, self.grid = allocation.closed, allocation.kinds.counts, allocation, grid
        self._finer = _FINER if grid.exact else 1
        charges = np.rint(duals / grid.unit * self._finer).astype(np.int64)
        prices = grid.whole(closed.prices) * self._finer
        totals, forced = excesses(charges, counts, prices, closed.begins, closed.members, allocation.k)
        above = np.maximum(totals, 0)
        self.lost = np.repeat(above, np.diff(closed.begins)) - forced
        self.total = int(charges @ counts) - int(above.sum()) - self._suppressing(charges)
        self.bound = grid.amount(-(-self.total // self._finer))

    def _suppressing(self, charges: NDArray[np.int64]) -> int:
        """Return the largest amount by which the charges of suppressed records can exceed their cost."""
        if self.allocation.limit == 0:
            return 0
        gains = charges - int(self.grid.whole(np.array([self.allocation.full]))[0]) * self._finer
        order = np.argsort(-gains, kind="stable")
        counts = self.allocation.kinds.counts[order]
        taken = np.clip(self.allocation.limit - (np.cumsum(counts) - counts), 0, counts)
        return int((np.maximum(gains[order], 0) * taken).sum())

    def kept(self, units: int) -> NDArray[np.bool_]:
        """Return the members that a partition with a loss below `units` may use."""
        return self.total + self.lost <= (units - 1) * self._finer

    def likely(self) -> NDArray[np.bool_]:
        """Return the most promising members."""
        return self.lost <= np.partition(self.lost, _SMALL)[_SMALL]


def _grid(forms: Forms, allocation: Allocation) -> PriceGrid:
    """Return the unit of all prices: that of the patterns or, since sums hide a common unit, that of the nodes."""
    more = [forms.full] if allocation.limit > 0 else []
    grid = PriceGrid.of(np.append(allocation.closed.prices, more))
    if grid.exact or not (forms.kinds == TREE).all() or more:
        return grid
    finer = PriceGrid.of(forms.prices)
    return finer if finer.exact else grid


def _left(deadline: float) -> float:
    return max(deadline - clock(), 0.0)


def _soon(deadline: float) -> float:
    """Return when a search with some of the patterns must end."""
    return clock() + min(_SOME_SECONDS, _SOME * _left(deadline))


def _share(passed: float, deadline: float) -> float | None:
    """Return the share of the time that has passed, or None without a limit."""
    return None if deadline == inf else min(passed / (passed + _left(deadline) + _TOLERANCE), 1.0)
