"""The complete graph of the records: what an edge weighs, and which edges a relaxation lacks."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import inner_kernel, kernel


class EdgeWeights(NamedTuple):
    """What it costs to cover two records, in whole units: the sum of the prices of the nodes at which they meet.

    Args:
        places: `places[column, record]`, where the record's leaf stands in the arrays by node.
        nodes: Where the nodes of each column begin; the last entry is the end.
        parent: The parent of each node, within its column and of a higher number; the root is its own.
        prices: The price of each node.
    """

    places: NDArray[np.int32]
    nodes: NDArray[np.int64]
    parent: NDArray[np.int32]
    prices: NDArray[np.int64]


class Duals(NamedTuple):
    """What is taken off the weights of edges: the charge of each end, but less where a set or a pair adds to it.

    Args:
        charges: The charge of each record.
        starts: Where each set of records begins in `members`.
        members: The records of each set.
        adds: What an edge with both ends in the set gets back.
        set_starts: Where the sets of each record begin in `sets`.
        sets: The sets that each record is in.
        pair_starts: Where the pairs of each record begin in `others`.
        others: The other records of these pairs; each pair stands with both of its records.
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
    """Write into `row` what each edge of one record weighs; `paid` has capacity for all nodes. O(columns x records)."""
    nodes, parent, prices = weights.nodes, weights.parent, weights.prices
    row[:] = 0
    for j in range(weights.places.shape[0]):
        start, end = nodes[j], nodes[j + 1]
        paid[start:end] = -1
        node = weights.places[j, record] - start
        paid[start + node] = prices[start + node]
        while parent[start + node] != node:
            node = parent[start + node]
            paid[start + node] = prices[start + node]
        for other in range(end - start - 1, -1, -1):
            if paid[start + other] < 0:  # not above the leaf: it meets it where its parent does
                paid[start + other] = paid[start + parent[start + other]]
        for i in range(row.shape[0]):
            row[i] += paid[weights.places[j, i]]


@inner_kernel
def reduce_row(duals: Duals, record: int, row: NDArray[np.int64]) -> None:
    """Take off what the duals say from the weights of the edges of one record. O(records + members of its sets)."""
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
    """Return the edges of some records that weigh least after the duals are taken off, and what is negative.

    A record looks at the `reach` records behind it, going round; with half of all, every edge is looked at once.
    O(records looking x records x columns).

    Args:
        weights: What edges weigh.
        duals: What is taken off.
        first: The first record that looks.
        last: The record after the last.
        reach: How many others each looks at.
        below: Edges that weigh as much are left out.
        most: The number of edges of each record.

    Returns:
        The other ends, -1 where there are no more, what the edges weigh, and, for each
        record, the sum of what is negative.
    """
    n = weights.places.shape[1]
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
            if 2 * step == n and 2 * reach == n and a >= step:  # the two look at each other
                break
            b = a + step if a + step < n else a + step - n
            if row[b] < 0:
                negative[a - first] += row[b]
            if row[b] < far[most - 1]:
                place = most - 1
                while place > 0 and far[place - 1] > row[b]:
                    far[place], near[place] = far[place - 1], near[place - 1]
                    place -= 1
                far[place], near[place] = row[b], b
    return others, found, negative


@kernel
def edges_within(
    weights: EdgeWeights, duals: Duals, reach: int, highest: int, capacity: int
) -> tuple[NDArray[np.int32], int]:
    """Return all edges that weigh at most `highest` after the duals are taken off, and how many there are.

    No more than `capacity` edges are returned. O(records x records x columns).
    """
    n = weights.places.shape[1]
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
    """Return what some edges weigh. O(edges x columns x height)."""
    found = np.zeros(edges.shape[0], dtype=np.int64)
    for e in range(edges.shape[0]):
        for j in range(weights.places.shape[0]):
            start = weights.nodes[j]
            one, other = weights.places[j, edges[e, 0]] - start, weights.places[j, edges[e, 1]] - start
            while one != other:
                if one < other:
                    one = weights.parent[start + one]
                else:
                    other = weights.parent[start + other]
            found[e] += weights.prices[start + one]
    return found
