"""The linear relaxation of a factor's program, which grows by edges and by cuts."""

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.matching.edges import Duals, edge_weights
from shoal.search.matching.blossoms import Cut, Fractions
from shoal.search.matching.pairs import Pairs
from shoal.search.solver import MatrixEntries, Program, SolverResult

_SPREAD = 4  # a dual above so many times the heaviest edge is an error of the solver
_IDLE = 1e-6  # a smaller dual counts as 0
_HEAVIEST = 100.0  # the cost of the heaviest edge in the solver's program


class Relaxation:
    """Values from 0 to 1 for edges and omitted records, with degree 2 at each record, that satisfy all cuts.

    A record that needs only one edge has a spare one, which weighs nothing and has no other end. An omitted record
    counts as two edges. The columns are the spare edges, the omitted records, if any are allowed, and then the edges.
    The rows are the records, then the number of omitted records, if any are allowed, and then the cuts.

    Args:
        pairs: The weights of edges.
        least: The least number of edges at a record, 1 or 2; the most is 2.
        limit: How many records may be omitted.
    """

    def __init__(self, pairs: Pairs, least: int, limit: int) -> None:
        self.pairs, self.limit = pairs, limit
        self.edges = np.zeros((0, 2), dtype=np.int32)
        self.cuts: list[Cut] = []
        self._scale = _HEAVIEST / max(pairs.heaviest, 1)
        self._n_spare, self._n_omitted = pairs.n if least == 1 else 0, pairs.n if limit else 0
        self._vertex, self._centre = Program(), Program(centre=True)
        for program in (self._vertex, self._centre):
            self._add_records(program)

    def _add_records(self, program: Program) -> None:
        """Add the rows of the records, and all columns but those of edges."""
        n = self.pairs.n
        program.add_rows(np.full(n, 2.0), np.full(n, 2.0))
        if self.limit:
            program.add_rows(np.zeros(1), np.array([float(self.limit)]))
        if self._n_spare:
            program.add_columns(np.zeros(n), np.zeros(n), np.ones(n), MatrixEntries(np.arange(n), np.arange(n)))
        if self.limit:
            rows = np.column_stack([np.arange(n), np.full(n, n)]).ravel()
            entries = MatrixEntries(2 * np.arange(n), rows, np.tile([2.0, 1.0], n))
            costs = np.full(n, self.pairs.omitted * self._scale)
            program.add_columns(costs, np.zeros(n), np.ones(n), entries)

    @property
    def _first_edge(self) -> int:
        return self._n_spare + self._n_omitted

    @property
    def _first_cut(self) -> int:
        return self.pairs.n + bool(self.limit)

    def add_edges(self, edges: NDArray[np.int32]) -> None:
        """Add edges that are not in the program yet, the lower record first."""
        owners, rows = [np.repeat(np.arange(len(edges)), 2)], [edges.ravel().astype(np.int64)]
        for number, cut in enumerate(self.cuts):
            inside = np.flatnonzero(cut.inside[edges].all(axis=1))
            owners.append(inside)
            rows.append(np.full(len(inside), self._first_cut + number))
        owner, row = np.concatenate(owners), np.concatenate(rows)
        order = np.argsort(owner, kind="stable")
        starts = np.searchsorted(owner[order], np.arange(len(edges)))
        costs = self._costs(edges)
        for program in (self._vertex, self._centre):
            program.add_columns(costs, np.zeros(len(edges)), np.ones(len(edges)), MatrixEntries(starts, row[order]))
        self.edges = np.concatenate([self.edges, edges])

    def _costs(self, edges: NDArray[np.int32]) -> NDArray[np.float64]:
        return edge_weights(self.pairs.weights, edges).astype(np.float64) * self._scale

    def add_cuts(self, cuts: list[Cut]) -> None:
        """Add cuts."""
        for program in (self._vertex, self._centre):
            self._cut(program, cuts, np.arange(len(self.edges)))
        self.cuts += cuts

    def _cut(self, program: Program, cuts: list[Cut], used: NDArray[np.int64]) -> None:
        """Add cuts to a program of some edges."""
        columns = []
        for cut in cuts:
            held = np.asarray(cut.inside[self.edges].all(axis=1))
            held[cut.teeth] = True
            omitted = self._n_spare + np.flatnonzero(cut.inside) if self.limit else cut.spares[:0]
            columns.append(np.concatenate([cut.spares, omitted, self._first_edge + np.flatnonzero(held[used])]))
        starts = np.cumsum([0, *(len(own) for own in columns[:-1])])
        sides = np.array([float(cut.side) for cut in cuts])
        program.add_rows(np.full(len(cuts), -np.inf), sides, MatrixEntries(starts, np.concatenate(columns)))

    def renew(self, outcome: SolverResult) -> None:
        """Drop the cuts whose dual was 0 in a solution, if they are many; cuts added since are kept."""
        duals = np.abs(outcome.duals[self._first_cut :])
        idle = np.flatnonzero(duals <= _IDLE)
        if 2 * len(idle) < len(duals):
            return
        self.cuts = [cut for number, cut in enumerate(self.cuts) if number >= len(duals) or duals[number] > _IDLE]
        self._vertex, self._centre = Program(), Program(centre=True)
        for program in (self._vertex, self._centre):
            self._fill(program, np.arange(len(self.edges)))

    def _fill(self, program: Program, used: NDArray[np.int64]) -> None:
        """Build a program of some edges with all cuts."""
        self._add_records(program)
        edges = self.edges[used]
        entries = MatrixEntries(2 * np.arange(len(edges)), edges.ravel().astype(np.int64))
        program.add_columns(self._costs(edges), np.zeros(len(edges)), np.ones(len(edges)), entries)
        if self.cuts:
            self._cut(program, self.cuts, used)

    def solve(self, seconds: float, *, centre: bool) -> SolverResult:
        """Minimize, to a vertex or to the centre of all optima."""
        return (self._centre if centre else self._vertex).solve(seconds)

    def solve_whole(self, used: NDArray[np.int64], seconds: float, most_nodes: int) -> tuple[SolverResult, Fractions]:
        """Minimize over whole values of some edges, given by their indices."""
        program = Program(step=self._scale if self.pairs.exact else 0.0, most_nodes=most_nodes)
        self._fill(program, used)
        program.set_integer(np.arange(program.n_columns))
        outcome = program.solve(seconds)
        values = outcome.values if len(outcome.values) else np.zeros(program.n_columns)
        return outcome, self._fractions(values, self.edges[used])

    def weight(self, outcome: SolverResult) -> float:
        """Return the least weight, in units."""
        return outcome.objective / self._scale

    def fractions(self, outcome: SolverResult) -> Fractions:
        """Return the values of a solution."""
        return self._fractions(outcome.values, self.edges)

    def _fractions(self, values: NDArray[np.float64], edges: NDArray[np.int32]) -> Fractions:
        spare, omitted, of_edges = np.split(values, [self._n_spare, self._first_edge])
        return Fractions.of(edges, of_edges, spare, omitted if self.limit else np.zeros(self.pairs.n))

    def duals(self, outcome: SolverResult) -> tuple[Duals, int]:
        """Return the dual values in fine units, and the bound that they prove if no edge has a negative reduced weight.

        Let the dual values be any whole numbers, those of the cuts and of the limit not positive. Every factor weighs
        at least the sum over the rows of the dual value times the right-hand side, plus the sum over the columns of the
        negative reduced weights, since no value is above 1. The columns of spare edges and omitted records are added
        here, those of edges by `least_edges`.
        """
        pairs, n = self.pairs, self.pairs.n
        most = _SPREAD * pairs.heaviest * pairs.fine
        whole = np.rint(np.clip(outcome.duals * (pairs.fine / self._scale), -most, most)).astype(np.int64)
        own, of_cuts = whole[:n], np.minimum(whole[self._first_cut :], 0)
        used = np.flatnonzero(of_cuts)
        bound = 2 * int(own.sum()) + sum(self.cuts[number].side * int(of_cuts[number]) for number in used)
        inside, spare = np.zeros(n, dtype=np.int64), -own
        for number in used:
            inside[self.cuts[number].inside] += of_cuts[number]
            spare[self.cuts[number].spares] -= of_cuts[number]
        if self._n_spare:
            bound += int(np.minimum(spare, 0).sum())
        if self.limit:
            many = min(int(whole[n]), 0)
            omitted = pairs.omitted * pairs.fine - 2 * own - many - inside
            bound += many * self.limit + int(np.minimum(omitted, 0).sum())
        return self._given_back(own, used, -of_cuts[used]), bound

    def _given_back(self, charges: NDArray[np.int64], used: NDArray[np.int64], adds: NDArray[np.int64]) -> Duals:
        """Return the duals with the sets and the teeth of the cuts whose dual value is not 0."""
        n, cuts = self.pairs.n, [self.cuts[number] for number in used]
        sets = [np.flatnonzero(cut.inside) for cut in cuts]
        members = np.concatenate([np.zeros(0, dtype=np.int64), *sets])
        sizes = np.array([len(one) for one in sets], dtype=np.int64)
        numbers = np.repeat(np.arange(len(sets)), sizes)
        by_record = np.argsort(members, kind="stable")
        teeth = self.edges[np.concatenate([np.zeros(0, dtype=np.int64), *(cut.teeth for cut in cuts)])]
        teeth_adds = np.repeat(adds, [len(cut.teeth) for cut in cuts])
        ends = np.concatenate([teeth, teeth[:, ::-1]])
        order = np.argsort(ends[:, 0], kind="stable")
        counting = np.arange(n + 1)
        return Duals(
            charges=charges,
            starts=np.concatenate([[0], np.cumsum(sizes)]),
            members=members.astype(np.int32),
            adds=adds,
            set_starts=np.searchsorted(members[by_record], counting),
            sets=numbers[by_record].astype(np.int32),
            pair_starts=np.searchsorted(ends[order, 0], counting),
            others=np.ascontiguousarray(ends[order, 1]),
            pair_adds=np.tile(teeth_adds, 2)[order],
        )
