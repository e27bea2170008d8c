"""Components: the parts of a series that do not share a class, once what is known is set aside."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.audits.attacks.profiles import ProfileCounts
from shoal.audits.attacks.series.bounds import Bounds
from shoal.audits.attacks.series.histories import Histories
from shoal.kernels.audits.propagation import join_classes, twin_runs
from shoal.tables.table import totals


@dataclass(frozen=True, slots=True, eq=False)
class SeriesComponents:
    """What is not yet known of a series, in parts that have nothing to do with each other.

    Two values are twins in a component if each of its classes shows both equally often. Exchanging them turns a world
    into a world, so that everybody has both with the same probability.

    Args:
        settled: The cohorts of which it is known how many persons have each value, and which classes they are in.
        of_cohort: The component of each cohort.
        of_class: The component of each class; classes of all releases are numbered one after the other.
        loose: For each component whether somebody of it may have been left out of a release.
        classes: The class of each cell that is left: a class and a value.
        values: Its value.
        left: The number of its records, without those of settled cohorts.
        twins: For each component and value with records left (`component * n_values + value`, ascending) the first
            such with the same counts.
        keys: These components and values.
    """

    settled: NDArray[np.bool_]
    of_cohort: NDArray[np.int64]
    of_class: NDArray[np.int32]
    loose: NDArray[np.bool_]
    classes: NDArray[np.int64]
    values: NDArray[np.int32]
    left: NDArray[np.int64]
    keys: NDArray[np.int64]
    twins: NDArray[np.int64]
    n_values: int

    @classmethod
    def of(cls, histories: Histories, shown: Sequence[ProfileCounts], bounds: Bounds) -> "SeriesComponents":
        """Set aside what is known, and find the components of the rest.

        Args:
            histories: Who was where.
            shown: What the classes of each release show.
            bounds: The bounds of each cohort.
        """
        steps, n_values = histories.steps, shown[0].n_profiles
        starts = np.cumsum([0, *(len(step.sizes) for step in steps)])
        crowded = np.concatenate([*histories.crowded])
        settled = _settled(histories, bounds)
        offsets, classes = _class_lists(histories, starts, ~settled)
        of_class = join_classes(offsets, classes, int(starts[-1]))
        firsts, cohorts = _first_classes(histories, starts), len(histories.sizes)
        of_cohort = of_class[firsts].astype(np.int64) if cohorts else np.zeros(0, dtype=np.int64)
        loose = np.zeros(int(of_class.max(initial=-1)) + 1, dtype=np.bool_)
        loose[of_class[crowded]] = True
        held, values, left = _left(histories, shown, starts, bounds, settled)
        keys, twins = _twins(of_class[held].astype(np.int64) * n_values + values, held, left, n_values)
        return cls(settled, of_cohort, of_class, loose, held, values, left, keys, twins, n_values)

    def groups(self, bounds: Bounds) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return for each pair of a cohort and a value the group of its twins (-1: nothing is left), and their number.

        In a loose component, and in a settled cohort, each value is on its own.
        """
        owners = bounds.owners
        keys = self.of_cohort[owners] * self.n_values + bounds.values
        place = np.minimum(np.searchsorted(self.keys, keys), max(len(self.keys) - 1, 0))
        known = self.keys[place] == keys if len(self.keys) else np.zeros(len(keys), dtype=np.bool_)
        counts = np.bincount(self.twins, minlength=len(self.keys))
        alone = self.settled[owners] | self.loose[self.of_cohort[owners]]
        found = np.where(known, self.twins[place] if len(self.keys) else 0, -1)
        sizes = np.where(known, counts[found] if len(counts) else 1, 1)
        own = len(self.keys) + bounds.values
        return np.where(alone, own, found), np.where(alone, 1, sizes)


