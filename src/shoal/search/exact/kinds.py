"""Kinds of records: records that no quasi column and no promise distinguishes."""

from dataclasses import dataclass, replace
from math import comb

import numpy as np
from numpy.typing import NDArray

from shoal.classes.grouping import Grouping, Parts
from shoal.classes.tally import Tally
from shoal.models.model import SensitiveModel, holding
from shoal.search.problem import Problem
from shoal.tables.distinct_rows import distinct_rows

_MOST_ASKED = 20_000  # the largest number of classes of one size that are tested against the promises


@dataclass(frozen=True, slots=True, eq=False)
class Kinds:
    """The records of a table by kind: equal quasi values, and equal values in the columns that the promises use.

    Args:
        tally: The table.
        codes: `codes[kind, column]`, the leaf codes of the quasi columns.
        profiles: The number of each kind's values in the columns that the promises use.
        counts: The number of records of each kind.
        points: One point of each kind.
        kind_of: The kind of each point; -1 for a point without records.
    """

    tally: Tally
    codes: NDArray[np.int32]
    profiles: NDArray[np.int64]
    counts: NDArray[np.int64]
    points: NDArray[np.int64]
    kind_of: NDArray[np.int64]

    @classmethod
    def of(cls, problem: Problem) -> "Kinds":
        """Return the kinds of a problem's table, in the order of their codes."""
        tally = problem.tally
        some = np.flatnonzero(tally.counts > 0)
        seen = _seen(problem)
        profile_of, shown = distinct_rows(
            [tally.profile_codes[:, j] for j in seen],
            [len(tally.sensitive[j].values) for j in seen],
            len(tally.profile_codes),
        )
        own = profile_of[tally.profiles[some]]
        sizes = [column.hierarchy.n_leaves for column in tally.quasi]
        kinds, rows = distinct_rows([*tally.codes[some].T, own], [*sizes, max(len(shown), 1)], len(some))
        kind_of = np.full(tally.n_points, -1, dtype=np.int64)
        kind_of[some] = kinds
        points = np.empty(len(rows), dtype=np.int64)
        points[kinds[::-1]] = some[::-1]
        _, profiles = np.unique(rows[:, -1], return_inverse=True)
        counts = np.bincount(kinds, weights=tally.counts[some], minlength=len(rows)).astype(np.int64)
        return cls(tally, rows[:, :-1].astype(np.int32), profiles.astype(np.int64), counts, points, kind_of)

    def __len__(self) -> int:
        return len(self.counts)

    @property
    def n_records(self) -> int:
        """The number of records."""
        return int(self.counts.sum())

    @property
    def n_profiles(self) -> int:
        """The number of distinct profiles."""
        return int(self.profiles.max(initial=-1)) + 1

    def parts(self, kinds: NDArray[np.int64], classes: NDArray[np.int64], amounts: NDArray[np.int64]) -> Parts:
        """Return the classes that some records of some kinds form; all other records are in none.

        Args:
            kinds: The kind of each entry.
            classes: Its class.
            amounts: Its number of records; of no kind more than there are.
        """
        rest = self.counts - np.bincount(kinds, weights=amounts, minlength=len(self)).astype(np.int64)
        every = np.arange(len(self))
        owners = np.repeat(np.append(kinds, every), np.append(amounts, rest))
        label = np.repeat(np.append(classes, np.full(len(self), -1)), np.append(amounts, rest))
        label = label[np.argsort(owners, kind="stable")]
        filled = np.flatnonzero(self.kind_of >= 0)
        points = filled[np.argsort(self.kind_of[filled], kind="stable")]
        points = np.repeat(points, self.tally.counts[points])
        n_labels = int(label.max(initial=-1)) + 2
        keys, counts = np.unique(points * n_labels + label + 1, return_counts=True)
        points, label = np.divmod(keys, n_labels)
        return Parts(points.astype(np.int32), (label - 1).astype(np.int32), counts.astype(np.int64))

    def classes(self, amounts: NDArray[np.int64], totals: NDArray[np.int64] | None = None) -> Grouping:
        """Return classes that the promises can be tested on; none may be empty.

        Args:
            amounts: `amounts[class, profile]`, the number of records.
            totals: The number of records of each profile that the classes are compared with; all records if left out.
        """
        _, example = np.unique(self.profiles, return_index=True)
        own = self.tally.profiles[self.points[example]]
        owners, shown = np.nonzero(amounts)
        parts = Parts(self.points[example[shown]].astype(np.int32), owners.astype(np.int32), amounts[owners, shown])
        groups = Grouping.of_parts(self.tally, parts, len(amounts))
        if totals is None:
            totals = np.bincount(self.profiles, weights=self.counts, minlength=self.n_profiles).astype(np.int64)
        reference = np.zeros(len(self.tally.profile_codes), dtype=np.int64)
        reference[own] = totals
        return replace(groups, totals=reference)


def least_size(problem: Problem, kinds: Kinds) -> int:
    """Return a number of records below which no class keeps all promises, found by testing all classes.

    Sizes are tried one by one, as long as there are not too many classes of a size, distinguished by their profiles.
    """
    totals = np.bincount(kinds.profiles, weights=kinds.counts, minlength=kinds.n_profiles).astype(np.int64)
    size = max(problem.k, 1)
    while size < kinds.n_records and comb(size + len(totals) - 1, size) <= _MOST_ASKED:
        amounts = _sums(totals, size)
        if holding(problem.models, kinds.classes(amounts)).any():
            break
        size += 1
    return size


def _sums(totals: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    """Return all rows of whole numbers from 0 to the totals that add up to `size`."""
    rows, left = np.zeros((1, 0), dtype=np.int64), np.full(1, size)
    for number, total in enumerate(totals.tolist()):
        rest = int(totals[number + 1 :].sum())
        low, high = np.maximum(left - rest, 0), np.minimum(left, total)
        lengths = high - low + 1
        owners = np.repeat(np.arange(len(rows)), lengths)
        more = low[owners] + np.arange(len(owners)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        rows, left = np.column_stack([rows[owners], more]), left[owners] - more
    return rows


def _seen(problem: Problem) -> list[int]:
    """Return the numbers of the sensitive columns that the promises use."""
    names = [column.name for column in problem.tally.sensitive]
    if any(isinstance(model, SensitiveModel) and model.others == "known" for model in problem.models):
        return list(range(len(names)))
    return sorted({names.index(name) for model in problem.models for name in model.sensitive_columns})
