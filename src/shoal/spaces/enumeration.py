"""Enumeration: branch and bound over sets of steps, best bound first, with an incumbent from a local search."""

from heapq import heappop, heappush
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.step_classes import OPEN, OUT, TAKEN
from shoal.progress import Progress, silent
from shoal.spaces.recodings import Found, Recodings, State

_MOST_NODES = 300_000  # that wait by their bound; above, the search goes into the depth
_TRIES = 8  # steps that are tried at a time where only the promises can tell which are allowed
_TELL = 64  # looks between two words about how far it is

Node = tuple[int, int, int, bytes]  # a bound, minus the number of decided steps, a number, the state


class Enumeration:
    """A search for the set of steps that costs least.

    A node is a state. Both sides of it are bounded: what a further step makes every class suppress, and what the atoms
    cost where it is left out. A step that cannot be taken below the best cost is put out, one that cannot be left out is
    taken, until nothing changes. Then one step is chosen, and the node becomes two.

    Args:
        space: The sets of steps.
        deadline: When to stop, by the monotonic clock.
    """

    def __init__(self, space: Recodings, deadline: float) -> None:
        self._space = space
        self._deadline = deadline
        self.limit = space.problem.limit
        self.best: State | None = None
        self.cost = (space.problem.tally.n_records + 1) ** 2  # above that of any release
        self.bound = 0
        self.n_nodes = 0
        self._number = 0
        self._judged: dict[bytes, int | None] = {}

    @property
    def complete(self) -> bool:
        """Whether nothing can cost less than the best."""
        return self.bound >= self.cost

    def run(self, progress: Progress = silent) -> None:
        """Search until all is proved or the time is up."""
        self._climb()
        waiting: list[Node] = [(0, 0, 0, self._space.all_open().tobytes())]
        deep: list[Node] = []
        while waiting or deep:
            node = deep.pop() if deep else heappop(waiting)
            least = min(node[0], waiting[0][0] if waiting else node[0], *(other[0] for other in deep), self.cost)
            self.bound = max(self.bound, least)
            if node[0] >= self.cost:
                continue
            children = self._expand(node)
            if children is None:
                return
            for child in children:
                if len(waiting) < _MOST_NODES and not deep:
                    heappush(waiting, child)
                else:
                    deep.append(child)
            if self.n_nodes % _TELL == 0:
                progress("searching sets of cut points", self.bound / max(self.cost, 1))
        self.bound = self.cost

    @property
    def _late(self) -> bool:
        return monotonic() > self._deadline

    def _offer(self, state: State, cost: int, lost: int) -> bool:
        """Take the taken steps of a state as the best, if they are; tell whether they were."""
        if cost >= self.cost or lost > self.limit or lost == self._space.problem.tally.n_records:
            return False
        if not self._space.exact:
            judged = self._judge(state)
            if judged is None or judged >= self.cost:
                return False
            cost = judged
        self.best, self.cost = np.where(state == TAKEN, TAKEN, OUT).astype(np.int8), cost
        return True

    def _judge(self, state: State) -> int | None:
        """Return the loss by all promises, or None if the state is not allowed; each set of steps is judged once."""
        key = (state == TAKEN).tobytes()
        if key not in self._judged:
            self._judged[key] = self._space.judge(state)
        return self._judged[key]

    def _improve(self, state: State, found: Found, tries: int, barred: int = -1) -> State | None:
        """Take one more step if that is better than the best, and return the state with it."""
        allowed = found.ready & (found.lost + found.more_lost <= self.limit)
        steps = np.flatnonzero(allowed)
        for step in steps[np.argsort(found.change[steps], kind="stable")][:tries].tolist():
            cost = found.cost + int(found.change[step])
            if cost >= self.cost:
                return None
            if step != barred:
                taken = state.copy()
                taken[step] = TAKEN
                if self._offer(taken, cost, found.lost + int(found.more_lost[step])):
                    return taken
        return None

    def _climb(self) -> None:
        """Take the step that helps most, again and again; then leave one out, and see whether others help more."""
        state: State | None = self._space.all_open()
        while state is not None:
            found = self._space.look(state)
            self._offer(state, found.cost, found.lost)
            state = None if self._late else self._improve(state, found, _TRIES)
        improved = self.best is not None
        while improved and self.best is not None:
            improved = False
            for step in np.flatnonzero(self.best == TAKEN).tolist():
                if self._late:
                    return
                fewer = self._left_out(self.best, step)
                found = self._space.look(fewer)
                better = self._offer(fewer, found.cost, found.lost)
                if self._improve(fewer, found, _TRIES, barred=step) is not None or better:
                    improved = True
                    break

    def _left_out(self, best: State, step: int) -> State:
        """Return the steps of the best without one of them, and all that are left open."""
        chosen = self._space.without(best, np.arange(len(best)) == step)
        return np.where(chosen == TAKEN, TAKEN, OPEN).astype(np.int8)

    def _expand(self, node: Node) -> list[Node] | None:
        """Decide what can be decided of a node, and part it in two; return None if the time is up."""
        state, bound = np.frombuffer(node[3], dtype=np.int8).copy(), node[0]
        while True:
            if self._late:
                return None
            self.n_nodes += 1
            found = self._space.look(state)
            bound = max(bound, found.bound)
            if found.lost > self.limit:
                return []
            self._offer(state, found.cost, found.lost)
            if not self._space.exact and self._space.inherits and self._judge(state) is None:
                return []
            self._improve(state, found, 1)
            out, kept = self._decided(state, found, bound)
            if bound >= self.cost or (out & kept).any():
                return []
            if not (out.any() or kept.any()):
                return self._parted(state, found, bound)
            state = self._space.without(state, out)
            state[kept] = TAKEN

    def _decided(self, state: State, found: Found, bound: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return the steps that nothing better takes, and those that nothing better leaves out."""
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

    def _parted(self, state: State, found: Found, bound: int) -> list[Node]:
        """Return the node with one step taken, and with it left out: the step by which both bounds grow most."""
        if not found.ready.any():
            return []
        score = np.where(found.ready, (found.taken + 1.0) * (found.left + 1.0), -1.0)
        step = int(np.argmax(score))
        taken = state.copy()
        taken[step] = TAKEN
        left = self._space.without(state, np.arange(len(state)) == step)
        bounds = (bound + int(found.taken[step]), bound + int(found.left[step]))
        nodes = []
        for least, child in zip(bounds, (taken, left), strict=True):
            self._number += 1
            nodes.append((least, -int((child != OPEN).sum()), self._number, child.tobytes()))
        return nodes
