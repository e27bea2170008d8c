"""SUDA: minimal sample uniques, and how they score each record."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.audits.risk.person_classes import PersonClasses
from shoal.foundation.progress import Progress, silent
from shoal.kernels.audits.uniques import lone_points, met_points

_SHOWN = 10  # sets of columns that a summary lists


@dataclass(frozen=True, slots=True, eq=False)
class Suda:
    """The minimal sample uniques (MSUs) of a table.

    An MSU of a record is a set of columns in which nobody else has its values, while each smaller set of them is
    shared. A person with several records is one, and so is a class of such records.

    Args:
        columns: The quasi columns.
        largest: The largest size of an MSU that was looked for.
        classes: The classes of one person, which are all that can have MSUs.
        counts: `counts[place, size - 1]`, the number of MSUs of each size that each of them has.
        scores: The SUDA score of each of them.
        shares: `shares[place, column]`, the part of the score in MSUs with the column.
        sets: How many MSUs each set of columns has.
    """

    columns: tuple[str, ...]
    largest: int
    classes: NDArray[np.int64]
    counts: NDArray[np.int32]
    scores: NDArray[np.float64]
    shares: NDArray[np.float64]
    sets: dict[tuple[int, ...], int]

    @property
    def contributions(self) -> dict[str, float]:
        """The part of all scores that is in MSUs with each column; an MSU counts for each of its columns."""
        total = float(self.scores.sum())
        parts = self.shares.sum(axis=0).tolist()
        return {name: part / total if total else 0.0 for name, part in zip(self.columns, parts, strict=True)}

    def of_records(self, classes: PersonClasses, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return a figure of the lone classes record by record; a record in company has 0."""
        everywhere = np.zeros(len(classes.cells))
        everywhere[self.classes] = values
        return everywhere[classes.class_of]

    def numbers(self) -> dict[str, Any]:
        """Return how many MSUs of each size there are, and how many persons have any."""
        return {
            "msus": {str(size): int(count) for size, count in enumerate(self.counts.sum(axis=0), 1)},
            "persons_with_msu": int(np.count_nonzero(self.counts.any(axis=1))),
        }

    def describe(self) -> dict[str, Any]:
        """Return the figures of the table: no value, only columns and counts."""
        ranked = sorted(self.sets.items(), key=lambda item: (-item[1], item[0]))[:_SHOWN]
        return {
            "largest_size": self.largest,
            **self.numbers(),
            "largest_score": float(self.scores.max(initial=0.0)),
            "contributions": self.contributions,
            "sets": [
                {"columns": [self.columns[j] for j in chosen], "msus": count} for chosen, count in ranked if count
            ],
        }


def suda(
    classes: PersonClasses,
    columns: Sequence[str],
    largest: int | None = None,
    progress: Progress = silent,
    *,
    wildcard: bool = False,
) -> Suda:
    """Find all minimal sample uniques up to a size.

    Each set of columns is grouped once. A class that is alone in a set has an MSU there unless it is alone in the set
    without one of its columns, which is known from the size before.

    Args:
        classes: The classes of the table.
        columns: The quasi columns, in the order of the classes' cells.
        largest: The largest size; None is all.
        progress: Called with the share that is done.
        wildcard: Whether a missing value or star matches everything; else it is a value like any other.
    """
    largest = len(columns) if largest is None else min(largest, len(columns))
    used = np.flatnonzero(classes.persons > 0)
    cells = _Cells(
        codes=np.ascontiguousarray(classes.cells[used].T),
        opened=np.ascontiguousarray(classes.open_cells[used].T & wildcard),
        owners=owners_of(classes)[used],
        lone=np.flatnonzero((classes.matching if wildcard else classes.persons)[used] == 1),
    )
    n_lone = len(cells.lone)
    weights = scores_by_size(len(columns), largest)
    counts = np.zeros((n_lone, largest), dtype=np.int32)
    shares, scores = np.zeros((n_lone, len(columns))), np.zeros(n_lone)
    sets: dict[tuple[int, ...], int] = {}
    for chosen, found in _minimal(cells, largest, progress):
        size = len(chosen)
        sets[chosen] = len(found)
        counts[found, size - 1] += 1
        scores[found] += weights[size - 1]
        shares[np.ix_(found, np.array(chosen))] += weights[size - 1]
    return Suda(tuple(columns), largest, used[cells.lone], counts, scores, shares, sets)


