"""Composition: what two releases of one table tell together, though each keeps its promises alone."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal.audits.attacks.drawn_sample import DrawnSample
from shoal.audits.attacks.exposure import ExposedClass, exposed, largest_first
from shoal.audits.attacks.linkage import MatchBin, binned
from shoal.audits.attacks.matches import Lists, Matches
from shoal.audits.attacks.profiles import ProfileCounts, classes_of, profiles_of
from shoal.classes.observed import Observed
from shoal.kernels.audits.covering import intersect
from shoal.tables.distinct_rows import distinct_rows
from shoal.tables.rows import Rows
from shoal.tables.table import totals

_BLOCK = 1 << 22  # pairs of points and classes in memory at once


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """One of the two releases: its rows and classes, the persons they match, and the k that it promises."""

    rows: Rows
    quasi: tuple[str, ...]
    observed: Observed
    matches: Matches
    k: int


@dataclass(frozen=True, slots=True)
class Left:
    """How many records remain that may belong to a person, given both releases.

    Args:
        fewest: The least such number over the persons who may be in both releases; 0 if nobody may.
        candidates: The distribution of that number over the persons.
        below: For each release, the number of persons with fewer remaining records than its k.
        below_both: The number of persons with fewer remaining records than the smaller k.
    """

    fewest: int
    candidates: tuple[MatchBin, ...]
    below: tuple[int, int]
    below_both: int

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {
            "fewest": self.fewest,
            "candidates": [one.as_dict() for one in self.candidates],
            "below": list(self.below),
            "below_both": self.below_both,
        }


@dataclass(frozen=True, slots=True)
class Composition:
    """What two releases together tell an attacker who knows the quasi-identifiers of persons.

    Args:
        n_persons: The number of persons.
        possible: The number of persons who may be in both releases.
        promised: The k of each release.
        alone: The least number of records that match a person in each release alone.
        by_value: The remaining records, if they are compared by the sensitive columns that both releases show.
        by_row: The same by all columns that both publish unchanged; None if those are the sensitive columns alone.
        certain: For each sensitive column of both, the number of persons whose value is certain from one release alone,
            and from both together.
        exposed: The classes of the first release with persons who have fewer remaining records than the smaller k.
        sample: The persons who were drawn, if not all were looked at.
    """

    name: ClassVar[str] = "composition"
    reference: ClassVar[str] = "Sweeney 2002 (complementary releases); Ganta et al. 2008"

    n_persons: int
    possible: int
    promised: tuple[int, int]
    alone: tuple[int, int]
    by_value: Left
    by_row: Left | None
    certain: Mapping[str, tuple[int, int]]
    exposed: Sequence[ExposedClass]
    sample: DrawnSample | None = None

    @property
    def best(self) -> Left:
        """The stronger of the two attacks."""
        return self.by_row or self.by_value

    @property
    def share(self) -> float:
        """The share of the persons who may be in both releases that have fewer remaining records than the smaller k."""
        return self.best.below_both / self.possible if self.possible else 0.0

    def as_dict(self, *, show: bool = False) -> dict[str, Any]:
        """Return the finding as JSON; `show` adds the cells of the exposed classes."""
        return {
            "attack": self.name,
            "share": self.share,
            "persons": self.n_persons,
            "possible": self.possible,
            **({} if self.sample is None else {"sample": self.sample.as_dict()}),
            "promised": list(self.promised),
            "fewest_alone": list(self.alone),
            "by_value": self.by_value.as_dict(),
            "by_row": None if self.by_row is None else self.by_row.as_dict(),
            "certain": {name: {"alone": one, "together": both} for name, (one, both) in self.certain.items()},
            "exposed": [one.as_dict(show=show) for one in self.exposed],
        }


def composition(
    first: Side,
    second: Side,
    sensitive: Sequence[str],
    unchanged: Sequence[str],
    sample: DrawnSample | None = None,
) -> Composition:
    """Combine two releases of one table, for the persons of a public table.

    In each release, a person's record lies in one of the classes that match the person, and it has the same values (its
    profile) in the columns that both publish unchanged. So a profile has at most min(a, b) candidates, where a and b
    count it in the matching classes of the two releases. The sum over all profiles is the number of records that
    remain. A person with none is not in both releases.

    Args:
        first: The one release.
        second: The other, matched with the same persons.
        sensitive: The sensitive columns that both show.
        unchanged: All columns that both publish unchanged, the sensitive ones included.
        sample: How the persons were drawn, if they were.
    """
    sides = (first, second)
    cases, persons = _cases(sides)
    classes = [classes_of(side.rows.frame, side.quasi) for side in sides]
    certain = {}
    for name in sensitive:
        one, other, both, _ = _compared(sides, cases, _entries(sides, classes, [name]))
        alone = (one == 1) | (other == 1)
        certain[name] = (int(persons[alone & (both > 0)].sum()), int(persons[both == 1].sum()))
    *_, left = _compared(sides, cases, _entries(sides, classes, sensitive))
    by_value, by_row = _left(left, persons, sides), None
    if set(unchanged) > set(sensitive):
        *_, left = _compared(sides, cases, _entries(sides, classes, unchanged))
        by_row = _left(left, persons, sides)
    hit = np.zeros(first.observed.groups.n_classes, dtype=np.int64)
    few = (left > 0) & (left < min(first.k, second.k))
    for chunk, (lists, _) in _chunks(sides, cases):
        weights = (persons * few)[chunk]
        hit += np.bincount(lists.classes, np.repeat(weights, np.diff(lists.offsets)), len(hit)).astype(np.int64)
    chosen = largest_first(hit, hit > 0)
    return Composition(
        n_persons=first.matches.n_persons,
        possible=int(persons[left > 0].sum()),
        promised=(first.k, second.k),
        alone=(_fewest(first.matches), _fewest(second.matches)),
        by_value=by_value,
        by_row=by_row,
        certain=certain,
        exposed=exposed(first.observed, first.quasi, chosen, {"persons": hit[chosen]}),
        sample=sample,
    )


def _cases(sides: tuple[Side, Side]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return the distinct pairs of points (one of each release), and the number of persons at each."""
    points = [side.matches.point_of for side in sides]
    case_of, cases = distinct_rows(points, [len(side.matches.points) for side in sides], len(points[0]))
    return cases, totals(case_of, sides[0].matches.counts, len(cases))


