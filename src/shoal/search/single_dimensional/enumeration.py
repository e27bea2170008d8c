"""Branch and bound over sets of steps, least bound first, with an incumbent from a local search."""

from heapq import heappop, heappush
from itertools import count
from math import ceil
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.foundation.progress import Progress, silent
from shoal.kernels.clock import clock
from shoal.kernels.single_dimensional.step_classes import OPEN, OUT, TAKEN
from shoal.search.single_dimensional.recodings import Evaluation, Recodings, State, Within

_MOST_NODES = 300_000  # nodes in the queue; with more, the search goes depth first
_PATIENCE = 40  # moves without improvement after which the local search ends
_REST = 8  # moves for which a step that was changed is not changed again (tabu)
_TRIES = 8  # candidates per move that are tested against the promises, where an evaluation does not decide
_ROUNDING = 1e-6  # far above that of a sum of prices
_DEEP = 200  # nodes expanded depth first before the node of least bound is next again


class OpenState(NamedTuple):
    """A node of the search, ordered by its bound, then by the number of undecided steps.

    Args:
        bound: A lower bound on the cost of every set within.
        undecided: The number of open steps.
        number: Distinguishes nodes, so that the fields behind it are never compared.
        state: The state.
        within: What is left of the table, if it is kept.
    """

    bound: int
    undecided: int
    number: int
    state: State
    within: Within | None


