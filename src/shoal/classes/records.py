"""Records: a tally expanded to single records, for searches that move them one at a time."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.classes.grouping import Parts
from shoal.classes.tally import Tally, weights_of_profiles
from shoal.tables.distinct_rows import distinct_rows


@dataclass(frozen=True, slots=True, eq=False)
class Records:
    """The single records of a tally; records with equal quasi values are adjacent.

    Args:
        codes: `codes[point, column]`, the distinct quasi tuples.
        firsts: The first record of each of these points.
        point: The point of each record.
        origin: The point of the tally that each record belongs to.
        profile: Its sensitive profile.
        weight: Its sampling weight; 1 if there are none.
    """

    codes: NDArray[np.int32]
    firsts: NDArray[np.int64]
    point: NDArray[np.int64]
    origin: NDArray[np.int32]
    profile: NDArray[np.int32]
    weight: NDArray[np.int64]

    @classmethod
    def of(cls, tally: Tally) -> "Records":
        """List the records of a tally."""
        sizes = [column.hierarchy.n_leaves for column in tally.quasi]
        points, codes = distinct_rows(list(tally.codes.T), sizes, tally.n_points)
        order = np.argsort(points, kind="stable")
        origin = np.repeat(order, tally.counts[order]).astype(np.int32)
        point = points[origin].astype(np.int64)
        firsts = np.searchsorted(point, np.arange(len(codes) + 1)).astype(np.int64)
        profile = tally.profiles[origin].astype(np.int32)
        each = weights_of_profiles(tally.sensitive, tally.profile_codes)
        weight = np.ones(len(profile), dtype=np.int64) if each is None else each[profile]
        return cls(codes, firsts, point, origin, profile, weight)

    def parts(self, label: NDArray[np.int64]) -> Parts:
        """Return the classes given by the label of each record; a record with -1 is in none."""
        n_labels = int(label.max(initial=-1)) + 2
        keys, counts = np.unique(self.origin.astype(np.int64) * n_labels + label + 1, return_counts=True)
        points, classes = np.divmod(keys, n_labels)
        return Parts(points.astype(np.int32), (classes - 1).astype(np.int32), counts.astype(np.int64))

    def labels(self, parts: Parts) -> NDArray[np.int64]:
        """Return the class of each record of a partition of all records."""
        order = np.lexsort((parts.classes, parts.points))
        by_point = np.repeat(parts.classes[order], parts.counts[order])
        label = np.empty(len(self.origin), dtype=np.int64)
        label[np.argsort(self.origin, kind="stable")] = by_point
        return label
