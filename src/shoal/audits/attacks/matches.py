"""Matches: which classes of a release may hold each person of a public table."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.audits.covers import Cover
from shoal.kernels.audits.covering import count_covering, list_covering
from shoal.kernels.grouping import take
from shoal.tables.distinct_rows import distinct_rows
from shoal.tables.table import Column, totals

_BLOCK = 1 << 22  # pairs, or bits of one column, in memory at once


@dataclass(frozen=True, slots=True, eq=False)
class Lists:
    """The classes that match some points: those of point `i` are `classes[offsets[i] : offsets[i + 1]]`."""

    points: NDArray[np.int64]
    offsets: NDArray[np.int64]
    classes: NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Matches:
    """Which classes of a release match which persons; persons with the same values are one point.

    A class matches a point if its cells cover all values of the point. For each value of each column there is a bit set
    of the classes that cover it. The classes that match a point are the intersection of the bit sets of its values, so
    no pair of a person and a class is looked at by itself.

    Args:
        point_of: The point of each row of the public table.
        counts: The number of persons of each row.
        persons: The number of persons at each point.
        classes: The number of classes that match each point.
        records: The number of records in these classes.
        candidates: The number of persons who match each class.
        points: `points[point, column]`, the values of each point as codes.
        starts: The first row of each column in `bits`.
        bits: One row for each value: the bit set of the classes that cover it.
        order: Which of the joined columns each column of `points` is.
    """

    point_of: NDArray[np.int32]
    counts: NDArray[np.int64]
    persons: NDArray[np.int64]
    classes: NDArray[np.int64]
    records: NDArray[np.int64]
    candidates: NDArray[np.int64]
    points: NDArray[np.int32]
    starts: NDArray[np.int64]
    bits: NDArray[np.uint64]
    order: tuple[int, ...]

    @classmethod
    def of(
        cls,
        cells: NDArray[np.int32],
        sizes: NDArray[np.int64],
        covers: Sequence[Cover],
        columns: Sequence[Column],
        counts: NDArray[np.int64] | None = None,
    ) -> "Matches":
        """Match persons and classes.

        Args:
            cells: `cells[class, column]`, the published cells as codes.
            sizes: The number of records of each class.
            covers: For each column, the values that its cells cover.
            columns: The same columns of the public table.
            counts: How many persons each row of the public table stands for; one if left out.
        """
        order = sorted(range(len(columns)), key=lambda j: len(columns[j].values))  # neighbours share most
        lengths = [len(columns[j].values) + 1 for j in order]
        point_of, points = distinct_rows([columns[j].codes for j in order], lengths, len(columns[0].codes))
        each = np.ones(len(point_of), dtype=np.int64) if counts is None else counts
        persons = totals(point_of, each, len(points))
        bits = np.concatenate([_bits(covers[j], cells[:, j]) for j in order])
        starts = np.cumsum([0, *lengths[:-1]]).astype(np.int64)
        classes, records, candidates = count_covering(points, starts, bits, sizes, persons)
        return cls(point_of, each, persons, classes, records, candidates, points, starts, bits, tuple(order))

    def lists(self, points: NDArray[np.integer] | None = None) -> Iterator[Lists]:
        """Yield the classes that match the given points (all if None), a block at a time."""
        wanted = np.arange(len(self.points)) if points is None else points.astype(np.int64)
        ends = np.cumsum(self.classes[wanted])
        start = 0
        while start < len(wanted):
            before = int(ends[start - 1]) if start else 0
            stop = max(int(np.searchsorted(ends, before + _BLOCK, side="right")), start + 1)
            yield self.listed(wanted[start:stop])
            start = stop

    def listed(self, points: NDArray[np.integer]) -> Lists:
        """Return the classes that match the given points, all at once."""
        offsets = np.concatenate([[0], np.cumsum(self.classes[points])])
        classes = list_covering(self.points[points], self.starts, self.bits, int(offsets[-1]))
        return Lists(points.astype(np.int64), offsets, classes)

    def holds(self, points: NDArray[np.integer], classes: NDArray[np.integer]) -> NDArray[np.bool_]:
        """Return for each pair whether the class matches the point."""
        words, places = classes.astype(np.int64) // 64, (classes.astype(np.int64) % 64).astype(np.uint64)
        told = np.ones(len(points), dtype=np.bool_)
        for j, start in enumerate(self.starts.tolist()):
            told &= (self.bits[start + self.points[points, j], words] >> places & np.uint64(1)).astype(np.bool_)
        return told

    @property
    def n_persons(self) -> int:
        """The number of persons."""
        return int(self.counts.sum())

    def of_rows(self, by_point: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return, for each row of the public table, the figure of its point."""
        return take(by_point, self.point_of)


def _bits(cover: Cover, cells: NDArray[np.int32]) -> NDArray[np.uint64]:
    """Return for each value of a column the bit set of the classes that cover it."""
    n_classes, n_values = len(cells), cover.n_values + 1
    n_words = max(-(-n_classes // 64), 1)
    bits = np.zeros((n_values, n_words), dtype=np.uint64)
    step = max(_BLOCK // n_values // 64, 1) * 64
    for start in range(0, n_classes, step):
        used, place = np.unique(cells[start : start + step], return_inverse=True)
        told = np.zeros((n_values, -(-len(place) // 64) * 64), dtype=np.bool_)
        told[:, : len(place)] = cover.rows(used)[place].T
        words = np.packbits(told, axis=1, bitorder="little").view("<u8")
        bits[:, start // 64 : start // 64 + words.shape[1]] = words
    return bits
