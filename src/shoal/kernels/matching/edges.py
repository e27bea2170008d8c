"""The complete graph of the records: the weights of edges, and the edges that a relaxation lacks."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import inner_kernel, kernel


class EdgeWeights(NamedTuple):
    """The weight of an edge: the cost of covering its two records, in whole units.

    It is the sum over the columns of the price of their lowest common ancestor.

    Args:
        leaf_index: `leaf_index[column, record]`, the index of the record's leaf in the arrays by node.
        nodes: Where the nodes of each column begin; the last entry is the end.
        parent: The parent of each node, within its column; it has a higher number. The root is its own parent.
        prices: The price of each node.
    """

    leaf_index: NDArray[np.int32]
    nodes: NDArray[np.int64]
    parent: NDArray[np.int32]
    prices: NDArray[np.int64]


class Duals(NamedTuple):
    """Dual values, which reduce the weights of edges.

    The reduced weight of an edge is its weight minus the charges of both ends, plus what the sets and pairs give back
    that contain both.

    Args:
        charges: The charge of each record.
        starts: Where each set of records begins in `members`.
        members: The records of each set.
        adds: What an edge with both ends in the set gets back.
        set_starts: Where the sets of each record begin in `sets`.
        sets: The sets of each record.
        pair_starts: Where the pairs of each record begin in `others`.
        others: The other record of each pair; a pair is listed at both of its records.
        pair_adds: What the edge of a pair gets back.
    """

    charges: NDArray[np.int64]
    starts: NDArray[np.int64]
    members: NDArray[np.int32]
    adds: NDArray[np.int64]
    set_starts: NDArray[np.int64]
    sets: NDArray[np.int32]
    pair_starts: NDArray[np.int64]
    others: NDArray[np.int32]
    pair_adds: NDArray[np.int64]


@inner_kernel
def weigh(weights: EdgeWeights, record: int, paid: NDArray[np.int64], row: NDArray[np.int64]) -> None:
    """Write the weight of each edge of one record into `row`; `paid` is workspace by node.

    O(columns x records + nodes).
    """
    nodes, parent, prices = weights.nodes, weights.parent, weights.prices
    row[:] = 0
    for j in range(weights.leaf_index.shape[0]):
        start, end = nodes[j], nodes[j + 1]
        paid[start:end] = -1
        node = weights.leaf_index[j, record] - start
        paid[start + node] = prices[start + node]
        while parent[start + node] != node:
            node = parent[start + node]
            paid[start + node] = prices[start + node]
        for other in range(end - start - 1, -1, -1):
            if paid[start + other] < 0:  # no ancestor: it has the same common ancestor as its parent
                paid[start + other] = paid[start + parent[start + other]]
        for i in range(row.shape[0]):
            row[i] += paid[weights.leaf_index[j, i]]


@inner_kernel
def reduce_row(duals: Duals, record: int, row: NDArray[np.int64]) -> None:
    """Reduce the weights of the edges of one record by the dual values. O(records + members of its sets)."""
    own = duals.charges[record]
    for i in range(row.shape[0]):
        row[i] -= own + duals.charges[i]
    for s in range(duals.set_starts[record], duals.set_starts[record + 1]):
        one = duals.sets[s]
        for m in range(duals.starts[one], duals.starts[one + 1]):
            row[duals.members[m]] += duals.adds[one]
    for p in range(duals.pair_starts[record], duals.pair_starts[record + 1]):
        row[duals.others[p]] += duals.pair_adds[p]


@kernel
def least_edges(
    weights: EdgeWeights, duals: Duals, first: int, last: int, reach: int, below: int, most: int
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]:
    """Return the edges of some records with the least reduced weights, and the sum of the negative ones.

    Each record is compared with the `reach` records behind it, in a circle; with half of all, every edge is visited
    once. O(records visited x records x columns).

    Args:
        weights: The weights of edges.
        duals: The dual values.
        first: The first record.
        last: The record after the last.
        reach: How many others each record is compared with.
        below: Only edges with a reduced weight below this are returned.
        most: The largest number of edges of each record.

    Returns:
        The other ends, -1 where there are no more; the reduced weights; and for each record the sum of its negative
            reduced weights.
    """
    n = weights.leaf_index.shape[1]
    others = np.full((last - first, most), -1, dtype=np.int32)
    found = np.full((last - first, most), below, dtype=np.int64)
    paid = np.empty(weights.nodes[-1], dtype=np.int64)
    row = np.empty(n, dtype=np.int64)
    negative = np.zeros(last - first, dtype=np.int64)
    for a in range(first, last):
        weigh(weights, a, paid, row)
        reduce_row(duals, a, row)
        near, far = others[a - first], found[a - first]
        for step in range(1, reach + 1):
            if 2 * step == n and 2 * reach == n and a >= step:  # the pair is visited from the other end
                break
            b = a + step if a + step < n else a + step - n
            if row[b] < 0:
                negative[a - first] += row[b]
            if row[b] < far[most - 1]:
                slot = most - 1
                while slot > 0 and far[slot - 1] > row[b]:
                    far[slot], near[slot] = far[slot - 1], near[slot - 1]
                    slot -= 1
                far[slot], near[slot] = row[b], b
    return others, found, negative


@kernel
def edges_within(
    weights: EdgeWeights, duals: Duals, reach: int, highest: int, capacity: int
) -> tuple[NDArray[np.int32], int]:
    """Return the edges with a reduced weight of at most `highest`, and how many there are.

    No more than `capacity` edges are returned, but all are counted.

    O(records x records x columns).
    """
    n = weights.leaf_index.shape[1]
    edges = np.empty((capacity, 2), dtype=np.int32)
    paid = np.empty(weights.nodes[-1], dtype=np.int64)
    row = np.empty(n, dtype=np.int64)
    count = 0
    for a in range(n):
        weigh(weights, a, paid, row)
        reduce_row(duals, a, row)
        for step in range(1, reach + 1):
            if 2 * step == n and a >= step:
                break
            b = a + step if a + step < n else a + step - n
            if row[b] <= highest:
                if count < capacity:
                    edges[count, 0], edges[count, 1] = min(a, b), max(a, b)
                count += 1
    return edges[: min(count, capacity)].copy(), count


@kernel
def edge_weights(weights: EdgeWeights, edges: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return the weights of some edges. O(edges x columns x height)."""
    found = np.zeros(edges.shape[0], dtype=np.int64)
    for e in range(edges.shape[0]):
        for j in range(weights.leaf_index.shape[0]):
            start = weights.nodes[j]
            one, other = weights.leaf_index[j, edges[e, 0]] - start, weights.leaf_index[j, edges[e, 1]] - start
            while one != other:
                if one < other:
                    one = weights.parent[start + one]
                else:
                    other = weights.parent[start + other]
            found[e] += weights.prices[start + one]
    return found
