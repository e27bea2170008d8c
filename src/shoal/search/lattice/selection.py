"""Selection: which classes of a generalization are released, where that is a choice.

If a promise looks at each class alone, every class that keeps it is released. It is a choice where

- a promise compares a class with the release (t-closeness, beta-likeness, delta-disclosure): a class that fails beside
  some classes may keep the promise beside others;
- suppressed records are published as a class of stars, which must keep the promises too: it may need more records;
- missing values match everything, and a promise is not monotone with suppression;
- a measure may charge more for a class than for suppressing it.

To take out the classes that fail, again and again, gives one selection, and not always the best. So the others are
searched, by branch and bound.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from heapq import heappop, heappush
from itertools import count

import numpy as np
from numpy.typing import NDArray

from shoal.classes.grouping import Grouping
from shoal.classes.recoding import Recoding
from shoal.kernels.clock import clock
from shoal.models.model import SensitiveModel
from shoal.search.lattice.release_shares import ReleaseShares
from shoal.search.lattice.table_sums import TableSums
from shoal.search.problem import Problem

_MOST_STATES = 2_000  # states of one search: after that the best is returned with a bound
_MOST_WORK = 5_000  # about the milliseconds of all searches of a lattice without a time limit
_CLASSES = 500  # so many classes take as long to judge as there is to do for any number of them
_OVERLAPPING = 2  # times as long where missing values match everything
_INFINITE = float("inf")

Mask = NDArray[np.bool_]

UNSETTLED = "there are too many choices of the classes to release for a proof of the best one"
NOTHING_SETTLED = (
    "No allowed release was found, and there are too many choices of the classes to release for a proof that there is "
    "none. Allow more suppression, or use an algorithm that recodes each class, such as 'tightest'."
)


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """A choice of the classes to release, and what is known about all others.

    Args:
        released: Which classes are released; None if no allowed choice was found.
        loss: The loss of that release; infinite if there is none.
        bound: A lower bound on the loss of every allowed choice; infinite if it is proven that there is none.
    """

    released: Mask | None
    loss: float
    bound: float

    @property
    def settled(self) -> bool:
        """Whether it is proven to be the best choice, or that there is none."""
        return self.bound >= self.loss


@dataclass(frozen=True, slots=True, eq=False)
class SelectionPrices:
    """The loss of every choice of the classes of one generalization.

    Args:
        loss: Returns the loss of a choice.
        gaps: What suppressing each class adds to the loss of every choice, at least. If none is below zero, suppressing
            more classes never lowers the loss.
    """

    loss: Callable[[Mask], float]
    gaps: NDArray[np.float64]


@dataclass(slots=True)
class SelectionEffort:
    """What several searches may take together: counted, and not measured, so that equal runs give equal answers.

    Args:
        left: What is left of it.
    """

    left: float = _MOST_WORK

    def spend(self, work: float) -> bool:
        """Spend some of it; return whether there was enough."""
        self.left -= work
        return self.left >= 0


@dataclass(frozen=True, slots=True, eq=False)
class _State:
    """The choices that suppress some classes and release some others; the rest is open.

    Args:
        gone: The classes that all of these choices suppress.
        fixed: Those that all of them release.
        least: The least number of records that they suppress.
        most: The largest number of records that they suppress.
        passing: Of the classes that are not gone, which keep the promises if all of them are released.
        bound: A lower bound on the loss of these choices.
    """

    gone: Mask
    fixed: Mask
    least: int
    most: int
    passing: Mask
    bound: float

    @property
    def open(self) -> Mask:
        """The classes that may be released or suppressed."""
        return ~self.gone & ~self.fixed

    @property
    def failing(self) -> Mask:
        """The classes that fail if all that are not gone are released."""
        return ~self.gone & ~self.passing


class SelectionSearch:
    """Branch and bound over the choices of the classes to release.

    Every state stands for the choices that suppress some classes and release some others. What may still be suppressed
    bounds how far the release can change, so that some open classes fail in all of these choices
    (`Problem.forfeits`): they are suppressed as well, and a state that must release such a class is dropped. If the
    classes that are not suppressed keep the promises together, no other choice of the state loses less. Else it is
    split: into the choices that suppress few records, where more classes surely fail, and those that suppress many,
    which cost more; or into those that suppress one class and those that release it.

    Args:
        problem: The problem.
        groups: All classes of the generalization.
        recoding: What they are published as; used only if missing values match everything.
        prices: The loss of each choice.
    """

    def __init__(self, problem: Problem, groups: Grouping, recoding: Recoding | None, prices: SelectionPrices) -> None:
        self._problem = problem
        self._groups = groups
        self._recoding = recoding
        self._prices = prices
        self._shares = [] if problem.stars or problem.wildcard else _shares_of(problem, groups)
        self._sums = TableSums.of(problem, groups)
        nothing = np.zeros(groups.n_classes, dtype=np.bool_)
        self._root = self._state(nothing, nothing, 0, problem.limit)
        self._work = (1 + groups.n_classes / _CLASSES) * (_OVERLAPPING if problem.wildcard else 1)
        self._best: Mask | None = None
        self._loss = _INFINITE

    def run(
        self,
        known: Mask | None = None,
        *,
        any_will_do: bool = False,
        deadline: float = _INFINITE,
        effort: SelectionEffort | None = None,
    ) -> Selection:
        """Search for the best choice, as far as the number of states and the time allow.

        Args:
            known: An allowed choice to start from.
            any_will_do: Whether to end with the first allowed choice.
            deadline: When to end, by the clock of searches.
            effort: What this and other searches may take together; as much as they like if None.
        """
        if known is not None:
            self._best, self._loss = known, self._prices.loss(known)
        if self._root is not None:
            self._begin_with(self._sums.cheapest(self._root.gone, self._root.fixed, self._prices.gaps))
        number = count()
        heap = [] if self._root is None else [(self._root.bound, next(number), self._root)]
        while heap and heap[0][0] < self._loss and not (any_will_do and self._best is not None):
            if next(number) > _MOST_STATES or clock() > deadline:
                break
            if effort is not None and not effort.spend(self._work):
                break
            for state in self._parts(heappop(heap)[2]):
                if state.bound < self._loss:
                    heappush(heap, (state.bound, next(number), state))
        return Selection(self._best, self._loss, min(heap[0][0], self._loss) if heap else self._loss)

    def _begin_with(self, released: Mask | None) -> None:
        """Take a choice for the best one so far, if it is allowed and loses less."""
        if released is None or not self._problem.passing(self._groups, self._recoding, released).all():
            return
        loss = self._prices.loss(released)
        if loss < self._loss and self._problem.feasible(self._groups, self._recoding, released):
            self._best, self._loss = released, loss

    def _parts(self, state: _State) -> Iterator[_State]:
        """Try to release all that may be released; yield both parts of the state if another choice may be better."""
        stands = not state.failing.any()
        if stands and self._problem.feasible(self._groups, self._recoding, ~state.gone):
            loss = self._prices.loss(~state.gone)
            if loss < self._loss:
                self._best, self._loss = ~state.gone, loss
            if not (self._prices.gaps[state.open] < 0).any():
                return
        for part in self._split(state):
            found = self._state(*part)
            if found is not None:
                yield found

    def _split(self, state: _State) -> list[tuple[Mask, Mask, int, int]]:
        """Return both parts of a state: what they suppress, what they release, and how many records they suppress."""
        doubtful = state.open & state.failing
        candidates = doubtful if doubtful.any() else state.open
        if not candidates.any():
            return []
        least = max(state.least, int(self._groups.sizes[state.gone].sum()))
        if np.count_nonzero(doubtful) > 1 and state.most - least > 1:
            middle = (least + state.most) // 2
            return [
                (state.gone, state.fixed, state.least, middle),
                (state.gone, state.fixed, middle + 1, state.most),
            ]
        one = np.zeros(self._groups.n_classes, dtype=np.bool_)
        one[np.argmax(np.where(candidates, self._groups.sizes, -1))] = True
        return [
            (state.gone | one, state.fixed, state.least, state.most),
            (state.gone, state.fixed | one, state.least, state.most),
        ]

    def _state(self, gone: Mask, fixed: Mask, least: int, most: int) -> _State | None:
        """Suppress what no choice can release, release what none can suppress; None if no choice is left."""
        sizes, problem = self._groups.sizes, self._problem
        while True:
            spare = most - int(sizes[gone].sum())
            if spare < 0 or gone.all():
                return None
            fixed = fixed | (~gone & (sizes > spare))
            fails = self._surely_failing(gone, fixed, spare)
            if (fails & fixed).any():
                return None
            if not fails.any():
                break
            gone = gone | fails
        passing = np.zeros(len(sizes), dtype=np.bool_)
        passing[~gone] = problem.passing(self._groups, self._recoding, ~gone)
        bound = self._prices.loss(~gone) + float(np.minimum(self._prices.gaps, 0.0)[~gone & ~fixed].sum())
        state = _State(gone, fixed, least, most, passing, bound)
        return replace(state, bound=bound + self._extra(state))

    def _extra(self, state: _State) -> float:
        """Return what every choice of a state loses beyond its bound, at least: more records must be suppressed."""
        stars = self._problem.stars and state.gone.any()
        few = max(state.least, self._problem.k if stars else 0) - int(self._groups.sizes[state.gone].sum())
        if not state.failing.any() and few <= 0:
            return 0.0
        if not state.open.any():
            return _INFINITE
        gaps, sizes = np.maximum(self._prices.gaps[state.open], 0.0), self._groups.sizes[state.open]
        together = self._sums.least_extra(state.gone, state.open, self._prices.gaps)
        return max(float(gaps.min()), _covering(gaps, sizes, few), together)

    def _surely_failing(self, gone: Mask, fixed: Mask, spare: int) -> Mask:
        """Return which classes fail whatever else is suppressed."""
        problem, kept = self._problem, ~gone
        groups = self._groups.only(kept)
        groups = groups if problem.stars else groups.own_totals()
        recoding = None if self._recoding is None else self._recoding.only(kept)
        fails = np.zeros(len(gone), dtype=np.bool_)
        fails[kept] = problem.forfeits(groups, recoding, share=Fraction(spare, groups.n_records)) > 0
        for model, shares in self._shares:
            blocks, owners = groups.blocks(model.column, others_known=model.others_known)
            wrong = ~model.may_pass(blocks, shares.ranges(kept, kept & ~fixed, spare))
            fails[np.flatnonzero(kept)[owners[wrong]]] = True
        return fails


def _shares_of(problem: Problem, groups: Grouping) -> list[tuple[SensitiveModel, ReleaseShares]]:
    """Return the promises that compare a class with the release, with the shares that this may have."""
    sensitive = [model for model in problem.models if isinstance(model, SensitiveModel) and model.entity is None]
    models = [model for model in sensitive if model.relative]
    known = [model for model in models if ReleaseShares.can_tell(groups, model.column)]
    shares = {column: ReleaseShares(groups, column) for column in {model.column for model in known}}
    return [(model, shares[model.column]) for model in known]


def _covering(gaps: NDArray[np.float64], sizes: NDArray[np.int64], records: int) -> float:
    """Return the least price of so many records, where parts of classes may be taken; infinite if there are too few."""
    if records <= 0:
        return 0.0
    order = np.argsort(gaps / sizes)
    below = np.cumsum(sizes[order]) - sizes[order]
    taken = np.clip(records - below, 0, sizes[order])
    return _INFINITE if taken.sum() < records else float((gaps / sizes)[order] @ taken)
