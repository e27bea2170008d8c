"""Uniques: the points whose values in some columns no other person shares."""

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import kernel
from shoal.kernels.grouping import mix


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
    last = np.uint64(size - 1)
    first = np.full(size, -1, dtype=np.int64)
    owner_at = np.empty(size, dtype=np.int64)
    slots = np.empty(n, dtype=np.int64)
    for i in range(n):
        hashed = np.uint64(0)
        for j in chosen:
            hashed = mix(hashed ^ np.uint64(codes[j, i] + 1))
        slot = hashed & last
        while first[slot] >= 0:
            same = True
            for j in chosen:
                if codes[j, first[slot]] != codes[j, i]:
                    same = False
                    break
            if same:
                break
            slot = (slot + np.uint64(1)) & last
        if first[slot] < 0:
            first[slot] = i
            owner_at[slot] = owners[i]
        elif owner_at[slot] != owners[i]:
            owner_at[slot] = -1
        slots[i] = slot
    lone = np.empty(n, dtype=np.bool_)
    for i in range(n):
        lone[i] = owner_at[slots[i]] >= 0
    return lone
