"""Bounds: how many persons of each cohort can have each value, in any table that fits all releases."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.audits.attacks.profiles import ProfileCounts
from shoal.audits.attacks.series.histories import ClassSets, Histories
from shoal.kernels.audits.propagation import count_candidates, join_classes, link_entries, tighten
from shoal.kernels.grouping import merge_entries
from shoal.tables.distinct_rows import numbered_rows, rows_at
from shoal.tables.table import totals

WORK = 3_000_000_000
"""The most links between bounds and sums that are followed; the bounds hold after any number."""


@dataclass(frozen=True, slots=True, eq=False)
class Sums:
    """Sums over cohorts that are known to lie within bounds, value by value.

    Args:
        offsets: Where the values of each sum begin.
        values: The values, ascending in each.
        least: The least number of persons with the value.
        most: The largest.
    """

    offsets: NDArray[np.int64]
    values: NDArray[np.int32]
    least: NDArray[np.int64]
    most: NDArray[np.int64]

    @classmethod
    def joined(cls, parts: Sequence["Sums"]) -> "Sums":
        """Put the sums of several lists one after the other."""
        ends = np.cumsum([0, *(len(part.values) for part in parts)])
        offsets = [end + part.offsets[:-1] for end, part in zip(ends, parts, strict=False)]
        return cls(
            np.concatenate([*offsets, ends[-1:]]).astype(np.int64),
            np.concatenate([part.values for part in parts]),
            np.concatenate([part.least for part in parts]),
            np.concatenate([part.most for part in parts]),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Bounds:
    """The values that the persons of each cohort may have, with the least and the largest number of persons.

    Args:
        offsets: Where the values of each cohort begin.
        values: The values, ascending in each cohort; nobody of it can have another one.
        lows: The least number of persons of the cohort with the value.
        highs: The largest.
        fits: For each cohort whether nothing was found that contradicts the releases.
    """

    offsets: NDArray[np.int64]
    values: NDArray[np.int32]
    lows: NDArray[np.int64]
    highs: NDArray[np.int64]
    fits: NDArray[np.bool_]

    @property
    def owners(self) -> NDArray[np.int64]:
        """The cohort of each pair of a cohort and a value."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))


def bounds_of(histories: Histories, shown: Sequence[ProfileCounts]) -> Bounds:
    """Bound the number of persons of each cohort with each value.

    Each group of classes that no person may leave shows how many of its persons have a value. So do, for persons who
    were in the same releases, the releases as wholes: from these follows what all of them together have.

    Args:
        histories: Who was where.
        shown: For each release the values that its classes show.
    """
    blocks, sums, lists, listed = [], [], [], []
    for j, (step, counts) in enumerate(zip(histories.steps, shown, strict=True)):
        groups = join_classes(step.sets.offsets, step.sets.classes, len(step.sizes))
        inside = histories.sets[:, j] >= 0
        firsts = step.sets.classes[step.sets.offsets[np.where(inside, histories.sets[:, j], 0)]]
        inside &= ~histories.crowded[j][firsts]  # who may have been left out need have none of the values
        blocks.append(np.where(inside, groups[firsts], -1).astype(np.int32))
        sums.append(_grouped(groups, counts))
        lists.append(np.where(inside, histories.sets[:, j], -1).astype(np.int32))
        listed.append(_of_sets(step.sets, counts))
    sizes, members, held = histories.sizes, np.column_stack(blocks), np.column_stack(lists)
    if not any(crowded.any() for crowded in histories.crowded):
        patterns, known = _patterns(sizes, members, sums)
        if known.fits.all():
            whole = Sums(known.offsets, known.values, known.lows, known.highs)
            both = _bounded(sizes, members, sums, held, listed, (patterns, whole))
            if both.fits.all():
                return both
    return _bounded(sizes, members, sums, held, listed)


def _patterns(
    sizes: NDArray[np.int64], blocks: NDArray[np.int32], sums: Sequence[Sums]
) -> tuple[NDArray[np.int32], Bounds]:
    """Bound what all who were in the same releases have together, by the releases as wholes."""
    there = (blocks >= 0).astype(np.int32)
    columns = list(there.T)
    pattern_of, places = numbered_rows(columns, [2] * len(columns), len(there))
    whole = rows_at(columns, places) - 1
    tables = [_whole(one) for one in sums]
    lists = [ProfileCounts(one.offsets, one.values, one.most, 0) for one in tables]
    return pattern_of, _bounded(totals(pattern_of, sizes, len(whole)), whole, tables, whole, lists)


def _whole(sums: Sums) -> Sums:
    n_values = int(sums.values.max(initial=-1)) + 1
    counts = totals(sums.values, sums.most, n_values)
    values = np.flatnonzero(counts).astype(np.int32)
    return Sums(np.array([0, len(values)]), values, counts[values], counts[values])


