"""All closed patterns of a table, with the kinds of records in each."""

from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import NDArray

from shoal.foundation.errors import SpecError
from shoal.kernels.clock import clock
from shoal.kernels.exact.closed import closures_of_sets, support_prices, supports
from shoal.kernels.local.closures import TREE, Forms
from shoal.kernels.local.states import Columns
from shoal.search.exact.kinds import Kinds
from shoal.search.local.patterns import Patterns
from shoal.search.local.states import encoding_of
from shoal.search.problem import Problem
from shoal.tables.distinct_rows import distinct_rows

MOST_MEMBERS = 2_000_000
"""The largest number of kinds of records of all patterns together."""

MOST_CLOSURES = 50_000
"""The largest number of closures of sets of records, where columns publish ranges or sets."""


@dataclass(frozen=True, slots=True, eq=False)
class Closed:
    """The closed patterns with at least k records: what a class can be published as at least loss.

    The kinds in pattern `p` are `members[begins[p]:begins[p + 1]]`, ascending.

    Args:
        prices: The price of a record in each pattern.
        begins: Where the kinds of each pattern begin; the last entry is the end.
        members: The kinds.
    """

    prices: NDArray[np.float64]
    begins: NDArray[np.int64]
    members: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.prices)

    @property
    def owners(self) -> NDArray[np.int64]:
        """The pattern of each member."""
        return np.repeat(np.arange(len(self)), np.diff(self.begins))

    def only(self, kept: NDArray[np.bool_]) -> "Closed":
        """Return the patterns with some of their members; patterns without any are left out."""
        sizes = np.bincount(self.owners[kept], minlength=len(self))
        some = sizes > 0
        return Closed(self.prices[some], np.append(0, np.cumsum(sizes[some])), self.members[kept])

    @classmethod
    def of(
        cls, problem: Problem, forms: Forms, kinds: Kinds, k: int, name: str, deadline: float = inf, most: float = inf
    ) -> "Closed | None":
        """Return the patterns, or None if the time is up; raise a SpecError if there are too many.

        Args:
            problem: The problem.
            forms: What a class may be published as, with the prices of the measure.
            kinds: The kinds of its records.
            k: The least number of records of a class.
            name: The name of the algorithm, for messages.
            deadline: When to stop, by the clock of searches.
            most: How many rows may be visited, over all vectors of levels together.
        """
        encoding = encoding_of(problem.tally.quasi, forms)
        sizes = [column.hierarchy.n_leaves for column in problem.tally.quasi]
        row_of, codes = distinct_rows(list(kinds.codes.T), sizes, len(kinds))
        states = encoding.states(codes)
        if (forms.kinds == TREE).all():
            found = _of_trees(problem, forms, k, name, deadline, most)
        else:
            counts = np.bincount(row_of, weights=kinds.counts, minlength=len(codes)).astype(np.int64)
            found = _of_sets(encoding.columns, states, counts, k)
        if clock() >= deadline:
            return None
        if found is None:
            raise SpecError(
                f"The table has too many closed patterns for the algorithm '{name}', which lists them all: more than "
                f"{MOST_CLOSURES:,} of ranges or sets, or more than {MOST_MEMBERS:,} records in all of them. Use fewer "
                "columns, hierarchies with fewer levels, fewer records, or the algorithm 'tightest', which finds "
                "nearly as good a release with a proven bound."
            )
        ends, members = found
        prices = support_prices(encoding.columns, states, ends, members)
        return _by_kind(prices, np.append(0, ends), members, row_of)


def _of_trees(
    problem: Problem, forms: Forms, k: int, name: str, deadline: float, most: float
) -> tuple[NDArray[np.int64], NDArray[np.int32]] | None:
    """List the patterns vector by vector; the rows are in the order of their codes, as are those of the kinds."""
    patterns = Patterns(problem.tally, forms, k, name, most)
    every = np.ones(patterns.n_rows, dtype=np.bool_)
    ends, members, total = [], [], 0
    for rank in range(0, patterns.n_vectors, patterns.together):
        for found in patterns.listed(rank, every):
            ends.append(found.ends + total)
            members.append(found.members)
            total += len(found.members)
        if total > MOST_MEMBERS or clock() >= deadline:
            return None
    return np.concatenate(ends), np.concatenate(members)


def _of_sets(
    columns: Columns, states: NDArray[np.int64], counts: NDArray[np.int64], k: int
) -> tuple[NDArray[np.int64], NDArray[np.int32]] | None:
    """Return the closures of all sets of rows, with the rows in each."""
    closed = closures_of_sets(columns, states, MOST_CLOSURES)
    if len(closed) == 0:
        return None
    _, ends, members = supports(columns, closed, states, counts, k, MOST_MEMBERS)
    return None if len(ends) == 0 else (ends, members)


def _by_kind(
    prices: NDArray[np.float64], begins: NDArray[np.int64], rows: NDArray[np.int32], row_of: NDArray[np.int32]
) -> Closed:
    """Replace each row by its kinds, which are adjacent."""
    firsts = np.searchsorted(row_of, np.arange(int(row_of.max(initial=-1)) + 2))
    sizes = np.diff(firsts)[rows]
    steps = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    members = np.repeat(firsts[rows], sizes) + steps
    ends = np.append(0, np.cumsum(sizes))[begins]
    return Closed(prices, ends, members.astype(np.int64))
