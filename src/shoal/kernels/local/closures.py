"""Closures: for the values of a class, the smallest set of values that may be published and covers them."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import inner_kernel, kernel
from shoal.kernels.prices import price_subset

TREE, RANGES, SETS = range(3)  # what a column publishes


class Forms(NamedTuple):
    """What each column publishes for a class, and the prices, as flat arrays for compiled loops.

    The nodes of column `j` begin at `nodes[j]` in the arrays by node; the first of them are the leaves. For columns
    that publish ranges or sets there are two sums, s = 0 and 1: for the range from leaf `a` to leaf `b` they are
    `upper[s][b] - lower[s][a]`, for a set the sum of `adds[s]` over its leaves. The rule of the column turns the two
    sums into a price. All prices include the weight of the column.

    Args:
        kinds: For each column, `TREE`, `RANGES` or `SETS`.
        nodes: Where each column begins in the arrays by node; the last entry is the end.
        missing: The leaf of the missing value, or -1. A range or set with it and another value is published as the top.
        rules: How the two sums become a price.
        constants: The constant of the rule.
        weights: The weight of each column.
        tops: The price of the top node.
        full: The price of suppressing a record, over all columns.
        parent: The parent of each node, within its column; the root is its own parent.
        prices: The price of each node.
        lower: `lower[s]`, the sums before each leaf.
        upper: `upper[s]`, the sums up to each leaf, inclusive.
        adds: `adds[s]`, the contribution of each leaf.
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
    """Return the lowest common ancestor of two nodes of the column that begins at `start`. O(height).

    A parent has a higher number than its children, so the lower of two different nodes is never the common ancestor.
    """
    while first != second:
        if first < second:
            first = parent[start + first]
        else:
            second = parent[start + second]
    return first


@inner_kernel
def range_price(forms: Forms, column: int, low: int, high: int) -> float:
    """Return the price of the range of leaves from `low` to `high`. O(1)."""
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
    """Return the price of a set of `count` leaves with these two sums; `last` is its highest leaf. O(1)."""
    if count == 1:
        return forms.prices[forms.nodes[column] + last]
    if last == forms.missing[column]:
        return forms.tops[column]
    return forms.weights[column] * price_subset(forms.rules[column], first, second, forms.constants[column])


@kernel
def meet_classes(leaves: NDArray[np.int32], offsets: NDArray[np.int64], parent: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return, for each class, the lowest common ancestor of `leaves[offsets[c]:offsets[c + 1]]`. O(leaves x height)."""
    nodes = np.empty(offsets.shape[0] - 1, dtype=np.int32)
    for c in range(nodes.shape[0]):
        node = leaves[offsets[c]]
        for i in range(offsets[c] + 1, offsets[c + 1]):
            node = meet(parent, 0, node, leaves[i])
        nodes[c] = node
    return nodes
