"""Splits: classes as slices of entries, each split into groups, and which groups keep the promises."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from shoal.classes.grouping import Grouping
from shoal.kernels.grouping import merge_entries
from shoal.models.model import holding
from shoal.search.problem import Problem


@dataclass(frozen=True, slots=True, eq=False)
class ClassSlices:
    """Classes as slices of entries; an entry is a point, or some of its records.

    Args:
        points: The point of each entry.
        counts: The number of records of each entry.
        offsets: Where each class begins.
    """

    points: NDArray[np.int32]
    counts: NDArray[np.int64]
    offsets: NDArray[np.int64]

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return len(self.offsets) - 1

    @property
    def owners(self) -> NDArray[np.int64]:
        """The class of each entry."""
        return np.repeat(np.arange(self.n_classes), np.diff(self.offsets))

    def only(self, kept: NDArray[np.bool_]) -> "ClassSlices":
        """Return some of the classes."""
        inside = np.repeat(kept, np.diff(self.offsets))
        offsets = np.concatenate([[0], np.cumsum(np.diff(self.offsets)[kept])])
        return ClassSlices(self.points[inside], self.counts[inside], offsets.astype(np.int64))

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The number of records of each class."""
        return np.add.reduceat(self.counts, self.offsets[:-1]) if self.n_classes else self.counts[:0]


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """All classes split in one column, where that is possible.

    Args:
        groups: The group of each entry; the groups of a class have consecutive numbers. -1 if the class stays whole.
        n_groups: The number of groups of each class, 0 if it stays whole.
        givers: Entries that give records to another group of their class.
        moved: How many records each of them gives.
        targets: The group that gets them.
        gains: By how much the loss of each class falls; minus infinity if it stays whole.
    """

    groups: NDArray[np.int32]
    n_groups: NDArray[np.int64]
    givers: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    moved: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    targets: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    gains: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))

    @property
    def firsts(self) -> NDArray[np.int64]:
        """The first group of each class."""
        return np.cumsum(self.n_groups) - self.n_groups

    def entries(self, counts: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
        """Return entry, group and number of records of all parts of entries; moved records are parts of their own."""
        left = counts.copy()
        np.subtract.at(left, self.givers, self.moved)
        indices = np.concatenate([np.arange(len(counts)), self.givers])
        groups, numbers = np.concatenate([self.groups, self.targets]), np.concatenate([left, self.moved])
        inside = (groups >= 0) & (numbers > 0)
        return indices[inside], groups[inside], numbers[inside]


class Judge:
    """Tests which groups keep all promises of a problem, compared with the whole table.

    Args:
        problem: The problem.
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.totals = problem.tally.totals

    def keep(
        self,
        points: NDArray[np.int32],
        groups: NDArray[np.int32],
        counts: NDArray[np.int64],
        n_groups: int,
        asked: NDArray[np.bool_],
    ) -> NDArray[np.bool_]:
        """Return which of the groups that are asked for keep all promises; the others are False."""
        if not asked.any():
            return asked
        inside = groups >= 0
        sizes = np.bincount(groups[inside], weights=counts[inside], minlength=n_groups).astype(np.int64)
        asked = asked & (sizes >= self.problem.k)
        number = np.where(asked, np.cumsum(asked) - 1, -1).astype(np.int32)
        keeps = asked.copy()
        keeps[asked] = self._hold(points, np.where(inside, number[groups], -1).astype(np.int32), counts, sizes[asked])
        return keeps

    def _hold(
        self,
        points: NDArray[np.int32],
        classes: NDArray[np.int32],
        counts: NDArray[np.int64],
        sizes: NDArray[np.int64],
    ) -> NDArray[np.bool_]:
        """Return which classes keep all promises, compared with the whole table."""
        tally = self.problem.tally
        if len(sizes) == 0:
            return np.ones(0, dtype=np.bool_)
        entries = merge_entries(classes, tally.profiles[points], counts, len(sizes), len(self.totals))
        groups = Grouping(sizes, tally.sensitive, *entries, tally.profile_codes, self.totals)
        return holding(self.problem.models, groups)
