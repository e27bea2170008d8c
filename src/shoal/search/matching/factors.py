"""Factors of least weight: edges between records, one or two at each, proven to be the lightest."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import NDArray

from shoal.foundation.parallel import THREADS
from shoal.foundation.progress import Progress
from shoal.kernels.clock import clock
from shoal.kernels.local.closures import Forms
from shoal.kernels.matching.edges import Duals, edge_weights, edges_within, least_edges
from shoal.search.matching.blossoms import Fractions, broken
from shoal.search.matching.cycles import cut_walks, cycle_edges, degrees, greedy_cycle
from shoal.search.matching.pairs import Pairs
from shoal.search.matching.relaxation import Relaxation
from shoal.search.solver import SolverResult

_NEAR = 6  # edges of each record in the first program
_MORE = 4  # the largest number of edges of each record that are added at once
_QUIET = 2  # rounds of cuts at vertices that do not raise the bound, before the centre is cut off
_STILL = 4  # rounds in which the objective at the centre does not rise, before vertices are used again
_MOVED = 0.05  # by how many steps it has to rise
_VERTICES = 4  # rounds of vertices after that
_ROUNDS = 200
_CLOSE = 1e-9  # a bound this close has been reached
_SMALL = 1e-7  # the error of the solver's duals, as a share of the heaviest edge
_SLACK = 1e-6  # the error of the solver's objective, in units
_HALF = 0.5
_FEW_NODES, _MANY_NODES = 20, 2_000
_MOST_EDGES = 20  # the largest number of edges of each record in a mixed-integer program


@dataclass(frozen=True, slots=True, eq=False)
class Factor:
    """Edges such that each record has one or two (or exactly two), or is omitted; and what is known about the lightest.

    Args:
        edges: The edges, the lower record first.
        omitted: Which records are omitted; they have no edge.
        weight: The weight of the edges and of the omitted records, in units.
        bound: A lower bound on the weight of every factor, in units.
        proven: Whether no factor weighs less.
    """

    edges: NDArray[np.int32]
    omitted: NDArray[np.bool_]
    weight: int
    bound: int
    proven: bool


class Pace:
    """Decides whether vertices or the centre of the relaxation are cut off, and how long.

    Args:
        centre: Whether to start with the centre.
    """

    def __init__(self, *, centre: bool) -> None:
        self.centre = centre
        self._rounds, self._quiet, self._still, self._vertices, self._weight = 0, 0, 0, -1, -np.inf

    @property
    def going(self) -> bool:
        """Whether another round is worth it."""
        return self._rounds <= _ROUNDS and self._vertices < _VERTICES

    def leave_centre(self) -> None:
        """Go over to the last rounds, of vertices."""
        self.centre, self._vertices = False, 0

    def step(self, n_cuts: int, weight: float, *, rose: bool) -> bool:
        """Count a round; return whether the next one changes between vertices and the centre.

        Args:
            n_cuts: The number of violated cuts.
            weight: The least weight of the relaxation, in steps.
            rose: Whether the bound rose.
        """
        before = self.centre
        self._rounds += 1
        self._quiet = 0 if rose else self._quiet + 1
        self._still = 0 if weight > self._weight + _MOVED else self._still + 1
        self._weight = weight
        if self._vertices >= 0:
            self._vertices += 1
        elif self.centre and (not n_cuts or self._still >= _STILL):
            self.leave_centre()
        elif not self.centre and self._quiet >= _QUIET:
            self.centre, self._still = True, 0
        return self.centre != before


class FactorSearch:
    """The search for a factor of least weight.

    Idea: values from 0 to 1 for edges, such that the values at each record add up to the required degree, are a linear
    program. It starts with the nearest edges and a cycle through all records. After each solution all edges are priced,
    and those with a negative reduced weight are added (`least_edges`). If there are none and values are still
    fractional, cuts are added that every factor satisfies (`blossoms.py`). With these cuts the least weight of the
    program is nearly always that of the lightest factor. Where it is not, a mixed-integer program over the edges that
    may be in a lighter factor than the incumbent finds it.

    Proof: the dual values of every solution, rounded to whole numbers of fine units, prove a bound on the weight of
    every factor, whatever the solver did (`Relaxation.duals`). It is computed in whole numbers, over all edges.

    Args:
        pairs: The weights of edges.
        least: The least number of edges at a record, 1 or 2; the most is 2.
        limit: How many records may be omitted.
        deadline: When to end, by the clock of searches.
        progress: Called with the ratio of bound and weight.
    """

    def __init__(self, pairs: Pairs, least: int, limit: int, deadline: float, progress: Progress) -> None:
        self.pairs, self.least, self.limit = pairs, least, limit
        self._deadline, self._progress = deadline, progress
        self._finely, self._step = pairs.finely, pairs.round_trip if least == 2 else 1
        self._relaxation = Relaxation(pairs, least, limit)
        self._bound, self._duals = 0, pairs.free()
        self._best = Factor(np.zeros((0, 2), dtype=np.int32), np.zeros(pairs.n, dtype=np.bool_), -1, 0, proven=False)

    def found(self, codes: NDArray[np.int32], forms: Forms) -> Factor:
        """Return the lightest factor, or the best that was found in time."""
        near = self._begin(codes, forms)
        if self._open():
            self._relaxation.add_edges(_different(near, self.pairs.n))
            self._relax(exact=False)
            if self._open():
                self._relax(exact=True)
            if self._open():
                self._close(self._units(), _FEW_NODES)
            if self._open():
                self._close(self._best.weight - self._step, _MANY_NODES)
        best = self._best
        return Factor(best.edges, best.omitted, best.weight, self._units(), self._closed())

    def _begin(self, codes: NDArray[np.int32], forms: Forms) -> NDArray[np.int32]:
        """Find near edges and a first factor; return the edges of the first program."""
        n, near = self.pairs.n, np.zeros((0, 2), dtype=np.int32)
        if self._left() > 0:
            others, found, _ = self._priced(self.pairs.free(), n - 1, np.iinfo(np.int64).max, min(_NEAR, n - 1))
            rows, columns = np.nonzero(others >= 0)
            ends = np.sort(np.column_stack([rows, others[rows, columns]]), axis=1).astype(np.int32)
            near = ends[np.lexsort((ends[:, 1], ends[:, 0], found[rows, columns]))]
        cycle = greedy_cycle(n, near)
        edges = cycle_edges(cycle)
        if self.least == 1:
            classes = cut_walks([cycle], codes, forms, 2)
            paths = np.concatenate([np.column_stack([one[:-1], one[1:]]) for one in classes])
            self._offer(np.sort(paths, axis=1).astype(np.int32), np.zeros(n, dtype=np.bool_))
        else:
            self._offer(edges, np.zeros(n, dtype=np.bool_))
        return np.concatenate([near, edges])

    def _relax(self, *, exact: bool) -> None:
        """Solve the relaxation, adding missing edges and cuts, until it proves the incumbent optimal or stalls.

        Where vertices violate cuts and the bound does not rise, there are many optima, and cutting off one leads to the
        next. Then the centre of all optima is cut off, as long as that helps: after that nearly all vertices are
        integral.
        """
        pace = Pace(centre=exact)
        while self._left() > 0 and pace.going:
            outcome = self._relaxation.solve(self._left(), centre=pace.centre)
            if outcome.status != "optimal":
                if not pace.centre:
                    return
                pace.leave_centre()
                continue
            before, weight = self._units(), self._relaxation.weight(outcome)
            lacking = self._bounded(outcome)
            if self._closed():
                return
            if len(lacking) and self._units() < self._within_reach(weight):
                self._relaxation.add_edges(lacking)
                continue
            n_cuts = self._cut(self._relaxation.fractions(outcome), centre=pace.centre, exact=exact)
            if len(lacking):
                self._relaxation.add_edges(lacking)
            elif not n_cuts and not pace.centre:
                return
            if pace.step(n_cuts, weight / self._step, rose=self._units() > before):
                self._relaxation.renew(outcome)

    def _cut(self, fractions: Fractions, *, centre: bool, exact: bool) -> int:
        """Add the cuts that a solution violates; return their number. An integral vertex is a factor."""
        if fractions.whole and not centre:
            self._offer(fractions.chosen, fractions.omitted > _HALF)
            return 0
        cuts = broken(fractions, exact=exact)
        if cuts:
            self._relaxation.add_cuts(cuts)
        return len(cuts)

    def _bounded(self, outcome: SolverResult) -> NDArray[np.int32]:
        """Raise the bound to what a solution of the relaxation proves; return edges that it lacks."""
        n, fine = self.pairs.n, self.pairs.fine
        duals, proven = self._relaxation.duals(outcome)
        others, found, negative = self._priced(duals, n // 2, -int(_SMALL * self.pairs.heaviest * fine) - 1, _MORE)
        proven += sum(negative.tolist())
        if proven > self._bound:
            self._bound, self._duals = proven, duals
        self._progress("finding the lightest factor", self._units() / max(self._best.weight, 1))
        rows, columns = np.nonzero(others >= 0)
        ends = np.sort(np.column_stack([rows, others[rows, columns]]), axis=1).astype(np.int32)
        order = np.argsort(found[rows, columns], kind="stable")[: _MORE * n]
        return _others(ends[order], self._relaxation.edges, n)

    def _priced(
        self, duals: Duals, reach: int, below: int, most: int
    ) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]:
        """Price all edges, on all cores."""
        ends = np.linspace(0, self.pairs.n, THREADS + 1).astype(np.int64).tolist()
        with ThreadPoolExecutor(THREADS) as pool:
            parts = list(
                pool.map(
                    lambda first, last: least_edges(self._finely, duals, first, last, reach, below, most),
                    ends[:-1],
                    ends[1:],
                )
            )
        others, found, negative = zip(*parts, strict=True)
        return np.concatenate(others), np.concatenate(found), np.concatenate(negative)

    def _close(self, most: int, most_nodes: int) -> None:
        """Search for a factor of at most a given weight, by a mixed-integer program.

        The dual values say which edges may be in one: a factor with an edge weighs at least the bound plus the reduced
        weight of that edge (reduced-cost fixing).
        """
        n, fine = self.pairs.n, self.pairs.fine
        gap = max(most * fine - self._bound, int(_SMALL * self.pairs.heaviest * fine))
        edges, count = edges_within(self._finely, self._duals, n // 2, gap, _MOST_EDGES * n)
        if count <= _MOST_EDGES * n:
            self._relaxation.add_edges(_others(edges, self._relaxation.edges, n))
            used = np.flatnonzero(np.isin(_keys(self._relaxation.edges, n), _keys(edges, n)))
        else:
            used = np.arange(len(self._relaxation.edges))
        outcome, fractions = self._relaxation.solve_whole(used, self._left(), most_nodes)
        if len(outcome.values):
            self._offer(fractions.chosen, fractions.omitted > _HALF)

    def _offer(self, edges: NDArray[np.int32], omitted: NDArray[np.bool_]) -> None:
        """Keep a factor if it is the lightest known; edges that form no factor are an error of the solver."""
        ends = degrees(self.pairs.n, edges)
        omitted = omitted & (ends < self.least)
        if ((ends < self.least) != omitted).any() or (ends > 2).any() or ends[omitted].any():
            return
        if omitted.sum() > self.limit:
            return
        weight = int(edge_weights(self.pairs.weights, edges).sum()) + self.pairs.omitted * int(omitted.sum())
        if self._best.weight < 0 or weight < self._best.weight:
            self._best = Factor(edges, omitted, weight, 0, proven=False)

    def _units(self) -> int:
        """Return the bound in units; the weight of a factor is a whole number of steps."""
        return -(-self._bound // (self._step * self.pairs.fine)) * self._step

    def _within_reach(self, weight: float) -> int:
        """Return the largest bound, in units, that a relaxation of this weight can prove."""
        return ceil((weight * (1 - _CLOSE) - _SLACK) / self._step) * self._step

    def _closed(self) -> bool:
        return self._units() >= self._best.weight * (1 - _CLOSE)

    def _open(self) -> bool:
        return not self._closed() and self._left() > 0

    def _left(self) -> float:
        return self._deadline - clock()


def _keys(edges: NDArray[np.int32], n: int) -> NDArray[np.int64]:
    return edges[:, 0].astype(np.int64) * n + edges[:, 1]


def _different(edges: NDArray[np.int32], n: int) -> NDArray[np.int32]:
    """Return each edge once."""
    return np.column_stack(np.divmod(np.unique(_keys(edges, n)), n)).astype(np.int32)


def _others(edges: NDArray[np.int32], known: NDArray[np.int32], n: int) -> NDArray[np.int32]:
    """Return the edges that are not known."""
    return edges[~np.isin(_keys(edges, n), _keys(known, n))]
