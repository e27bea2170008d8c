"""Linkage: a public table of persons is joined with the release on the quasi-identifiers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.audits.attacks.exposure import ExposedClass, exposed, largest_first
from shoal.audits.attacks.matches import Matches
from shoal.classes.observed import Observed

_STEPS = (0, 1, 2, 5, 10, 20, 50, 100, 1000)  # where the bins of a distribution begin


@dataclass(frozen=True, slots=True)
class MatchBin:
    """The number of persons (or records) with `least` to `most` matches; no upper limit if `most` is None."""

    least: int
    most: int | None
    count: int

    def as_dict(self) -> dict[str, int | None]:
        """Return it as JSON."""
        return {"from": self.least, "to": self.most, "count": self.count}


@dataclass(frozen=True, slots=True)
class Truth:
    """How the linkage did for the persons of whom it is known whether they are in the release.

    Args:
        present: The number of public persons with a record in the release.
        found: The number of these whose own record is among their matches.
        unique_right: The number of persons with a single match that is their own record.
        unique_wrong: The number of persons with a single match that is not.
        right: The expected number of right matches, if one match is picked at random for each person.
    """

    present: int
    found: int
    unique_right: int
    unique_wrong: int
    right: float


@dataclass(frozen=True, slots=True)
class Linkage:
    """How well the persons of a public table can be re-identified in the release.

    Args:
        columns: The columns that the tables were joined on.
        n_persons: The number of persons of the public table.
        n_records: The number of records of the release.
        matches: The distribution of the number of records that match a person.
        unique: The number of persons whom exactly one record matches.
        fewest: The least number of records that match a person who has a match; 0 if nobody has.
        expected: The expected number of right matches, if each person has a record in the release and one match is
            picked at random for each.
        candidates: The distribution of the number of persons who match a record.
        lone_records: The number of records that exactly one person matches; if the public table is complete, each is
            that person's.
        expected_records: The expected number of right matches, if each record belongs to one of these persons and one
            is picked at random for each record.
        certain: For each sensitive column, the number of persons whose matches all show one value.
        idle: For each column with such cells, the number of distinct cells that cover no value of the public table.
        exposed: The classes of the records that are the only match of a person.
        truth: How often the matches are right, if it is known whose records they are.
    """

    name: ClassVar[str] = "linkage"
    reference: ClassVar[str] = "Samarati 2001; k-Anonymity (chapter), sections 1 and 2"

    columns: tuple[str, ...]
    n_persons: int
    n_records: int
    matches: tuple[MatchBin, ...]
    unique: int
    fewest: int
    expected: float
    candidates: tuple[MatchBin, ...]
    lone_records: int
    expected_records: float
    certain: Mapping[str, int]
    idle: Mapping[str, int]
    exposed: Sequence[ExposedClass]
    truth: Truth | None = None

    @property
    def share(self) -> float:
        """The share of the persons whom exactly one record matches."""
        return self.unique / self.n_persons if self.n_persons else 0.0

    def as_dict(self, *, show: bool = False) -> dict[str, Any]:
        """Return the finding as JSON; `show` adds the cells of the exposed classes."""
        truth = self.truth
        return {
            "attack": self.name,
            "columns": list(self.columns),
            "share": self.share,
            "persons": self.n_persons,
            "records": self.n_records,
            "matches": [one.as_dict() for one in self.matches],
            "unique": self.unique,
            "fewest": self.fewest,
            "expected": self.expected,
            "candidates": [one.as_dict() for one in self.candidates],
            "lone_records": self.lone_records,
            "expected_records": self.expected_records,
            "certain": dict(self.certain),
            "idle_cells": dict(self.idle),
            "truth": None
            if truth is None
            else {
                "present": truth.present,
                "found": truth.found,
                "unique_right": truth.unique_right,
                "unique_wrong": truth.unique_wrong,
                "right": truth.right,
            },
            "exposed": [one.as_dict(show=show) for one in self.exposed],
        }

    def with_truth(self, matches: Matches, own: NDArray[np.int64], present: NDArray[np.bool_]) -> "Linkage":
        """Return the same linkage with `truth` filled in.

        Args:
            matches: The matches from which the linkage was counted.
            own: For each row of persons, how many of the matching records are the person's own; who is named is a row.
            present: For each of them, whether the release has a record of theirs.
        """
        records, persons = matches.of_rows(matches.records), matches.counts
        alone = records == 1
        hits = own[records > 0] / records[records > 0]
        return replace(
            self,
            truth=Truth(
                present=int(persons[present].sum()),
                found=int(persons[own > 0].sum()),
                unique_right=int(persons[alone & (own > 0)].sum()),
                unique_wrong=int(persons[alone & (own == 0)].sum()),
                right=float(hits.sum()),
            ),
        )


def linkage(
    observed: Observed,
    quasi: Sequence[str],
    matches: Matches,
    columns: Sequence[str],
    idle: Mapping[str, int] | None = None,
) -> Linkage:
    """Count how the persons of a public table match the records of a release.

    Args:
        observed: The release.
        quasi: The names of its quasi columns.
        matches: Which of its classes match whom.
        columns: The columns that were joined on.
        idle: For each column, how many of its cells cover no public value.
    """
    groups = observed.groups
    found = matches.records > 0
    lone = np.flatnonzero(matches.records == 1)
    hit = np.zeros(groups.n_classes, dtype=np.bool_)
    for part in matches.lists(lone):
        hit[part.classes] = True
    chosen = largest_first(groups.sizes, hit)
    seen = matches.candidates > 0
    return Linkage(
        columns=tuple(columns),
        n_persons=matches.n_persons,
        n_records=groups.n_records,
        matches=binned(matches.records, matches.persons),
        unique=int(matches.persons[lone].sum()),
        fewest=int(matches.records[found].min(initial=groups.n_records)) if found.any() else 0,
        expected=float((matches.persons[found] / matches.records[found]).sum()),
        candidates=binned(matches.candidates, groups.sizes),
        lone_records=int(groups.sizes[matches.candidates == 1].sum()),
        expected_records=float((groups.sizes[seen] / matches.candidates[seen]).sum()),
        certain={column.name: _certain(observed, matches, column.name) for column in groups.sensitive},
        idle={name: count for name, count in (idle or {}).items() if count},
        exposed=exposed(observed, quasi, chosen, {"persons": matches.candidates[chosen]}),
    )


def binned(numbers: NDArray[np.int64], weights: NDArray[np.int64]) -> tuple[MatchBin, ...]:
    """Return the histogram of some numbers over the bins 0, 1, 2 to 4, 5 to 9, ..., 1000 and more."""
    place = np.searchsorted(np.array(_STEPS), numbers, side="right") - 1
    counts = np.bincount(place, weights, len(_STEPS)).astype(np.int64).tolist()
    ends = [*(step - 1 for step in _STEPS[1:]), None]
    return tuple(MatchBin(least, most, count) for least, most, count in zip(_STEPS, ends, counts, strict=True))


def _certain(observed: Observed, matches: Matches, column: str) -> int:
    """Return the number of persons whose matching classes all show the same single value."""
    blocks = observed.groups.histogram(column)
    only = np.where(blocks.distinct == 1, blocks.values[blocks.offsets[:-1]], -1)
    persons = 0
    for part in matches.lists(np.flatnonzero(matches.classes)):
        values = only[part.classes]
        low, high = (side.reduceat(values, part.offsets[:-1]) for side in (np.minimum, np.maximum))
        persons += int(matches.persons[part.points[(low == high) & (low >= 0)]].sum())
    return persons
