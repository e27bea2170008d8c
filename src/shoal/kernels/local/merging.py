"""Which classes to join so that the loss of a partition grows least."""

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import kernel
from shoal.kernels.neighbours.exact import meet_prices


@kernel
def nearest_classes(
    asking: NDArray[np.int64],
    closures: NDArray[np.int32],
    sizes: NDArray[np.int64],
    window: int,
    most: int,
    nodes: NDArray[np.int64],
    parent: NDArray[np.int32],
    prices: NDArray[np.float64],
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Return, for each asking class, the classes that cost least to join with it, the cheapest first, and the costs.

    Only the `window` classes around it in the given order are compared. O(asking x (window x (columns + most) +
    nodes)).

    Args:
        asking: The classes that need a partner.
        closures: `closures[class, column]`, the node that each class is published as.
        sizes: The number of records of each class.
        window: How many classes are compared with each.
        most: How many are returned for each; filled up with -1 at an infinite cost where there are fewer.
        nodes: Where the nodes of each column begin; the last entry is the end.
        parent: The parent of each node, within its column.
        prices: The price of each node.
    """
    n, n_columns = closures.shape
    chosen = np.full((asking.shape[0], most), -1, dtype=np.int32)
    all_costs = np.full((asking.shape[0], most), np.inf)
    paid = np.empty(nodes[n_columns])
    own_prices = np.zeros(n)
    for c in range(n):
        for j in range(n_columns):
            own_prices[c] += prices[nodes[j] + closures[c, j]]
    for a in range(asking.shape[0]):
        own = asking[a]
        meet_prices(closures[own], nodes, parent, prices, paid)
        first = max(0, min(own - window // 2, n - window))
        costs = all_costs[a]
        for other in range(first, min(first + window, n)):
            if other == own:
                continue
            joint = 0.0
            for j in range(n_columns):
                joint += paid[nodes[j] + closures[other, j]]
            cost = sizes[own] * (joint - own_prices[own]) + sizes[other] * (joint - own_prices[other])
            rank = most
            while rank > 0 and cost < costs[rank - 1]:
                rank -= 1
            if rank < most:
                for i in range(most - 1, rank, -1):
                    costs[i] = costs[i - 1]
                    chosen[a, i] = chosen[a, i - 1]
                costs[rank] = cost
                chosen[a, rank] = other
    return chosen, all_costs
