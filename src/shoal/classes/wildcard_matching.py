"""Wildcard matching: the classes that match each other if a missing value may be any value."""

from dataclasses import replace
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from shoal.classes.grouping import Grouping
from shoal.kernels.grouping import merge_entries
from shoal.tables.distinct_rows import distinct_rows

_FEW = 100_000  # cells of pairs: up to so many, all pairs are compared at once


def matching_pairs(codes: NDArray[np.int32], missing: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return all pairs of classes that an attacker cannot tell apart if missing values match everything.

    Two classes match if they agree in every column in which neither value is missing; a class matches itself. Of a few
    classes all pairs are compared. Others are first split by their pattern of missing columns; each two parts are
    joined on the columns that both have. So the cost is that of the joins, not of all pairs.

    Args:
        codes: `codes[class, column]`.
        missing: The code of the missing value, or -1 if there is none: one for each column, or one for each cell.

    Returns:
        The first and the second class of each pair, in both directions.
    """
    gaps = codes == missing
    if len(codes) * codes.size <= _FEW:
        alike = (codes[:, None] == codes) | gaps[:, None] | gaps
        first, second = np.nonzero(alike.all(axis=2))
        return first, second
    pattern_of, patterns = distinct_rows(list(gaps.T.astype(np.int32)), [2] * codes.shape[1], len(codes))
    order = np.argsort(pattern_of, kind="stable")
    parts = [np.array(list(part)) for _, part in groupby(order, key=lambda c: int(pattern_of[c]))]
    firsts: list[NDArray[np.int64]] = [np.zeros(0, dtype=np.int64)]
    seconds: list[NDArray[np.int64]] = [np.zeros(0, dtype=np.int64)]
    for a, part in enumerate(parts):
        for b, other in enumerate(parts):
            shared = ~(patterns[a] | patterns[b]).astype(np.bool_)
            first, second = _join(codes[np.ix_(part, shared)], codes[np.ix_(other, shared)])
            firsts.append(part[first])
            seconds.append(other[second])
    return np.concatenate(firsts), np.concatenate(seconds)


def _join(left: NDArray[np.int32], right: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the pairs of equal rows."""
    both = np.vstack([left, right]) - min(int(left.min(initial=0)), int(right.min(initial=0)))
    sizes = (both.max(axis=0, initial=0) + 1).tolist()
    keys, rows = distinct_rows(list(both.T), sizes, len(both))
    order = np.argsort(keys[len(left) :], kind="stable")
    counts = np.bincount(keys[len(left) :], minlength=len(rows))
    starts = np.concatenate([[0], np.cumsum(counts)])
    lengths = counts[keys[: len(left)]]
    first = np.repeat(np.arange(len(left)), lengths)
    within = np.arange(len(first)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    return first, order[np.repeat(starts[keys[: len(left)]], lengths) + within]


def neighbourhoods(groups: Grouping, codes: NDArray[np.int32], missing: NDArray[np.int32]) -> Grouping:
    """Replace each class by its neighbourhood: the records of all classes that match it.

    A model that holds for a neighbourhood holds for its class if missing values are wildcards. Neighbourhoods overlap,
    so their sizes do not sum to the size of the table.
    """
    first, second = matching_pairs(codes, missing)
    lengths = np.diff(groups.offsets)[second]
    owners = np.repeat(first, lengths)
    within = np.arange(len(owners)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    entries = np.repeat(groups.offsets[second], lengths) + within
    offsets, profiles, counts = merge_entries(
        owners.astype(np.int32),
        groups.profiles[entries],
        groups.counts[entries],
        groups.n_classes,
        len(groups.profile_codes),
    )
    sizes = np.bincount(first, weights=groups.sizes[second], minlength=groups.n_classes).astype(np.int64)
    populations = {
        name: np.bincount(first, weights=inner[second], minlength=groups.n_classes).astype(np.int64)
        for name, inner in groups.populations.items()
    }
    return replace(groups, sizes=sizes, offsets=offsets, profiles=profiles, counts=counts, populations=populations)
