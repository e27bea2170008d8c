"""Wildcard matching: the classes that match each other if a missing value may be any value."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from shoal.classes.grouping import Grouping
from shoal.kernels.grouping import merge_entries
from shoal.tables.distinct_rows import distinct_rows

Pairs = tuple[NDArray[np.int64], NDArray[np.int64]]

_FEW = 100_000  # cells of pairs: up to so many, all pairs are compared at once


def matching_pairs(codes: NDArray[np.int32], missing: NDArray[np.int32]) -> Pairs:
    """Return all pairs of classes that an attacker cannot tell apart if missing values match everything.

    Two classes match if they agree in every column in which neither value is missing; a class matches itself. Classes
    are joined on the columns that all of them have. Who has no partner there has none, and is done with: of many
    classes that are nearly all different, few are left. These are split by whether they miss the next column; it then
    counts between those that have it, and not between others. So the cost is that of the joins, not of all pairs.

    Args:
        codes: `codes[class, column]`.
        missing: The code of the missing value, or -1 if there is none: one for each column, or one for each cell.

    Returns:
        The first and the second class of each pair, in both directions.
    """
    cells = _Cells(np.ascontiguousarray((codes - codes.min(initial=0)).T), np.ascontiguousarray((codes == missing).T))
    everyone = _Side(np.arange(len(codes)), np.zeros(len(codes), dtype=np.int32))
    nobody = np.zeros(0, dtype=np.int64)
    found = [(nobody, nobody), *cells.within(everyone, cells.most_telling_first())]
    return np.concatenate([first for first, _ in found]), np.concatenate([second for _, second in found])


@dataclass(frozen=True, slots=True, eq=False)
class _Side:
    """Some classes, and what was joined of them: two with equal keys agree in all columns that were."""

    rows: NDArray[np.int64]
    keys: NDArray[np.int32]

    def where(self, chosen: NDArray[np.bool_]) -> "_Side":
        """Return some of them."""
        return _Side(self.rows[chosen], self.keys[chosen])


@dataclass(frozen=True, slots=True, eq=False)
class _Cells:
    """The codes of all classes, and where they are missing, by column."""

    codes: NDArray[np.int32]
    gaps: NDArray[np.bool_]

    def most_telling_first(self) -> list[int]:
        """Return the columns, those with the most values first: they leave the fewest partners."""
        return sorted(range(len(self.codes)), key=lambda column: -int(self.codes[column].max(initial=0)))

    def within(self, side: _Side, columns: Sequence[int]) -> Iterator[Pairs]:
        """Yield the pairs of classes of one side that match in some columns, in both directions."""
        whole, others = self._parted(columns, side)
        keys = self._joined(whole, side)
        shared = np.bincount(keys)[keys] > 1
        yield side.rows[~shared], side.rows[~shared]  # matched by nobody else
        left = _Side(side.rows[shared], keys[shared])
        if not others or self._few(left, left, others):
            yield from self._all(left, left, others)
            return
        lacks = self.gaps[others[0], left.rows]
        have, lack = left.where(~lacks), left.where(lacks)
        yield from self.within(have, others)
        yield from self.within(lack, others[1:])
        for first, second in self.between(have, lack, others[1:]):
            yield first, second
            yield second, first

    def between(self, left: _Side, right: _Side, columns: Sequence[int]) -> Iterator[Pairs]:
        """Yield the pairs of a class of the left side and one of the right that match in some columns."""
        if self._few(left, right, columns):
            yield from self._all(left, right, columns)
            return
        whole, others = self._parted(columns, left, right)
        for column in whole:
            left, right = _both(left, right, self.codes[column, left.rows], self.codes[column, right.rows])
        keys = self._joined(whole, left, right)
        left, right = _Side(left.rows, keys[: len(left.rows)]), _Side(right.rows, keys[len(left.rows) :])
        left, right = _both(left, right, left.keys, right.keys)
        if not others or self._few(left, right, others):
            yield from self._all(left, right, others)
            return
        missed = [self.gaps[others[0], side.rows] for side in (left, right)]
        have, others_have = left.where(~missed[0]), right.where(~missed[1])
        yield from self.between(have, others_have, others)
        yield from self.between(have, right.where(missed[1]), others[1:])
        yield from self.between(left.where(missed[0]), right, others[1:])

    def _parted(self, columns: Sequence[int], *sides: _Side) -> tuple[list[int], list[int]]:
        """Return the columns that all classes have, and the others."""
        missed = {column: any(self.gaps[column, side.rows].any() for side in sides) for column in columns}
        return [one for one in columns if not missed[one]], [one for one in columns if missed[one]]

    def _joined(self, columns: Sequence[int], *sides: _Side) -> NDArray[np.int32]:
        """Return the keys of all sides with some more columns joined."""
        rows = np.concatenate([side.rows for side in sides])
        codes = [np.concatenate([side.keys for side in sides]), *(self.codes[column, rows] for column in columns)]
        return distinct_rows(codes, [int(one.max(initial=0)) + 1 for one in codes], len(rows))[0]

    def _few(self, left: _Side, right: _Side, columns: Sequence[int]) -> bool:
        return len(left.rows) * len(right.rows) * (len(columns) + 1) <= _FEW

    def _all(self, left: _Side, right: _Side, columns: Sequence[int]) -> Iterator[Pairs]:
        """Yield the pairs of a few classes, of which all are compared; or those with equal keys, if nothing is left."""
        if columns or self._few(left, right, columns):
            first, second = np.nonzero(left.keys[:, None] == right.keys)
            for column in columns:
                mine, other = left.rows[first], right.rows[second]
                alike = self.codes[column, mine] == self.codes[column, other]
                alike |= self.gaps[column, mine] | self.gaps[column, other]
                first, second = first[alike], second[alike]
        else:
            first, second = _equal(left.keys, right.keys)
        yield left.rows[first], right.rows[second]


def _both(left: _Side, right: _Side, lefts: NDArray[np.int32], rights: NDArray[np.int32]) -> tuple[_Side, _Side]:
    """Return who has a code that somebody of the other side has."""
    size = max(int(lefts.max(initial=0)), int(rights.max(initial=0))) + 1
    of_left, of_right = np.zeros(size, dtype=np.bool_), np.zeros(size, dtype=np.bool_)
    of_left[lefts], of_right[rights] = True, True
    return left.where(of_right[lefts]), right.where(of_left[rights])


def _equal(lefts: NDArray[np.int32], rights: NDArray[np.int32]) -> Pairs:
    """Return the places of all pairs of equal keys."""
    order = np.argsort(rights, kind="stable")
    size = max(int(lefts.max(initial=-1)), int(rights.max(initial=-1))) + 1
    counts = np.bincount(rights, minlength=size)
    starts = np.cumsum(counts) - counts
    lengths = counts[lefts]
    first = np.repeat(np.arange(len(lefts)), lengths)
    within = np.arange(len(first)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    return first, order[np.repeat(starts[lefts], lengths) + within]


def neighbourhoods(groups: Grouping, codes: NDArray[np.int32], missing: NDArray[np.int32]) -> Grouping:
    """Replace each class by its neighbourhood: the records of all classes that match it.

    A model that holds for a neighbourhood holds for its class if missing values are wildcards. Neighbourhoods overlap,
    so their sizes do not sum to the size of the table.
    """
    first, second = matching_pairs(codes, missing)
    lengths = np.diff(groups.offsets)[second]
    owners = np.repeat(first, lengths)
    within = np.arange(len(owners)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    entries = np.repeat(groups.offsets[second], lengths) + within
    offsets, profiles, counts = merge_entries(
        owners.astype(np.int32),
        groups.profiles[entries],
        groups.counts[entries],
        groups.n_classes,
        len(groups.profile_codes),
    )
    sizes = np.bincount(first, weights=groups.sizes[second], minlength=groups.n_classes).astype(np.int64)
    populations = {
        name: np.bincount(first, weights=inner[second], minlength=groups.n_classes).astype(np.int64)
        for name, inner in groups.populations.items()
    }
    return replace(groups, sizes=sizes, offsets=offsets, profiles=profiles, counts=counts, populations=populations)
