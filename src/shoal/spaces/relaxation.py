"""The linear relaxation of a factor's program, which grows by edges and by cuts."""

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.edges import Duals, edge_weights
from shoal.programs import Entries, Outcome, Program
from shoal.spaces.blossoms import Cut, Fractions
from shoal.spaces.pairs import Pairs

_SPREAD = 4  # a dual above so many times the dearest edge is the solver's mistake


class Relaxation:
    """Values from 0 to 1 for edges and for omitted records; each record has enough of them, and no cut is broken.

    The columns are the omitted records, if any may be, and then the edges. The rows are the degrees of the records, then
    the number of omitted records, if there is a limit, and then the cuts.

    Args:
        pairs: What edges weigh.
        least: The least number of edges at a record, 1 or 2; the most is 2.
        limit: How many records may be omitted.
    """

    def __init__(self, pairs: Pairs, least: int, limit: int) -> None:
        self.pairs, self.least, self.limit = pairs, least, limit
        self.edges = np.zeros((0, 2), dtype=np.int32)
        self.cuts: list[Cut] = []
        self._scale = 1.0 / max(pairs.dearest, 1) * 100.0
        self._program = Program(step=self._scale if pairs.exact else 0.0)
        n = pairs.n
        self._program.add_rows(np.full(n, float(least)), np.full(n, 2.0))
        if limit:
            self._program.add_rows(np.zeros(1), np.array([float(limit)]))
            rows = np.column_stack([np.arange(n), np.full(n, n)]).ravel()
            entries = Entries(2 * np.arange(n), rows, np.tile([float(least), 1.0], n))
            costs = np.full(n, pairs.omitted * self._scale)
            self._program.add_columns(costs, np.zeros(n), np.ones(n), entries)

    def add_edges(self, edges: NDArray[np.int32]) -> None:
        """Add edges that there are not yet, the lower record first."""
        first_cut = self.pairs.n + bool(self.limit)
        owners, rows = [np.repeat(np.arange(len(edges)), 2)], [edges.ravel().astype(np.int64)]
        for number, cut in enumerate(self.cuts):
            touched = np.flatnonzero(self._held(cut, edges))
            owners.append(touched)
            rows.append(np.full(len(touched), first_cut + number))
        owner, row = np.concatenate(owners), np.concatenate(rows)
        order = np.argsort(owner, kind="stable")
        starts = np.searchsorted(owner[order], np.arange(len(edges)))
        costs = edge_weights(self.pairs.weights, edges) * self._scale
        self._program.add_columns(costs, np.zeros(len(edges)), np.ones(len(edges)), Entries(starts, row[order]))
        self.edges = np.concatenate([self.edges, edges])

    def add_cuts(self, cuts: list[Cut]) -> None:
        """Add cuts."""
        starts, columns = [0], []
        first_edge = self.pairs.n if self.limit else 0
        for cut in cuts:
            held = self._held(cut, self.edges)
            held[cut.teeth] = True
            own = first_edge + np.flatnonzero(held)
            if self.limit and self.least == 1:
                own = np.concatenate([np.flatnonzero(cut.inside), own])
            columns.append(own)
            starts.append(starts[-1] + len(own))
        sides, free = np.array([float(cut.side) for cut in cuts]), np.full(len(cuts), np.inf)
        bounds = (sides, free) if self.least == 1 else (-free, sides)
        self._program.add_rows(*bounds, Entries(np.array(starts[:-1]), np.concatenate(columns)))
        self.cuts += cuts

    def _held(self, cut: Cut, edges: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Return the edges that a cut counts, without its teeth."""
        ends = cut.inside[edges]
        return ends.any(axis=1) if self.least == 1 else ends.all(axis=1)

    def solve(self, seconds: float) -> Outcome:
        """Minimize."""
        return self._program.solve(seconds)

    def solve_whole(self, edges: NDArray[np.int32], omitted: NDArray[np.bool_], seconds: float) -> Outcome:
        """Minimize over whole values, beginning with a factor of edges that there are."""
        n = self.pairs.n
        self._program.set_integer(np.arange(self._program.n_columns))
        keys, own = (ends[:, 0].astype(np.int64) * n + ends[:, 1] for ends in (self.edges, edges))
        values = np.isin(keys, own).astype(np.float64)
        self._program.start_from(np.concatenate([omitted.astype(np.float64), values]) if self.limit else values)
        return self._program.solve(seconds)

    def weight(self, outcome: Outcome) -> float:
        """Return the least weight, in units."""
        return outcome.objective / self._scale

    def fractions(self, outcome: Outcome) -> Fractions:
        """Return the values of a solution."""
        first_edge = self.pairs.n if self.limit else 0
        omitted = outcome.values[:first_edge] if self.limit else np.zeros(self.pairs.n)
        return Fractions.of(self.pairs.n, self.edges, outcome.values[first_edge:], omitted)

    def duals(self, outcome: Outcome) -> tuple[Duals, int]:
        """Return the duals in fine units, and the bound that they prove if no edge weighs less than nothing by them.

        Whatever whole numbers the duals are, every factor weighs at least the sum, over the rows, of the dual times the
        side of the row that it holds at (the lower for a positive dual), and, over the columns, of what is negative of
        the weight less the duals of its rows, since no value is above 1. The sign of a cut's dual is that of its side.
        The columns of omitted records are added up here, those of edges by `least_edges`.
        """
        pairs, n = self.pairs, self.pairs.n
        most = _SPREAD * pairs.dearest * pairs.fine
        whole = np.rint(np.clip(outcome.duals * (pairs.fine / self._scale), -most, most)).astype(np.int64)
        own, of_cuts = whole[:n], whole[n + bool(self.limit) :]
        of_cuts = np.maximum(of_cuts, 0) if self.least == 1 else np.minimum(of_cuts, 0)
        bound = self.least * int(np.maximum(own, 0).sum()) + 2 * int(np.minimum(own, 0).sum())
        bound += sum(cut.side * dual for cut, dual in zip(self.cuts, of_cuts.tolist(), strict=True))
        used = np.flatnonzero(of_cuts)
        charges, paid = own.copy(), own * self.least
        if self.least == 1:
            for number in used:
                charges[self.cuts[number].inside] += of_cuts[number]
            paid = charges
        if self.limit:
            many = min(int(whole[n]), 0)
            bound += many * self.limit + int(np.minimum(pairs.omitted * pairs.fine - paid - many, 0).sum())
        return self._given_back(charges, used, np.abs(of_cuts[used])), bound

    def _given_back(self, charges: NDArray[np.int64], used: NDArray[np.int64], adds: NDArray[np.int64]) -> Duals:
        """List the sets and the teeth of the cuts that have a dual."""
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
