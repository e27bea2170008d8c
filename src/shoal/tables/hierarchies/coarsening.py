"""Coarsening: merge nodes of a tree until the entropy measure is monotone on it (003 section 4.2.2)."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import log2

import numpy as np
from numpy.typing import NDArray

from shoal.tables.hierarchies.hierarchy import Hierarchy, Label

TOLERANCE = 1e-9
"""A decrease of the conditional entropy (in bits) by at most this counts as rounding."""


def coarsened(hierarchy: Hierarchy, leaf_counts: Sequence[int] | NDArray[np.int64]) -> Hierarchy:
    """Return a coarser hierarchy on which the conditional entropy never decreases from a node to its parent.

    While the entropy decreases from a node to its parent, the node is merged with its next sibling (the last one with
    the previous). If it has only one sibling, both are removed and their children move to the parent. Each step leaves
    fewer nodes, or fewer children of a node that still has some. At worst the two-level tree remains, on which the
    measure is monotone. The missing value stays separate, directly below the top.

    The leaves and their codes do not change. A merged node has the label `a | b` and the sum of the widths. If nothing
    is merged, the same hierarchy is returned; else its levels are those of the new tree, which need not be balanced.

    Args:
        hierarchy: Any hierarchy.
        leaf_counts: The number of records with each leaf; a node without records has the entropy 0.
    """
    growth = _Growth.of(hierarchy, np.asarray(leaf_counts, dtype=np.int64))
    waiting = deque(growth.inner_below(growth.root))
    changed = False
    while waiting:
        node = waiting.popleft()
        if node in growth.removed or not growth.falls_above(node):
            continue
        changed = True
        waiting.extend(growth.unify(node))
    return growth.hierarchy() if changed else hierarchy


@dataclass(slots=True)
class _Growth:
    """A tree that changes: per node its parent, children, records, sum of c log c, label and width."""

    n_leaves: int
    root: int
    parent: list[int]
    children: list[list[int]]
    records: list[int]
    logs: list[float]
    labels: list[Label]
    widths: list[float] | None
    removed: set[int] = field(default_factory=set)

    @classmethod
    def of(cls, hierarchy: Hierarchy, leaf_counts: NDArray[np.int64]) -> "_Growth":
        """Take the nodes of a hierarchy, each once; the missing value has no label."""
        tree = hierarchy.tree()
        root = len(tree.parent) - 1
        parent = tree.parent.tolist()
        children: list[list[int]] = [[] for _ in parent]
        records = [*leaf_counts.tolist(), *[0] * (len(parent) - hierarchy.n_leaves)]
        logs = [count * log2(count) if count else 0.0 for count in records]
        first = list(range(len(parent)))
        for node in range(root):
            children[parent[node]].append(node)
            first[parent[node]] = min(first[parent[node]], first[node])
            records[parent[node]] += records[node]
            logs[parent[node]] += logs[node]
        for family in children:
            family.sort(key=first.__getitem__)  # siblings in the order of their leaves
        widths = None
        if hierarchy.spans is not None:
            width = np.zeros(len(parent))
            for nodes, span in zip(reversed(tree.node_at), reversed(hierarchy.spans), strict=True):
                width[nodes] = span
            widths = width.tolist()
        labels = [*tree.labels[:root], hierarchy.labels[-1][0]]
        return cls(hierarchy.n_leaves, root, parent, children, records, logs, labels, widths)

    def entropy(self, node: int) -> float:
        """Return the entropy of the values among the records of a node, in bits."""
        records = self.records[node]
        return log2(records) - self.logs[node] / records if records else 0.0

    def falls_above(self, node: int) -> bool:
        """Tell whether the entropy of a node is above that of its parent."""
        return self.entropy(self.parent[node]) < self.entropy(node) - TOLERANCE

    def inner_below(self, node: int) -> list[int]:
        """Return the inner nodes below a node, in postorder."""
        found: list[int] = []
        stack = [node]
        while stack:
            inner = [child for child in self.children[stack.pop()] if self.children[child]]
            found.extend(inner)
            stack.extend(inner)
        return found[::-1]

    def unify(self, node: int) -> list[int]:
        """Merge a node with a sibling; return the inner nodes that got a new parent."""
        above = self.parent[node]
        family = self.children[above]
        siblings = [child for child in family if self.labels[child] is not None]
        if len(siblings) <= 2:
            for sibling in siblings:
                self._replace(above, [sibling], self._sons(sibling))
            return [child for child in self.children[above] if self.children[child]]
        i = siblings.index(node)
        pair = siblings[i : i + 2] if i + 1 < len(siblings) else siblings[i - 1 :]
        joined = self._join(above, pair)
        self._replace(above, pair, [joined])
        self._replace(joined, [], [son for sibling in pair for son in self._sons(sibling)])
        return [*(son for son in self.children[joined] if self.children[son]), joined]

    def _sons(self, node: int) -> list[int]:
        return self.children[node] or [node]

    def _join(self, above: int, pair: Sequence[int]) -> int:
        first, second = pair
        self.parent.append(above)
        self.children.append([])
        self.records.append(self.records[first] + self.records[second])
        self.logs.append(self.logs[first] + self.logs[second])
        self.labels.append(f"{self.labels[first]} | {self.labels[second]}")
        if self.widths is not None:
            self.widths.append(self.widths[first] + self.widths[second])
        return len(self.parent) - 1

    def _replace(self, above: int, old: Sequence[int], new: Sequence[int]) -> None:
        """Replace `old` among the children of `above` by `new`, at the position of the first."""
        family = self.children[above]
        at = family.index(old[0]) if old else len(family)
        self.children[above] = [*family[:at], *new, *(child for child in family[at:] if child not in old)]
        self.removed.update(node for node in old if self.children[node])
        for node in new:
            self.parent[node] = above

    def hierarchy(self) -> Hierarchy:
        """Return the remaining nodes as a hierarchy; children are numbered before parents."""
        left = [*range(self.n_leaves), *self.inner_below(self.root), self.root]
        number = {node: i for i, node in enumerate(left)}
        parent = np.array([number[self.parent[node]] for node in left], dtype=np.int32)
        labels = _distinct([self.labels[node] for node in left], self.n_leaves)
        widths = None if self.widths is None else np.array([self.widths[node] for node in left])
        return Hierarchy.of_parents(self.n_leaves, parent, labels, "coarsened hierarchy", widths)


def _distinct(labels: list[Label], n_leaves: int) -> list[Label]:
    """Make the labels of inner nodes unique, as in `a | b (2)`; the root has a level of its own."""
    taken = set(labels[:n_leaves])
    for i in range(n_leaves, len(labels) - 1):
        label, times = labels[i], 1
        while labels[i] in taken:
            times += 1
            labels[i] = f"{label} ({times})"
        taken.add(labels[i])
    return labels
