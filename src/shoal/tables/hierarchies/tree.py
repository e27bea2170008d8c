"""Tree: the nodes of a hierarchy, each once, with parents and lowest common ancestors."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class NodeTree:
    """A rooted tree whose first nodes are the leaves, in the order of the leaf codes.

    Args:
        parent: The parent of each node; the root is its own parent and the last node.
        depth: The number of steps from the root.
        leaves: The number of leaves below each node.
        labels: The published label of each node: that of the lowest level at which it occurs.
        node_at: `node_at[level][code]` is the number of that node.
    """

    parent: NDArray[np.int32]
    depth: NDArray[np.int32]
    leaves: NDArray[np.int64]
    labels: tuple[str | None, ...]
    node_at: tuple[NDArray[np.int32], ...]

    @classmethod
    def of_levels(cls, codes: NDArray[np.int32], labels: Sequence[Sequence[str | None]]) -> "NodeTree":
        """Number the nodes from the leaves up; a node with the same leaves as one below it is the same node.

        A hierarchy without leaves has only a root. O(levels x leaves).
        """
        node_at = [np.arange(codes.shape[1], dtype=np.int32)]
        parent = node_at[0].copy()
        leaves = np.ones(codes.shape[1], dtype=np.int64)
        names = list(labels[0])
        for level in range(1, codes.shape[0]):
            children, size = node_at[-1], len(labels[level])
            above = np.zeros(len(children), dtype=np.int32)
            above[codes[level - 1]] = codes[level]
            new = np.bincount(above, minlength=size) != 1
            nodes = np.zeros(size, dtype=np.int32)
            nodes[above] = children  # correct for a single child; the others are numbered next
            nodes[new] = np.arange(len(parent), len(parent) + np.count_nonzero(new), dtype=np.int32)
            below = np.zeros(size, dtype=np.int64)
            np.add.at(below, above, leaves[children])
            moved = new[above]
            parent[children[moved]] = nodes[above[moved]]
            parent = np.append(parent, nodes[new])
            leaves = np.append(leaves, below[new])
            names.extend(labels[level][code] for code in np.flatnonzero(new).tolist())
            node_at.append(nodes)
        return cls(parent, depths(parent), leaves, tuple(names), tuple(node_at))

    def lowest_common_ancestor(self, first: NDArray[np.int32], second: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return for each pair of nodes the lowest node that is above both or one of them."""
        first, second = (np.array(side) for side in np.broadcast_arrays(first, second))
        while np.any(apart := first != second):
            deeper = apart & (self.depth[first] >= self.depth[second])
            second_deeper = apart & (self.depth[second] >= self.depth[first])
            first[deeper] = self.parent[first[deeper]]
            second[second_deeper] = self.parent[second[second_deeper]]
        return first


def depths(parent: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the number of steps of each node from the root; parents have higher numbers than their children."""
    depth = [0] * len(parent)
    above = parent.tolist()
    for node in range(len(parent) - 2, -1, -1):
        depth[node] = depth[above[node]] + 1
    return np.array(depth, dtype=np.int32)
