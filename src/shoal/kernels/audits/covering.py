"""Covering: which classes may contain the records of a point, computed for 64 classes at a time."""

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import inner_kernel, kernel

_ORDER = np.uint64(0x03F79D71B4CB0A89)  # de Bruijn: its products with powers of two differ in their top 6 bits
_INDEX = np.zeros(64, dtype=np.int64)
for _power in range(64):
    _INDEX[(int(_ORDER) << _power) % 2**64 >> 58] = _power
_ONE, _NONE, _TOP = np.uint64(1), np.uint64(0), np.uint64(58)


@inner_kernel
def lowest_bit(word: np.uint64) -> int:
    """Return the index of the lowest set bit of a word that is not 0. O(1)."""
    lowest = word & (~word + _ONE)
    return _INDEX[(lowest * _ORDER) >> _TOP]


@inner_kernel
def narrow(
    point: int,
    points: NDArray[np.int32],
    starts: NDArray[np.int64],
    bits: NDArray[np.uint64],
    masks: NDArray[np.uint64],
) -> None:
    """Update `masks` for a point, given those of the point before it.

    `masks[j]` are the classes that cover its first `j` columns. Only the columns from the first one that differs on are
    computed.
    """
    n_columns, n_words = points.shape[1], bits.shape[1]
    first = 0
    while point > 0 and first < n_columns and points[point, first] == points[point - 1, first]:
        first += 1
    for j in range(first, n_columns):
        row = starts[j] + points[point, j]
        for w in range(n_words):
            masks[j + 1, w] = masks[j, w] & bits[row, w]


@kernel
def count_covering(
    points: NDArray[np.int32],
    starts: NDArray[np.int64],
    bits: NDArray[np.uint64],
    sizes: NDArray[np.int64],
    weights: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Count the classes that cover each point in all columns. O(points x columns x classes / 64 + pairs).

    Args:
        points: `points[point, column]`, the code of a value; points that share their first columns are adjacent.
        starts: Where the rows of each column begin in `bits`.
        bits: Bit `c` of row `starts[j] + v` tells whether class `c` covers the value `v` of column `j`.
        sizes: The number of records of each class.
        weights: The number of persons at each point.

    Returns:
        For each point the number of classes that cover it and of their records; for each class the number of persons it
            covers.
    """
    n_points, n_words = points.shape[0], bits.shape[1]
    masks = np.empty((points.shape[1] + 1, n_words), dtype=np.uint64)
    masks[0] = ~_NONE
    classes, records = np.zeros(n_points, dtype=np.int64), np.zeros(n_points, dtype=np.int64)
    persons = np.zeros(sizes.shape[0], dtype=np.int64)
    for p in range(n_points):
        narrow(p, points, starts, bits, masks)
        for w in range(n_words):
            word = masks[points.shape[1], w]
            while word != _NONE:
                c = w * 64 + lowest_bit(word)
                classes[p] += 1
                records[p] += sizes[c]
                persons[c] += weights[p]
                word &= word - _ONE
    return classes, records, persons


@kernel
def list_covering(
    points: NDArray[np.int32], starts: NDArray[np.int64], bits: NDArray[np.uint64], n_pairs: int
) -> NDArray[np.int32]:
    """Return the classes that cover each point, ascending, point after point; `n_pairs` is their number."""
    masks = np.empty((points.shape[1] + 1, bits.shape[1]), dtype=np.uint64)
    masks[0] = ~_NONE
    listed = np.empty(n_pairs, dtype=np.int32)
    end = 0
    for p in range(points.shape[0]):
        narrow(p, points, starts, bits, masks)
        for w in range(bits.shape[1]):
            word = masks[points.shape[1], w]
            while word != _NONE:
                listed[end] = w * 64 + lowest_bit(word)
                end += 1
                word &= word - _ONE
    return listed


@kernel
def intersect(
    first: tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]],
    second: tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]],
    n_profiles: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Compare what two releases show in the classes that may contain each person. O(entries of these classes).

    Args:
        first: Of one release: where the classes of each person begin, these classes, where the entries of each class
            begin, the profile of each entry, and its number of records.
        second: The same of the other release.
        n_profiles: The number of profiles; they mean the same in both.

    Returns:
        For each person the number of distinct profiles in the first, in the second and in both; and the number of
            records that may be the person's in both: for each profile the smaller of its two counts.
    """
    begins, classes, offsets, profiles, counts = first
    begins_2, classes_2, offsets_2, profiles_2, counts_2 = second
    n_persons = begins.shape[0] - 1
    one, other = np.zeros(n_persons, dtype=np.int64), np.zeros(n_persons, dtype=np.int64)
    both, left = np.zeros(n_persons, dtype=np.int64), np.zeros(n_persons, dtype=np.int64)
    seen, seen_2 = np.zeros(n_profiles, dtype=np.int64), np.zeros(n_profiles, dtype=np.int64)
    for p in range(n_persons):
        for i in range(begins[p], begins[p + 1]):
            for e in range(offsets[classes[i]], offsets[classes[i] + 1]):
                one[p] += seen[profiles[e]] == 0
                seen[profiles[e]] += counts[e]
        for i in range(begins_2[p], begins_2[p + 1]):
            for e in range(offsets_2[classes_2[i]], offsets_2[classes_2[i] + 1]):
                v = profiles_2[e]
                other[p] += seen_2[v] == 0
                both[p] += seen_2[v] == 0 and seen[v] > 0
                left[p] += min(seen_2[v] + counts_2[e], seen[v]) - min(seen_2[v], seen[v])
                seen_2[v] += counts_2[e]
        for i in range(begins[p], begins[p + 1]):
            for e in range(offsets[classes[i]], offsets[classes[i] + 1]):
                seen[profiles[e]] = 0
        for i in range(begins_2[p], begins_2[p + 1]):
            for e in range(offsets_2[classes_2[i]], offsets_2[classes_2[i] + 1]):
                seen_2[profiles_2[e]] = 0
    return one, other, both, left
