"""The lattice of full-domain generalizations: one level for each quasi column."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import prod

import numpy as np
from numpy.typing import NDArray

from shoal.classes.grouping import Grouping, Parts
from shoal.classes.recoding import Recoding
from shoal.foundation.errors import InfeasibleError, SpecError
from shoal.kernels.clock import clock
from shoal.measures.measure import Measure
from shoal.search.lattice.cells import Cells, Node, Packing
from shoal.search.lattice.pricing import pricing_of
from shoal.search.lattice.selection import SelectionEffort, SelectionSearch
from shoal.search.problem import Guarantee, Problem, Solution, with_suppressed
from shoal.search.removal import ClassRemoval
from shoal.tables.distinct_rows import distinct_rows

_MOST_NODES = 5_000_000  # nodes that are ever listed; the optimal search needs no list
_CACHED_CELLS = 64_000_000  # bytes of packed classes that are kept to make coarser ones from


@dataclass(frozen=True, slots=True)
class NodeOutcome:
    """The evaluation of a node.

    Args:
        node: The level of each column.
        n_released: The number of classes that are released; only of a feasible node.
        suppressed: The number of records in classes that fail; only of a feasible node.
        surely: The number of records that every node below suppresses, too.
        feasible: Whether the release is allowed.
        hopeless: Whether it is proven that no node below is feasible.
        loss: The loss of the release; infinite if it is not allowed.
        excess: A lower bound on what the surely suppressed records add to the loss of every node below.
        bound: A lower bound on the loss of every allowed release of this node, whichever of its classes are released;
            infinite if there is none.
    """

    node: Node
    n_released: int
    suppressed: int
    surely: int
    feasible: bool
    hopeless: bool
    loss: float
    excess: float
    bound: float

    @property
    def settled(self) -> bool:
        """Whether no other choice of the classes to release is allowed and loses less."""
        return self.bound >= (self.loss if self.feasible else float("inf"))


class Lattice:
    """All full-domain generalizations of a problem's table; evaluations are remembered.

    The classes of a node are made from those of a node below it, the one with the fewest classes among those that are
    kept, and never from records.

    Args:
        problem: The problem.
        steps: The levels that each column may take, ascending; all levels if not given.
    """

    def __init__(self, problem: Problem, steps: Sequence[Sequence[int]] | None = None) -> None:
        self.problem = problem
        tally = problem.tally
        self.steps: tuple[tuple[int, ...], ...] = tuple(
            tuple(levels) for levels in steps or [range(column.hierarchy.height + 1) for column in tally.quasi]
        )
        self.packing = Packing(tally)
        self.pricing = pricing_of(problem.measure, self.packing)
        limit = problem.time_limit
        self._deadline = float("inf") if limit is None else clock() + limit
        self._outcomes: dict[Node, NodeOutcome] = {}
        self._searched: dict[Node, NDArray[np.bool_] | None] = {}
        self._effort = SelectionEffort() if limit is None else None
        self._removal = ClassRemoval(problem) if problem.by_record else None
        self._kept: list[Cells] = [self.packing.bottom()]
        self._kept_nodes = np.zeros((1, len(tally.quasi)), dtype=np.int32)
        self._kept_sizes = np.array([len(self._kept[0])])
        self._kept_bytes = 0

    @property
    def bottom(self) -> Node:
        """The most specific node."""
        return tuple(levels[0] for levels in self.steps)

    @property
    def top(self) -> Node:
        """The most general node."""
        return tuple(levels[-1] for levels in self.steps)

    @property
    def n_nodes(self) -> int:
        """The number of nodes."""
        return prod(len(levels) for levels in self.steps)

    @property
    def out_of_time(self) -> bool:
        """Whether the problem's time limit has passed since the lattice was made."""
        return clock() > self._deadline

    @property
    def nodes_checked(self) -> int:
        """The number of nodes evaluated so far."""
        return len(self._outcomes)

    def check_size(self) -> None:
        """Raise a SpecError if the lattice is too large to evaluate every node."""
        if self.n_nodes > _MOST_NODES:
            raise SpecError(
                f"The lattice has {self.n_nodes:.2g} generalizations, too many to check each (at most "
                f"{_MOST_NODES:,}). Use the algorithm 'optimal', with a time limit, or hierarchies with fewer "
                "levels."
            )

    def all_nodes(self) -> list[Node]:
        """Return all nodes, the most specific first; raise a SpecError if there are too many."""
        self.check_size()
        return sorted(product(*self.steps), key=lambda node: (sum(node), node))

    def keep_time(self, before: str) -> None:
        """Raise an InfeasibleError if the time limit has passed `before` something was done."""
        if self.out_of_time:
            raise InfeasibleError(
                f"The time limit of {self.problem.time_limit} s has passed before {before}. Allow more time, or "
                "use the algorithm 'optimal', which returns the best release found by then."
            )

    def below(self, node: Node) -> Iterator[Node]:
        """Yield the nodes one step below."""
        for j, levels in enumerate(self.steps):
            position = levels.index(node[j])
            if position > 0:
                yield (*node[:j], levels[position - 1], *node[j + 1 :])

    @property
    def inherits(self) -> bool:
        """Whether every node above a feasible one is feasible, so that a search may prune by it.

        With suppression this requires models whose failures only shrink when classes are joined, and suppressed records
        that are left out instead of forming a class of stars. Without suppression, monotone models suffice, unless
        missing values match everything: then the records that match a class overlap, so that those of a joined class
        are more than the union of disjoint parts, and only models that absorb any class stay satisfied.
        """
        models, problem = self.problem.models, self.problem
        if problem.by_record:
            return True  # joined, the classes lose at most as many records as before
        if problem.limit == 0 and not problem.wildcard:
            return all(model.monotone_without_suppression for model in models)
        absorbing = all(model.monotone_with_suppression for model in models)
        return absorbing and (problem.limit == 0 or not problem.stars)

    def cells(self, node: Node) -> Cells:
        """Return the classes of a node, made from the smallest kept ones below it."""
        below = np.flatnonzero((self._kept_nodes <= np.array(node, dtype=np.int32)).all(axis=1))
        source = self._kept[below[np.argmin(self._kept_sizes[below])]]
        if source.node == node:
            return source
        cells = self.packing.coarser(source, node)
        size = cells.keys.nbytes + cells.weights.nbytes + cells.counts.nbytes + cells.profiles.nbytes
        if len(cells) < len(source) and self._kept_bytes + size <= _CACHED_CELLS:
            self._kept.append(cells)
            self._kept_nodes = np.vstack([self._kept_nodes, np.array([node], dtype=np.int32)])
            self._kept_sizes = np.append(self._kept_sizes, len(cells))
            self._kept_bytes += size
        return cells

    def evaluate(self, node: Node) -> NodeOutcome:
        """Return the evaluation of a node; each node is evaluated once."""
        if node not in self._outcomes:
            cells = self.cells(node)
            self._outcomes[node] = self._judged(cells)
        return self._outcomes[node]

    @property
    def n_undecided(self) -> int:
        """The number of evaluated nodes of which it is not known whether some choice of their classes is allowed."""
        return sum(not outcome.feasible and not outcome.settled for outcome in self._outcomes.values())

    def least_open(self, loss: float) -> float:
        """Return a lower bound on the loss of all evaluated nodes, of which one has this loss and none a lower one."""
        return min([loss, *(outcome.bound for outcome in self._outcomes.values() if not outcome.settled)])

    def allowed(self, node: Node) -> bool:
        """Return whether some choice of the classes of a node is allowed, as far as a search can tell."""
        return self.evaluate(node).feasible or self.settle(node, any_will_do=True).feasible

    def settle(self, node: Node, *, any_will_do: bool = False) -> NodeOutcome:
        """Return the evaluation of a node with the best choice of its classes, as far as a search can find it.

        Args:
            node: The node.
            any_will_do: Whether any allowed choice will do.
        """
        outcome = self.evaluate(node)
        if outcome.settled or (any_will_do and node in self._searched):
            return outcome
        problem, cells = self.problem, self.cells(node)
        groups = self.packing.grouping(cells)
        recoding = self.packing.recoding(cells) if problem.wildcard else None
        search = SelectionSearch(problem, groups, recoding, self.pricing.selection(cells, groups))
        known = None
        if outcome.feasible:
            known = self._searched[node] if node in self._searched else problem.released(groups, recoding)
        found = search.run(known, any_will_do=any_will_do, deadline=self._deadline, effort=self._effort)
        self._searched[node] = found.released
        outcome = replace(outcome, bound=found.bound)
        if found.released is not None:
            outcome = replace(
                outcome,
                n_released=int(found.released.sum()),
                suppressed=int(groups.sizes[~found.released].sum()),
                feasible=True,
                loss=found.loss,
            )
        self._outcomes[node] = outcome
        return outcome

    def _judged(self, cells: Cells) -> NodeOutcome:
        problem = self.problem
        groups = self.packing.grouping(cells)
        if self._removal is not None:
            return self._judged_by_record(cells, groups, self._removal.lost(groups))
        recoding = self.packing.recoding(cells) if problem.wildcard else None
        lost, released = self._lost(groups, recoding)
        n_surely = problem.fewest_lost(groups, lost)
        n_suppressed = int(groups.sizes[~released].sum())
        feasible = problem.feasible(groups, recoding, released)
        loss = self.pricing.total(cells, groups, released) if feasible else float("inf")
        whole = feasible and n_suppressed == 0 and problem.measure.monotone
        bound = loss
        if problem.selects and not whole and n_surely <= problem.limit:
            bound = min(bound, self._least(cells, groups, lost == 0))
        return NodeOutcome(
            node=cells.node,
            n_released=int(released.sum()),
            suppressed=n_suppressed,
            surely=n_surely,
            feasible=feasible,
            hopeless=n_surely > problem.limit or (problem.limit == 0 and n_suppressed > 0 and self.inherits),
            loss=loss,
            excess=self.pricing.excess(cells, groups, lost),
            bound=bound,
        )

    def _lost(self, groups: Grouping, recoding: Recoding | None) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Return what each class of a node surely loses, and which are released, as far as that is allowed."""
        problem = self.problem
        if len(problem.prunable) == len(problem.models):
            released = problem.released(groups, recoding)
            return problem.forfeits(groups, recoding, released), released
        lost = problem.forfeits(groups, recoding)
        if int(groups.sizes[lost > 0].sum()) > problem.limit:
            return lost, lost == 0
        return lost, problem.released(groups, recoding, most=problem.limit)

    def _least(self, cells: Cells, groups: Grouping, may_stay: NDArray[np.bool_]) -> float:
        """Return a lower bound on the loss of all choices of the classes of a node: a class stays as a whole or not."""
        if not may_stay.any() or int(groups.sizes[~may_stay].sum()) > self.problem.limit:
            return float("inf")
        prices = self.pricing.selection(cells, groups)
        return prices.loss(may_stay) + float(np.minimum(prices.gaps, 0.0)[may_stay].sum())

    def _judged_by_record(self, cells: Cells, groups: Grouping, lost: NDArray[np.int64]) -> NodeOutcome:
        """Evaluate a node whose classes lose some records each; classes below, joined, lose at least as many."""
        problem, released, n_lost = self.problem, lost < groups.sizes, int(lost.sum())
        feasible = bool(released.any()) and n_lost <= problem.limit
        loss = self.pricing.without(cells, groups, lost)
        return NodeOutcome(
            node=cells.node,
            n_released=int(released.sum()),
            suppressed=n_lost,
            surely=n_lost,
            feasible=feasible,
            hopeless=n_lost > problem.limit,
            loss=loss,
            excess=self.pricing.excess(cells, groups, lost),
            bound=loss if feasible else float("inf"),
        )

    def solution(
        self,
        node: Node,
        *,
        guarantee: Guarantee,
        bound: float | None = None,
        remark: str = "",
        measure: Measure | None = None,
    ) -> Solution:
        """Return the release of a node, computed again from the points of the tally.

        Args:
            node: The node.
            guarantee: What is guaranteed about its loss.
            bound: A lower bound on the loss of every allowed release.
            remark: What the user should know.
            measure: Another measure to price it by.
        """
        parts, groups, recoding, released = self._release(node)
        loss = (measure or self.problem.measure).loss(groups, recoding, released)
        if guarantee == "optimal":
            bound = loss.total  # the search added the same prices in another order
        return Solution(
            parts=parts,
            groups=groups.only(released),
            recoding=recoding.only(released),
            suppressed=int(groups.sizes[~released].sum()),
            loss=loss,
            bound=bound,
            guarantee=guarantee,
            levels=self.named(node),
            nodes_checked=self.nodes_checked,
            remark=remark,
        )

    def _release(self, node: Node) -> tuple[Parts, Grouping, Recoding, NDArray[np.bool_]]:
        """Return the classes of a node with their records, all classes, what they are published as, and which are."""
        tally = self.problem.tally
        labels, groups, recoding = self._classes(node)
        if self._removal is not None:
            left = self._removal.lost(groups) < groups.sizes
            parts = self._removal.parts(labels, groups)
            return parts, *with_suppressed(tally, parts, recoding.only(left))
        released = self._chosen(node, groups, recoding)
        number = np.where(released, np.cumsum(released) - 1, -1).astype(np.int32)
        parts = Parts.whole(tally, np.where(labels >= 0, number[labels], -1).astype(np.int32))
        return parts, groups, recoding, released

    def _chosen(self, node: Node, groups: Grouping, recoding: Recoding) -> NDArray[np.bool_]:
        """Return the classes of a node that are released: those that a search chose, or all that stand together."""
        chosen = self._searched.get(node)
        if chosen is None:
            return self.problem.released(groups, recoding)
        released = np.zeros(groups.n_classes, dtype=np.bool_)
        order = np.lexsort(self.packing.recoding(self.cells(node)).cells.T)
        released[np.lexsort(recoding.cells.T)] = chosen[order]
        return released

    def named(self, node: Node) -> dict[str, int]:
        """Return the level of each column by its name."""
        return dict(zip((column.name for column in self.problem.tally.quasi), node, strict=True))

    def _classes(self, node: Node) -> tuple[NDArray[np.int32], Grouping, Recoding]:
        """Return the class of each point at a node, the classes, and what they are published as.

        The class is -1 for points without records, those of an outside population.
        """
        tally = self.problem.tally
        lifted = [
            column.hierarchy.codes[level][tally.codes[:, j]]
            for j, (column, level) in enumerate(zip(tally.quasi, node, strict=True))
        ]
        sizes = [column.hierarchy.size(level) for column, level in zip(tally.quasi, node, strict=True)]
        cells, codes = distinct_rows(lifted, sizes, tally.n_points)
        filled = np.bincount(cells, weights=tally.counts, minlength=len(codes)) > 0
        number = np.where(filled, np.cumsum(filled) - 1, -1).astype(np.int32)
        labels = number[cells]
        return (
            labels,
            Grouping.of(tally, labels, int(filled.sum())),
            Recoding.full_domain(tally.quasi, node, codes[filled]),
        )
