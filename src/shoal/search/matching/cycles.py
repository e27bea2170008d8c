"""Cycles and paths of records: a first cycle through all of them, and the classes that a factor gives."""

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.local.closures import Forms
from shoal.kernels.matching.cycles import cut_cycle
from shoal.search.local.components import Components

NONE = -1


def greedy_cycle(n: int, edges: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return all records in the order of a cycle that uses the given edges, one after the other, where possible.

    An edge is used unless one of its ends has two edges already, or it would close a smaller cycle. The resulting paths
    are joined in the order of their lowest records.
    """
    components, links = Components(n), [[NONE, NONE] for _ in range(n)]
    for one, other in edges.tolist():
        if links[one][1] == NONE and links[other][1] == NONE and components.join(one, other):
            for here, there in ((one, other), (other, one)):
                links[here][0 if links[here][0] == NONE else 1] = there
    order: list[int] = []
    done = [False] * n
    for start in (one for one in range(n) if links[one][1] == NONE):
        before, here = NONE, start
        while here != NONE and not done[here]:
            done[here] = True
            order.append(here)
            first, second = links[here]
            before, here = here, second if first == before else first
    return np.array(order, dtype=np.int64)


def cycle_edges(order: NDArray[np.int64]) -> NDArray[np.int32]:
    """Return the edges of a cycle, the lower record first; two records have one edge."""
    ends = np.column_stack([order, np.roll(order, -1)])[: None if len(order) > 2 else 1]
    return np.sort(ends, axis=1).astype(np.int32)


def degrees(n: int, edges: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return the number of edges at each record."""
    return np.bincount(edges.ravel(), minlength=n)


def pruned(n: int, edges: NDArray[np.int32], weights: NDArray[np.int64]) -> NDArray[np.int32]:
    """Remove edges with two edges at both ends from a [1,2]-factor, the heaviest first.

    Single edges and pairs of edges that share a record are left: a longer path has such an edge in its middle, a cycle
    consists of them, and these are removed. In a factor of least weight they weigh nothing, as between equal records.
    """
    left, kept = degrees(n, edges).tolist(), []
    for index in np.lexsort((edges[:, 1], edges[:, 0], -weights)).tolist():
        one, other = edges[index].tolist()
        if left[one] == left[other] == 2:
            left[one], left[other] = 1, 1
        else:
            kept.append(index)
    return edges[np.sort(np.array(kept, dtype=np.int64))]


def walks(n: int, edges: NDArray[np.int32]) -> list[NDArray[np.int64]]:
    """Return the paths and cycles of edges of which no record has more than two, each in its order."""
    links: list[list[int]] = [[] for _ in range(n)]
    for one, other in edges.tolist():
        links[one].append(other)
        links[other].append(one)
    done, found = [False] * n, []
    for start in [*(one for one in range(n) if len(links[one]) == 1), *range(n)]:
        if done[start] or not links[start]:
            continue
        walk, here = [], start
        while here != NONE:
            done[here] = True
            walk.append(here)
            here = next((there for there in links[here] if not done[there]), NONE)
        found.append(np.array(walk, dtype=np.int64))
    return found


def cut_walks(
    walks: list[NDArray[np.int64]], codes: NDArray[np.int32], forms: Forms, least: int
) -> list[NDArray[np.int64]]:
    """Cut cycles into classes of `least` to 2 x `least` - 1 records of least total cost."""
    classes = []
    for walk in walks:
        cuts = cut_cycle(codes[walk], forms.nodes, forms.parent, forms.prices, least, 2 * least - 1)
        classes += np.split(np.roll(walk, -cuts[0]), cuts[1:] - cuts[0])
    return classes


def labelled(n: int, classes: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Return the class of each record, numbered in their order; -1 for a record in none."""
    labels = np.full(n, NONE, dtype=np.int64)
    for number, members in enumerate(classes):
        labels[members] = number
    return labels
