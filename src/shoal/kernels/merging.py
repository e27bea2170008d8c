"""Which classes to join, and which records to leave out, so that a partition loses least."""

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import kernel
from shoal.kernels.closures import meet
from shoal.kernels.neighbours import meet_prices


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
    """Return, for each asking class, the classes it costs least to join it with, cheapest first, and the costs.

    A class looks at the `window` classes around it. O(asking x (window x (columns + most) + nodes)).

    Args:
        asking: The classes that look for others, by their places.
        closures: `closures[class, column]`, the node that each class is published as.
        sizes: The records of each class.
        window: How many classes each looks at.
        most: How many it wants; -1 at an infinite cost fills up where there are fewer.
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
            place = most
            while place > 0 and cost < costs[place - 1]:
                place -= 1
            if place < most:
                for i in range(most - 1, place, -1):
                    costs[i] = costs[i - 1]
                    chosen[a, i] = chosen[a, i - 1]
                costs[place] = cost
                chosen[a, place] = other
    return chosen, all_costs


@kernel
def best_trims(
    offsets: NDArray[np.int64],
    counts: NDArray[np.int64],
    codes: NDArray[np.int32],
    open_classes: NDArray[np.bool_],
    k: int,
    full: float,
    nodes: NDArray[np.int64],
    parent: NDArray[np.int32],
    prices: NDArray[np.float64],
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return, for each class, the part whose suppression lowers the loss most per record, and by how much.

    The class keeps k records; -1 where nothing lowers the loss. What is left without a part is covered by the meet
    of what comes before and behind it. O(parts x columns).

    Args:
        offsets: Where the parts of each class begin.
        counts: The records of each part.
        codes: The leaves of each part.
        open_classes: Which classes may be trimmed.
        k: The least size of a class.
        full: The price of suppressing a record.
        nodes: Where the nodes of each column begin.
        parent: The parent of each node, within its column.
        prices: The price of each node.
    """
    n_classes, n_columns = offsets.shape[0] - 1, codes.shape[1]
    best = np.full(n_classes, -1, dtype=np.int64)
    gains = np.zeros(n_classes)
    behind = np.empty((codes.shape[0] + 1, n_columns), dtype=np.int32)
    before = np.empty(n_columns, dtype=np.int32)
    for c in range(n_classes):
        first, end = offsets[c], offsets[c + 1]
        size = counts[first:end].sum()
        if not open_classes[c] or size <= k or end - first < 2:
            continue
        behind[end - 1] = codes[end - 1]
        for p in range(end - 2, first - 1, -1):
            for j in range(n_columns):
                behind[p, j] = meet(parent, nodes[j], behind[p + 1, j], codes[p, j])
        price = 0.0
        for j in range(n_columns):
            price += prices[nodes[j] + behind[first, j]]
        for p in range(first, end):
            left = size - counts[p]
            rest = 0.0
            for j in range(n_columns):
                if p == first:
                    node = behind[p + 1, j]
                elif p == end - 1:
                    node = before[j]
                else:
                    node = meet(parent, nodes[j], before[j], behind[p + 1, j])
                rest += prices[nodes[j] + node]
            if left >= k:
                gain = (size * price - left * rest) / counts[p] - full
                if gain > gains[c]:
                    gains[c] = gain
                    best[c] = p
            for j in range(n_columns):
                before[j] = codes[p, j] if p == first else meet(parent, nodes[j], before[j], codes[p, j])
    return best, gains
