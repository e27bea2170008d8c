"""Branch and bound over boxes of a lattice."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from itertools import count, permutations
from math import prod

from shoal.foundation.progress import Progress, silent
from shoal.kernels.clock import clock
from shoal.measures.measure import ClassMeasure
from shoal.search.lattice.annealing import anneal
from shoal.search.lattice.cells import Node
from shoal.search.lattice.lattice import Lattice, NodeOutcome

_CLIMB_AFTER = 500  # nodes evaluated after which a search is long enough for a better incumbent to pay
_CLIMB_BY = 0.1  # the share of a time limit after which a search of a large lattice is, however few they are
_WIDE = 1_000_000  # nodes of a lattice above which a search that ends is rare
_FLOORED = 0.85  # the share of the time limit at which the floor must be found

Floor = Callable[[float], float]


@dataclass(frozen=True, slots=True)
class Box:
    """All nodes between two: `low` and `high` are positions in the lattice's steps, `outcome` is that of `high`."""

    low: Node
    high: Node
    outcome: NodeOutcome
    bound: float

    @property
    def n_nodes(self) -> int:
        """The number of nodes in the box."""
        return prod(high - low + 1 for low, high in zip(self.low, self.high, strict=True))


@dataclass(frozen=True, slots=True)
class BestNode:
    """The best node of a lattice, as far as it was searched.

    Args:
        best: The feasible node of least loss that was seen, if any.
        bound: A lower bound on the loss of all feasible nodes.
        complete: Whether `best` is proven to be optimal, or that there is none.
        stopped: Whether the time limit ended the search.
    """

    best: NodeOutcome | None
    bound: float
    complete: bool
    stopped: bool


def search(lattice: Lattice, progress: Progress = silent, floor: Floor | None = None) -> BestNode:
    """Find the feasible node of least loss, whatever the measure and the models.

    A box is split at its upper end: the nodes that keep the topmost level of one column, and those that do not. The
    first part keeps the upper end, and so all that is known of it. For the second the new upper end is evaluated. A box
    is dropped when its bound is no better than the incumbent, or when its upper end shows that no node below can be
    feasible. What is dropped was proven useless, so the search is exact. It needs no list of nodes: the lattice may
    have any size.

    Boxes are taken depth first, which finds good nodes early. A long search also climbs from the top and from the
    incumbent to better neighbours, and in a large lattice it anneals first. With a time limit, the second half of it
    goes to the floor, if one is given, and then to the boxes of least bound; the least bound of the boxes that are open
    when it ends is a bound on what was missed.

    Where it is a choice which classes of a node are released, a node is evaluated with one choice and a bound on all.
    At the end, the nodes whose bound is below the incumbent are settled, the least bound first.

    Args:
        lattice: The lattice.
        progress: Called with the share of the nodes that is done.
        floor: Returns a lower bound on the loss of all allowed releases, found until a time by the clock of searches.
    """
    return _Search(lattice, progress, floor).run()