def _settled(histories: Histories, bounds: Bounds) -> NDArray[np.bool_]:
    """Tell of which cohorts the values are known, and the one class of each release, none of them crowded."""
    open_pairs = totals(bounds.owners, (bounds.lows < bounds.highs).astype(np.int64), len(histories.sizes))
    settled = (open_pairs == 0) & bounds.fits
    for j, step in enumerate(histories.steps):
        sets = histories.sets[:, j]
        there = np.maximum(sets, 0)
        firsts = step.sets.classes[step.sets.offsets[there]]
        settled &= (sets < 0) | ((step.sets.lengths[there] == 1) & ~histories.crowded[j][firsts])
    return settled


def _class_lists(
    histories: Histories, starts: NDArray[np.int64], chosen: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return lists of classes that belong together: the sets of each release, and the first of each for a cohort."""
    offsets, classes = [np.zeros(1, dtype=np.int64)], []
    for start, step in zip(starts.tolist(), histories.steps, strict=False):
        wide = step.sets.lengths > 1
        offsets.append(step.sets.lengths[wide])
        classes.append((step.sets.classes + start)[np.repeat(wide, step.sets.lengths)])
    n_steps = len(histories.steps)
    firsts = np.full((int(chosen.sum()), n_steps), -1, dtype=np.int64)
    for j, step in enumerate(histories.steps):
        sets = histories.sets[chosen, j]
        firsts[:, j] = np.where(sets >= 0, starts[j] + step.sets.classes[step.sets.offsets[np.maximum(sets, 0)]], -1)
    offsets.append((firsts >= 0).sum(axis=1))
    classes.append(firsts[firsts >= 0])
    return np.cumsum(np.concatenate(offsets)), np.concatenate(classes).astype(np.int32)


def _first_classes(histories: Histories, starts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return a class of each cohort, in the first release that it is in."""
    firsts = np.full(len(histories.sizes), -1, dtype=np.int64)
    for j, step in enumerate(histories.steps):
        sets = histories.sets[:, j]
        new = (firsts < 0) & (sets >= 0)
        firsts[new] = starts[j] + step.sets.classes[step.sets.offsets[sets[new]]]
    return firsts


def _left(
    histories: Histories,
    shown: Sequence[ProfileCounts],
    starts: NDArray[np.int64],
    bounds: Bounds,
    settled: NDArray[np.bool_],
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
    """Return the cells of all classes with what settled cohorts leave, in the order of classes and values."""
    owners, n_values = bounds.owners, shown[0].n_profiles
    known = settled[owners] & (bounds.lows > 0)
    cells, values, left = [], [], []
    for j, (step, counts) in enumerate(zip(histories.steps, shown, strict=True)):
        classes = np.repeat(np.arange(len(step.sizes)), np.diff(counts.offsets))
        keys = classes * n_values + counts.profiles
        sets = histories.sets[owners, j]
        there = np.flatnonzero(known & (sets >= 0))
        held = step.sets.classes[step.sets.offsets[sets[there]]].astype(np.int64)
        places = np.searchsorted(keys, held * n_values + bounds.values[there])
        rest = counts.counts - totals(places, bounds.lows[there], len(keys))
        stays = rest > 0
        cells.append(starts[j] + classes[stays])
        values.append(counts.profiles[stays])
        left.append(rest[stays])
    return np.concatenate(cells), np.concatenate(values), np.concatenate(left)


def _twins(
    owners: NDArray[np.int64], classes: NDArray[np.int64], left: NDArray[np.int64], n_values: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the different components with their values, and for each the first one with the same counts."""
    order = np.lexsort((classes, owners))
    owners, classes, left = owners[order], classes[order], left[order]
    keys, begins = np.unique(owners, return_index=True)
    if len(keys) == 0:
        return keys, keys
    mixed = classes.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) ^ left.astype(np.uint64)
    mixed *= np.uint64(0xC2B2AE3D27D4EB4F)
    prints = np.add.reduceat(mixed ^ mixed >> np.uint64(29), begins)  # equal runs have equal prints; they are compared
    lengths = np.diff(np.append(begins, len(owners)))
    likely = np.lexsort((np.arange(len(keys)), prints, lengths, keys // n_values))
    ends = np.append(begins, len(owners)).astype(np.int64)
    return keys, twin_runs(likely, keys // n_values, ends, classes, left)
