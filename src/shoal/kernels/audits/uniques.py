"""Uniques: the points whose values in some columns no other person shares."""

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import inner_kernel, kernel
from shoal.kernels.grouping import mix


@inner_kernel
def slot_of(codes: NDArray[np.int32], chosen: NDArray[np.int64], point: int, first: NDArray[np.int64]) -> np.uint64:
    """Return the slot of a point's values in the chosen columns; `first` holds a point of each slot, or -1."""
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
def settle(first: NDArray[np.int64], owner_at: NDArray[np.int64], slot: np.uint64, point: int, owner: int) -> None:
    """Note that a point with an owner has the values of a slot; several owners, or an unknown one, make -1."""
    if first[slot] < 0:
        first[slot] = point
        owner_at[slot] = owner
    elif owner_at[slot] != owner:
        owner_at[slot] = -1


@kernel
def lone_points(codes: NDArray[np.int32], chosen: NDArray[np.int64], owners: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return where a point's values in the chosen columns belong to one owner only.

    `codes[column, point]` are the values; `owners[point]` is the one person whom the records of the point belong to,
    or -1 if there are several. Equal values are found by hashing and compared in full. O(points x chosen).
    """
    n = codes.shape[1]
    size = 16
    while size < 2 * n:
        size *= 2
    first = np.full(size, -1, dtype=np.int64)
    owner_at = np.empty(size, dtype=np.int64)
    slots = np.empty(n, dtype=np.uint64)
    for i in range(n):
        slots[i] = slot_of(codes, chosen, i, first)
        settle(first, owner_at, slots[i], i, owners[i])
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
    """Return which of the points `asking` share their values in the chosen columns with someone else of `others`.

    As in `lone_points`; each point that asks has one owner. O((asking + others) x chosen).
    """
    size = 16
    while size < 2 * others.shape[0]:
        size *= 2
    first = np.full(size, -1, dtype=np.int64)
    owner_at = np.empty(size, dtype=np.int64)
    for i in others:
        settle(first, owner_at, slot_of(codes, chosen, i, first), i, owners[i])
    met = np.empty(asking.shape[0], dtype=np.bool_)
    for a in range(asking.shape[0]):
        slot = slot_of(codes, chosen, asking[a], first)
        met[a] = first[slot] >= 0 and owner_at[slot] != owners[asking[a]]
    return met
