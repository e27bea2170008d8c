"""Drawing: the search of a series on a table that is read, and its answer as classes of records."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import NDArray

from shoal.actions.continuing.history import KnownRecords
from shoal.actions.continuing.publishing import Drawn
from shoal.foundation.progress import Progress
from shoal.jobs.posing import problem_of
from shoal.jobs.series_request import SeriesRequest
from shoal.jobs.source import Source
from shoal.releases.series.histories import keeps
from shoal.releases.series.state import WITHHELD
from shoal.search.engines import Counted
from shoal.search.series.cohorts import new_cohorts, who_stays
from shoal.search.series.invariance import invariant_classes
from shoal.search.series.people import People
from shoal.tables.hierarchies.hierarchy import Label

Signatures = tuple[tuple[Label, ...], ...]
_COHORT = 8  # times k: the least size of a new cohort, if nobody says it


@dataclass(frozen=True, slots=True, eq=False)
class SeriesTable:
    """A table that is read and counted, for a series.

    Args:
        source: The table.
        columns: Its sensitive columns.
        counted: Its points.
    """

    source: Source
    columns: tuple[str, ...]
    counted: Counted[NDArray[np.int32]]

    @classmethod
    def of(cls, source: Source, columns: tuple[str, ...]) -> "SeriesTable":
        """Count the records."""
        return cls(source, columns, source.engine.count(tuple(dict.fromkeys((*source.job.watched(), *columns)))))

    def values(self, column: str) -> tuple[NDArray[np.int64], list[Label]]:
        """Return the code of each record in a sensitive column, and the values."""
        tally = self.counted.tally
        number = [one.name for one in tally.sensitive].index(column)
        codes = tally.profile_codes[tally.profiles[self.counted.point_of], number]
        return codes.astype(np.int64), list(tally.sensitive[number].values)

    def people(self, known: KnownRecords, values: NDArray[np.int64], inside: NDArray[np.int64]) -> People:
        """Return those who may be published."""
        problem = problem_of(self.source.job, self.counted.tally)
        return People.of(
            problem, self.counted.point_of[inside], values[inside], known.held[inside], known.homes[inside]
        )


def invariant_drawn(
    table: SeriesTable, asked: SeriesRequest, known: KnownRecords, rng: np.random.Generator, progress: Progress
) -> tuple[Drawn, Signatures]:
    """Return classes by signatures, and all signatures."""
    column, signatures = table.columns[0], known.before.signatures
    values, labels = table.values(column)
    labels += sorted({value for one in signatures for value in one} - set(labels), key=str)
    code = {value: place for place, value in enumerate(labels)}
    inside = np.flatnonzero(~known.barred)
    found = invariant_classes(
        table.people(known, values, inside),
        [tuple(sorted(code[value] for value in one)) for one in signatures],
        len(labels),
        m=_least_values(table.source, asked, column),
        column=column,
        counterfeits=asked.counterfeits != "none",
        few=asked.signatures == "few",
        rng=rng,
        progress=progress,
    )
    label = np.full(len(values), -1, dtype=np.int64)
    label[inside] = found.label
    new = tuple(tuple(labels[value] for value in one) for one in found.signatures[len(signatures) :])
    faked = tuple(labels[value] for value in found.faked.tolist())
    return Drawn(label, found.owned, found.fakes, faked), (*signatures, *new)


def _least_values(source: Source, asked: SeriesRequest, column: str) -> int:
    """Return how many values a new signature has at least: so many keep the diversity that each release promises."""
    promised = [ceil(getattr(one, "l", 1)) for one in source.job.require if getattr(one, "column", "") == column]
    return max(asked.m or 2, *promised) if promised else asked.m or 2


def companions_drawn(
    table: SeriesTable, asked: SeriesRequest, known: KnownRecords, rng: np.random.Generator, progress: Progress
) -> Drawn:
    """Return cohorts, each of which is a class."""
    cohorts = known.held.copy()
    cohorts[known.barred] = WITHHELD
    for cohort, stays in _parted(table, known, rng):
        cohorts[stays[0][~stays[1]]] = WITHHELD
        progress(f"looking at who leaves cohort {cohort}")
    kept = np.flatnonzero(cohorts >= 0)
    old, label = np.unique(cohorts[kept], return_inverse=True)
    labels = np.full(len(cohorts), -1, dtype=np.int64)
    labels[kept] = label
    inside = np.flatnonzero(~known.barred)
    people = table.people(known, np.zeros(len(cohorts), dtype=np.int64), inside)
    fresh = np.flatnonzero(people.held < 0)
    least = asked.cohort or _COHORT * people.problem.k
    progress("making cohorts of newcomers")
    new = new_cohorts(people, fresh, least, progress)
    labels[inside[fresh[new >= 0]]] = len(old) + new[new >= 0]
    first = int(known.before.held.max(initial=-1)) + 1
    owned = np.concatenate([old, first + np.arange(int(new.max(initial=-1)) + 1)]).astype(np.int64)
    return Drawn(labels, owned, np.zeros(0, dtype=np.int64), ())


def _parted(
    table: SeriesTable, known: KnownRecords, rng: np.random.Generator
) -> Iterator[tuple[int, tuple[NDArray[np.int64], NDArray[np.bool_]]]]:
    """Yield each cohort that somebody leaves, or in which a value changed: the records of it, and who of them stays."""
    before, promises = known.before, table.source.job.require

    def kept(histories: Sequence[str]) -> bool:
        return keeps(list(histories), promises, table.columns)

    away = np.flatnonzero((before.held != WITHHELD) & ~known.present())
    there = np.flatnonzero((known.held >= 0) & ~known.barred)
    old = before.histories(known.at[there])
    touched = np.unique(np.concatenate([before.held[away], known.held[there][old != known.histories[there]]]))
    leaving = _members(before.held[away], touched, away)
    staying = _members(known.held[there], touched, there)
    for number, cohort in enumerate(touched.tolist()):
        records, left = staying[number], before.histories(leaving[number]).tolist()
        now = known.histories[records].tolist()
        then = before.histories(known.at[records]).tolist()
        yield cohort, (records, who_stays(left, then, now, kept, rng))


def _members(
    owners: NDArray[np.integer], wanted: NDArray[np.integer], places: NDArray[np.int64]
) -> list[NDArray[np.int64]]:
    """Return the places that each of some owners has."""
    order = np.argsort(owners, kind="stable")
    starts = np.searchsorted(owners[order], wanted, side="left")
    ends = np.searchsorted(owners[order], wanted, side="right")
    return [places[order[start:end]] for start, end in zip(starts, ends, strict=True)]
