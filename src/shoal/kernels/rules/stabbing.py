"""Stabbing queries: which of many boxes contain a point, by a tree of bounding boxes."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels import inner_kernel, kernel
from shoal.kernels.orders import first_at_least

LEAF = 8  # the largest number of boxes at a leaf of the tree


@kernel
def build_tree(
    low: NDArray[np.int64], high: NDArray[np.int64], sizes: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return a tree of boxes: each node splits its boxes at the median of their middles in its widest column.

    O(n log^2 n).

    Args:
        low: `low[box, column]`, the first value that a box covers.
        high: The last value that it covers.
        sizes: The number of values of each column.

    Returns:
        The boxes in the order of the leaves; for each node where its boxes begin and end; its second child, -1 at a
            leaf (its first child is the next node); and the lowest number of a box of each node.
    """
    n, width = low.shape
    order = np.arange(n)
    most = 2 * max(n, 1)
    begins, ends = np.zeros(most, dtype=np.int64), np.zeros(most, dtype=np.int64)
    second, least = np.full(most, -1, dtype=np.int64), np.full(most, n, dtype=np.int64)
    open_begin, open_end, open_parent = [0], [n], [-1]
    count = 0
    while len(open_begin) > 0:
        begin, end, parent = open_begin.pop(), open_end.pop(), open_parent.pop()
        node = count
        count += 1
        begins[node], ends[node] = begin, end
        if parent >= 0:
            second[parent] = node
        for i in range(begin, end):
            least[node] = min(least[node], order[i])
        if end - begin <= LEAF:
            continue
        best, widest = -1, 0.0
        for j in range(width):
            first, last = np.inf, -np.inf
            for i in range(begin, end):
                middle = (low[order[i], j] + high[order[i], j]) / sizes[j]
                first, last = min(first, middle), max(last, middle)
            if last - first > widest:
                best, widest = j, last - first
        if best < 0:
            continue  # all have the same middle: a large leaf
        part = order[begin:end].copy()
        middles = np.empty(end - begin, dtype=np.int64)
        for i in range(end - begin):
            middles[i] = low[part[i], best] + high[part[i], best]
        ranks = np.argsort(middles, kind="mergesort")
        for i in range(end - begin):
            order[begin + i] = part[ranks[i]]
        half = (begin + end) // 2
        open_begin.append(half)
        open_end.append(end)
        open_parent.append(node)
        open_begin.append(begin)
        open_end.append(half)
        open_parent.append(-1)
    return order, begins[:count].copy(), ends[:count].copy(), second[:count].copy(), least[:count].copy()


@kernel
def bound_nodes(
    order: NDArray[np.int64],
    begins: NDArray[np.int64],
    ends: NDArray[np.int64],
    low: NDArray[np.int64],
    high: NDArray[np.int64],
    marks: NDArray[np.uint64],
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint64]]:
    """Return the bounding box of each node of a tree, and the union of the marks of its boxes."""
    n_nodes, width = begins.shape[0], low.shape[1]
    lows, highs = np.zeros((n_nodes, width), dtype=np.int64), np.full((n_nodes, width), -1, dtype=np.int64)
    found = np.zeros((n_nodes, marks.shape[1]), dtype=np.uint64)
    for node in range(n_nodes):
        for i in range(begins[node], ends[node]):
            box = order[i]
            for j in range(width):
                if i == begins[node] or low[box, j] < lows[node, j]:
                    lows[node, j] = low[box, j]
                if high[box, j] > highs[node, j]:
                    highs[node, j] = high[box, j]
            for s in range(marks.shape[1]):
                found[node, s] |= marks[box, s]
    return lows, highs, found


class Boxes(NamedTuple):
    """Boxes; in some columns a box may contain only a set of the values from its first to its last.

    Attributes:
        low: `low[box, column]`, the first value that a box covers.
        high: The last value that it covers.
        marked: The columns in which boxes are sets.
        group: For each of these columns, how many values share a bit.
        marks: `marks[box, set column]`, the bits of the values that a box covers.
        cells: `cells[box, set column]`, the number of its set.
        offsets: Where the members of each set begin; an empty set stands for all values of the box.
        members: The values of each set, ascending.
    """

    low: NDArray[np.int64]
    high: NDArray[np.int64]
    marked: NDArray[np.int64]
    group: NDArray[np.int64]
    marks: NDArray[np.uint64]
    cells: NDArray[np.int64]
    offsets: NDArray[np.int64]
    members: NDArray[np.int64]


