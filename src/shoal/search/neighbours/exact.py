"""The nearest neighbours of every record, exactly: a lower bound on what it costs to hide it among k."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from shoal.classes.recoding import standing
from shoal.classes.tally import QuasiColumn, Tally
from shoal.foundation.parallel import THREADS
from shoal.foundation.progress import Progress
from shoal.kernels.local.closures import Forms
from shoal.kernels.neighbours.exact import (
    Ladders,
    NearestRows,
    buckets,
    concerned,
    keys_at,
    look_around,
    look_everywhere,
    still_asking,
)
from shoal.search.lattice.cells import KeyLayout
from shoal.tables.distinct_rows import distinct_rows

_ROWS_PER_VECTOR = 3  # comparing so many rows with all others costs as much as the buckets of one level vector


@dataclass(frozen=True, slots=True, eq=False)
class QuasiRows:
    """The distinct quasi tuples of a tally, whatever their sensitive values.

    Args:
        codes: The leaves of each row, sorted.
        counts: The number of records of each row.
        row_of: The row of each point.
    """

    codes: NDArray[np.int32]
    counts: NDArray[np.int64]
    row_of: NDArray[np.int32]

    @classmethod
    def of(cls, tally: Tally) -> "QuasiRows":
        """Join the points that differ in their sensitive values alone."""
        sizes = [column.hierarchy.n_leaves for column in tally.quasi]
        row_of, codes = distinct_rows(list(tally.codes.T), sizes, tally.n_points)
        counts = np.bincount(row_of, weights=tally.counts, minlength=len(codes)).astype(np.int64)
        return cls(codes, counts, row_of)

    def __len__(self) -> int:
        return len(self.counts)


@dataclass(frozen=True, slots=True, eq=False)
class Neighbours:
    """For each row, other rows near it that together with it have k records, the nearest first.

    Args:
        rows: The rows.
        offsets: Where the neighbours of each row begin; a row with k records of its own needs none.
        near: The neighbours.
        reach: The distance within which each row has k records: that of the (k-1)-th nearest neighbour of its records.
    """

    rows: QuasiRows
    offsets: NDArray[np.int64]
    near: NDArray[np.int32]
    reach: NDArray[np.float64]

    @property
    def bound(self) -> float:
        """The sum over all records of the distance to their (k-1)-th nearest neighbour.

        No partition into classes of at least k records costs less (000 Lemma 3, with "at most"). A record and k - 1
        others are published as something that covers them all. Since prices are monotone, this costs the record at
        least what covers it and the farthest of them, and that one is no nearer than the (k-1)-th nearest of all
        records. A suppressed record costs `full`, and no distance is above that. Promises beyond the number of records
        only exclude partitions.
        """
        return float(self.reach @ self.rows.counts)


def neighbours(rows: QuasiRows, columns: Sequence[QuasiColumn], forms: Forms, k: int, progress: Progress) -> Neighbours:
    """Return the nearest neighbours of each row, exactly. All columns publish nodes of their trees.

    The distance of two rows is the price of what covers both: in each column their lowest common ancestor. Seen from a
    row u, that node is u's own ancestor at the level where the two meet. So at a level vector L, all rows that meet u
    exactly there are equally far, at price(u, L) = the sum of the prices of u's ancestors at L. They are in u's bucket
    at L, the rows that are generalized like u, together with rows that met u at a lower vector.

    Level vectors are visited in an order in which no vector follows a higher one. When L is visited and price(u, L) is
    below u's reach, each row of the bucket is in u's list or is new. For if it met u at an earlier vector, at a price
    of at most price(u, L) < reach, it was added then; and a row that has been dropped since is no nearer than the
    reach. So u adds new rows, at the distance price(u, L), until its reach is no more than that: O(k).

    The order is by the least price of each level, the minimum over the nodes at this level or above. It grows with the
    level, and no row that meets u at L is nearer than the sum of these minima. So u is done when that sum is at least
    its reach. For the tree measure and for stars the sum is the distance itself. For other measures, whose prices
    differ between the nodes of a level, it is only a lower bound, and more vectors are visited.

    The last rows may be so far from all others that it is faster to compare each with all rows. Vectors are visited
    until their number exceeds a share of the rows left, so that the work is at most twice that of the best moment to
    change.

    Args:
        rows: The rows; there are at least k records.
        columns: The quasi columns.
        forms: Their trees and prices.
        k: The number of records to hide among.
        progress: Called with the share of rows that are done.
    """
    short = np.flatnonzero(rows.counts < k).astype(np.int32)
    nearest = _unknown(short, k - rows.counts[short], k)
    staircase = Staircase.of(columns, forms)
    asking = np.arange(len(short), dtype=np.int32)
    taken = 0
    with ThreadPoolExecutor(THREADS) as pool:
        remaining = staircase.vectors()
        while vectors := list(islice(remaining, THREADS)):
            asking = still_asking(nearest, asking, vectors[0][0])
            if _ROWS_PER_VECTOR * taken >= len(asking):
                break
            _take(nearest, asking, rows, staircase, [offsets for _, offsets in vectors], pool)
            taken += len(vectors)
            progress("finding neighbours", 1 - len(asking) / max(len(short), 1))
        else:
            asking = asking[:0]
        parts = np.array_split(asking, THREADS)
        trees = (forms.nodes, forms.parent, forms.prices)
        list(pool.map(lambda part: look_everywhere(nearest, part, rows.codes, rows.counts, *trees), parts))
    return _listed(rows, nearest, forms)


def _unknown(short: NDArray[np.int32], needs: NDArray[np.int64], k: int) -> NearestRows:
    return NearestRows(
        rows=short,
        needs=needs,
        near=np.empty((len(short), k), dtype=np.int32),
        far=np.empty((len(short), k), dtype=np.float64),
        lengths=np.zeros(len(short), dtype=np.int32),
        found=np.zeros(len(short), dtype=np.int64),
        reach=np.full(len(short), np.inf),
    )


def _take(
    nearest: NearestRows,
    asking: NDArray[np.int32],
    rows: QuasiRows,
    staircase: "Staircase",
    vectors: Sequence[NDArray[np.int64]],
    pool: ThreadPoolExecutor,
) -> None:
    """Visit some level vectors: their buckets are made in parallel, then each asking row updates its list."""
    ladders = staircase.ladders

    def gather(
        offsets: NDArray[np.int64],
    ) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64], NDArray[np.int32]]:
        chosen = concerned(nearest, asking, rows.codes, ladders, offsets)
        bucket_of, starts, members = buckets(nearest.rows[chosen], *keys_at(rows.codes, ladders, offsets))
        return chosen, bucket_of, starts, members

    made = list(pool.map(gather, vectors))

    middle = asking[len(asking) // 2]

    def update(later: bool) -> None:  # the lists of different rows are independent
        for offsets, (chosen, bucket_of, starts, members) in zip(vectors, made, strict=True):
            split = int(np.searchsorted(chosen, middle))
            some = slice(split, None) if later else slice(split)
            look_around(
                nearest, chosen[some], bucket_of[some], starts, members, rows.codes, rows.counts, ladders, offsets
            )

    list(pool.map(update, [False, True]))


def _listed(rows: QuasiRows, nearest: NearestRows, forms: Forms) -> Neighbours:
    own = forms.prices[forms.nodes[:-1] + rows.codes].sum(axis=1)
    own[nearest.rows] = nearest.reach
    lengths = np.zeros(len(rows), dtype=np.int64)
    lengths[nearest.rows] = nearest.lengths
    inside = np.arange(nearest.near.shape[1]) < nearest.lengths[:, None]
    return Neighbours(rows, np.concatenate([[0], np.cumsum(lengths)]), nearest.near[inside], own)


@dataclass(frozen=True, slots=True, eq=False)
class Staircase:
    """The level vectors of some columns, from the bottom up.

    Args:
        ladders: Keys and prices at every level.
        offsets: For each column, where each of its steps begins in the ladders.
        floors: For each column and step, the least price of a node at this level or above.
    """

    ladders: Ladders
    offsets: tuple[NDArray[np.int64], ...]
    floors: tuple[NDArray[np.float64], ...]

    @classmethod
    def of(cls, columns: Sequence[QuasiColumn], forms: Forms) -> "Staircase":
        """Return the level vectors of some columns, without levels that have no node of their own."""
        layout = KeyLayout.of([column.hierarchy.n_leaves for column in columns])
        keys, prices, offsets, floors = [], [], [], []
        begin = 0
        for column, start, shift in zip(columns, forms.nodes, layout.shifts, strict=False):
            hierarchy = column.hierarchy
            levels, _ = standing(hierarchy)
            own = forms.prices[start : start + len(levels)]
            steps = np.unique(np.append(levels, 0))
            node_at = hierarchy.tree().node_at
            for level in steps:
                codes = hierarchy.codes[level]
                keys.append(codes.astype(np.uint64) << shift)
                prices.append(own[node_at[level][codes]])
            offsets.append(begin + hierarchy.n_leaves * np.arange(len(steps), dtype=np.int64))
            floors.append(np.array([own[levels >= level].min() for level in steps]))
            begin += hierarchy.n_leaves * len(steps)
        splits = np.searchsorted(layout.words, np.arange(int(layout.words[-1]) + 2))
        ladders = Ladders(splits, np.concatenate(keys), np.concatenate(prices))
        return cls(ladders, tuple(offsets), tuple(floors))

    def vectors(self) -> Iterator[tuple[float, NDArray[np.int64]]]:
        """Yield all level vectors but the bottom, by the sum of the floors; no vector follows a higher one.

        Each is made from the vector with one step less in the last column that is not at the bottom. So none is made
        twice, and none is listed long before its turn.

        Returns:
            The sum of the floors, added in the same order of the columns as the prices, and the offsets of the columns.
        """
        bottom = (0,) * len(self.floors)
        waiting = [(self._floor(bottom), 0, bottom)]
        while waiting:
            floor, height, vector = heappop(waiting)
            if height > 0:
                yield floor, np.array([own[step] for own, step in zip(self.offsets, vector, strict=True)])
            last = max((j for j, step in enumerate(vector) if step > 0), default=0)
            for j in range(last, len(vector)):
                if vector[j] + 1 < len(self.floors[j]):
                    higher = (*vector[:j], vector[j] + 1, *vector[j + 1 :])
                    heappush(waiting, (self._floor(higher), height + 1, higher))

    def _floor(self, vector: tuple[int, ...]) -> float:
        total = 0.0
        for own, step in zip(self.floors, vector, strict=True):
            total += float(own[step])
        return total
