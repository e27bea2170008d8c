"""Coarse tally: exact counts of a box by bins of the leaves of each column, small enough to be cut in memory."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import prod

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.classes.tally import QuasiColumn
from shoal.search.local.cuts import leaf_order
from shoal.search.regions.box import LeafBox, Positions

MOST_CELLS = 2**20
"""The largest number of products of bins."""
_WAITING = 2_000_000  # entries that wait to be added up


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Some different rows of a table.

    Args:
        positions: The place of each row's leaf, for each quasi column.
        profiles: The sensitive tuple of each row.
        counts: The number of records of each row.
    """

    positions: Positions
    profiles: NDArray[np.int32]
    counts: NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class CoarseTally:
    """The rows of a box by the bins of their leaves and by their sensitive tuple.

    Args:
        box: The box.
        starts: The first place of each bin, column by column; the bins of a column cover its range of the box.
        n_profiles: The number of sensitive tuples.
    """

    box: LeafBox
    starts: tuple[NDArray[np.int64], ...]
    n_profiles: int
    _held: list[pl.DataFrame] = field(default_factory=list)

    @classmethod
    def of(cls, box: LeafBox, columns: Sequence[QuasiColumn], n_profiles: int, most: int = MOST_CELLS) -> "CoarseTally":
        """Choose the bins: they are divided in one column after the other, while there are not too many together."""
        ranges = list(zip(columns, box.low, box.high, strict=True))
        sizes = [1] * len(ranges)
        starts = [leaf_bins(*one, 1) for one in ranges]
        open_columns = [number for number, column in enumerate(columns) if column.weight > 0]
        while open_columns:
            for number in list(open_columns):
                sizes[number] *= 2
                finer = leaf_bins(*ranges[number], sizes[number])
                n_cells = prod(map(len, starts)) // len(starts[number]) * len(finer)
                if n_cells > most or len(starts[number]) == box.high[number] - box.low[number]:
                    open_columns.remove(number)
                else:
                    starts[number] = finer
        return cls(box, tuple(starts), n_profiles)

    def add(self, block: Block) -> None:
        """Count the rows of a block that are inside."""
        inside = np.flatnonzero(self.box.holds(block.positions))
        keys = np.zeros(len(inside), dtype=np.int64)
        for places, starts, low, high in zip(block.positions, self.starts, self.box.low, self.box.high, strict=True):
            if len(starts) > 1:
                bins = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, high)))
                keys = keys * len(starts) + bins[places[inside] - low]
        keys = keys * self.n_profiles + block.profiles[inside]
        counts = block.counts[inside]
        self._held.append(_summed(pl.DataFrame({"key": keys, "rows": np.ones_like(counts), "records": counts})))
        if sum(one.height for one in self._held[1:]) > _WAITING + self._held[0].height:
            self._held[:] = [_summed(pl.concat(self._held))]

    def emptied(self) -> "CoarseTally":
        """Return a tally with the same bins, and no rows."""
        return CoarseTally(self.box, self.starts, self.n_profiles)

    def summed(self) -> pl.DataFrame:
        """Return what was counted, for `take` of a tally with the same bins."""
        nothing = pl.DataFrame(schema=dict.fromkeys(("key", "rows", "records"), pl.Int64))
        return _summed(pl.concat([nothing, *self._held]))

    def take(self, counted: pl.DataFrame) -> None:
        """Add what was counted elsewhere."""
        self._held.append(counted)

    def entries(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Return the bins (`[entry, column]`), the sensitive tuple, the number of rows and of records of each entry."""
        found = _summed(pl.concat(self._held)).sort("key")
        left, profiles = np.divmod(found["key"].to_numpy(), self.n_profiles)
        cells = np.empty((len(left), len(self.starts)), dtype=np.int64)
        for column in range(len(self.starts) - 1, -1, -1):
            left, cells[:, column] = np.divmod(left, len(self.starts[column]))
        return cells, profiles, found["rows"].to_numpy(), found["records"].to_numpy()


def filled(tallies: Sequence[CoarseTally], blocks: Iterable[Block]) -> None:
    """Count the rows of all blocks."""
    for block in blocks:
        for tally in tallies:
            tally.add(block)


def _summed(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.group_by("key").agg(pl.col("rows").sum(), pl.col("records").sum())


def leaf_bins(column: QuasiColumn, low: int, high: int, n_bins: int) -> NDArray[np.int64]:
    """Return the first place of each bin of a range: whole nodes, which are divided evenly where they are few.

    The bins are the nodes of the lowest level with up to `n_bins` of them; those of the next level are put together
    into about as many more, with about as many records each.
    """
    hierarchy, order = column.hierarchy, leaf_order(column.hierarchy)[low:high]
    first = np.zeros(len(order), dtype=np.bool_)
    first[:1] = True
    for level in range(hierarchy.height, -1, -1):
        codes = hierarchy.codes[level][order]
        begins = first | np.append([True], codes[1:] != codes[:-1])[: len(order)]
        if begins.sum() > n_bins:
            counts = column.leaf_counts[order]
            before = (np.cumsum(counts) - counts)[begins]
            numbers = before * n_bins // max(int(counts.sum()), 1)
            new = np.append([True], numbers[1:] != numbers[:-1])
            even = np.flatnonzero(begins)[new]
            return low + np.union1d(np.flatnonzero(first), even).astype(np.int64)
        first = begins
    return low + np.flatnonzero(first).astype(np.int64)
