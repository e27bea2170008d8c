"""The minimum cuts between all pairs of nodes of a small graph, as a tree (Gomory-Hu, by Gusfield)."""

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import inner_kernel, kernel

_NOTHING = 1e-9  # a capacity below this is used up


@inner_kernel
def least_cut(
    starts: NDArray[np.int64],
    ends: NDArray[np.int32],
    back: NDArray[np.int64],
    free: NDArray[np.float64],
    source: int,
    sink: int,
    most: float,
    queue: NDArray[np.int32],
    via: NDArray[np.int64],
) -> float:
    """Return the capacity of a minimum cut between two nodes, or `most` if it is no less. O(paths x arcs).

    Augmenting paths of fewest arcs are filled until there are none (Edmonds-Karp). Then `via` is set exactly for the
    nodes on the source's side.

    Args:
        starts: Where the arcs of each node begin.
        ends: The node that each arc leads to.
        back: The reverse arc of each arc.
        free: The free capacity of each arc; used up.
        source: One of the two nodes.
        sink: The other.
        most: A cut of this capacity or more does not matter.
        queue: Workspace for all nodes.
        via: The arc by which each node was reached; -1 where it was not, -2 at the source.
    """
    flow = 0.0
    while True:
        via[:] = -1
        via[source] = -2
        queue[0] = source
        head, tail = 0, 1
        while head < tail and via[sink] == -1:
            node = queue[head]
            head += 1
            for arc in range(starts[node], starts[node + 1]):
                if via[ends[arc]] == -1 and free[arc] > _NOTHING:
                    via[ends[arc]] = arc
                    queue[tail] = ends[arc]
                    tail += 1
        if via[sink] == -1:
            return flow
        more, node = most, sink
        while node != source:
            more = min(more, free[via[node]])
            node = ends[back[via[node]]]
        node = sink
        while node != source:
            free[via[node]] -= more
            free[back[via[node]]] += more
            node = ends[back[via[node]]]
        flow += more
        if flow >= most - _NOTHING:
            return most


@kernel
def cut_tree(
    n: int, edges: NDArray[np.int32], capacities: NDArray[np.float64], most: float
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Return a tree with root 0 whose edges are minimum cuts (Gusfield 1990): one flow for each node but the root.

    Of the edges on the path between two nodes, take the one with the least capacity. The nodes on its two sides are a
    minimum cut between the two nodes. Nodes that are separated only by cuts of `most` or more are not separated
    correctly.

    Returns:
        The parent of each node, and the capacity of the cut that separates the nodes below it from the others.
    """
    counts = np.zeros(n + 1, dtype=np.int64)
    for e in range(edges.shape[0]):
        counts[edges[e, 0] + 1] += 1
        counts[edges[e, 1] + 1] += 1
    starts = np.cumsum(counts)
    heads = starts[:-1].copy()
    ends = np.empty(2 * edges.shape[0], dtype=np.int32)
    back = np.empty(2 * edges.shape[0], dtype=np.int64)
    full = np.empty(2 * edges.shape[0], dtype=np.float64)
    for e in range(edges.shape[0]):
        one, other = edges[e]
        first, second = heads[one], heads[other]
        ends[first], ends[second] = other, one
        back[first], back[second] = second, first
        full[first], full[second] = capacities[e], capacities[e]
        heads[one] += 1
        heads[other] += 1
    parent = np.zeros(n, dtype=np.int32)
    cuts = np.full(n, most, dtype=np.float64)
    queue = np.empty(n, dtype=np.int32)
    via = np.empty(n, dtype=np.int64)
    free = np.empty_like(full)
    for node in range(1, n):
        above = parent[node]
        free[:] = full
        flow = least_cut(starts, ends, back, free, node, above, most, queue, via)
        cuts[node] = flow
        if flow >= most:
            continue
        for other in range(n):
            if other != node and via[other] != -1 and parent[other] == above and other != above:
                parent[other] = node
        if above != 0 and via[parent[above]] != -1:
            parent[node], parent[above] = parent[above], node
            cuts[node], cuts[above] = cuts[above], flow
    return parent, cuts
