"""Grouping by hashing: equal keys, generalized classes, and their sensitive values."""

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import kernel

_MIX = np.uint64(0x9E3779B97F4A7C15)  # 2^64 / golden ratio: spreads near keys over the table
_SHIFT = np.uint64(29)


@kernel
def mix(key: np.uint64) -> np.uint64:
    """Scramble the bits of a key so that its low bits may address a table."""
    key = (key ^ (key >> _SHIFT)) * _MIX
    return key ^ (key >> _SHIFT)


@kernel
def group_keys(keys: NDArray[np.uint64]) -> tuple[NDArray[np.int32], NDArray[np.uint64]]:
    """Number equal keys alike: return the group of each key, and each group's key, by first appearance.

    Open addressing; the table doubles when half full, so memory follows the number of groups. O(n).
    """
    n = keys.shape[0]
    size = 1024
    table = np.full(size, -1, dtype=np.int32)
    found = np.empty(size // 2, dtype=np.uint64)
    groups = np.empty(n, dtype=np.int32)
    count = 0
    for i in range(n):
        key = keys[i]
        slot = np.int64(mix(key) & np.uint64(size - 1))
        while table[slot] >= 0 and found[table[slot]] != key:
            slot = (slot + 1) & (size - 1)
        if table[slot] >= 0:
            groups[i] = table[slot]
            continue
        if count == found.shape[0]:
            size *= 2
            table = np.full(size, -1, dtype=np.int32)
            larger = np.empty(size // 2, dtype=np.uint64)
            larger[:count] = found
            found = larger
            for g in range(count):
                slot = np.int64(mix(found[g]) & np.uint64(size - 1))
                while table[slot] >= 0:
                    slot = (slot + 1) & (size - 1)
                table[slot] = g
            slot = np.int64(mix(key) & np.uint64(size - 1))
            while table[slot] >= 0:
                slot = (slot + 1) & (size - 1)
        table[slot] = count
        found[count] = key
        groups[i] = count
        count += 1
    return groups, found[:count].copy()


@kernel
def generalize(
    keys: NDArray[np.uint64],
    columns: NDArray[np.int64],
    words: NDArray[np.int64],
    shifts: NDArray[np.uint64],
    masks: NDArray[np.uint64],
    lifts: NDArray[np.int32],
    starts: NDArray[np.int64],
) -> tuple[NDArray[np.uint64], NDArray[np.int32]]:
    """Lift some columns of packed class keys to a coarser level and merge the keys that become equal.

    A key is a row of 64-bit words; column `j` lies in word `words[j]` at bit `shifts[j]`, under the
    mask `masks[j]`. The code `f` of `columns[q]` becomes `lifts[starts[q] + f]`. Returns the merged
    keys and the merged class of each old one, by first appearance. O(classes x columns).
    """
    n, width = keys.shape
    size = 16
    while size < 2 * n:
        size *= 2
    table = np.full(size, -1, dtype=np.int32)
    merged = np.empty((n, width), dtype=np.uint64)
    target = np.empty(n, dtype=np.int32)
    count = 0
    for i in range(n):
        for w in range(width):
            merged[count, w] = keys[i, w]
        for q in range(columns.shape[0]):
            j = columns[q]
            word = merged[count, words[j]]
            code = (word >> shifts[j]) & masks[j]
            lifted = np.uint64(lifts[starts[q] + np.int64(code)])
            merged[count, words[j]] = (word & ~(masks[j] << shifts[j])) | (lifted << shifts[j])
        hashed = np.uint64(0)
        for w in range(width):
            hashed = mix(hashed ^ merged[count, w])
        slot = np.int64(hashed & np.uint64(size - 1))
        while table[slot] >= 0:
            other = table[slot]
            same = True
            for w in range(width):
                if merged[other, w] != merged[count, w]:
                    same = False
                    break
            if same:
                break
            slot = (slot + 1) & (size - 1)
        if table[slot] < 0:
            table[slot] = count
            count += 1
        target[i] = table[slot]
    return merged[:count].copy(), target


@kernel
def add_rows(values: NDArray[np.int64], target: NDArray[np.int32], n_targets: int) -> NDArray[np.int64]:
    """Return `sums[t, c]`, the sum of `values[i, c]` over the rows `i` with `target[i] == t`. O(n)."""
    sums = np.zeros((n_targets, values.shape[1]), dtype=np.int64)
    for i in range(values.shape[0]):
        for c in range(values.shape[1]):
            sums[target[i], c] += values[i, c]
    return sums


@kernel
def merge_entries(
    classes: NDArray[np.int32],
    values: NDArray[np.int32],
    counts: NDArray[np.int64],
    n_classes: int,
    n_values: int,
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
    """Sum the counts of equal (class, value) pairs; return offsets by class, values and counts.

    Within a class the values ascend. Two counting sorts (by value, then by class) bring equal pairs
    together, so the cost is O(entries + classes + values); a negative class is left out.
    """
    n = classes.shape[0]
    starts = np.zeros(n_values + 1, dtype=np.int64)
    for i in range(n):
        if classes[i] >= 0:
            starts[values[i] + 1] += 1
    for v in range(n_values):
        starts[v + 1] += starts[v]
    kept = starts[n_values]
    by_value = np.empty(kept, dtype=np.int64)
    for i in range(n):
        if classes[i] >= 0:
            by_value[starts[values[i]]] = i
            starts[values[i]] += 1
    first = np.zeros(n_classes + 1, dtype=np.int64)
    for i in range(kept):
        first[classes[by_value[i]] + 1] += 1
    for c in range(n_classes):
        first[c + 1] += first[c]
    order = np.empty(kept, dtype=np.int64)
    place = first[:n_classes].copy()
    for i in range(kept):
        c = classes[by_value[i]]
        order[place[c]] = by_value[i]
        place[c] += 1
    offsets = np.zeros(n_classes + 1, dtype=np.int64)
    merged_values = np.empty(kept, dtype=np.int32)
    merged_counts = np.empty(kept, dtype=np.int64)
    end = 0
    for c in range(n_classes):
        for p in range(first[c], first[c + 1]):
            i = order[p]
            if end > offsets[c] and merged_values[end - 1] == values[i]:
                merged_counts[end - 1] += counts[i]
            else:
                merged_values[end] = values[i]
                merged_counts[end] = counts[i]
                end += 1
        offsets[c + 1] = end
    return offsets, merged_values[:end].copy(), merged_counts[:end].copy()
