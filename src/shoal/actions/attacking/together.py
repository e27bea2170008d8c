"""Together: several releases of a table that changes, and who was in each of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.actions.attacking.joining import joined_on
from shoal.actions.attacking.told_classes import told_histories
from shoal.audits.attacks.attacks import Attacks
from shoal.audits.attacks.profiles import ProfileCounts, classes_of
from shoal.audits.attacks.series.histories import ClassSets, Histories, SeriesStep
from shoal.audits.attacks.series.series import Series, series
from shoal.foundation.errors import SpecError
from shoal.foundation.progress import Progress, silent
from shoal.foundation.wording import number_of
from shoal.jobs.given_table import names_of, single_records
from shoal.releases.release_view import Joined, ReleaseView
from shoal.tables.distinct_rows import distinct_rows, numbered_rows
from shoal.tables.rows import Rows
from shoal.tables.table import Column

_WORK = 10_000_000  # records of pairs of releases that are looked at


@dataclass(frozen=True, eq=False)
class Together:
    """Several releases of one table, in the order in which they were made.

    Args:
        views: The releases.
        persons: For each the list of who is in it, as a table with their quasi values; none if nobody has such lists.
        truth: The columns that name persons in the lists.
        on: The columns to join on, by the names in the releases and in the lists; all that both have if empty.
        wildcard: Whether a missing value may be any value.
        k: The least allowed number of records that may be a person's; what the releases promise if None.
        l: The largest allowed probability is 1 / l; what the releases promise if None.
        budget: How many ways to place persons are tried, to count worlds.
    """

    views: tuple[ReleaseView, ...]
    persons: tuple[Any, ...] = ()
    truth: tuple[str, ...] = ()
    on: Joined | None = None
    wildcard: bool = True
    k: int | None = None
    l: int | None = None  # noqa: E741  (the paper's letter)
    budget: int = 0

    def run(self, progress: Progress = silent) -> Attacks:
        """Attack each sensitive column, and all of them as one if there are several."""
        self._check()
        histories = self._histories(progress)
        told = told_histories(self.views)
        findings = []
        columns = [(name,) for name in self._sensitive]
        for names in [*columns, *([self._sensitive] if len(columns) > 1 else [])]:
            progress(f"putting the releases together: {' + '.join(names)}")
            findings.append(self._finding(histories, told, names))
        return Attacks(tuple(findings))

    def _check(self) -> None:
        if len(self.views) < 2:
            raise SpecError("A series has two releases or more.")
        if self.persons and len(self.persons) != len(self.views):
            raise SpecError(
                f"There are {len(self.views)} releases and {number_of(len(self.persons), 'list')} of persons: give one "
                "list for each release, in the same order."
            )
        if self.truth and not self._lists:
            raise SpecError("The truth identifies persons of lists, but no lists are given (--persons) or available.")
        if self.budget < 0 or (self.k is not None and self.k < 1) or (self.l is not None and self.l < 1):
            raise SpecError("'k' and 'l' are 1 or more, and 'worlds' is 0 or more.")
        if not self._sensitive:
            raise SpecError("No sensitive column is in all releases: there is nothing to learn from them together.")

    @cached_property
    def _sensitive(self) -> tuple[str, ...]:
        """The sensitive columns that all releases show."""
        return tuple(name for name in self.views[0].sensitive if all(name in view.sensitive for view in self.views))

    @cached_property
    def _lists(self) -> tuple[Any, ...]:
        """The lists of persons: those that are given, or else the tables that the releases were made of."""
        if self.persons:
            return self.persons
        raw = tuple(view.raw for view in self.views)
        return () if any(one is None for one in raw) else raw

    @cached_property
    def _known(self) -> list[str]:
        """The quasi columns of all lists, or else of all releases: they tell persons apart where nothing names them."""
        if not self._lists:
            names = [list(view.quasi) for view in self.views]
        else:
            both = zip(self.views, self._lists, strict=True)
            names = [list(joined_on(view, names_of(people), self.on).values()) for view, people in both]
        found = [name for name in names[0] if all(name in others for others in names)]
        if not found:
            raise SpecError("No quasi column is in all releases: name the persons of the lists (--truth).")
        return found

    def _histories(self, progress: Progress) -> Histories:
        """Find out who was where."""
        keys, placings = [], []
        for number, view in enumerate(self.views):
            progress("finding everybody in the releases", number / len(self.views))
            key, sets, placed = self._listed(view, self._lists[number]) if self._lists else self._shown(view)
            keys.append(key)
            placings.append((view.observed.groups.sizes, sets, placed))
        persons = _numbered(keys, apart=bool(self.truth))
        inside = [placed >= 0 for _, _, placed in placings]
        found, number_of_each = np.unique(
            np.concatenate([one[there] for one, there in zip(persons, inside, strict=True)]), return_inverse=True
        )
        parts = np.split(number_of_each, np.cumsum([int(there.sum()) for there in inside])[:-1])
        steps = [
            SeriesStep(sizes, sets, part.astype(np.int64), placed[there])
            for (sizes, sets, placed), part, there in zip(placings, parts, inside, strict=True)
        ]
        return Histories.of(steps, len(found))

    def _listed(self, view: ReleaseView, people: Any) -> tuple[pl.DataFrame, ClassSets, NDArray[np.int32]]:
        """Return the key of each person of a list, and the classes that may hold each."""
        joined = joined_on(view, names_of(people), self.on)
        names = [*dict.fromkeys([*self.truth, *joined.values()])]
        frame = single_records(people, names, "The list of persons", "each of them is followed")
        sets, placed = view.placed(Rows.each(frame), people, joined, wildcard=self.wildcard)
        return frame.select(self.truth or self._known), sets, placed

    def _shown(self, view: ReleaseView) -> tuple[pl.DataFrame, ClassSets, NDArray[np.int32]]:
        """Take the records of each class for persons: those of equal cells in two releases are the same, by number."""
        rows = view.rows([*view.quasi, *self._sensitive])
        classes = classes_of(rows.frame, view.quasi)
        frame = rows.select(self._known).single()
        return frame, ClassSets.single(view.observed.groups.n_classes), np.repeat(classes, rows.counts)

    def _finding(self, histories: Histories, told: Histories | None, names: tuple[str, ...]) -> Series:
        rows = [view.rows([*view.quasi, *self._sensitive]) for view in self.views]
        values, codes = _values([one.frame for one in rows], names)
        shown = [
            ProfileCounts.of(
                classes_of(one.frame, view.quasi), part, one.counts, view.observed.groups.n_classes, len(values)
            )
            for view, one, part in zip(self.views, rows, codes, strict=True)
        ]
        return series(
            histories,
            shown,
            " + ".join(names),
            values,
            k=self.k if self.k is not None else min(view.k for view in self.views),
            l=self.l if self.l is not None else self._promised(names),
            budget=self.budget,
            pairs=max(_WORK // max(sum(one.n_records for one in rows) * 2 // len(rows), 1), 1),
            told=told,
        )

    def _promised(self, names: tuple[str, ...]) -> int:
        """Return the l that each release, or its series, promises of a column at the least, and 2 where none does."""
        found = []
        for view in self.views:
            promises = () if view.job is None else view.job.require
            series = None if view.job is None else view.job.series
            told = [int(getattr(one, "l", 2)) for one in promises if getattr(one, "column", "") in names]
            found.append(max(*told, 2, 2 if series is None else series.m or 2))
        return min(found)


def _numbered(keys: Sequence[pl.DataFrame], *, apart: bool) -> list[NDArray[np.int32]]:
    """Number the persons of several lists by their keys.

    Args:
        keys: The keys of each list.
        apart: Whether a key names one person; else as many persons as share a key are told apart by counting.
    """
    heights = [frame.height for frame in keys]
    columns = [
        Column.of(pl.concat([frame.to_series(j).cast(pl.String) for frame in keys])) for j in range(keys[0].width)
    ]
    lists = np.repeat(np.arange(len(keys)), heights)
    lengths = [len(column.values) + 1 for column in columns]
    numbers, _ = numbered_rows([column.codes for column in columns], lengths, sum(heights))
    _, inverse, counts = np.unique(
        numbers.astype(np.int64) * len(keys) + lists, return_inverse=True, return_counts=True
    )
    if apart:
        if (counts > 1).any():
            raise SpecError(
                f"{number_of(int((counts > 1).sum()), 'person')} of the lists occur more than once: one record "
                "for each person is needed in each release."
            )
    else:
        order = np.argsort(inverse, kind="stable")
        begins = np.cumsum(counts) - counts
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(len(order)) - begins[inverse[order]]
        numbers, _ = numbered_rows(
            [numbers, place], [int(numbers.max(initial=0)) + 1, int(counts.max(initial=1))], len(place)
        )
    return np.split(numbers, np.cumsum(heights)[:-1])


def _values(frames: Sequence[pl.DataFrame], names: Sequence[str]) -> tuple[list[str | None], list[NDArray[np.int32]]]:
    """Return the different values of some columns taken as one, and their codes in each table."""
    heights = [frame.height for frame in frames]
    columns = [Column.of(pl.concat([frame[name].cast(pl.String) for frame in frames])) for name in names]
    lengths = [len(column.values) + 1 for column in columns]
    codes, rows = distinct_rows([column.codes for column in columns], lengths, sum(heights))
    texts: list[list[str | None]] = [[*column.values, None] for column in columns]
    if len(names) == 1:
        values = [texts[0][code] for code in rows[:, 0].tolist()]
    else:
        values = [" + ".join(texts[j][code] or "" for j, code in enumerate(row)) for row in rows.tolist()]
    return values, np.split(codes, np.cumsum(heights)[:-1])
