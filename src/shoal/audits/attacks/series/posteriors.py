"""Posteriors: how likely each person has each value, over all worlds that fit a series of releases."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from shoal.audits.attacks.profiles import ProfileCounts
from shoal.audits.attacks.series.bounds import Bounds, bounds_of
from shoal.audits.attacks.series.components import SeriesComponents
from shoal.audits.attacks.series.histories import Histories
from shoal.audits.attacks.series.worlds import Cell, SmallCohort, TooManyError, Worlds
from shoal.kernels.audits.propagation import share_out
from shoal.tables.table import totals

_OF_ONE = 20_000  # ways to place the cohorts of one component that are tried
_COHORTS = 40  # cohorts of a component whose worlds are counted, at most


@dataclass(frozen=True, eq=False)
class Posteriors:
    """The probability of each value, for a person of each cohort: exact, or within proven bounds.

    Args:
        histories: Who was where.
        offsets: Where the values of each cohort begin; a person has no other value.
        values: The values.
        least: The lower bound of each probability, as a numerator.
        most: The upper bound, likewise.
        parts: The denominator of both.
        counted: For each cohort whose worlds were counted the probabilities, which then hold in place of the bounds.
        fits: For each cohort whether some world fits it and what it shares classes with.
        known: For each cohort whether some release bounds its values; else anything may be so.
    """

    histories: Histories
    offsets: NDArray[np.int64]
    values: NDArray[np.int32]
    least: NDArray[np.int64]
    most: NDArray[np.int64]
    parts: NDArray[np.int64]
    counted: dict[int, dict[int, Fraction]]
    fits: NDArray[np.bool_]
    known: NDArray[np.bool_]

    def of(self, cohort: int) -> dict[int, tuple[Fraction, Fraction]]:
        """Return the bounds of the probability of each value, for a person of a cohort."""
        if cohort in self.counted:
            return {value: (share, share) for value, share in self.counted[cohort].items()}
        pairs = range(int(self.offsets[cohort]), int(self.offsets[cohort + 1]))
        return {
            int(self.values[p]): (
                Fraction(int(self.least[p]), int(self.parts[p])),
                Fraction(int(self.most[p]), int(self.parts[p])),
            )
            for p in pairs
            if self.most[p] > 0
        }

    @cached_property
    def owners(self) -> NDArray[np.int64]:
        """The cohort of each pair of a cohort and a value."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))

    @property
    def exact(self) -> NDArray[np.bool_]:
        """For each cohort whether its probabilities are known exactly."""
        open_pairs = totals(self.owners, (self.least < self.most).astype(np.int64), len(self.fits))
        found = (open_pairs == 0) & self.known
        found[list(self.counted)] = True
        return found

    def reaching(self, share: Fraction, *, above: bool = False) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Tell for each cohort whether some probability surely is at least a share, and whether it may be.

        Args:
            share: The share.
            above: Whether it has to be more than that.
        """
        top, bottom = share.numerator, share.denominator
        sure, possible = self.least * bottom - self.parts * top, self.most * bottom - self.parts * top
        first = 1 if above else 0
        surely = totals(self.owners, (sure >= first).astype(np.int64), len(self.fits)) > 0
        maybe = (totals(self.owners, (possible >= first).astype(np.int64), len(self.fits)) > 0) | ~self.known
        for cohort, shares in self.counted.items():
            surely[cohort] = maybe[cohort] = any(one > share if above else one >= share for one in shares.values())
        return surely & self.fits, maybe & self.fits

    @cached_property
    def largest(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """For each cohort the bounds of its largest probability."""
        low, high = np.zeros(len(self.fits)), np.where(self.known, 0.0, 1.0)
        np.maximum.at(low, self.owners, self.least / self.parts)
        np.maximum.at(high, self.owners, self.most / self.parts)
        for cohort, shares in self.counted.items():
            low[cohort] = high[cohort] = float(max(shares.values()))
        return low, high

    def below(self, k: int, shown: Sequence[ProfileCounts]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Tell for each cohort whether its persons surely have fewer than k records of some release, or may have.

        Persons of one cohort may have each other's records, so these are at least as many as they.

        Args:
            k: The number of records.
            shown: What the classes of each release show.
        """
        sizes = self.histories.sizes
        surely, maybe = np.zeros(len(sizes), dtype=np.bool_), np.zeros(len(sizes), dtype=np.bool_)
        possible, certain = self._possible()
        for j in range(len(shown)):
            there = (self.histories.sets[:, j] >= 0) & self.known
            most, least = (self._records(j, shown[j], pairs) for pairs in (possible, certain))
            single = self.histories.steps[j].sets.lengths[np.maximum(self.histories.sets[:, j], 0)] == 1
            least = np.maximum(np.where(single, least, 0), sizes)
            surely |= there & (most < k)
            maybe |= there & (least < k)
        maybe |= ~self.known & (sizes < k)
        return surely & self.fits, maybe & self.fits

    def _possible(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Tell for each pair whether the value may be possible, and whether it surely is."""
        possible, certain = self.most > 0, self.least > 0
        for cohort, shares in self.counted.items():
            pairs = slice(int(self.offsets[cohort]), int(self.offsets[cohort + 1]))
            having = np.array([shares.get(value, 0) > 0 for value in self.values[pairs].tolist()], dtype=np.bool_)
            possible[pairs] = certain[pairs] = having
        return possible, certain

    def _records(self, j: int, shown: ProfileCounts, pairs: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Count for each cohort the records of a release, in the classes that may hold it, with one of some values."""
        sets, wanted = self.histories.steps[j].sets, np.flatnonzero(pairs)
        placed = self.histories.sets[self.owners[wanted], j]
        wanted, placed = wanted[placed >= 0], placed[placed >= 0]
        lengths = sets.lengths[placed]
        places = np.arange(int(lengths.sum())) + np.repeat(
            sets.offsets[placed] - (np.cumsum(lengths) - lengths), lengths
        )
        keys = np.repeat(np.arange(len(shown.offsets) - 1), np.diff(shown.offsets)) * shown.n_profiles + shown.profiles
        asked = sets.classes[places].astype(np.int64) * shown.n_profiles + np.repeat(self.values[wanted], lengths)
        at = np.minimum(np.searchsorted(keys, asked), max(len(keys) - 1, 0))
        counts = np.where(keys[at] == asked, shown.counts[at], 0)
        return totals(np.repeat(self.owners[wanted], lengths), counts, len(self.fits))


def posteriors_of(histories: Histories, shown: Sequence[ProfileCounts], budget: int = 0) -> Posteriors:
    """Find the probability of each value for everybody, over all worlds that fit.

    Args:
        histories: Who was where.
        shown: For each release the values that its classes show.
        budget: How many ways to place cohorts are tried, in all, to count worlds; 0 is to rest with bounds.
    """
    bounds = bounds_of(histories, shown)
    parts = SeriesComponents.of(histories, shown, bounds)
    groups, alike = parts.groups(bounds)
    n_groups = len(parts.keys) + parts.n_values
    least, most = share_out(bounds.offsets, histories.sizes, bounds.lows, bounds.highs, groups, n_groups)
    wrong = totals(parts.of_cohort, (~bounds.fits).astype(np.int64), len(parts.loose)) > 0
    known = np.diff(bounds.offsets) > 0
    denominators = np.maximum(histories.sizes[bounds.owners] * alike, 1)
    fits = ~wrong[parts.of_cohort] | parts.settled
    found = Posteriors(histories, bounds.offsets, bounds.values, least, most, denominators, {}, fits, known)
    _count(found, bounds, parts, budget)
    return found


def _count(found: Posteriors, bounds: Bounds, parts: SeriesComponents, budget: int) -> None:
    """Count the worlds of the small components, from the smallest on, as long as the budget lasts."""
    asked = found.fits & ~found.exact & ~parts.loose[parts.of_cohort]
    wanted = np.zeros(len(parts.loose), dtype=np.bool_)
    wanted[parts.of_cohort[asked]] = True
    members = np.flatnonzero(wanted[parts.of_cohort] & ~parts.settled)
    members = members[np.argsort(parts.of_cohort[members], kind="stable")]
    components, begins, lengths = np.unique(parts.of_cohort[members], return_index=True, return_counts=True)
    cells = np.argsort(parts.of_class[parts.classes], kind="stable")
    owners = parts.of_class[parts.classes][cells]
    for number in np.argsort(lengths, kind="stable").tolist():
        if budget <= 0 or lengths[number] > _COHORTS:
            break
        cohorts = members[begins[number] : begins[number] + lengths[number]]
        held = cells[slice(*np.searchsorted(owners, [components[number], components[number] + 1]))]
        budget -= _count_one(found, bounds, parts, cohorts, held, min(budget, _OF_ONE))


def _count_one(
    found: Posteriors,
    bounds: Bounds,
    parts: SeriesComponents,
    cohorts: NDArray[np.int64],
    cells: NDArray[np.int64],
    limit: int,
) -> int:
    """Count the worlds of one component; return the ways that were tried."""
    starts = np.cumsum([0, *(len(step.sizes) for step in found.histories.steps)])
    releases = np.searchsorted(starts, parts.classes[cells], side="right") - 1
    left: dict[Cell, int] = {
        (j, one - int(starts[j]), value): number
        for j, one, value, number in zip(
            releases.tolist(),
            parts.classes[cells].tolist(),
            parts.values[cells].tolist(),
            parts.left[cells].tolist(),
            strict=True,
        )
    }
    ordered = sorted(cohorts.tolist(), key=lambda cohort: (found.histories.sets[cohort] < 0).tolist())
    worlds = Worlds([_small(found.histories, bounds, cohort) for cohort in ordered], left, limit)
    try:
        posteriors = worlds.posteriors()
    except TooManyError:
        return worlds.tried
    if posteriors is None:
        found.fits[cohorts] = False
    else:
        found.counted.update(zip(ordered, posteriors, strict=True))
    return worlds.tried


def _small(histories: Histories, bounds: Bounds, cohort: int) -> SmallCohort:
    return SmallCohort(int(histories.sizes[cohort]), tuple(_places(histories, cohort)), tuple(_values(bounds, cohort)))


def _places(histories: Histories, cohort: int) -> Iterator[tuple[int, tuple[int, ...]]]:
    for j, step in enumerate(histories.steps):
        one = int(histories.sets[cohort, j])
        if one >= 0:
            yield j, tuple(step.sets.classes[step.sets.offsets[one] : step.sets.offsets[one + 1]].tolist())


def _values(bounds: Bounds, cohort: int) -> Iterator[tuple[int, int, int]]:
    for p in range(int(bounds.offsets[cohort]), int(bounds.offsets[cohort + 1])):
        yield int(bounds.values[p]), int(bounds.lows[p]), int(bounds.highs[p])
