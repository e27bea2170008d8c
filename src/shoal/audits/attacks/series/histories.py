"""Histories: who was in which release, and in which of its classes."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.audits.propagation import join_classes
from shoal.tables.distinct_rows import numbered_rows, rows_at
from shoal.tables.table import totals


@dataclass(frozen=True, slots=True, eq=False)
class ClassSets:
    """The classes of a release that may hold a person; those of set `i` are `classes[offsets[i] : offsets[i + 1]]`."""

    offsets: NDArray[np.int64]
    classes: NDArray[np.int32]

    @classmethod
    def single(cls, n_classes: int) -> "ClassSets":
        """Return each class as a set of its own."""
        return cls(np.arange(n_classes + 1), np.arange(n_classes, dtype=np.int32))

    @property
    def lengths(self) -> NDArray[np.int64]:
        """The number of classes of each set."""
        return np.diff(self.offsets)


@dataclass(frozen=True, slots=True, eq=False)
class SeriesStep:
    """A release, and the persons who are known to be in it.

    Args:
        sizes: The number of records of each class.
        sets: The sets of classes that persons may be in.
        persons: The persons who are in it, each once.
        placed: The set of each of them.
    """

    sizes: NDArray[np.int64]
    sets: ClassSets
    persons: NDArray[np.int64]
    placed: NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Histories:
    """The cohorts of a series: persons of one cohort were in the same releases, in the same sets of classes.

    Nobody who knows these tells them apart, so that each of them has each value with the same probability. Records that
    nobody of the lists can have belong to strangers, who are in one release only.

    Args:
        steps: The releases.
        sets: `sets[cohort, step]`, the set of a cohort in each release; -1 if it is not in it.
        sizes: The number of persons of each cohort.
        cohort_of: The cohort of each person.
        crowded: For each release and class whether more persons may be in it, and in those it is joined with by
            sets, than it has records: some were left out.
    """

    steps: tuple[SeriesStep, ...]
    sets: NDArray[np.int32]
    sizes: NDArray[np.int64]
    cohort_of: NDArray[np.int32]
    crowded: tuple[NDArray[np.bool_], ...]

    @classmethod
    def of(cls, steps: Sequence[SeriesStep], n_persons: int) -> "Histories":
        """Find the cohorts.

        Args:
            steps: The releases; their persons are numbered alike.
            n_persons: The number of persons; each is in some release.
        """
        columns = []
        for step in steps:
            column = np.full(n_persons, -1, dtype=np.int32)
            column[step.persons] = step.placed
            columns.append(column + 1)
        lengths = [len(step.sets.lengths) + 1 for step in steps]
        cohort_of, places = numbered_rows(columns, lengths, n_persons)
        sets = rows_at(columns, places) - 1
        known = [sets]
        sizes = [totals(cohort_of, None, len(sets))]
        crowded, grown = [], []
        for j, step in enumerate(steps):
            more, strangers, counts = _compared(step)
            rows = np.full((len(counts), len(steps)), -1, dtype=np.int32)
            rows[:, j] = len(step.sets.lengths) + np.arange(len(counts))
            known.append(rows)
            sizes.append(counts)
            crowded.append(more)
            joined = ClassSets(
                np.concatenate([step.sets.offsets, step.sets.offsets[-1] + strangers.offsets[1:]]),
                np.concatenate([step.sets.classes, strangers.classes]),
            )
            grown.append(SeriesStep(step.sizes, joined, step.persons, step.placed))
        return cls(tuple(grown), np.concatenate(known), np.concatenate(sizes), cohort_of, tuple(crowded))

    def of_steps(self, chosen: Sequence[int]) -> "Histories":
        """Return what some of the releases tell: the cohorts of who is in them, and the same strangers."""
        sets, persons = self.sets[:, list(chosen)], self.persons
        there = (sets >= 0).any(axis=1)
        own = np.flatnonzero(there & (np.arange(len(sets)) < len(persons)))
        lengths = [len(self.steps[j].sets.lengths) + 1 for j in chosen]
        cohort, places = numbered_rows([sets[own, i] + 1 for i in range(len(chosen))], lengths, len(own))
        apart = np.flatnonzero(there & (np.arange(len(sets)) >= len(persons)))
        merged = np.full(len(persons), -1, dtype=np.int32)
        merged[own] = cohort
        n_merged = len(places)
        return Histories(
            tuple(self.steps[j] for j in chosen),
            np.concatenate([sets[own][places], sets[apart]]),
            np.concatenate([totals(cohort, self.sizes[own], n_merged), self.sizes[apart]]),
            merged[self.cohort_of],
            tuple(self.crowded[j] for j in chosen),
        )

    @cached_property
    def persons(self) -> NDArray[np.int64]:
        """The number of known persons of each cohort; strangers have cohorts after these."""
        found = self.cohort_of[self.cohort_of >= 0]
        return totals(found, None, int(self.cohort_of.max(initial=-1)) + 1)

    @property
    def parted(self) -> list[bool]:
        """For each release whether it is known which class everybody is in, all of them in some."""
        return [
            bool((step.sets.lengths == 1).all()) and not crowded.any() and bool((step.sizes > 0).all())
            for step, crowded in zip(self.steps, self.crowded, strict=True)
        ]

    @property
    def n_persons(self) -> int:
        """The number of persons."""
        return int((self.cohort_of >= 0).sum())

    @property
    def strangers(self) -> int:
        """The number of records that nobody of the lists can have."""
        return int(self.sizes[len(self.persons) :].sum())


def _compared(step: SeriesStep) -> tuple[NDArray[np.bool_], ClassSets, NDArray[np.int64]]:
    """Compare persons and records, in each group of classes that sets hold together.

    Returns:
        For each class whether more persons than records may be in its group; sets for records that nobody can have, and
            their numbers.
    """
    n_classes = len(step.sizes)
    groups = join_classes(step.sets.offsets, step.sets.classes, n_classes)
    n_groups = int(groups.max(initial=-1)) + 1
    records = totals(groups, step.sizes, n_groups)
    persons = totals(groups[step.sets.classes[step.sets.offsets[step.placed]]], None, n_groups)
    order = np.argsort(groups, kind="stable").astype(np.int32)
    begins = np.concatenate([[0], np.cumsum(np.bincount(groups, minlength=n_groups))])
    lacking = np.flatnonzero(records > persons)
    parts = [order[begins[group] : begins[group + 1]] for group in lacking.tolist()]
    offsets = np.concatenate([[0], np.cumsum([len(part) for part in parts])]).astype(np.int64)
    classes = np.concatenate(parts) if parts else np.zeros(0, dtype=np.int32)
    return (persons > records)[groups], ClassSets(offsets, classes), (records - persons)[lacking]
