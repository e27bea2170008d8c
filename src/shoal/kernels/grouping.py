"""Grouping by hashing: equal keys, generalized classes, and their sensitive values."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import inner_kernel, kernel

_MIX = np.uint64(0x9E3779B97F4A7C15)  # 2^64 / golden ratio: spreads similar keys over the table
_SHIFT = np.uint64(29)


@inner_kernel
def mix(key: np.uint64) -> np.uint64:
    """Return the key with its bits scrambled, so that the low bits can address a hash table."""
    key = (key ^ (key >> _SHIFT)) * _MIX
    return key ^ (key >> _SHIFT)


@kernel
def group_keys(keys: NDArray[np.uint64]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Number the distinct keys by first appearance; return the group of each key, and where each group first occurs.

    Open addressing; the table doubles when it is half full, so memory follows the number of groups. O(n). The key of
    each group is kept beside the others: to look at where it first occurs would be a step through all of memory.
    """
    n = keys.shape[0]
    size = 1024
    table = np.full(size, -1, dtype=np.int32)
    first, own = np.empty(size // 2, dtype=np.int64), np.empty(size // 2, dtype=np.uint64)
    groups = np.empty(n, dtype=np.int32)
    count = 0
    for i in range(n):
        key = keys[i]
        slot = np.int64(mix(key) & np.uint64(size - 1))
        while table[slot] >= 0 and own[table[slot]] != key:
            slot = (slot + 1) & (size - 1)
        if table[slot] >= 0:
            groups[i] = table[slot]
            continue
        if count == first.shape[0]:
            size *= 2
            table = np.full(size, -1, dtype=np.int32)
            larger, others = np.empty(size // 2, dtype=np.int64), np.empty(size // 2, dtype=np.uint64)
            for g in range(count):
                larger[g], others[g] = first[g], own[g]
            first, own = larger, others
            for g in range(count):
                slot = np.int64(mix(own[g]) & np.uint64(size - 1))
                while table[slot] >= 0:
                    slot = (slot + 1) & (size - 1)
                table[slot] = g
            slot = np.int64(mix(key) & np.uint64(size - 1))
            while table[slot] >= 0:
                slot = (slot + 1) & (size - 1)
        table[slot] = count
        first[count], own[count] = i, key
        groups[i] = count
        count += 1
    return groups, first[:count].copy()


@kernel
def last_places(codes: NDArray[Any], n_codes: int) -> NDArray[np.int64]:
    """Return where each code below `n_codes` occurs last, or -1 where it does not. O(codes)."""
    places = np.full(n_codes, -1, dtype=np.int64)
    for i in range(codes.shape[0]):
        places[codes[i]] = i
    return places


@kernel
def count_codes(codes: NDArray[Any], n_codes: int) -> NDArray[np.int64]:
    """Return how often each code below `n_codes` occurs, without converting the codes to 64 bits. O(codes)."""
    counts = np.zeros(n_codes, dtype=np.int64)
    for i in range(codes.shape[0]):
        counts[codes[i]] += 1
    return counts


@kernel
def take(values: NDArray[Any], indices: NDArray[Any]) -> NDArray[Any]:
    """Return `values[indices]` without converting the indices to 64 bits. O(indices)."""
    taken = np.empty(indices.shape[0], dtype=values.dtype)
    for i in range(indices.shape[0]):
        taken[i] = values[indices[i]]
    return taken


@kernel
def lift_words(
    words: NDArray[np.uint64],
    keep: NDArray[np.uint64],
    at: NDArray[np.int64],
    shifts: NDArray[np.uint64],
    masks: NDArray[np.uint64],
    lifts: NDArray[np.int32],
    starts: NDArray[np.int64],
) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Replace codes inside packed keys: field `q` with code `f` becomes `lifts[starts[q] + f]`. O(keys x fields).

    `words[w, i]` is the 64-bit word `w` of key `i`, of which only the bits of `keep[w]` stay. Field `q` is in word
    `at[q]` from bit `shifts[q]` on, with the mask `masks[q]`. Returns the new words and a hash of each key.
    """
    n_words, n = words.shape
    lifted = np.empty((n_words, n), dtype=np.uint64)
    hashes = np.zeros(n, dtype=np.uint64)
    start = np.empty(at.shape[0], dtype=np.int64)
    shift, mask = np.empty(at.shape[0], dtype=np.uint64), np.empty(at.shape[0], dtype=np.uint64)
    for w in range(n_words):
        n_fields = 0
        for q in range(at.shape[0]):
            if at[q] == w:
                start[n_fields], shift[n_fields], mask[n_fields] = starts[q], shifts[q], masks[q]
                n_fields += 1
        for i in range(n):
            word = words[w, i] & keep[w]
            for q in range(n_fields):
                code = lifts[start[q] + np.int64((word >> shift[q]) & mask[q])]
                word = (word & ~(mask[q] << shift[q])) | (np.uint64(code) << shift[q])
            lifted[w, i] = word
            hashes[i] = mix(hashes[i] ^ word)
    return lifted, hashes


@kernel
def group_words(words: NDArray[np.uint64], hashes: NDArray[np.uint64]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Number the distinct keys of several words; return each group's first key, and the group of each key. O(n)."""
    n_words, n = words.shape
    size = 16
    while size < 2 * n:
        size *= 2
    table = np.full(size, -1, dtype=np.int32)
    first = np.empty(n, dtype=np.int32)
    groups = np.empty(n, dtype=np.int32)
    count = 0
    for i in range(n):
        slot = np.int64(hashes[i] & np.uint64(size - 1))
        while True:
            group = table[slot]
            if group < 0:
                table[slot] = count
                first[count] = i
                groups[i] = count
                count += 1
                break
            same = True
            for w in range(n_words):
                if words[w, first[group]] != words[w, i]:
                    same = False
            if same:
                groups[i] = group
                break
            slot = (slot + 1) & (size - 1)
    return first[:count].copy(), groups


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

    Within a class the values ascend. Two counting sorts, by value and then by class, bring equal pairs together:
    O(entries + classes + values). A negative class is left out.
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
    heads = first[:n_classes].copy()
    for i in range(kept):
        c = classes[by_value[i]]
        order[heads[c]] = by_value[i]
        heads[c] += 1
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
