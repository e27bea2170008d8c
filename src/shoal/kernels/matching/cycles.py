"""Cutting a cycle of records into classes of least cost."""

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import kernel
from shoal.kernels.local.closures import meet


@kernel
def cut_cycle(
    codes: NDArray[np.int32],
    nodes: NDArray[np.int64],
    parent: NDArray[np.int32],
    prices: NDArray[np.float64],
    least: int,
    most: int,
) -> NDArray[np.int64]:
    """Return where to cut a cycle of records so that the classes between the cuts cost least.

    The class with the first record begins at one of the last `most` positions. For each of these, dynamic programming
    finds the cheapest cuts of the rest. O(records x most^2 + records x most x columns x height).

    Args:
        codes: The leaves of each record, in the order of the cycle.
        nodes: Where the nodes of each column begin; the last entry is the end.
        parent: The parent of each node, within its column.
        prices: The price of each node.
        least: The least number of records of a class; there are at least as many records.
        most: The largest number of records of a class: `2 * least - 1`, so that any cycle can be cut.

    Returns:
        The first record of each class, ascending.
    """
    n, n_columns = codes.shape
    paid = np.empty((n, most + 1))  # paid[first, size], the cost of the class of `size` records from `first` on
    meets = np.empty(n_columns, dtype=np.int64)
    for first in range(n):
        for j in range(n_columns):
            meets[j] = codes[first, j]
        for size in range(2, min(most, n) + 1):
            total = 0.0
            for j in range(n_columns):
                meets[j] = meet(parent, nodes[j], meets[j], codes[(first + size - 1) % n, j])
                total += prices[nodes[j] + meets[j]]
            paid[first, size] = total * size
    best = np.inf
    cuts = np.zeros(1, dtype=np.int64)
    cost = np.empty(n + 1)
    taken = np.zeros(n + 1, dtype=np.int64)
    for turn in range(min(most, n)):
        cost[:] = np.inf
        cost[0] = 0.0
        for end in range(least, n + 1):
            for size in range(least, min(most, end) + 1):
                more = cost[end - size] + paid[(end - size - turn) % n, size]
                if more < cost[end]:
                    cost[end] = more
                    taken[end] = size
        if cost[n] < best:
            best = float(cost[n])
            count, end = 0, n
            while end > 0:
                end -= taken[end]
                count += 1
            cuts = np.empty(count, dtype=np.int64)
            end = n
            for c in range(count):
                end -= taken[end]
                cuts[c] = (end - turn) % n
    return np.sort(cuts)
