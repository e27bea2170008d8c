"""Pairs of records by their reduced costs, and triples of cheap pairs."""

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import kernel

_FIRST = 64  # the first capacity for triples; it doubles when full


@kernel
def beyond_charges(costs: NDArray[np.int64], charges: NDArray[np.int64], left: NDArray[np.int64]) -> None:
    """Write the reduced cost of each pair: its cost minus the charges of its two records. O(records^2)."""
    for a in range(costs.shape[0]):
        for b in range(costs.shape[0]):
            left[a, b] = costs[a, b] - charges[a] - charges[b]


@kernel
def least_in_rows(left: NDArray[np.int64], below: int, wanted: int) -> NDArray[np.int64]:
    """Return, for each row, its `wanted` least entries below a limit, as pairs of row and column.

    Of equal entries the first are taken.

    O(records^2 x wanted).
    """
    n, count = left.shape[0], 0
    pairs = np.empty((n * wanted, 2), dtype=np.int64)
    best, column = np.empty(wanted + 1, dtype=np.int64), np.empty(wanted + 1, dtype=np.int64)
    for a in range(n):
        found = 0
        for b in range(left.shape[1]):
            entry = left[a, b]
            if entry < below and (found < wanted or entry < best[found - 1]):
                at = found
                while at > 0 and best[at - 1] > entry:
                    best[at], column[at] = best[at - 1], column[at - 1]
                    at -= 1
                best[at], column[at] = entry, b
                found = min(found + 1, wanted)
        for at in range(found):
            pairs[count, 0], pairs[count, 1] = a, column[at]
            count += 1
    return pairs[:count].copy()


@kernel
def light_triples(
    left: NDArray[np.int64], members: NDArray[np.int64], limit: int, most: int
) -> tuple[NDArray[np.int64], int]:
    """Return the triples of members whose three pairs together weigh less than `limit`; negative weights count as 0.

    A member may be twice or three times in a triple; `left[a, a]` is the weight of a pair of it with itself.

    Only pairs below the limit are visited: O(members^2), plus the pairs of the light neighbours of each member.

    Returns:
        The triples, and how many pairs of light neighbours there were: above `most` it stops, and some are missing.
    """
    n, count, visited = members.shape[0], 0, 0
    found = np.empty((_FIRST, 3), dtype=np.int64)
    near, weights = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    for i in range(n):
        a, n_near = members[i], 0
        for j in range(i, n):
            weight = max(left[a, members[j]], 0)
            if weight < limit:
                near[n_near], weights[n_near] = members[j], weight
                n_near += 1
        visited += n_near * (n_near + 1) // 2
        if visited > most:
            break
        for p in range(n_near):
            for q in range(p, n_near):
                two = weights[p] + weights[q]
                if two < limit and two + max(left[near[p], near[q]], 0) < limit:
                    if count == found.shape[0]:
                        more = np.empty((2 * count, 3), dtype=np.int64)
                        for at in range(count):
                            for end in range(3):
                                more[at, end] = found[at, end]
                        found = more
                    found[count, 0], found[count, 1], found[count, 2] = a, near[p], near[q]
                    count += 1
    return found[:count].copy(), visited