class _Search:
    """The state of a search: the open boxes, and the incumbent."""

    def __init__(self, lattice: Lattice, progress: Progress, floor: Floor | None = None) -> None:
        self._lattice = lattice
        self._progress = progress
        self._floor = floor
        self._least = float("-inf")  # no allowed release loses less, by the floor
        self._floors = isinstance(lattice.problem.measure, ClassMeasure)
        self._best: NodeOutcome | None = None
        self._unsettled: dict[Node, float] = {}
        self._open: list[tuple[float, int, Box]] = []  # a stack; once `_heaped`, a heap by bound
        self._number = count()
        self._heaped = False
        self._n_open = 0

    def run(self) -> BestNode:
        limit = self._lattice.problem.time_limit
        started = clock()
        top = self._evaluate(self._lattice.top)
        if not top.hopeless:
            self._add(tuple(0 for _ in self._lattice.steps), tuple(len(s) - 1 for s in self._lattice.steps), top)
        climb, wide = True, self._lattice.n_nodes > _WIDE
        while self._open:
            spent = clock() - started
            if limit is not None and spent > limit:
                return self._found(min(bound for bound, _, _ in self._open), stopped=True)
            if limit is not None and spent > limit / 2 and not self._heaped:
                heapify(self._open)
                self._heaped = True
                if self._floor is not None:
                    self._progress("looking for a bound")
                    self._least = self._floor(started + _FLOORED * limit)
            self._split(heappop(self._open)[2] if self._heaped else self._open.pop()[2])
            if self._best is not None and self._best.loss < self._lattice.problem.enough:
                return BestNode(self._best, 0.0, complete=False, stopped=True)
            late = limit is not None and wide and spent > _CLIMB_BY * limit
            if climb and (late or self._lattice.nodes_checked > _CLIMB_AFTER):
                climb = False
                stop = started + limit / 2 if limit is not None else float("inf")
                if self._best is not None and wide:
                    anneal(self._lattice, self._best, self._evaluate, stop)
                for start in (self._lattice.top, self._best.node) if self._best else (self._lattice.top,):
                    self._climb(start, stop)
        return self._found(float("inf"), stopped=False)

    def _found(self, left: float, *, stopped: bool) -> BestNode:
        """Settle the nodes that may be better than the incumbent; `left` is a bound on what was not looked at."""
        for bound, node in sorted((bound, node) for node, bound in self._unsettled.items()):
            if self._best is not None and bound >= self._best.loss:
                break
            self._progress("choosing the classes to release")
            settled = self._lattice.settle(node)
            self._keep(settled)
            left = min(left, settled.bound)  # of a settled node it is no less than the least loss
        loss, left = self._best.loss if self._best else float("inf"), max(left, self._least)
        return BestNode(
            self._best, min(left, loss), complete=left >= loss, stopped=stopped or self._lattice.out_of_time
        )

    def _evaluate(self, node: Node) -> NodeOutcome:
        outcome = self._lattice.evaluate(node)
        self._keep(outcome)
        if not outcome.settled:
            self._unsettled[node] = outcome.bound
        return outcome

    def _keep(self, outcome: NodeOutcome) -> None:
        if outcome.feasible and (self._best is None or outcome.loss < self._best.loss):
            self._best = outcome

    def _node(self, positions: Node) -> Node:
        return tuple(levels[position] for levels, position in zip(self._lattice.steps, positions, strict=True))

    def _box(self, low: Node, high: Node, outcome: NodeOutcome) -> Box:
        if self._floors:
            self._evaluate(self._node(low))
        bound = self._lattice.pricing.bound(self._node(low), self._node(high), outcome.excess)
        return Box(low, high, outcome, bound)

    def _add(self, low: Node, high: Node, outcome: NodeOutcome) -> None:
        self._push(self._box(low, high, outcome))

    def _push(self, box: Box) -> None:
        self._n_open += box.n_nodes
        entry = (box.bound, next(self._number), box)
        if self._heaped:
            heappush(self._open, entry)
        else:
            self._open.append(entry)

    def _split(self, box: Box) -> None:
        """Replace a box by its two parts, the more promising one last, unless it is useless."""
        self._progress("searching the lattice", 1 - self._n_open / self._lattice.n_nodes)
        self._n_open -= box.n_nodes
        useless = self._best is not None and box.bound >= self._best.loss
        column = None if useless else self._widest(box)
        if column is None:
            return
        parts = [self._box(_moved(box.low, column, box.high[column]), box.high, box.outcome)]
        high = _moved(box.high, column, box.high[column] - 1)
        outcome = self._evaluate(self._node(high))
        if not outcome.hopeless:
            parts.append(self._box(box.low, high, outcome))
        for part in sorted(parts, key=lambda part: -part.bound):
            self._push(part)

    def _widest(self, box: Box) -> int | None:
        """Return the column whose levels in the box differ most in price, or None if the box is a single node."""
        best, widest = None, float("-inf")
        for j, levels in enumerate(self._lattice.steps):
            if box.high[j] > box.low[j]:
                spread = self._lattice.pricing.spread(j, levels[box.low[j]], levels[box.high[j]])
                if spread > widest:
                    best, widest = j, spread
        return best

    def _climb(self, start: Node, stop: float) -> None:
        """Go from a node to its best neighbour while that is better.

        Neighbours differ by a step in one column; if none of these is better, by opposite steps in two.
        """
        here, better = self._lattice.evaluate(start), True
        columns = range(len(start))
        singles = [{j: step} for j in columns for step in (-1, 1)]
        pairs = [{i: -1, j: 1} for i, j in permutations(columns, 2)]
        while better and clock() < stop:
            better = False
            for moves in (singles, pairs):
                seen = [self._evaluate(node) for node in self._neighbours(here.node, moves)]
                allowed = [outcome for outcome in seen if outcome.feasible]
                nearest = min(allowed, key=lambda outcome: (outcome.loss, outcome.node), default=here)
                if nearest.loss < here.loss:
                    here, better = nearest, True
                    break

    def _neighbours(self, node: Node, moves: list[dict[int, int]]) -> Iterator[Node]:
        """Yield the nodes that the given moves, each of steps by column, lead to."""
        steps = self._lattice.steps
        positions = tuple(levels.index(level) for levels, level in zip(steps, node, strict=True))
        for move in moves:
            there = tuple(position + move.get(j, 0) for j, position in enumerate(positions))
            if all(0 <= position < len(levels) for position, levels in zip(there, steps, strict=True)):
                yield self._node(there)


def _moved(positions: Node, column: int, position: int) -> Node:
    return (*positions[:column], position, *positions[column + 1 :])
