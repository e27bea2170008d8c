"""Triples of records whose three pairs are cheap together."""

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import kernel

_FIRST = 64  # triangles that there is room for at first


@kernel
def light_triangles(weights: NDArray[np.int64], members: NDArray[np.int64], limit: int) -> NDArray[np.int64]:
    """Return the triples of members whose three pairs together weigh less than `limit`; no weight may be negative.

    Only pairs below the limit are looked at: O(members^2) and the pairs of the light neighbours of each.
    """
    n, count = members.shape[0], 0
    found = np.empty((_FIRST, 3), dtype=np.int64)
    near = np.empty(n, dtype=np.int64)
    for i in range(n):
        a, n_near = members[i], 0
        for j in range(i + 1, n):
            if weights[a, members[j]] < limit:
                near[n_near] = members[j]
                n_near += 1
        for p in range(n_near):
            b = near[p]
            left = limit - weights[a, b]
            for q in range(p + 1, n_near):
                c = near[q]
                if weights[a, c] < left and weights[b, c] < left - weights[a, c]:
                    if count == found.shape[0]:
                        more = np.empty((2 * count, 3), dtype=np.int64)
                        more[:count] = found
                        found = more
                    found[count, 0], found[count, 1], found[count, 2] = a, b, c
                    count += 1
    return found[:count].copy()
