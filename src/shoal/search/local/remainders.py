"""Remainders: what is left of a class when it is split, and how it comes to keep the promises itself."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.local.closures import Forms
from shoal.kernels.local.specialization import Needy, move_back
from shoal.search.local.splits import ClassSlices, Judge, Split

_FEW = 8  # up to so many groups are joined one by one; then their number is doubled


def settled(split: Split, entries: ClassSlices, rests: NDArray[np.int64], judge: Judge, forms: Forms) -> Split:
    """Return a split all of whose groups keep the promises, if need be with some classes left whole.

    All groups but the remainders keep them already. A remainder that fails gets records of the other groups of its
    class, if these still pass then. Otherwise it is joined with the smallest of them, until it passes or is the whole
    class.

    Args:
        split: The groups.
        entries: The classes.
        rests: The remainder of each class, -1 where there is none.
        judge: The promises.
        forms: The prices.
    """
    n = int(split.n_groups.sum())
    asked = np.zeros(n, dtype=np.bool_)
    asked[rests[rests >= 0]] = True
    keeps = judge.keep(entries.points, split.groups, entries.counts, n, asked)
    needy = np.flatnonzero(rests >= 0)
    needy = needy[~keeps[rests[needy]]]
    if len(needy) == 0:
        return split
    split, needy = _moved_back(split, entries, needy, rests, judge, forms)
    return _joined(split, entries, needy, rests, judge)


def _moved_back(
    split: Split, entries: ClassSlices, needy: NDArray[np.int64], rests: NDArray[np.int64], judge: Judge, forms: Forms
) -> tuple[Split, NDArray[np.int64]]:
    """Move records to failing remainders: what they lack of `k`, then twice as many as long as that fails.

    Returns:
        The split with the moves that help, and the classes for which none does.
    """
    k, tally = judge.problem.k, judge.problem.tally
    n = int(split.n_groups.sum())
    owners = np.repeat(np.arange(entries.n_classes), split.n_groups)
    inside = split.groups >= 0
    sizes = np.bincount(split.groups[inside], weights=entries.counts[inside], minlength=n).astype(np.int64)
    spare = sizes - k
    spare[rests[rests >= 0]] = 0
    most = np.bincount(owners, weights=spare, minlength=entries.n_classes).astype(np.int64)
    wanted = np.maximum(k - sizes[rests[needy]], 1)
    hungry, helped = needy, np.zeros(entries.n_classes, dtype=np.bool_)
    leaves, profiles, class_of = tally.codes[entries.points], tally.profiles[entries.points], entries.owners
    while len(hungry := hungry[(enough := wanted <= most[hungry])]):
        wanted = wanted[enough]
        asking = Needy(hungry, rests[hungry].astype(np.int32), wanted)
        givers, moved, _ = move_back(
            forms, asking, leaves, profiles, entries.counts, entries.offsets, split.groups, spare, judge.totals
        )
        trial = replace(split, givers=givers, moved=moved, targets=rests[class_of[givers]].astype(np.int32))
        asked = np.zeros(n, dtype=np.bool_)
        asked[split.groups[givers]] = True
        asked[rests[hungry]] = True
        at, groups, counts = trial.entries(entries.counts)
        fails = asked & ~judge.keep(entries.points[at], groups, counts, n, asked)
        passes = np.bincount(owners, weights=fails, minlength=entries.n_classes)[hungry] == 0
        helped[hungry[passes]] = True
        new = np.isin(class_of[givers], hungry[passes])
        split = _with_moves(split, trial, new)
        hungry, wanted = hungry[~passes], 2 * wanted[~passes]
        if len(judge.totals) == 1:
            break  # only the number of records matters, and that was tried
    return split, needy[~helped[needy]]


def _with_moves(split: Split, trial: Split, chosen: NDArray[np.bool_]) -> Split:
    """Return a split with some of the moves of a trial."""
    return replace(
        split,
        givers=np.concatenate([split.givers, trial.givers[chosen]]),
        moved=np.concatenate([split.moved, trial.moved[chosen]]),
        targets=np.concatenate([split.targets, trial.targets[chosen]]),
    )


def _joined(
    split: Split, entries: ClassSlices, needy: NDArray[np.int64], rests: NDArray[np.int64], judge: Judge
) -> Split:
    """Join failing remainders with the smallest groups of their class; with only one other group it stays whole."""
    n = int(split.n_groups.sum())
    owners = np.repeat(np.arange(entries.n_classes), split.n_groups)
    inside = split.groups >= 0
    sizes = np.bincount(split.groups[inside], weights=entries.counts[inside], minlength=n)
    sizes[rests[rests >= 0]] = np.inf
    order = np.lexsort((sizes, owners))
    rank = np.empty(n, dtype=np.int64)
    rank[order] = np.arange(n) - split.firsts[owners]
    target = np.arange(n)
    joining, open_ = 1, needy
    while len(open_ := open_[split.n_groups[open_] - 1 > joining]):
        trying = np.zeros(entries.n_classes, dtype=np.bool_)
        trying[open_] = True
        trial = np.where(trying[owners] & (rank < joining), rests[owners], np.arange(n))
        asked = np.zeros(n, dtype=np.bool_)
        asked[rests[open_]] = True
        groups = np.where(inside, trial[split.groups], -1).astype(np.int32)
        passes = judge.keep(entries.points, groups, entries.counts, n, asked)[rests[open_]]
        trying[open_[~passes]] = False
        target = np.where(trying[owners], trial, target)
        open_ = open_[~passes]
        needy = needy[~trying[needy]]
        joining += 1 if joining < _FEW else joining
    undone = np.zeros(entries.n_classes, dtype=np.bool_)
    undone[needy] = True
    return _renumbered(split, np.where(undone[owners], -1, target), owners)


def _renumbered(split: Split, target: NDArray[np.int64], owners: NDArray[np.int64]) -> Split:
    """Return a split whose groups are joined as `target` says; -1 for those of classes that stay whole."""
    used = np.zeros(len(target), dtype=np.bool_)
    used[target[target >= 0]] = True
    number = np.where(target >= 0, (np.cumsum(used) - 1)[target], -1).astype(np.int32)
    return replace(
        split,
        groups=np.where(split.groups >= 0, number[split.groups], -1).astype(np.int32),
        n_groups=np.bincount(owners[used], minlength=len(split.n_groups)).astype(np.int64),
        targets=number[split.targets],
    )
