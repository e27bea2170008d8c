"""The program of simplex matching: classes of two and three records, odd sets, and what dual values prove."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.matching.pairs import beyond_charges, least_in_rows, light_triples
from shoal.search.matching.small_classes import SmallClasses
from shoal.search.solver import MatrixEntries, Program, SolverResult

_NEAR = 6  # pairs of each record in the first program
_NEW = 3  # the largest number of pairs of each record that are added at once
_MOST_NODES = 1_000  # nodes of the search tree of a mixed-integer program
_ALL = 2**62  # pairs of neighbours that are looked at where none may be missing
_SLIGHT = 16  # the rounding error of a dual value, in small units

OddSets = NDArray[np.int64]
"""Classes of one, two or three records: `sets[number]` are their kinds, ascending, padded with -1."""


@dataclass(frozen=True, slots=True, eq=False)
class DualValues:
    """Dual values as whole numbers: the charge of each record and of each cut.

    Args:
        records: The charge of a record of each kind.
        cuts: The charges of the cuts, never negative.
        single: The value of one more suppressed record, never negative.
    """

    records: NDArray[np.int64]
    cuts: NDArray[np.int64]
    single: int


class MatchingProgram:
    """The linear program over classes of two and three records, with rows for odd sets of records.

    Records of one kind are alike: the value of a class is how many classes of such kinds there are. An odd set contains
    all records of a kind or none. Nothing is lost by that: the mean of a fractional choice over all orders of the
    records of a kind is one that treats them alike; and in a multigraph with as many parallel edges as one likes, the
    rows for such sets are all that a whole choice of pairs satisfies (Edmonds 1965).

    Args:
        classes: The costs of classes.
        start: Classes of all records, to start with.
        limit: How many records may be suppressed.
    """

    def __init__(self, classes: SmallClasses, start: OddSets, limit: int) -> None:
        self.classes, self.limit = classes, limit
        self.n_kinds = len(classes.point)
        self.sets = np.zeros((0, 3), dtype=np.int64)
        self.inside = np.zeros((0, self.n_kinds + 1), dtype=np.bool_)  # the last entry is for the padding
        self._left = np.empty_like(classes.pairs)
        self._program = Program()
        copies = classes.copies.astype(np.float64)
        self._program.add_rows(copies, copies)
        self._program.add_rows(np.array([-np.inf]), np.array([float(limit)]))
        self.add(start)
        if limit:
            self.add(padded(np.arange(self.n_kinds)[:, None]))
        self.add(self._near())
        if classes.n_records % 2:
            self.cut([np.arange(self.n_kinds)])

    def costs(self, sets: OddSets) -> NDArray[np.int64]:
        """Return the costs of classes, in the small unit."""
        found = np.full(len(sets), self.classes.suppressed, dtype=np.int64)
        two, three = (sets[:, 1] >= 0) & (sets[:, 2] < 0), sets[:, 2] >= 0
        found[two] = self.classes.pairs[sets[two, 0], sets[two, 1]]
        found[three] = self.classes.triples(sets[three])
        return found

    def _amounts(self, sets: OddSets) -> NDArray[np.float64]:
        """Return the costs of classes, in the unit of the measure."""
        return self.costs(sets).astype(np.float64) * self.classes.unit

    def _near(self) -> OddSets:
        near = least_in_rows(self.classes.pairs, self.classes.apart, _NEAR)
        return self._pairs_of(near[:, 0], near[:, 1])

    def _pairs_of(self, one: NDArray[np.int64], other: NDArray[np.int64]) -> OddSets:
        allowed = self.classes.pairs[one, other] < self.classes.apart
        pairs = np.column_stack([np.minimum(one, other), np.maximum(one, other)])[allowed]
        return padded(np.unique(pairs, axis=0))

    def _most(self, sets: OddSets) -> NDArray[np.int64]:
        """Return how many of each class there can be: of each kind there are so many records."""
        kinds, same = np.sort(sets, axis=1), np.ones(sets.shape, dtype=np.int64)
        same[:, 1] += kinds[:, 0] == kinds[:, 1]
        same[:, 2] += np.where(kinds[:, 1] == kinds[:, 2], same[:, 1], 0)
        return np.where(kinds >= 0, np.append(self.classes.copies, 0)[kinds] // same, np.iinfo(np.int64).max).min(
            axis=1
        )

    def _keys(self, sets: OddSets) -> NDArray[np.int64]:
        base = self.n_kinds + 1
        return ((sets[:, 0] + 1) * base + sets[:, 1] + 1) * base + sets[:, 2] + 1

    def add(self, sets: OddSets) -> int:
        """Add the classes that are not in the program yet; return how many."""
        sets = sets[~np.isin(self._keys(sets), self._keys(self.sets))]
        if len(sets):
            costs, ones = self._amounts(sets), np.ones(len(sets))
            self._program.add_columns(costs, 0 * ones, np.inf * ones, self._entries(sets, np.arange(len(self.inside))))
            self.sets = np.concatenate([self.sets, sets])
        return len(sets)

    def _odd(self, sets: OddSets, cuts: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return `odd[set, cut]`, whether a class has an odd number of records of a cut."""
        inside = self.inside[cuts]
        return (inside[:, sets[:, 0]] ^ inside[:, sets[:, 1]] ^ inside[:, sets[:, 2]]).T

    def _entries(self, sets: OddSets, cuts: NDArray[np.int64]) -> MatrixEntries:
        number, slot = np.nonzero(sets >= 0)
        alone = np.flatnonzero(sets[:, 1] < 0)
        odd, cut = np.nonzero(self._odd(sets, cuts))
        owners = np.concatenate([number, alone, odd])
        rows = np.concatenate([sets[number, slot], np.full(len(alone), self.n_kinds), self.n_kinds + 1 + cut])
        keys, amounts = np.unique(owners * self._program.n_rows + rows, return_counts=True)
        owners, rows = np.divmod(keys, self._program.n_rows)
        return MatrixEntries(np.searchsorted(owners, np.arange(len(sets))), rows, amounts.astype(np.float64))

    def cut(self, members: list[NDArray[np.int64]]) -> None:
        """Add a row for each odd set of records, given by its kinds: at least one class has an odd number of them."""
        inside = np.zeros((len(members), self.n_kinds + 1), dtype=np.bool_)
        for row, kinds in enumerate(members):
            inside[row, kinds] = True
        one, two, three = self.sets.T
        cut, column = np.nonzero(inside[:, one] ^ inside[:, two] ^ inside[:, three])
        starts = np.searchsorted(cut, np.arange(len(members)))
        self._program.add_rows(np.ones(len(members)), np.full(len(members), np.inf), MatrixEntries(starts, column))
        self.inside = np.concatenate([self.inside, inside])

    def solve(self, seconds: float) -> SolverResult:
        """Return the best fractional choice of the classes in the program."""
        return self._program.solve(seconds)

    def chosen(self, sets: OddSets, charges: DualValues, start: OddSets, seconds: float) -> SolverResult:
        """Return the best whole choice of some classes, from a partition; with rows for the charged cuts."""
        grid, copies = self.classes.grid, self.classes.copies.astype(np.float64)
        program = Program(step=grid.unit if grid.exact else 0.0, most_nodes=_MOST_NODES)
        most = self._most(sets).astype(np.float64)
        program.add_rows(copies, copies)
        program.add_rows(np.array([-np.inf]), np.array([float(self.limit)]))
        charged = np.flatnonzero(charges.cuts)
        program.add_rows(np.ones(len(charged)), np.full(len(charged), np.inf))
        program.add_columns(self._amounts(sets), 0 * most, most, self._entries(sets, charged), integer=True)
        begun, times = np.unique(self._keys(start), return_counts=True)
        place = np.minimum(np.searchsorted(begun, self._keys(sets)), len(begun) - 1)
        program.start_from(np.where(begun[place] == self._keys(sets), times[place], 0).astype(np.float64))
        return program.solve(seconds)

    def charges(self, duals: NDArray[np.float64]) -> DualValues:
        """Return dual values as whole numbers."""
        rounded = np.rint(duals / self.classes.unit).astype(np.int64)
        records, single, cuts = np.split(rounded, [self.n_kinds, self.n_kinds + 1])
        return DualValues(records, np.maximum(cuts, 0), max(-int(single[0]), 0))

    def _pairs_left(self, charges: DualValues) -> NDArray[np.int64]:
        """Return the reduced cost of each pair, in an array that is reused.

        A cut counts a pair with one record in it. So both records are charged for it, and a pair inside gets that back.
        """
        charged = np.flatnonzero(charges.cuts)
        records = charges.records + charges.cuts[charged] @ self.inside[charged, :-1]
        beyond_charges(self.classes.pairs, records, self._left)
        for cut in charged:
            members = np.flatnonzero(self.inside[cut, :-1])
            self._left[np.ix_(members, members)] += 2 * charges.cuts[cut]
        return self._left

    def beyond(self, charges: DualValues, sets: OddSets) -> NDArray[np.int64]:
        """Return the reduced costs of classes: cost minus the charges of their records and of cuts that count them."""
        charged = np.flatnonzero(charges.cuts)
        paid = np.append(charges.records, 0)[sets].sum(axis=1) + self._odd(sets, charged) @ charges.cuts[charged]
        return self.costs(sets) - paid + np.where(sets[:, 1] < 0, charges.single, 0)

    def settled(self, charges: DualValues) -> tuple[DualValues, int]:
        """Lower the charges until no class costs less than it is charged; return them with the bound that they prove.

        In a partition each record is in one class, and each cut counts at least one class. So the sum of all charges,
        minus the value of the suppressed records, is at most the cost of the classes. A triple that still costs less
        than it is charged counts as often as there are records for it. Only whole numbers are added.
        """
        lower = np.maximum(-(self._pairs_left(charges).min(axis=1) // 2), 0)
        if self.limit:
            alone = padded(np.arange(self.n_kinds)[:, None])
            lower = np.maximum(lower, -self.beyond(charges, alone))
        charges = replace(charges, records=charges.records - lower)
        triples, _ = self._triples_in_cuts(charges, self._pairs_left(charges), 0, _ALL)
        beyond = np.minimum(self.beyond(charges, triples), 0) @ self._most(triples)
        total = int(charges.records @ self.classes.copies) + int(charges.cuts.sum()) - self.limit * charges.single
        return charges, total + int(beyond)

    def _triples_in_cuts(
        self, charges: DualValues, left: NDArray[np.int64], slack: int, most: int
    ) -> tuple[OddSets, int]:
        """Return the triples inside a cut that may have a reduced cost below `slack`, and the work of listing them.

        Where that is more than `most`, some are missing.

        A triple costs at least half of what its three pairs cost, and so it is for reduced costs, except for the cuts
        that contain it: they count a triple, and none of its pairs.
        """
        found, work = [np.zeros((0, 3), dtype=np.int64)], 0
        charged = np.flatnonzero(charges.cuts)
        for cut in charged:
            members = np.flatnonzero(self.inside[cut, :-1])
            shared = self.inside[np.ix_(charged, members)] @ self.classes.copies[members] > 2
            beyond = int(charges.cuts[charged][shared].sum())
            triples, visited = light_triples(left, members, 2 * (beyond + slack), most - work)
            found.append(triples)
            work += visited
            if work > most:
                break
        triples = np.unique(np.concatenate(found), axis=0)
        return triples[self._most(triples) > 0], work

    def parts_all(self, sets: OddSets) -> bool:
        """Return whether classes are a partition of all records, with no more suppressed than allowed."""
        each = np.bincount(sets[sets >= 0], minlength=self.n_kinds)
        return bool((each == self.classes.copies).all()) and int((sets[:, 1] < 0).sum()) <= self.limit

    def slack(self, bound: int, cost: int) -> int:
        """Return how far above a bound a partition may cost that is better than `cost`; negative if there is none.

        Where prices have a common unit, better means better by one unit. Otherwise costs and charges are rounded.
        """
        return cost - bound - (self.classes.parts if self.classes.grid.exact else _SLIGHT * self.classes.n_records)

    def priced(self, charges: DualValues) -> OddSets:
        """Return classes with negative reduced cost: some pairs of each kind, else triples inside cuts."""
        left = self._pairs_left(charges)
        excessive = least_in_rows(left, -_SLIGHT, _NEW)
        if len(excessive):
            return self._pairs_of(excessive[:, 0], excessive[:, 1])
        triples, _ = self._triples_in_cuts(charges, left, 0, _ALL)
        beyond = self.beyond(charges, triples)
        least = np.argsort(beyond, kind="stable")[: _NEW * self.n_kinds]
        return triples[least[beyond[least] < -_SLIGHT]]

    def nearest(self, charges: DualValues, slack: int, few: int) -> OddSets:
        """Return a few classes for each kind in the program with a reduced cost of at most `slack`."""
        beyond = self.beyond(charges, self.sets)
        least = np.argsort(beyond, kind="stable")[: few * self.n_kinds]
        return self.sets[least[beyond[least] <= slack]]

    def within(self, charges: DualValues, slack: int, most: int) -> OddSets | None:
        """Return all classes with a reduced cost of at most `slack`, by settled charges; None if they are too many.

        Args:
            charges: The settled charges.
            slack: The largest reduced cost.
            most: The largest number of pairs of neighbours of a record that are looked at.
        """
        left = self._pairs_left(charges)
        one, other = np.nonzero(left <= slack)
        everyone = np.arange(self.n_kinds)
        free, work = light_triples(left, everyone, 2 * slack + 1, most)
        tied, more = self._triples_in_cuts(charges, left, slack + 1, most - work)
        if work + more > most:
            return None
        sets = [self._pairs_of(one, other), tied, free, padded(everyone[:, None])[: self.n_kinds if self.limit else 0]]
        found = np.unique(np.concatenate(sets), axis=0)
        return found[(self.beyond(charges, found) <= slack) & (self._most(found) > 0)]


def padded(sets: NDArray[np.int64]) -> OddSets:
    """Return classes of up to three records, given by their kinds, padded with -1."""
    return np.pad(sets, ((0, 0), (0, 3 - sets.shape[1])), constant_values=-1).astype(np.int64)
