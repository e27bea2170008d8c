"""Closures: the least of what may be published that covers the values of a class."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import inner_kernel, kernel
from shoal.kernels.prices import price_subset

TREE, RANGES, SETS = range(3)  # what a column may publish


class Forms(NamedTuple):
    """What a class may show in each column, and its price, as flat arrays for compiled loops.

    The entries of column `j` begin at `nodes[j]` in the arrays by node, whose first nodes are the leaves. In the
    arrays by leaf, a range from leaf `a` to leaf `b` has the sums `upper[s][b] - lower[s][a]`, and a set the sum of
    `adds[s]` over its leaves, for s = 0 and 1; `rules` and `constants` make a price of these two sums. All prices
    hold the column's weight.

    Args:
        kinds: For each column, `TREE`, `RANGES` or `SETS`.
        nodes: Where each column begins.
        missing: The leaf of the missing value, or -1; in a range or a set it cannot stand beside another value.
        rules: How the two sums become a price.
        constants: What the rule needs to know.
        weights: The weight of each column.
        tops: The price of the top node.
        full: The price of suppressing a record, over all columns.
        parent: The parent of each node, within its column; the root is its own.
        prices: The price of each node.
        lower: The sums before each leaf.
        upper: The sums up to each leaf.
        adds: What each leaf adds.
    """

    kinds: NDArray[np.int8]
    nodes: NDArray[np.int64]
    missing: NDArray[np.int32]
    rules: NDArray[np.int64]
    constants: NDArray[np.float64]
    weights: NDArray[np.float64]
    tops: NDArray[np.float64]
    full: float
    parent: NDArray[np.int32]
    prices: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    adds: NDArray[np.float64]


@inner_kernel
def meet(parent: NDArray[np.int32], start: int, first: int, second: int) -> int:
    """Return the lowest node above two nodes of the column that begins at `start`; parents have higher numbers."""
    while first != second:
        if first < second:
            first = parent[start + first]
        else:
            second = parent[start + second]
    return first


@inner_kernel
def range_price(forms: Forms, column: int, low: int, high: int) -> float:
    """Return the price of the range from one leaf to another."""
    start = forms.nodes[column]
    if low == high:
        return forms.prices[start + low]
    if high == forms.missing[column]:
        return forms.tops[column]
    first = forms.upper[0, start + high] - forms.lower[0, start + low]
    second = forms.upper[1, start + high] - forms.lower[1, start + low]
    return forms.weights[column] * price_subset(forms.rules[column], first, second, forms.constants[column])


@inner_kernel
def set_price(forms: Forms, column: int, count: int, first: float, second: float, last: int) -> float:
    """Return the price of a set of `count` leaves with these two sums, the highest of them `last`."""
    if count == 1:
        return forms.prices[forms.nodes[column] + last]
    if last == forms.missing[column]:
        return forms.tops[column]
    return forms.weights[column] * price_subset(forms.rules[column], first, second, forms.constants[column])


@kernel
def meet_classes(leaves: NDArray[np.int32], offsets: NDArray[np.int64], parent: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the lowest node above the leaves `offsets[c]` to `offsets[c + 1]`, for each class. O(leaves x height)."""
    nodes = np.empty(offsets.shape[0] - 1, dtype=np.int32)
    for c in range(nodes.shape[0]):
        node = leaves[offsets[c]]
        for i in range(offsets[c] + 1, offsets[c + 1]):
            node = meet(parent, 0, node, leaves[i])
        nodes[c] = node
    return nodes
