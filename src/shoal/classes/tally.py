"""Tally: records with the same quasi and sensitive values are one point with a count."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.tables.distinct_rows import distinct_rows
from shoal.tables.hierarchies.hierarchy import Hierarchy, Label


@dataclass(frozen=True, slots=True, eq=False)
class QuasiColumn:
    """A quasi column: its hierarchy, its weight in the loss, and how many records have each leaf."""

    name: str
    hierarchy: Hierarchy
    leaf_counts: NDArray[np.int64]
    weight: float = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class SensitiveColumn:
    """A sensitive column: its values by code, in their order, and a hierarchy over them if one was given.

    `read` keeps what models read out of the values, each under a name, so that a search reads no value twice.
    `weights` makes it the column of sampling weights: that of each value, as a whole number. No promise looks at it.
    """

    name: str
    values: tuple[Label, ...]
    hierarchy: Hierarchy | None = None
    weights: NDArray[np.int64] | None = None
    read: dict[str, Any] = field(default_factory=dict, init=False, repr=False)


@dataclass(frozen=True, slots=True, eq=False)
class Tally:
    """The distinct (quasi, sensitive) tuples of a table, and how many records each stands for.

    This is all that an algorithm sees. The points are sorted by their codes, so the order of the records does not
    matter.

    Args:
        quasi: The quasi columns.
        sensitive: The sensitive columns that the models use, and that of the sampling weights, if there is one.
        codes: `codes[point, column]`, the leaf codes of the quasi columns.
        profiles: The index of each point's sensitive tuple in `profile_codes`.
        profile_codes: `profile_codes[profile, column]`, the distinct sensitive tuples.
        counts: The number of records of each point; 0 for a point of a population only.
        populations: For each outside table, its number of records at each point.
        whole: For a part of a table, the number of records of each sensitive tuple in all of it, which classes are
            compared with; None if this is all of it.
    """

    quasi: tuple[QuasiColumn, ...]
    sensitive: tuple[SensitiveColumn, ...]
    codes: NDArray[np.int32]
    profiles: NDArray[np.int32]
    profile_codes: NDArray[np.int32]
    counts: NDArray[np.int64]
    populations: Mapping[str, NDArray[np.int64]] = field(default_factory=dict)
    whole: NDArray[np.int64] | None = None

    @property
    def n_records(self) -> int:
        """The number of records."""
        return int(self.counts.sum())

    @property
    def totals(self) -> NDArray[np.int64]:
        """The number of records of each sensitive tuple in the table that classes are compared with."""
        if self.whole is not None:
            return self.whole
        return np.bincount(self.profiles, self.counts, len(self.profile_codes)).astype(np.int64)

    @property
    def n_points(self) -> int:
        """The number of points."""
        return len(self.counts)

    @property
    def weights(self) -> NDArray[np.int64]:
        """The sum of the sampling weights of the records of each point; their number if there are no weights."""
        each = weights_of_profiles(self.sensitive, self.profile_codes)
        return self.counts if each is None else self.counts * each[self.profiles]

    @property
    def weighted(self) -> bool:
        """Whether records have sampling weights."""
        return any(column.weights is not None for column in self.sensitive)

    def at(self, points: NDArray[Any], counts: NDArray[np.int64]) -> "Tally":
        """Return the tally of some points alone, and of so many records at each of them."""
        return replace(
            self,
            codes=np.ascontiguousarray(self.codes[points]),
            profiles=self.profiles[points],
            counts=counts,
            populations={name: own[points] for name, own in self.populations.items()},
        )

    def dealt(self, n_blocks: int) -> list[tuple[list[int], "Tally"]]:
        """Deal out the columns to so many blocks; return the numbers of each block's columns, and its tally.

        Columns of many values come first, in turns, so that no block has the fine columns alone.
        """
        order = sorted(range(len(self.quasi)), key=lambda j: (-self.quasi[j].hierarchy.n_leaves, self.quasi[j].name))
        blocks = [sorted(order[number::n_blocks]) for number in range(n_blocks)]
        names = [column.name for column in self.quasi]
        return [(block, self.without(set(names) - {names[j] for j in block})) for block in blocks]

    def without(self, names: Collection[str]) -> "Tally":
        """Return the tally of the same records without some quasi columns; points that are alike then are one."""
        kept = [number for number, column in enumerate(self.quasi) if column.name not in names]
        quasi = tuple(self.quasi[number] for number in kept)
        columns = [*(self.codes[:, number] for number in kept), self.profiles]
        sizes = [*(column.hierarchy.n_leaves for column in quasi), len(self.profile_codes)]
        point_of, points = distinct_rows(columns, sizes, self.n_points)

        def added(counts: NDArray[np.int64]) -> NDArray[np.int64]:
            return np.bincount(point_of, counts, len(points)).astype(np.int64)

        return replace(
            self,
            quasi=quasi,
            codes=np.ascontiguousarray(points[:, :-1]),
            profiles=np.ascontiguousarray(points[:, -1]),
            counts=added(self.counts),
            populations={name: added(counts) for name, counts in self.populations.items()},
        )


def weights_of_profiles(
    sensitive: Sequence[SensitiveColumn], profile_codes: NDArray[np.int32]
) -> NDArray[np.int64] | None:
    """Return the sampling weight of a record of each sensitive tuple; None if no column tells it."""
    for number, column in enumerate(sensitive):
        if column.weights is not None:
            return column.weights[profile_codes[:, number]]
    return None