class BoxTree(NamedTuple):
    """A tree of bounding boxes; the first child of a node is the next node.

    Attributes:
        order: The boxes in the order of the leaves.
        begins: Where the boxes of each node begin in `order`.
        ends: Where they end.
        second: The second child of each node, -1 at a leaf.
        least: The lowest number of a box of each node.
        low: The low end of the node's bounding box.
        high: Its high end.
        marks: The union of the marks of its boxes.
    """

    order: NDArray[np.int64]
    begins: NDArray[np.int64]
    ends: NDArray[np.int64]
    second: NDArray[np.int64]
    least: NDArray[np.int64]
    low: NDArray[np.int64]
    high: NDArray[np.int64]
    marks: NDArray[np.uint64]


@inner_kernel
def _around(
    points: NDArray[np.int64],
    p: int,
    low: NDArray[np.int64],
    high: NDArray[np.int64],
    marks: NDArray[np.uint64],
    i: int,
    boxes: Boxes,
) -> bool:
    """Return whether a point may be in a box: within its ends and on its marks. O(columns)."""
    for j in range(points.shape[1]):
        if points[p, j] < low[i, j] or points[p, j] > high[i, j]:
            return False
    for s in range(boxes.marked.shape[0]):
        bit = np.uint64(points[p, boxes.marked[s]] // boxes.group[s])
        if (marks[i, s] >> bit) & np.uint64(1) == np.uint64(0):
            return False
    return True


@inner_kernel
def _member(points: NDArray[np.int64], p: int, box: int, boxes: Boxes) -> bool:
    """Return whether a point is in the sets of a box, by bisection."""
    for s in range(boxes.marked.shape[0]):
        value = points[p, boxes.marked[s]]
        first, last = boxes.offsets[boxes.cells[box, s]], boxes.offsets[boxes.cells[box, s] + 1]
        if first == last:
            continue
        place = first_at_least(boxes.members, first, last, value)
        if place == last or boxes.members[place] != value:
            return False
    return True


@kernel
def stab(
    points: NDArray[np.int64],
    alive: NDArray[np.bool_],
    boxes: Boxes,
    tree: BoxTree,
    found: NDArray[np.int32],
) -> None:
    """Write into `found` the lowest-numbered living boxes that contain each point, ascending, then -1.

    A node is skipped if the point is outside its bounding box, or if enough boxes with lower numbers than all of its
    own are known. In the worst case O(points x boxes x columns).

    Args:
        points: `points[point, column]`.
        alive: Whether a box may be found.
        boxes: The boxes.
        tree: A tree of them.
        found: `found[point, number]`, filled.
    """
    stack = np.empty(128, dtype=np.int64)
    most, none = found.shape[1], alive.shape[0]
    for p in range(points.shape[0]):
        own = found[p]
        own[:] = none
        stack[0] = 0
        depth = 1
        while depth > 0:
            depth -= 1
            node = stack[depth]
            if tree.least[node] >= own[most - 1] or not _around(
                points, p, tree.low, tree.high, tree.marks, node, boxes
            ):
                continue
            if tree.second[node] >= 0:
                one, other = node + 1, tree.second[node]
                if tree.least[one] < tree.least[other]:
                    one, other = other, one
                stack[depth], stack[depth + 1] = one, other  # the child with the lowest box number is visited first
                depth += 2
                continue
            for i in range(tree.begins[node], tree.ends[node]):
                box = tree.order[i]
                if (
                    box < own[most - 1]
                    and alive[box]
                    and _around(points, p, boxes.low, boxes.high, boxes.marks, box, boxes)
                    and _member(points, p, box, boxes)
                ):
                    at = most - 1
                    while at > 0 and own[at - 1] > box:
                        own[at] = own[at - 1]
                        at -= 1
                    own[at] = box
        for i in range(most):
            if own[i] == none:
                own[i] = -1