@dataclass(frozen=True, slots=True, eq=False)
class _Cells:
    """The classes as points: their codes and open cells by column, the one owner of each, and which are alone."""

    codes: NDArray[np.int32]
    opened: NDArray[np.bool_]
    owners: NDArray[np.int64]
    lone: NDArray[np.int64]

    def alone(self, chosen: tuple[int, ...]) -> NDArray[np.bool_]:
        """Return which of the lone points are alone in some columns too, without a wildcard of their own."""
        columns = np.array(chosen, dtype=np.int64)
        unique = lone_points(self.codes, columns, self.owners)[self.lone]
        opened = self.opened[columns]
        if opened.any():
            unique &= ~opened[:, self.lone].any(axis=0)
            patterns = (1 << np.arange(len(chosen))) @ opened
            for pattern in np.unique(patterns[patterns > 0]):  # these match whoever has their other values
                shared = columns[(pattern >> np.arange(len(chosen))) & 1 == 0]
                places, others = np.flatnonzero(unique), np.flatnonzero(patterns == pattern)
                unique[places[met_points(self.codes, shared, self.owners, self.lone[places], others)]] = False
        return unique


def _minimal(cells: _Cells, largest: int, progress: Progress) -> Iterator[tuple[tuple[int, ...], NDArray[np.int64]]]:
    """Yield each set of columns with the places among the lone points for which it is an MSU."""
    n_columns, n_lone = len(cells.codes), len(cells.lone)
    total, done = sum(comb(n_columns, size) for size in range(1, largest + 1)), 0
    alone: dict[tuple[int, ...], NDArray[np.uint8]] = {(): np.packbits(np.zeros(n_lone, dtype=np.bool_))}
    for size in range(1, largest + 1):
        before, alone = alone, {}
        for chosen in combinations(range(n_columns), size):
            progress("Looking for minimal sample uniques", done / total)
            done += 1
            unique = np.packbits(cells.alone(chosen))
            if size < largest:
                alone[chosen] = unique
            for smaller in combinations(chosen, size - 1):
                unique = unique & ~before[smaller]
            yield chosen, np.flatnonzero(np.unpackbits(unique, count=n_lone))


def owners_of(classes: PersonClasses) -> NDArray[np.int64]:
    """Return the one person of each class, or -1 where there are several or none."""
    owners = np.full(len(classes.cells), -1, dtype=np.int64)
    owners[classes.class_of] = classes.person_of
    return np.where(classes.persons == 1, owners, -1)


def scores_by_size(n_columns: int, largest: int) -> list[int]:
    """Return what an MSU of each size scores: the product of `n_columns - i` from its size to the largest.

    The factor of all columns, which is 0, is left out: looking for all sizes scores (n_columns - size)!.
    """
    last = min(largest, n_columns - 1)
    return [prod(n_columns - i for i in range(size, last + 1)) for size in range(1, largest + 1)]


def dis(sizes: NDArray[np.int64], fraction: float) -> float:
    """Return the probability that a unique match to the table is right (Skinner and Elliot 2002).

    Args:
        sizes: The persons of each class.
        fraction: The part of the population that is in the table.
    """
    uniques, pairs = int(np.count_nonzero(sizes == 1)), int(np.count_nonzero(sizes == 2))
    if not uniques:
        return 0.0
    return uniques * fraction / (uniques * fraction + 2 * pairs * (1 - fraction))


def dis_suda(scores: NDArray[np.float64], probability: float, n_columns: int) -> NDArray[np.float64]:
    """Spread the DIS probability of a table over its uniques by their SUDA scores (Elliot and Manning 2003).

    If all have the same score, each has the probability of the table.

    Args:
        scores: The SUDA score of each unique; 0 where it has no MSU of the sizes looked for.
        probability: What `dis` returns.
        n_columns: The number of quasi columns; from 28 on the scores no longer matter.
    """
    scored = scores > 0
    power = max(1 + (8 - n_columns) / 20, 0.0)
    raised = scores[scored] ** power
    spread = np.zeros(len(scores))
    if probability > 0 and scored.any():
        odds = len(scores) * (1 - probability) / probability
        spread[scored] = 1 / (1 + odds / (raised * np.sum(1 / raised)))
    return spread
