"""Uniques: the points whose values in some columns no other person shares."""

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import inner_kernel, kernel
from shoal.kernels.grouping import mix


@inner_kernel
def value_slot(codes: NDArray[np.int32], chosen: NDArray[np.int64], point: int, first: NDArray[np.int64]) -> np.uint64:
    """Return the hash slot of a point's values in the chosen columns; `first` has one point of each slot, or -1."""
    last = np.uint64(first.shape[0] - 1)
    hashed = np.uint64(0)
    for j in chosen:
        hashed = mix(hashed ^ np.uint64(codes[j, point] + 1))
    slot = hashed & last
    while first[slot] >= 0:
        same = True
        for j in chosen:
            if codes[j, first[slot]] != codes[j, point]:
                same = False
                break
        if same:
            break
        slot = (slot + np.uint64(1)) & last
    return slot


@inner_kernel
def record_owner(
    first: NDArray[np.int64], owner_at: NDArray[np.int64], slot: np.uint64, point: int, owner: int
) -> None:
    """Record that a point with this owner has the values of a slot; -1 stands for several or unknown owners."""
    if first[slot] < 0:
        first[slot] = point
        owner_at[slot] = owner
    elif owner_at[slot] != owner:
        owner_at[slot] = -1


@kernel
def lone_points(codes: NDArray[np.int32], chosen: NDArray[np.int64], owners: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return for which points the values in the chosen columns belong to a single owner. O(points x chosen).

    `codes[column, point]` are the values; `owners[point]` is the person to whom all records of the point belong, or -1
    if there are several. The values of a point are one number, if that fits into 62 bits: it is then the place in an
    array, or the key of a hash table. Else equal values are found by hashing and compared in full.
    """
    n = codes.shape[1]
    sizes = np.ones(chosen.shape[0], dtype=np.int64)
    cells = 1.0
    for k in range(chosen.shape[0]):
        for i in range(n):
            sizes[k] = max(sizes[k], codes[chosen[k], i] + 1)
        cells *= sizes[k]
    if cells <= max(2 * n, 1024):
        return lone_places(value_keys(codes, chosen, sizes), owners, int(cells))
    if cells < 2.0**62:
        return lone_keys(value_keys(codes, chosen, sizes), owners)
    return lone_values(codes, chosen, owners)


@kernel
def value_keys(codes: NDArray[np.int32], chosen: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the values of each point in the chosen columns as one number."""
    keys = np.zeros(codes.shape[1], dtype=np.int64)
    for k in range(chosen.shape[0]):
        column = codes[chosen[k]]
        for i in range(keys.shape[0]):
            keys[i] = keys[i] * sizes[k] + column[i]
    return keys


@kernel
def lone_places(keys: NDArray[np.int64], owners: NDArray[np.int64], n_places: int) -> NDArray[np.bool_]:
    """Return which points have a key of a single owner, if all keys are below a small number."""
    owner_at = np.full(n_places, -2, dtype=np.int64)  # nobody yet
    for i in range(keys.shape[0]):
        owner = owner_at[keys[i]]
        owner_at[keys[i]] = owners[i] if owner == -2 or owner == owners[i] else -1
    lone = np.zeros(keys.shape[0], dtype=np.bool_)
    for i in range(keys.shape[0]):
        if owners[i] >= 0:
            lone[i] = owner_at[keys[i]] >= 0
    return lone


@kernel
def lone_keys(keys: NDArray[np.int64], owners: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which points have a key of a single owner, for any keys; a slot has its key and its owner side by side."""
    n = keys.shape[0]
    size = 16
    while size < 2 * n:
        size *= 2
    table = np.full((size, 2), -1, dtype=np.int64)
    slots = np.empty(n, dtype=np.int64)
    for i in range(n):
        slot = np.int64(mix(np.uint64(keys[i])) & np.uint64(size - 1))
        while table[slot, 0] >= 0 and table[slot, 0] != keys[i]:
            slot = (slot + 1) & (size - 1)
        if table[slot, 0] < 0:
            table[slot, 0] = keys[i]
            table[slot, 1] = owners[i]
        elif table[slot, 1] != owners[i]:
            table[slot, 1] = -1
        slots[i] = slot
    lone = np.zeros(n, dtype=np.bool_)
    for i in range(n):
        if owners[i] >= 0:
            lone[i] = table[slots[i], 1] >= 0
    return lone


@kernel
def lone_values(codes: NDArray[np.int32], chosen: NDArray[np.int64], owners: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which points have values of a single owner, for any number of columns."""
    n = codes.shape[1]
    size = 16
    while size < 2 * n:
        size *= 2
    first = np.full(size, -1, dtype=np.int64)
    owner_at = np.empty(size, dtype=np.int64)
    slots = np.empty(n, dtype=np.uint64)
    for i in range(n):
        slots[i] = value_slot(codes, chosen, i, first)
        record_owner(first, owner_at, slots[i], i, owners[i])
    lone = np.empty(n, dtype=np.bool_)
    for i in range(n):
        lone[i] = owner_at[slots[i]] >= 0
    return lone


@kernel
def met_points(
    codes: NDArray[np.int32],
    chosen: NDArray[np.int64],
    owners: NDArray[np.int64],
    asking: NDArray[np.int64],
    others: NDArray[np.int64],
) -> NDArray[np.bool_]:
    """Return which of the points `asking` share their values in the chosen columns with another owner among `others`.

    Each asking point has a single owner; the rest is as in `lone_points`. O((asking + others) x chosen).
    """
    size = 16
    while size < 2 * others.shape[0]:
        size *= 2
    first = np.full(size, -1, dtype=np.int64)
    owner_at = np.empty(size, dtype=np.int64)
    for i in others:
        record_owner(first, owner_at, value_slot(codes, chosen, i, first), i, owners[i])
    met = np.empty(asking.shape[0], dtype=np.bool_)
    for a in range(asking.shape[0]):
        slot = value_slot(codes, chosen, asking[a], first)
        met[a] = first[slot] >= 0 and owner_at[slot] != owners[asking[a]]
    return met
