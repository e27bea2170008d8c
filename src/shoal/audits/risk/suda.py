"""SUDA: minimal sample uniques, and the risk score of each record by them."""

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

    An MSU of a record is a set of columns in which no other person has its values, while in every proper subset
    somebody has. Records of one person count as one.

    Args:
        columns: The quasi columns.
        largest: The largest size of MSU that was searched for.
        classes: The classes of one person; no others can have MSUs.
        counts: `counts[i, size - 1]`, the number of MSUs of each size of the i-th of these classes.
        scores: The SUDA score of each of these classes.
        shares: `shares[i, column]`, the part of the score that comes from MSUs with the column.
        sets: For each set of columns, the number of classes for which it is an MSU.
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
        """For each column, the share of the total score that comes from MSUs with the column."""
        total = float(self.scores.sum())
        parts = self.shares.sum(axis=0).tolist()
        return {name: part / total if total else 0.0 for name, part in zip(self.columns, parts, strict=True)}

    def of_rows(self, classes: PersonClasses, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return for each row the value of its class; 0 if the class has several persons."""
        everywhere = np.zeros(len(classes.cells))
        everywhere[self.classes] = values
        return everywhere[classes.class_of]

    def numbers(self) -> dict[str, Any]:
        """Return the number of MSUs of each size, and the number of persons with any."""
        return {
            "msus": {str(size): int(count) for size, count in enumerate(self.counts.sum(axis=0), 1)},
            "persons_with_msu": int(np.count_nonzero(self.counts.any(axis=1))),
        }

    def describe(self) -> dict[str, Any]:
        """Return the figures of the table: names of columns and counts, no values."""
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

    Each set of columns is grouped once. A class that is unique in a set has an MSU there unless it is unique already in
    the set without one of its columns, which is known from the previous size.

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
        owners=classes.owners[used],
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
    """The classes as points: codes and wildcard cells by column, the only person of each, and which are unique."""

    codes: NDArray[np.int32]
    opened: NDArray[np.bool_]
    owners: NDArray[np.int64]
    lone: NDArray[np.int64]

    def alone(self, chosen: tuple[int, ...]) -> NDArray[np.bool_]:
        """Return which of the unique points are unique in the chosen columns too, and have no wildcard there."""
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
    """Yield each set of columns with the indices of the unique points for which it is an MSU."""
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


def scores_by_size(n_columns: int, largest: int) -> list[int]:
    """Return the score of an MSU of each size: the product of `n_columns - i` for i from its size to the largest.

    The factor for i = `n_columns`, which is 0, is left out. So if every size is searched for, the score is (n_columns -
    size)!.
    """
    last = min(largest, n_columns - 1)
    return [prod(n_columns - i for i in range(size, last + 1)) for size in range(1, largest + 1)]


def dis(sizes: NDArray[np.int64], fraction: float) -> float:
    """Return the probability that a unique match to the table is right (Skinner and Elliot 2002).

    Args:
        sizes: The persons of each class.
        fraction: The sampling fraction.
    """
    uniques, pairs = int(np.count_nonzero(sizes == 1)), int(np.count_nonzero(sizes == 2))
    if not uniques:
        return 0.0
    return uniques * fraction / (uniques * fraction + 2 * pairs * (1 - fraction))


def dis_suda(scores: NDArray[np.float64], probability: float, n_columns: int) -> NDArray[np.float64]:
    """Distribute the DIS probability of a table over its sample uniques by their SUDA scores (Elliot, Manning 2003).

    If all scores are equal, each unique gets the probability of the table.

    Args:
        scores: The SUDA score of each unique; 0 if it has no MSU of the sizes searched for.
        probability: The result of `dis`.
        n_columns: The number of quasi columns; from 28 on the scores have no effect.
    """
    scored = scores > 0
    power = max(1 + (8 - n_columns) / 20, 0.0)
    raised = scores[scored] ** power
    spread = np.zeros(len(scores))
    if probability > 0 and scored.any():
        odds = len(scores) * (1 - probability) / probability
        spread[scored] = 1 / (1 + odds / (raised * np.sum(1 / raised)))
    return spread
