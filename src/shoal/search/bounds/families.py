"""Families of patterns for a table: every class of k records lies in a pattern that costs no more than it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.bounds.charges import ANY_VALUES, NO_CAPS, Charges
from shoal.kernels.bounds.column_patterns import DistinctRows, ranked_leaves
from shoal.kernels.bounds.families import PatternList, visit_patterns
from shoal.kernels.local.closures import RANGES, TREE, Forms, meet, range_price, set_price
from shoal.models.caps import PARTS
from shoal.models.requirement import Requirement
from shoal.search.problem import PointCharges, Problem
from shoal.tables.distinct_rows import distinct_rows

_PAIRS = 8  # in a column of sets with up to so many values, pairs of values are patterns,
_FEW = 200  # if the table has up to so many points
_DEEPER = 4.0  # the factor by which caps grow from one search to the next
_SHALLOW = 1 / 1024  # the first caps, as a share of what a class of all records costs beyond the values; the last is 1
_MOST_PATTERNS = 5_000_000
_MOST_MEMBERS, _MEMBERS, _MEMBERS_FOR_EACH = (
    25_000_000,
    1_000_000,
    800,
)  # the limit, and so many plus so many for each point
_MOST_LOOKED_AT = 1_000_000_000  # the largest number of points of patterns that a search visits,
_LOOKED_AT, _LOOKED_AT_FOR_EACH = 50_000_000, 30_000  # and so many plus so many for each point
_QUICK_LOOKED_AT, _QUICK_FOR_EACH = 40_000_000, 100  # the same where the bound must be quick
_LAST = 0.05  # then no further search is made for the last share of the records of points with fewer than k
_NOTHING = Requirement()


@dataclass(frozen=True, slots=True, eq=False)
class Family:
    """A table in the columns that can cost anything, with a family of patterns.

    A pattern has points and a price, and every class S of at least k records has a pattern p(S) that contains its
    points and costs no more. In a tree it is the lowest common ancestor of S, or a node above it of the same price.
    Ranges with the same first value are one pattern if their prices are similar, at the least of these prices. Sets are
    one pattern for each value, one for each pair if there are few values, and one for all others, at the least price of
    such a set. Prices need not grow with the class for this.

    Args:
        forms: What a class may be published as, and its price.
        points: The distinct rows.
        values: What each point costs if nothing is hidden: a lower bound on its cost in any class.
        most: What suppressing a record costs, where that is allowed; an upper bound on every charge.
        whole: What one class of all records costs, or `most` if that is less.
        constant: What each record costs in the columns that are left out, which have one value or no weight.
        gone: How many records every release suppresses, at least.
        ceilings: For a part of a table, what each point costs at least in a class with a record from outside of the
            part.
        row_of: The row of each point of the tally.
        shown: The sensitive value of each distinct row, where shares of values are capped.
        column: The number of the sensitive column of these values.
        caps: How much of k records each value may have, in parts of a record.
        spare: How much all values together may have above their caps.
    """

    forms: Forms
    points: DistinctRows
    values: NDArray[np.float64]
    most: float
    whole: float
    constant: float
    gone: int
    ceilings: NDArray[np.float64] | None
    row_of: NDArray[np.int32]
    shown: NDArray[np.int32] = field(default_factory=ANY_VALUES.copy)
    column: int | None = None
    caps: NDArray[np.int64] = field(default_factory=NO_CAPS.copy)
    spare: int = 0

    @classmethod
    def of(cls, problem: Problem, forms: Forms, k: int, gone: int = 0, required: Requirement = _NOTHING) -> "Family":
        """Count the distinct rows; the search starts with the columns that have few values.

        Args:
            problem: The problem.
            forms: What a class may be published as, and its price.
            k: The least number of records of a class.
            gone: How many records every release suppresses, at least.
            required: What promises ask of a class beyond k: its caps count.
        """
        tally, capped = problem.tally, required.caps
        column = None if capped is None else [one.name for one in tally.sensitive].index(str(required.column))
        some = tally.counts > 0
        codes, counts = tally.codes[some], tally.counts[some]
        present, kept = _kept(forms, codes)
        sizes = [tally.quasi[j].hierarchy.n_leaves for j in kept]
        values_of = [] if column is None else [tally.profile_codes[tally.profiles[some], column]]
        widths = sizes if column is None else [*sizes, len(tally.sensitive[column].values)]
        row_of, rows = distinct_rows([*(codes[:, j] for j in kept), *values_of], widths, len(codes))
        shown = ANY_VALUES if column is None else np.ascontiguousarray(rows[:, -1])
        rows = rows[:, : len(kept)]
        weights = np.bincount(row_of, weights=counts, minlength=len(rows)).astype(np.int64)
        points, values = _points(forms, kept, sizes, rows, weights, k)
        constant = _constant(forms, present, kept)
        suppressible = problem.limit > 0 if problem.border is None else problem.max_suppressed > 0
        most = forms.full - constant if suppressible else np.inf
        whole = min(sum(_closure_price(forms, j, present[j]) for j in kept), most)
        ceilings = None
        if problem.border is not None:
            ceilings = np.full(len(rows), np.inf)
            np.minimum.at(ceilings, row_of, _crossing(forms, codes, problem.border.leaving) - constant)
        values = np.minimum(values, whole)
        caps, spare = (NO_CAPS.copy(), 0) if capped is None else capped.of(k)
        return cls(forms, points, values, most, whole, constant, gone, ceilings, row_of, shown, column, caps, spare)

    @classmethod
    def across(
        cls,
        forms: Forms,
        n_leaves: Sequence[int],
        codes: NDArray[np.int32],
        counts: NDArray[np.int64],
        parts: NDArray[np.int32],
        k: int,
    ) -> "Family":
        """Take the points of a table in parts as they are; only patterns with points of several parts count.

        Args:
            forms: What a class may be published as, and its price.
            n_leaves: The number of leaves of each column.
            codes: The leaves of each point.
            counts: The number of records of each point.
            parts: The part of each point.
            k: The least number of records of a class.
        """
        present, kept = _kept(forms, codes)
        points, values = _points(forms, kept, [n_leaves[j] for j in kept], codes[:, kept], counts, k)
        whole = sum(_closure_price(forms, j, present[j]) for j in kept)
        row_of = np.arange(len(codes), dtype=np.int32)
        constant = _constant(forms, present, kept)
        return cls(forms, points._replace(parts=parts), values, np.inf, whole, constant, 0, None, row_of)

    def __len__(self) -> int:
        return len(self.values)

    @property
    def tops(self) -> NDArray[np.float64]:
        """An upper bound on each charge: what suppression costs."""
        return np.full(len(self), self.most)

    def charged(self, own: NDArray[np.float64]) -> float:
        """Return the sum of the charges of all points, and what suppressed records cost beyond theirs, at least.

        A suppressed record costs `most`, which no charge exceeds. That costs least beyond the charges if the records
        that are charged most are suppressed.
        """
        counts = self.points.counts
        total = float(own @ counts)
        if self.gone == 0:
            return total
        order = np.argsort(-own)
        before = np.cumsum(counts[order]) - counts[order]
        return total + float((self.most - own[order]) @ np.clip(self.gone - before, 0, counts[order]))

    def beyond(self, own: NDArray[np.float64]) -> float:
        """Return by how much the charges are above the ceilings, all together.

        If no charge is, then a class with a record from outside of the part costs no less than its records are charged;
        and the classes inside are charged no more than before.
        """
        return 0.0 if self.ceilings is None else float(np.maximum(own - self.ceilings, 0.0) @ self.points.counts)

    def told(self, own: NDArray[np.float64], excess: float) -> PointCharges:
        """Return the charges of a part by the points of its tally, with what the columns that are left out cost."""
        assert self.ceilings is not None  # noqa: S101  (of a part of a table they are known)
        charges = (own + self.constant)[self.row_of]
        return PointCharges(charges, (self.ceilings + self.constant)[self.row_of], excess)

    def floors(self, enough: Callable[[], bool], *, quick: bool, beyond: bool = True) -> NDArray[np.float64]:
        """Return a lower bound on the price of every class of each point: the least price of its patterns.

        A class costs no less than its pattern, which is one of them. The minimum of that price and of any cap is a
        lower bound, too. So caps are low at first, which cuts the search short, and grow until they are what a class of
        all records costs, or until a search takes too long; then the result of the one before counts.

        Args:
            enough: Returns whether to stop with what is known.
            quick: Whether searches are shorter, and none is made for the last few records.
            beyond: Whether floors above the ceilings of a part are searched for.
        """
        ceilings = None if beyond else self.ceilings
        known, share, settled = self.values, _SHALLOW, np.zeros(len(self), dtype=np.bool_)
        most = _QUICK_LOOKED_AT + _QUICK_FOR_EACH * len(self) if quick else self._looked_at
        counts = self.points.counts
        open_records, few = int(counts.sum()), int(counts[counts < self.points.k].sum())
        while open_records > (_LAST * few if quick else 0) and not enough():
            caps = self.values + share * (self.whole - self.values)
            if ceilings is not None:
                caps = np.maximum(np.minimum(caps, ceilings), self.values)
            found = np.where(settled, known, caps)
            if self._search(self.charges(found, self.values), _workspace(0, 0), most, listing=False) is None:
                break
            settled |= (found < caps) | (share >= 1)
            if ceilings is not None:
                settled |= caps >= ceilings
            known, share = np.maximum(found, self.values), share * _DEEPER
            open_records = int(counts[~settled].sum())
        return known

    def listed(
        self, caps: NDArray[np.float64], floors: NDArray[np.float64], most_members: int | None = None
    ) -> PatternList | None:
        """Return the patterns that charges up to the caps can exceed, or None if there are too many.

        Args:
            caps: The cap of each point.
            floors: A lower bound on what each point costs.
            most_members: The largest number of points of all patterns together.
        """
        own = min(_MOST_MEMBERS, _MEMBERS + _MEMBERS_FOR_EACH * len(self))
        most = own if most_members is None else most_members
        workspace = _workspace(min(_MOST_PATTERNS, most), most)
        return self._search(self.charges(caps, floors), workspace, self._looked_at, listing=True)

    @property
    def _looked_at(self) -> int:
        """The largest number of points of patterns that a search visits."""
        return min(_MOST_LOOKED_AT, _LOOKED_AT + _LOOKED_AT_FOR_EACH * len(self))

    def charges(self, own: NDArray[np.float64], floors: NDArray[np.float64]) -> Charges:
        """Return charges, or caps on them, of all points."""
        return Charges(own, floors, self.points.counts, self.points.k, self.shown, self.caps, self.spare, PARTS)

    def _search(self, caps: Charges, workspace: PatternList, most: int, *, listing: bool) -> PatternList | None:
        found = np.array([0, 0, most], dtype=np.int64)
        if not visit_patterns(self.forms, self.points, caps, workspace, found, listing):
            return None
        return PatternList(
            workspace.prices[: found[0]], workspace.begins[: found[0] + 1], workspace.members[: found[1]]
        )


def _workspace(most_patterns: int, most_members: int) -> PatternList:
    """Return a workspace for patterns; memory that is not used is never touched."""
    return PatternList(
        np.empty(most_patterns), np.zeros(most_patterns + 1, dtype=np.int64), np.empty(most_members, dtype=np.int32)
    )


def _points(
    forms: Forms, kept: list[int], sizes: list[int], rows: NDArray[np.int32], counts: NDArray[np.int64], k: int
) -> tuple[DistinctRows, NDArray[np.float64]]:
    """Return the points, and a lower bound on what each costs."""
    leaves, ranks = np.zeros(len(forms.parent), dtype=np.int32), np.empty(rows.T.shape, dtype=np.int32)
    rest = np.zeros((len(kept) + 1, len(rows)))
    for depth in range(len(kept) - 1, -1, -1):
        j, size, codes = kept[depth], sizes[depth], rows[:, depth]
        order = np.arange(size, dtype=np.int32)
        if forms.kinds[j] == TREE:
            order = ranked_leaves(forms.parent[forms.nodes[j] : forms.nodes[j + 1]], size)
        leaves[forms.nodes[j] : forms.nodes[j] + size] = order
        ranks[depth] = np.argsort(order)[codes]
        rest[depth] = rest[depth + 1] + _least(forms, j, codes)
    values = rest[0].copy()
    some = rest if rest.any() else rest[:, :0].copy()
    pairs, everywhere = _PAIRS if len(rows) <= _FEW else 0, np.zeros(0, dtype=np.int32)
    return DistinctRows(ranks, counts, np.array(kept, dtype=np.int64), leaves, some, k, pairs, everywhere), values


def _kept(forms: Forms, codes: NDArray[np.int32]) -> tuple[list[NDArray[np.int32]], list[int]]:
    """Return the leaves that occur in each column, and the columns that can cost anything, from few leaves to many."""
    present = [np.unique(codes[:, j]) for j in range(codes.shape[1])]
    kept = [j for j, leaves in enumerate(present) if len(leaves) > 1 and forms.weights[j] > 0]
    return present, sorted(kept, key=lambda j: len(present[j]))


def _constant(forms: Forms, present: list[NDArray[np.int32]], kept: list[int]) -> float:
    """Return what each record costs in the columns that are left out."""
    return sum(float(_least(forms, j, leaves)[0]) for j, leaves in enumerate(present) if j not in kept)


def _least(forms: Forms, column: int, leaves: NDArray[np.int32]) -> NDArray[np.float64]:
    """Return a lower bound on what a class with each of these leaves costs in a column.

    Prices of nodes grow upwards, and those of ranges and sets by the non-uniform entropy grow with the records that
    they cover. By the other measures a single value costs nothing, and no range or set costs less than that.
    """
    return forms.prices[forms.nodes[column] + leaves]


def _crossing(forms: Forms, codes: NDArray[np.int32], leaving: tuple[NDArray[np.float64], ...]) -> NDArray[np.float64]:
    """Return what each point costs at least in a class with a record from outside of its part of the table.

    Such a class covers a value from outside in some column, and in the others it costs no less than the values.
    """
    least = np.zeros(len(codes))
    more = np.full(len(codes), np.inf)
    for j, own in enumerate(leaving):
        inside = _least(forms, j, np.arange(len(own), dtype=np.int32))
        least += inside[codes[:, j]]
        np.minimum(more, np.maximum(own - inside, 0.0)[codes[:, j]], out=more)
    return least + more


def _closure_price(forms: Forms, column: int, leaves: NDArray[np.int32]) -> float:
    """Return the price of a class with these leaves, which ascend."""
    start = forms.nodes[column]
    if forms.kinds[column] == TREE:
        node = int(leaves[0])
        for leaf in leaves:
            node = meet(forms.parent, start, node, leaf)
        return float(forms.prices[start + node])
    if forms.kinds[column] == RANGES:
        return float(range_price(forms, column, leaves[0], leaves[-1]))
    first, second = forms.adds[:, start + leaves].sum(axis=1)
    return float(set_price(forms, column, len(leaves), first, second, leaves[-1]))