def _entries(
    sides: tuple[Side, Side], classes: Sequence[NDArray[np.int32]], names: Sequence[str]
) -> tuple[ProfileCounts, ProfileCounts]:
    codes, n_profiles = profiles_of([side.rows.frame for side in sides], names)
    one, other = (
        ProfileCounts.of(labels, part, side.rows.counts, side.observed.groups.n_classes, n_profiles)
        for side, labels, part in zip(sides, classes, codes, strict=True)
    )
    return one, other


def _chunks(sides: tuple[Side, Side], cases: NDArray[np.int32]) -> Iterator[tuple[slice, tuple[Lists, Lists]]]:
    """Yield the classes that match the cases in both releases, a block at a time."""
    one, other = (side.matches for side in sides)
    ends = np.cumsum(one.classes[cases[:, 0]] + other.classes[cases[:, 1]])
    start = 0
    while start < len(cases):
        before = int(ends[start - 1]) if start else 0
        stop = max(int(np.searchsorted(ends, before + _BLOCK, side="right")), start + 1)
        chunk = slice(start, stop)
        yield chunk, (one.listed(cases[chunk, 0]), other.listed(cases[chunk, 1]))
        start = stop


def _compared(
    sides: tuple[Side, Side], cases: NDArray[np.int32], entries: tuple[ProfileCounts, ProfileCounts]
) -> list[NDArray[np.int64]]:
    """Return for each case the number of profiles in the first, the second and both releases, and the records left."""
    parts = []
    for _, lists in _chunks(sides, cases):
        one, other = (
            (found.offsets, found.classes, shown.offsets, shown.profiles, shown.counts)
            for found, shown in zip(lists, entries, strict=True)
        )
        parts.append(intersect(one, other, entries[0].n_profiles))
    return [np.concatenate(figures) for figures in zip(*parts, strict=True)]


def _left(left: NDArray[np.int64], persons: NDArray[np.int64], sides: tuple[Side, Side]) -> Left:
    possible = left > 0
    below = [int(persons[possible & (left < side.k)].sum()) for side in sides]
    return Left(
        fewest=int(left[possible].min()) if possible.any() else 0,
        candidates=binned(left, persons),
        below=(below[0], below[1]),
        below_both=min(below),
    )


def _fewest(matches: Matches) -> int:
    found = matches.records[matches.records > 0]
    return int(found.min()) if len(found) else 0