class Enumeration:
    """A branch and bound search for the set of steps of least cost.

    A node is a state. Each open step that may be taken next has two lower bounds: one if it is taken (the records that
    are suppressed then), one if it is left out (the atoms that are joined then). If the first is not below the
    incumbent's cost, the step is put out; if the second is not, it is taken. This is repeated until nothing changes.
    Then the node branches on one step.

    Args:
        space: The sets of steps.
        deadline: When to stop, by the clock of searches.

    Attributes:
        best: The incumbent, or None.
        cost: The cost of the incumbent.
        bound: A lower bound on the cost of every set.
        stopped: Whether the time was up before the end.
    """

    def __init__(self, space: Recodings, deadline: float) -> None:
        self._space = space
        self._deadline = deadline
        self.limit = space.problem.limit
        self.best: State | None = None
        self.cost = (space.problem.tally.n_records + 1) ** 2  # above that of any release
        self.bound = 0
        self.n_nodes = 0
        self._numbers = count()
        self._judged: dict[bytes, int | None] = {}
        self.stopped = False
        self._doubt = float("inf")  # a lower bound on the cost of sets whose classes to release are not settled

    @property
    def complete(self) -> bool:
        """Whether no set costs less than the incumbent."""
        return self.bound >= self.cost

    def run(self, progress: Progress = silent) -> None:
        """Search until the incumbent is proved optimal or the time is up.

        The node of least bound is next, since only that raises the global bound. From there the search goes depth first
        for a while, because what is left of the table gets small there.
        """
        first = self._space.all_open()
        found = self._space.evaluate(first)
        self._offer(first, found.cost, found.lost)
        self._climb()
        waiting: list[OpenState] = [OpenState(found.bound, len(first), next(self._numbers), first, None)]
        while waiting and waiting[0].bound < self.cost:
            progress("searching sets of cut points", waiting[0].bound / self.cost)
            deep = [heappop(waiting)]
            turns = 0
            while deep and (turns < _DEEP or len(waiting) > _MOST_NODES):
                turns += 1
                children = self._expand(deep[-1])
                if children is None:
                    self.stopped = True
                    self._close(min([self.cost, *(node.bound for node in (*deep, *waiting))]))
                    return
                deep.pop()
                deep += sorted(children, reverse=True)
            for node in deep:
                if node.bound < self.cost:
                    heappush(waiting, node._replace(within=None))
        self._close(self.cost)

    def _close(self, left: int) -> None:
        """Set the bound, given that of the sets that were not looked at; costs are whole, and the doubt is rounded."""
        self.bound = left if self._doubt >= left else ceil(self._doubt - _ROUNDING)

    @property
    def _late(self) -> bool:
        return clock() > self._deadline

    def _offer(self, state: State, cost: int, lost: int) -> None:
        """Make the taken steps of a state the incumbent if they are better."""
        if cost >= self.cost or lost > self.limit or lost == self._space.problem.tally.n_records:
            return
        if not self._space.exact:
            judged = self._judge(state)
            if judged is None or judged >= self.cost:
                return
            cost = judged
        self.best, self.cost = np.where(state == TAKEN, TAKEN, OUT).astype(np.int8), cost

    def _judge(self, state: State) -> int | None:
        """Return the loss by all promises, or None if the state is not feasible; each set of steps is judged once."""
        key = (state == TAKEN).tobytes()
        if key not in self._judged:
            found = self._space.judge(state)
            self._judged[key] = None if found.released is None else round(found.loss)
            self._doubt = self._doubt if found.settled else min(self._doubt, found.bound)
        return self._judged[key]

    def _improve(self, state: State, found: Evaluation) -> None:
        """Offer the best of the states with one more step."""
        steps = np.flatnonzero(found.ready & (found.lost + found.more_lost <= self.limit))
        if len(steps):
            step = steps[np.argmin(found.change[steps])]
            taken = state.copy()
            taken[step] = TAKEN
            self._offer(taken, found.cost + int(found.change[step]), found.lost + int(found.more_lost[step]))

    def _climb(self) -> None:
        """Find a good incumbent by local search.

        First without suppressed records; then from there with as many as are allowed, and the same from the start.
        """
        self._climb_from(self._space.all_open(), 0)
        if self.limit > 0:
            if self.best is not None:
                self._climb_from(np.where(self.best == TAKEN, TAKEN, OPEN).astype(np.int8), self.limit)
            self._climb_from(self._space.all_open(), self.limit)

    def _climb_from(self, state: State, limit: int) -> None:
        """Take or remove one step at a time, the one that gives the least cost, until that has not helped for a while.

        A step that was just changed is barred for some moves, unless it gives a new incumbent: tabu search.
        """
        barred = np.zeros(len(state), dtype=np.int64)
        turn = since = 0
        while since < _PATIENCE and not self._late:
            best, turn, since = self.cost, turn + 1, since + 1
            found = self._space.evaluate(state)
            self._offer(state, found.cost, found.lost)
            step = self._move(state, found, barred > turn, limit)
            if step >= 0:
                state[step] = OPEN if state[step] == TAKEN else TAKEN
                barred[step] = turn + _REST
            since = 0 if self.cost < best else since

    def _move(self, state: State, found: Evaluation, barred: NDArray[np.bool_], limit: int) -> int:
        """Return the step to take or remove next, or -1 if none is allowed."""
        removed = self._space.removals(state)
        costs = found.cost + np.where(state == TAKEN, removed.change, found.change)
        lost = found.lost + np.where(state == TAKEN, removed.more_lost, found.more_lost)
        steps = np.flatnonzero((found.ready | removed.ready) & (lost <= limit) & (~barred | (costs < self.cost)))
        for step in steps[np.argsort(costs[steps], kind="stable")][:_TRIES].tolist():
            if self._space.exact:
                return int(step)
            moved = state.copy()
            moved[step] = OPEN if state[step] == TAKEN else TAKEN
            if self._judge(moved) is not None:
                return int(step)
        return -1

    def _expand(self, node: OpenState) -> list[OpenState] | None:
        """Decide the steps of a node that can be decided, and branch on another; return None if the time is up."""
        state, bound, within = node.state, node.bound, node.within
        if bound >= self.cost:
            return []
        while True:
            if self._late:
                return None
            self.n_nodes += 1
            found = self._space.evaluate(state, within)
            within = self._space.within(found)
            bound = max(bound, found.bound)
            if found.lost > self.limit:
                return []
            self._offer(state, found.cost, found.lost)
            if not self._space.exact and self._space.inherits and self._judge(state) is None:
                return []
            self._improve(state, found)
            out, kept = self._decided(state, found, bound)
            if bound >= self.cost or (out & kept).any():
                return []
            if not (out.any() or kept.any()):
                return self._split(state, found, bound, within)
            state = self._space.without(state, out)
            state[kept] = TAKEN

    def _decided(self, state: State, found: Evaluation, bound: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return the steps that no better set takes, and those that no better set leaves out."""
        out = found.ready & ((found.lost + found.more_lost > self.limit) | (bound + found.taken >= self.cost))
        kept = found.ready & (bound + found.left >= self.cost)
        if self._space.exact:
            return out | ((state == OPEN) & ~found.useful), kept & found.useful
        if self._space.inherits:
            for step in np.flatnonzero(found.ready & ~out).tolist():
                taken = state.copy()
                taken[step] = TAKEN
                out[step] = self._judge(taken) is None
        return out, kept

    def _split(self, state: State, found: Evaluation, bound: int, within: Within) -> list[OpenState]:
        """Return two nodes: with one step taken, and with it left out.

        The step is the one whose omission raises the bound most; of equals, the one whose choice raises it most.
        """
        if not found.ready.any():
            return []
        ready = np.flatnonzero(found.ready)
        step = int(ready[np.lexsort((found.taken[ready], found.left[ready]))[-1]])
        taken = state.copy()
        taken[step] = TAKEN
        left = self._space.without(state, np.arange(len(state)) == step)
        bounds = (bound + int(found.taken[step]), bound + int(found.left[step]))
        return [
            OpenState(least, int((child == OPEN).sum()), next(self._numbers), child, within)
            for least, child in zip(bounds, (taken, left), strict=True)
        ]
