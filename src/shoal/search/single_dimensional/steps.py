"""The steps that split the columns of a table, the same for all records: cut points, and nodes of a tree."""

from dataclasses import dataclass
from heapq import heapify, heapreplace

import numpy as np
from numpy.typing import NDArray

from shoal.classes.tally import QuasiColumn
from shoal.tables.hierarchies.tree import NodeTree


@dataclass(frozen=True, slots=True, eq=False)
class ColumnSteps:
    """The steps of one column.

    Args:
        grains: The grain of each leaf; leaves of one grain are never separated. 0 for a leaf that does not occur.
        owner: The step of the boundary between each grain and the one before it; -1 for the first grain.
        needs: The step that must be taken before each step, or -1.
        spans: Whether the step splits a node: without it, all grains from `begin` to before `end` are one interval.
        begin: The first grain that each step can split.
        end: The end of these grains.
        n_possible: The number of all possible steps, of which these are the chosen ones.
    """

    grains: NDArray[np.int32]
    owner: NDArray[np.int32]
    needs: NDArray[np.int32]
    spans: NDArray[np.bool_]
    begin: NDArray[np.int64]
    end: NDArray[np.int64]
    n_possible: int

    @property
    def n_grains(self) -> int:
        """The number of grains."""
        return len(self.owner)

    @property
    def n_steps(self) -> int:
        """The number of steps."""
        return len(self.needs)


def column_steps(column: QuasiColumn, most: int) -> ColumnSteps:
    """Return the steps of a column, at most `most`.

    Where a column publishes ranges or sets, a step is a cut between two neighbours in the order of its values. If there
    are too many, the cuts that split the records most evenly are chosen. Missing values are split off first, since a
    class with missing and other values is published as the top. In a tree a step splits a node into its children, after
    the node above it was split. If there are too many, the nodes with the most records are chosen.
    """
    if column.hierarchy.form == "tree":
        return _node_steps(column, most)
    return _cut_steps(column, most)


def _cut_steps(column: QuasiColumn, most: int) -> ColumnSteps:
    leaves = np.flatnonzero(column.leaf_counts)
    missing = column.hierarchy.missing_leaf
    holed = len(leaves) > 1 and leaves[-1] == missing
    proper = leaves[:-1] if holed else leaves
    cuts = _even_cuts(column.leaf_counts[proper], most - int(holed))
    grains = np.zeros(column.hierarchy.n_leaves, dtype=np.int32)
    grains[proper] = np.searchsorted(cuts, np.arange(len(proper)), side="right")
    owner = np.arange(-1, len(cuts), dtype=np.int32)
    n_steps, n_grains = len(cuts) + int(holed), len(cuts) + 1 + int(holed)
    spans = np.zeros(n_steps, dtype=np.bool_)
    needs = np.full(n_steps, -1, dtype=np.int32)
    end = np.full(n_steps, len(cuts) + 1, dtype=np.int64)
    if holed:
        grains[missing] = len(cuts) + 1
        owner = np.append(owner, np.int32(len(cuts)))
        needs[:-1] = len(cuts)
        spans[-1], end[-1] = True, n_grains
    begin = np.zeros(n_steps, dtype=np.int64)
    return ColumnSteps(grains, owner, needs, spans, begin, end, max(len(proper) - 1, 0) + int(holed))


def _even_cuts(counts: NDArray[np.int64], most: int) -> NDArray[np.int64]:
    """Return at most `most` positions at which to cut a list of values.

    Each cut divides the piece with the most records as evenly as possible.
    """
    if len(counts) - 1 <= most:
        return np.arange(1, len(counts))
    sums = np.concatenate([[0], np.cumsum(counts)])
    pieces = [(-int(sums[-1]), 0, len(counts))]
    cuts: list[int] = []
    heapify(pieces)
    while len(cuts) < most and pieces[0][2] - pieces[0][1] > 1:
        _, start, end = pieces[0]
        middle = start + 1 + int(np.argmin(np.abs(2 * sums[start + 1 : end] - sums[start] - sums[end])))
        cuts.append(middle)
        heapreplace(pieces, _piece(sums, start, middle))
        pieces.append(_piece(sums, middle, end))
        heapify(pieces)
    return np.sort(np.array(cuts, dtype=np.int64))


def _piece(sums: NDArray[np.int64], start: int, end: int) -> tuple[int, int, int]:
    """Return the heap entry of a piece: more records sort first, a single value sorts last."""
    return (-int(sums[end] - sums[start]) if end - start > 1 else 1, start, end)


def _node_steps(column: QuasiColumn, most: int) -> ColumnSteps:
    tree = column.hierarchy.tree()
    n_leaves, counts = column.hierarchy.n_leaves, column.leaf_counts
    records, split = _below(tree, counts)
    possible = np.flatnonzero(split)
    chosen = possible[np.argsort(-records[possible], kind="stable")][: max(most, 0)]
    step_of = np.full(len(tree.parent), -1, dtype=np.int32)
    step_of[chosen] = np.arange(len(chosen), dtype=np.int32)
    leaves: NDArray[np.int32] = _in_order(tree, n_leaves)
    leaves = leaves[counts[leaves] > 0]
    meeting = tree.lowest_common_ancestor(leaves[:-1], leaves[1:])
    borders = step_of[meeting] >= 0
    numbers = np.concatenate([[0], np.cumsum(borders)]) if len(leaves) else np.zeros(0, dtype=np.int64)
    grains = np.zeros(n_leaves, dtype=np.int32)
    grains[leaves] = numbers
    owner = np.concatenate([[-1], step_of[meeting[borders]]]).astype(np.int32)
    needs = np.full(len(chosen), -1, dtype=np.int32)
    begin = np.full(len(chosen), len(owner), dtype=np.int64)
    end = np.zeros(len(chosen), dtype=np.int64)
    for step, node in enumerate(chosen.tolist()):
        above = node
        while needs[step] < 0 and tree.parent[above] != above:
            above = int(tree.parent[above])
            needs[step] = step_of[above]
    for leaf, grain in zip(leaves.tolist(), numbers.tolist(), strict=True):
        node = leaf
        while tree.parent[node] != node:
            node = int(tree.parent[node])
            if (step := step_of[node]) >= 0:
                begin[step], end[step] = min(begin[step], grain), max(end[step], grain + 1)
    return ColumnSteps(grains, owner, needs, np.ones(len(chosen), dtype=np.bool_), begin, end, len(possible))


def _below(tree: NodeTree, counts: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the records below each node, and whether at least two of its children have some. O(nodes)."""
    records = np.zeros(len(tree.parent), dtype=np.int64)
    records[: len(counts)] = counts
    filled = np.zeros(len(tree.parent), dtype=np.int64)
    for node in range(len(tree.parent) - 1):  # a parent has a higher number than its children
        records[tree.parent[node]] += records[node]
        filled[tree.parent[node]] += records[node] > 0
    return records, filled >= 2


def _in_order(tree: NodeTree, n_leaves: int) -> NDArray[np.int32]:
    """Return the leaves in an order in which the leaves below each node are adjacent."""
    first = np.full(len(tree.parent), n_leaves, dtype=np.int64)
    first[:n_leaves] = np.arange(n_leaves)
    for node in range(len(tree.parent) - 1):
        first[tree.parent[node]] = min(first[tree.parent[node]], first[node])
    paths = []
    for leaf in range(n_leaves):
        path, node = [leaf], leaf
        while tree.parent[node] != node:
            path.append(int(first[node]))
            node = int(tree.parent[node])
        paths.append((path[:0:-1], leaf))
    return np.array([leaf for _, leaf in sorted(paths)], dtype=np.int32)
