"""The least price of a value together with another one, and its price together with a given set of values."""

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import kernel
from shoal.kernels.local.closures import RANGES, TREE, Forms, meet, range_price, set_price


@kernel
def _true_indices(marks: NDArray[np.bool_]) -> NDArray[np.int64]:
    indices = np.empty(marks.shape[0], dtype=np.int64)
    count = 0
    for index in range(marks.shape[0]):
        if marks[index]:
            indices[count] = index
            count += 1
    return indices[:count]


@kernel
def least_pair_prices(forms: Forms, column: int, seen: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return, for each leaf, the least price of what covers it and another seen leaf; infinite if there is none.

    It is correct for prices that never fall when more is covered. In a tree the price is that of the lowest ancestor
    with another seen leaf, in a range that with the next seen leaf on either side, in a set that with the leaf that
    adds least.

    O(nodes).
    """
    start, n = forms.nodes[column], seen.shape[0]
    least = np.full(n, np.inf)
    if forms.kinds[column] == TREE:
        n_nodes = forms.nodes[column + 1] - start
        below = np.zeros(n_nodes, dtype=np.int64)
        for node in range(n_nodes):
            if node < n and seen[node]:
                below[node] += 1
            if forms.parent[start + node] != node:
                below[forms.parent[start + node]] += below[node]
        shared = np.full(n_nodes, np.inf)  # the price of the lowest ancestor that covers two seen leaves
        for node in range(n_nodes - 1, -1, -1):
            if below[node] > 1:
                shared[node] = forms.prices[start + node]
            elif forms.parent[start + node] != node:
                shared[node] = shared[forms.parent[start + node]]
        return shared[:n].copy()
    leaves = _true_indices(seen)
    if leaves.shape[0] < 2:
        return least
    if forms.kinds[column] == RANGES:
        for i in range(leaves.shape[0]):
            if i > 0:
                least[leaves[i]] = min(least[leaves[i]], range_price(forms, column, leaves[i - 1], leaves[i]))
            if i + 1 < leaves.shape[0]:
                least[leaves[i]] = min(least[leaves[i]], range_price(forms, column, leaves[i], leaves[i + 1]))
        return least
    first, second = -1, -1  # the two leaves that add least, the missing value excluded
    for i in range(leaves.shape[0]):
        leaf = int(leaves[i])
        if leaf == forms.missing[column]:
            continue
        if first < 0 or forms.adds[0, start + leaf] < forms.adds[0, start + first]:
            first, second = leaf, first
        elif second < 0 or forms.adds[0, start + leaf] < forms.adds[0, start + second]:
            second = leaf
    for i in range(leaves.shape[0]):
        leaf = int(leaves[i])
        other = first if leaf != first else second
        least[leaf] = forms.tops[column]
        if other >= 0 and leaf != forms.missing[column]:
            one = forms.adds[0, start + leaf] + forms.adds[0, start + other]
            two = forms.adds[1, start + leaf] + forms.adds[1, start + other]
            least[leaf] = set_price(forms, column, 2, one, two, max(leaf, other))
    return least


@kernel
def joined_prices(forms: Forms, column: int, members: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return, for each leaf, the price of what covers it and all members (at least one). O(leaves x height)."""
    start, n = forms.nodes[column], members.shape[0]
    prices = np.empty(n)
    leaves = _true_indices(members)
    low, high = int(leaves[0]), int(leaves[-1])
    if forms.kinds[column] == TREE:
        node = low
        for i in range(leaves.shape[0]):
            node = meet(forms.parent, start, node, int(leaves[i]))
        for leaf in range(n):
            prices[leaf] = forms.prices[start + meet(forms.parent, start, node, leaf)]
    elif forms.kinds[column] == RANGES:
        for leaf in range(n):
            prices[leaf] = range_price(forms, column, min(low, leaf), max(high, leaf))
    else:
        first, second = 0.0, 0.0
        for i in range(leaves.shape[0]):
            first += forms.adds[0, start + leaves[i]]
            second += forms.adds[1, start + leaves[i]]
        for leaf in range(n):
            new = not members[leaf]
            one = first + forms.adds[0, start + leaf] if new else first
            two = second + forms.adds[1, start + leaf] if new else second
            prices[leaf] = set_price(forms, column, leaves.shape[0] + new, one, two, max(high, leaf))
    return prices
