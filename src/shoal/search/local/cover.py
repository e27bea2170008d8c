"""A greedy cover of all records by closed patterns, listed only as far as they can matter, and its classes."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from shoal.classes.grouping import Parts
from shoal.classes.tally import Tally
from shoal.kernels.local.cover import CoverState, Heap, Pool, cover_below, push_patterns
from shoal.kernels.local.patterns import FoundPatterns
from shoal.search.local.patterns import Patterns

Scalar = TypeVar("Scalar", bound=np.generic)


@dataclass(frozen=True, slots=True, eq=False)
class Covering:
    """The result of a greedy cover.

    Args:
        labels: The class of each record; the records are those of the rows, one row after another.
        turns: The step at which each record was covered, -1 if it was not.
        ratios: For each step, the price for each newly covered record.
        n_patterns: The number of patterns that were listed.
    """

    labels: NDArray[np.int32]
    turns: NDArray[np.int32]
    ratios: NDArray[np.float64]
    n_patterns: int

    @property
    def complete(self) -> bool:
        """Whether all records are covered by patterns."""
        return bool((self.turns >= 0).all())


class Known:
    """The patterns known so far, in arrays that double when they are full."""

    def __init__(self) -> None:
        self.n_patterns = 0
        self.n_members = 0
        self.pool = Pool(
            prices=np.empty(1024),
            ranks=np.empty(1024, dtype=np.int32),
            firsts=np.empty(1024, dtype=np.int32),
            begins=np.empty(1024, dtype=np.int64),
            ends=np.empty(1024, dtype=np.int64),
            members=np.empty(4096, dtype=np.int32),
        )
        self.heap = Heap(np.zeros(1, dtype=np.int64), np.empty(1024), np.empty(1024, dtype=np.int64))

    def add(self, found: FoundPatterns) -> None:
        """Append patterns."""
        last, end = self.n_patterns + len(found.prices), self.n_members + len(found.members)
        self._grow(last, end)
        new, pool = slice(self.n_patterns, last), self.pool
        pool.prices[new], pool.ranks[new], pool.firsts[new] = found.prices, found.ranks, found.firsts
        pool.begins[new] = self.n_members + np.concatenate([[0], found.ends])[:-1]
        pool.ends[new] = self.n_members + found.ends
        pool.members[self.n_members : end] = found.members
        self.n_patterns, self.n_members = last, end

    def _grow(self, n_patterns: int, n_members: int) -> None:
        if n_members > len(self.pool.members):
            self.pool = self.pool._replace(members=_longer(self.pool.members, n_members))
        if n_patterns > len(self.pool.prices):
            pool, heap = self.pool, self.heap
            self.pool = Pool(
                prices=_longer(pool.prices, n_patterns),
                ranks=_longer(pool.ranks, n_patterns),
                firsts=_longer(pool.firsts, n_patterns),
                begins=_longer(pool.begins, n_patterns),
                ends=_longer(pool.ends, n_patterns),
                members=pool.members,
            )
            self.heap = Heap(heap.size, _longer(heap.keys, n_patterns), _longer(heap.ties, n_patterns))


def _longer(array: NDArray[Scalar], length: int) -> NDArray[Scalar]:
    longer = np.empty(max(length, 2 * len(array)), dtype=array.dtype)
    longer[: len(array)] = array
    return longer


def greedy_cover(patterns: Patterns, go_on: Callable[[float], bool]) -> Covering:
    """Cover all records, each time by the pattern with the least price for each newly covered record.

    A step covers at most 2k - 1 records. A pattern that is not listed yet costs at least the floor of the next vector,
    so for each record at least that over min(2k - 1, uncovered records). While the best known pattern has a smaller
    ratio, it is the best of all, and nothing more is listed. A pattern without an uncovered record can never be chosen
    again, so only the others are listed, and only their uncovered rows are kept.

    Args:
        patterns: The closed patterns of the table.
        go_on: Called with the share of records that are covered. If it returns False, the remaining records form
            classes of at least k in the order of their codes, or one class of fewer.
    """
    counts = patterns.grid.counts
    n_records = int(counts.sum())
    cover = CoverState(
        starts=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        uncovered=counts.copy(),
        labels=np.full(n_records, -1, dtype=np.int32),
        turns=np.full(n_records, -1, dtype=np.int32),
        sizes=np.zeros(n_records, dtype=np.int64),
        prices=np.zeros(n_records),
        ratios=np.zeros(n_records),
        totals=np.array([n_records, 0, 0], dtype=np.int64),
    )
    known = Known()
    rank = 0
    while cover.totals[0] > 0 and go_on(1 - int(cover.totals[0]) / n_records):
        first = known.n_patterns
        for found in patterns.listed(rank, cover.uncovered > 0):
            known.add(found)
        rank += patterns.together
        push_patterns(known.pool, known.heap, cover.uncovered, first, known.n_patterns, 2 * patterns.k - 1)
        floor = patterns.floors[rank] if rank < patterns.n_vectors else np.inf
        cover_below(patterns.grid, patterns.vectors, known.pool, known.heap, cover, patterns.k, floor)
    left = np.flatnonzero(cover.labels < 0)
    if len(left) > 0:
        last = max(len(left) // patterns.k - 1, 0)
        cover.labels[left] = cover.totals[1] + np.minimum(np.arange(len(left)) // patterns.k, last)
    ratios = cover.ratios[: cover.totals[2]]
    return Covering(cover.labels, cover.turns, ratios, known.n_patterns)


def parts_of_cover(tally: Tally, patterns: Patterns, covering: Covering) -> Parts:
    """Return the classes of a cover as parts of the tally's points; the records of a row are assigned in order."""
    points = np.argsort(patterns.row_of, kind="stable")
    points = np.repeat(points, tally.counts[points])
    used, classes = np.unique(covering.labels, return_inverse=True)
    keys, counts = np.unique(points.astype(np.int64) * len(used) + classes, return_counts=True)
    points, classes = np.divmod(keys, len(used))
    return Parts(points.astype(np.int32), classes.astype(np.int32), counts.astype(np.int64))
