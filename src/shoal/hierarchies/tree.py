"""Tree: the nodes of a hierarchy, each once, with parents and lowest common ancestors."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """A rooted tree whose first nodes are the leaves, in the order of the leaf codes.

    Args:
        parent: The parent of each node; the root is its own parent and the last node.
        depth: The number of steps from the root.
        leaves: The number of leaves below each node.
        labels: What is published for each node: its label at the lowest level at which it stands.
        node_at: `node_at[level][code]` is the node that stands there.
    """

    parent: NDArray[np.int32]
    depth: NDArray[np.int32]
    leaves: NDArray[np.int64]
    labels: tuple[str | None, ...]
    node_at: tuple[NDArray[np.int32], ...]

    @classmethod
    def of_levels(cls, codes: NDArray[np.int32], labels: Sequence[Sequence[str | None]]) -> "Tree":
        """Number the nodes from the leaves up; a node with the same leaves as one below is that one."""
        node_at = [np.arange(codes.shape[1], dtype=np.int32)]
        leaves = [1] * codes.shape[1]
        names = list(labels[0])
        parent = list(range(codes.shape[1]))
        for level in range(1, codes.shape[0]):
            below = np.zeros(len(labels[level - 1]), dtype=np.int32)
            below[codes[level - 1]] = codes[level]
            nodes = np.empty(len(labels[level]), dtype=np.int32)
            for code in range(len(labels[level])):
                children = node_at[-1][below == code]
                if len(children) > 1:
                    parent.append(len(parent))
                    leaves.append(sum(leaves[child] for child in children))
                    names.append(labels[level][code])
                    for child in children:
                        parent[child] = len(parent) - 1
                nodes[code] = children[0] if len(children) == 1 else len(parent) - 1
            node_at.append(nodes)
        depth = np.zeros(len(parent), dtype=np.int32)
        for node in range(len(parent) - 2, -1, -1):
            depth[node] = depth[parent[node]] + 1
        return cls(
            np.array(parent, dtype=np.int32),
            depth,
            np.array(leaves, dtype=np.int64),
            tuple(names),
            tuple(node_at),
        )

    def lowest_common_ancestor(self, first: NDArray[np.int32], second: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return, pair by pair, the lowest node that lies above both or is one of them."""
        first, second = (np.array(side) for side in np.broadcast_arrays(first, second))
        while np.any(apart := first != second):
            deeper = apart & (self.depth[first] >= self.depth[second])
            second_deeper = apart & (self.depth[second] >= self.depth[first])
            first[deeper] = self.parent[first[deeper]]
            second[second_deeper] = self.parent[second[second_deeper]]
        return first