def _grouped(groups: NDArray[np.int32], shown: ProfileCounts) -> Sums:
    """Return what groups of classes show."""
    owners = np.repeat(groups, np.diff(shown.offsets))
    n_groups = int(groups.max(initial=-1)) + 1
    offsets, values, counts = merge_entries(owners, shown.profiles, shown.counts, n_groups, shown.n_profiles)
    return Sums(offsets, values, counts, counts)


def _of_sets(sets: ClassSets, shown: ProfileCounts) -> ProfileCounts:
    """Return what the classes of each set show together."""
    if np.array_equal(sets.classes, np.arange(len(shown.offsets) - 1)) and len(sets.classes) == len(sets.lengths):
        return shown
    lengths = np.diff(shown.offsets)[sets.classes]
    owners = np.repeat(np.repeat(np.arange(len(sets.lengths), dtype=np.int32), sets.lengths), lengths)
    ends = np.cumsum(lengths)
    places = np.arange(int(lengths.sum())) + np.repeat(shown.offsets[sets.classes] - (ends - lengths), lengths)
    return ProfileCounts.of(owners, shown.profiles[places], shown.counts[places], len(sets.lengths), shown.n_profiles)


def _bounded(
    sizes: NDArray[np.int64],
    members: NDArray[np.int32],
    sums: Sequence[Sums],
    lists: NDArray[np.int32],
    listed: Sequence[ProfileCounts],
    whole: tuple[NDArray[np.int32], Sums] | None = None,
) -> Bounds:
    """Bound the numbers of each cohort, given the sums that it is in and the lists of values that it may have.

    Args:
        sizes: The number of persons of each cohort.
        members: `members[cohort, i]`, the sum of `sums[i]` that the cohort is in; -1 if none.
        sums: The sums.
        lists: `lists[cohort, i]`, the list of `listed[i]`; -1 if none.
        listed: Values that are shown, with their counts.
        whole: One more sum for each cohort, and these sums; they do not say what is solved together.
    """
    apart = _apart(members, [len(one.offsets) - 1 for one in sums])
    groups = _together(apart, sum(len(one.offsets) - 1 for one in sums))
    if whole is not None:
        apart = np.column_stack([apart, whole[0] + sum(len(one.offsets) - 1 for one in sums)]).astype(np.int32)
    total = Sums.joined([*sums, *([] if whole is None else [whole[1]])])
    firsts = np.concatenate([[0], np.cumsum((apart >= 0).sum(axis=1))]).astype(np.int64)
    offsets, values, highs = _candidates(sizes, _apart(lists, [len(one.offsets) - 1 for one in listed]), listed)
    starts, links = link_entries(offsets, values, firsts, apart[apart >= 0], total.offsets, total.values)
    lows, clashes = np.zeros(len(values), dtype=np.int64), np.zeros(len(sizes), dtype=np.bool_)
    found = tighten(groups, offsets, sizes, starts, links, lows, highs, total.least, total.most, clashes, WORK)
    clashes |= (lists >= 0).any(axis=1) & (offsets[1:] == offsets[:-1]) & (sizes > 0)
    wrong = np.append((found[0] > total.most) | (found[1] < total.least), False)
    clashing = (np.add.reduceat(wrong.astype(np.int64), total.offsets[:-1]) > 0) & (np.diff(total.offsets) > 0)
    clashes |= (clashing[np.maximum(apart, 0)] & (apart >= 0)).any(axis=1)
    return Bounds(offsets, values, lows, highs, ~clashes)


def _apart(numbers: NDArray[np.int32], lengths: Sequence[int]) -> NDArray[np.int32]:
    """Number what is numbered in each column by itself one after the other; -1 stays."""
    starts = np.cumsum([0, *lengths])[:-1].astype(np.int32)
    return np.ascontiguousarray(np.where(numbers >= 0, numbers + starts, -1), dtype=np.int32)


def _together(members: NDArray[np.int32], n_sums: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the cohorts, those that sums hold together side by side, and where each such group ends."""
    held = members >= 0
    ends = np.concatenate([[0], np.cumsum(held.sum(axis=1))]).astype(np.int64)
    groups = join_classes(ends, members[held], n_sums)
    alone = ~held.any(axis=1)
    firsts = members[np.arange(len(members)), held.argmax(axis=1)]
    of_cohort = np.where(alone, n_sums + np.arange(len(members)), groups[np.maximum(firsts, 0)])
    order = np.argsort(of_cohort, kind="stable")
    ordered = of_cohort[order]
    return order, np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True)) + 1


def _candidates(
    sizes: NDArray[np.int64], lists: NDArray[np.int32], listed: Sequence[ProfileCounts]
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
    """Return the values that each cohort may have by its lists, and the most persons who may have each."""
    shown = Sums.joined([Sums(one.offsets, one.profiles, one.counts, one.counts) for one in listed])
    given = lists, shown.offsets, shown.values, shown.most, sizes
    n_pairs = int(count_candidates(*given, np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.int64))[-1])
    values, highs = np.zeros(n_pairs, dtype=np.int32), np.zeros(n_pairs, dtype=np.int64)
    return count_candidates(*given, values, highs), values, highs
