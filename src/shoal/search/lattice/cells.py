"""Cells: the classes of a generalization as packed keys, from which those of a coarser one are made."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.classes.grouping import Grouping
from shoal.classes.recoding import Recoding
from shoal.classes.tally import Tally
from shoal.kernels.grouping import add_rows, group_words, lift_words, merge_entries
from shoal.kernels.prices import unpack
from shoal.tables.distinct_rows import distinct_rows

Node = tuple[int, ...]
"""A vertex of the lattice: the level of each quasi column."""


@dataclass(frozen=True, slots=True, eq=False)
class KeyLayout:
    """The position of each column's code in a packed key: its 64-bit word, its lowest bit, its mask."""

    words: NDArray[np.int64]
    shifts: NDArray[np.uint64]
    masks: NDArray[np.uint64]

    @classmethod
    def of(cls, sizes: Sequence[int]) -> "KeyLayout":
        """Return the layout of columns with `sizes` codes each, filling one word after another."""
        words, shifts, masks = [], [], []
        word, bit = 0, 0
        for size in sizes:
            width = max((size - 1).bit_length(), 1)
            if bit + width > 64:
                word, bit = word + 1, 0
            words.append(word)
            shifts.append(bit)
            masks.append((1 << width) - 1)
            bit += width
        return cls(np.array(words, dtype=np.int64), np.array(shifts, dtype=np.uint64), np.array(masks, dtype=np.uint64))

    def without(self, columns: Sequence[int]) -> NDArray[np.uint64]:
        """Return, for each word, all bits but those of some columns; a column at its top has the code 0."""
        bits = np.full(int(self.words.max(initial=0)) + 1, np.iinfo(np.uint64).max, dtype=np.uint64)
        for j in columns:
            bits[self.words[j]] &= ~(self.masks[j] << self.shifts[j])
        return bits

    def pack(self, codes: NDArray[np.int32]) -> NDArray[np.uint64]:
        """Return the packed key of each row of codes, as `[word, row]`."""
        keys = np.zeros((int(self.words.max(initial=0)) + 1, len(codes)), dtype=np.uint64)
        for j, word in enumerate(self.words):
            keys[word] |= codes[:, j].astype(np.uint64) << self.shifts[j]
        return keys


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """The classes of one node, including those with records of an outside population only.

    Args:
        node: The level of each column.
        keys: `keys[word, class]`, the packed codes of each class at those levels.
        weights: `weights[class]`, its number of records, then those of each outside population.
        offsets: Where the entries of each class begin.
        profiles: The sensitive tuple of each entry.
        counts: The number of records of each entry.
    """

    node: Node
    keys: NDArray[np.uint64]
    weights: NDArray[np.int64]
    offsets: NDArray[np.int64]
    profiles: NDArray[np.int32]
    counts: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.weights)


class Packing:
    """Turns a tally into cells, and cells into coarser cells, groupings and recodings."""

    def __init__(self, tally: Tally) -> None:
        self.tally = tally
        self.layout = KeyLayout.of([column.hierarchy.n_leaves for column in tally.quasi])
        self._totals = np.bincount(tally.profiles, tally.counts, len(tally.profile_codes)).astype(np.int64)
        self._lifts: dict[tuple[int, int, int], NDArray[np.int32]] = {}

    def bottom(self) -> Cells:
        """Return the classes of the table without generalization."""
        tally = self.tally
        sizes = [column.hierarchy.n_leaves for column in tally.quasi]
        classes, codes = distinct_rows(list(tally.codes.T), sizes, tally.n_points)
        weights = np.column_stack([tally.counts, *tally.populations.values()])
        entries = merge_entries(
            np.where(tally.counts > 0, classes, -1).astype(np.int32),
            tally.profiles,
            tally.counts,
            len(codes),
            len(tally.profile_codes),
        )
        node = (0,) * len(tally.quasi)
        return Cells(node, self.layout.pack(codes), add_rows(weights, classes, len(codes)), *entries)

    def coarser(self, cells: Cells, node: Node) -> Cells:
        """Return the classes of a node above that of `cells`, by joining its classes. O(classes)."""
        hierarchies = [column.hierarchy for column in self.tally.quasi]
        changed = [j for j, level in enumerate(node) if level != cells.node[j]]
        starred = [j for j in changed if hierarchies[j].size(node[j]) == 1]
        lifted = [j for j in changed if hierarchies[j].size(node[j]) > 1]
        lifts = [self._lift(j, cells.node[j], node[j]) for j in lifted]
        layout = self.layout
        keys, hashes = lift_words(
            cells.keys,
            layout.without(starred),
            layout.words[lifted],
            layout.shifts[lifted],
            layout.masks[lifted],
            np.concatenate(lifts) if lifts else np.zeros(0, dtype=np.int32),
            np.cumsum([0, *(len(lift) for lift in lifts)]),
        )
        first, target = group_words(keys, hashes)
        weights = add_rows(cells.weights, target, len(first))
        return Cells(node, keys[:, first], weights, *self._entries(cells, target, weights[:, 0]))

    def _lift(self, column: int, low: int, high: int) -> NDArray[np.int32]:
        if (column, low, high) not in self._lifts:
            self._lifts[column, low, high] = self.tally.quasi[column].hierarchy.lift(low, high)
        return self._lifts[column, low, high]

    def _entries(
        self, cells: Cells, target: NDArray[np.int32], sizes: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
        """Return the sensitive tuples of the joined classes."""
        n_profiles = len(self.tally.profile_codes)
        if n_profiles > 1:
            owners = np.repeat(target, np.diff(cells.offsets))
            return merge_entries(owners, cells.profiles, cells.counts, len(sizes), n_profiles)
        filled = sizes > 0
        offsets = np.zeros(len(sizes) + 1, dtype=np.int64)
        np.cumsum(filled, out=offsets[1:])
        return offsets, np.zeros(offsets[-1], dtype=np.int32), sizes[filled]

    def grouping(self, cells: Cells) -> Grouping:
        """Return the classes that have records; the others count as outside."""
        filled = cells.weights[:, 0] > 0
        populations = list(self.tally.populations)
        return Grouping(
            sizes=cells.weights[filled, 0],
            sensitive=self.tally.sensitive,
            offsets=np.append(cells.offsets[:-1][filled], cells.offsets[-1]),
            profiles=cells.profiles,
            counts=cells.counts,
            profile_codes=self.tally.profile_codes,
            totals=self._totals,
            populations={name: cells.weights[filled, i + 1] for i, name in enumerate(populations)},
            outside={name: int(cells.weights[~filled, i + 1].sum()) for i, name in enumerate(populations)},
        )

    def recoding(self, cells: Cells) -> Recoding:
        """Return what the classes that have records are published as."""
        codes = self.codes(cells.keys[:, cells.weights[:, 0] > 0])
        return Recoding.full_domain(self.tally.quasi, cells.node, codes)

    def codes(self, keys: NDArray[np.uint64]) -> NDArray[np.int32]:
        """Return the codes of each column in some packed keys."""
        return unpack(keys, self.layout.words, self.layout.shifts, self.layout.masks)
