"""Connected components (union-find): nodes that edges connect, directly or through others."""

import numpy as np
from numpy.typing import NDArray


class Components:
    """Disjoint sets of nodes that grow edge by edge, each represented by one of its nodes, the leader."""

    def __init__(self, n_nodes: int) -> None:
        self._leader = list(range(n_nodes))

    def leader(self, node: int) -> int:
        """Return the leader of the component of a node."""
        leader = self._leader
        while leader[node] != node:
            leader[node] = leader[leader[node]]
            node = leader[node]
        return node

    def join(self, one: int, other: int) -> bool:
        """Join the components of two nodes; return whether they were different. The lower leader stays."""
        first, second = self.leader(one), self.leader(other)
        self._leader[max(first, second)] = min(first, second)
        return first != second


def connected_components(n_nodes: int, edges: NDArray[np.integer]) -> list[NDArray[np.int64]]:
    """Return the nodes of each component that has an edge, ascending."""
    components = Components(n_nodes)
    for one, other in edges.tolist():
        components.join(one, other)
    touched = np.unique(edges).astype(np.int64)
    leaders = np.array([components.leader(node) for node in touched.tolist()], dtype=np.int64)
    order = np.argsort(leaders, kind="stable")
    breaks = np.flatnonzero(np.diff(leaders[order])) + 1
    return np.split(touched[order], breaks) if len(touched) else []
