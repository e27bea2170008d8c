"""Earth mover's distances between the values of each class and those of the whole table, in integers.

The mass of a value is by how much its share in the class exceeds its share in the table, times the numbers of records
of both: `count * total - part * size`. The masses of a class add up to 0, and the work is an integer.
"""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import kernel

F = TypeVar("F", bound=Callable[..., object])


def plain(function: F) -> F:
    """Return a kernel as Python code; on arrays of Python integers it does not overflow."""
    return cast(F, getattr(function, "py_func", function))


@kernel
def work_equal(
    offsets: NDArray[Any],
    values: NDArray[Any],
    counts: NDArray[Any],
    sizes: NDArray[Any],
    reference: NDArray[Any],
    total: int,
    work: NDArray[Any],
) -> None:
    """Fill `work[c]` with the excess mass of class `c`, where all values are at distance one. O(entries)."""
    for c in range(sizes.shape[0]):
        for i in range(offsets[c], offsets[c + 1]):
            mass = counts[i] * total - reference[values[i]] * sizes[c]
            if mass > 0:
                work[c] += mass


@kernel
def work_ordered(
    offsets: NDArray[Any],
    ranks: NDArray[Any],
    counts: NDArray[Any],
    sizes: NDArray[Any],
    below: NDArray[Any],
    sums: NDArray[Any],
    work: NDArray[Any],
) -> None:
    """Fill `work[c]` with the sum over all ranks of |the mass up to that rank|. O(entries x log ranks).

    `ranks` ascend within a class; `below[r]` is the number of records of the table up to rank `r`, and `sums[r]` the
    sum of `below` before `r`. Between two values of the class the mass falls with the rank, so it changes its sign at
    most once, at a rank that bisection finds.
    """
    n_ranks = below.shape[0]
    total = below[n_ranks - 1]
    for c in range(sizes.shape[0]):
        seen = 0
        start = 0
        for i in range(offsets[c], offsets[c + 1] + 1):
            stop = ranks[i] if i < offsets[c + 1] else n_ranks
            low, high = start, stop
            while low < high:
                middle = (low + high) // 2
                if below[middle] * sizes[c] > seen * total:
                    high = middle
                else:
                    low = middle + 1
            work[c] += (low - start) * seen * total - (sums[low] - sums[start]) * sizes[c]
            work[c] += (sums[stop] - sums[low]) * sizes[c] - (stop - low) * seen * total
            if i < offsets[c + 1]:
                seen += counts[i]
            start = stop


@kernel
def work_hierarchical(
    offsets: NDArray[Any],
    values: NDArray[Any],
    counts: NDArray[Any],
    sizes: NDArray[Any],
    nodes: NDArray[Any],
    parts: NDArray[Any],
    total: int,
    work: NDArray[Any],
) -> None:
    """Fill `work[c]` with the sum over all nodes below the top of |the mass below the node|. O(entries x levels).

    `nodes[level, value]` is the node of a value, and `parts[level, node]` the number of records of the table below it.
    A node without records of the class has the mass `-part * size`; these masses are added up at once, from the records
    of the table that the other nodes leave.
    """
    inside = np.zeros_like(parts[0])
    for c in range(sizes.shape[0]):
        for level in range(nodes.shape[0]):
            for i in range(offsets[c], offsets[c + 1]):
                inside[nodes[level, values[i]]] += counts[i]
            left = total
            for i in range(offsets[c], offsets[c + 1]):
                node = nodes[level, values[i]]
                if inside[node] > 0:
                    work[c] += abs(inside[node] * total - parts[level, node] * sizes[c])
                    left -= parts[level, node]
                    inside[node] = 0
            work[c] += left * sizes[c]


@kernel
def transport(costs: NDArray[Any], supply: NDArray[Any], demand: NDArray[Any]) -> int:
    """Return the least cost of moving `supply` to `demand`, of equal sums, at `costs[source, sink]` >= 0 for each unit.

    Successive shortest paths: Dijkstra on reduced costs, from all sources with supply left to the nearest sink with
    demand left; then as much as the path can take. A step back along a flow has the reduced cost 0, so only sources are
    in the queue: fast if they are few. Integers throughout.
    """
    n, m = costs.shape
    flow = np.zeros_like(costs)
    have, lack = supply.copy(), demand.copy()
    high, low = np.zeros(n, costs.dtype), np.zeros(m, costs.dtype)
    while have.max() > 0:
        far, near = np.where(have > 0, 0, -1).astype(costs.dtype), np.zeros(m, costs.dtype) - 1
        back, source_of = np.full(n, -1), np.full(m, -1)
        done = np.zeros(n, np.bool_)
        best = -1
        while True:
            node = -1
            for i in range(n):
                if not done[i] and far[i] >= 0 and (node < 0 or far[i] < far[node]):
                    node = i
            if node < 0 or (best >= 0 and near[best] <= far[node]):
                break
            done[node] = True
            for j in range(m):
                length = far[node] + costs[node, j] + high[node] - low[j]
                if near[j] < 0 or length < near[j]:
                    near[j], source_of[j] = length, node
                    if lack[j] > 0 and (best < 0 or length < near[best]):
                        best = j
                    for i in range(n):
                        if not done[i] and flow[i, j] > 0 and (far[i] < 0 or length < far[i]):
                            far[i], back[i] = length, j
        for i in range(n):
            high[i] += min(far[i], near[best]) if far[i] >= 0 else near[best]
        for j in range(m):
            low[j] += min(near[j], near[best])
        amount, i = lack[best], source_of[best]
        while back[i] >= 0:
            amount, i = min(amount, flow[i, back[i]]), source_of[back[i]]
        amount = min(amount, have[i])
        have[i], lack[best] = have[i] - amount, lack[best] - amount
        i = source_of[best]
        flow[i, best] += amount
        while back[i] >= 0:
            flow[i, back[i]] -= amount
            flow[source_of[back[i]], back[i]] += amount
            i = source_of[back[i]]
    return (flow * costs).sum()
