"""A tree of least cuts against all cuts."""

from itertools import combinations
from random import Random

import numpy as np
import pytest

from shoal.kernels.matching.cut_trees import cut_tree, least_cut


def graph(seed: int) -> tuple[int, list[tuple[int, int]], list[float]]:
    rng = Random(seed)  # noqa: S311
    n = rng.randint(2, 7)
    edges = [pair for pair in combinations(range(n), 2) if rng.random() < 0.6]
    return n, edges, [rng.choice([0.1, 0.25, 0.3, 0.5]) for _ in edges]


def sides(n: int, tree: list[int]) -> dict[int, set[int]]:
    """Return the nodes below each node but the root."""
    below: dict[int, set[int]] = {node: set() for node in range(1, n)}
    for node in range(1, n):
        above = node
        while above:
            below[above].add(node)
            above = tree[above]
    return below


def capacity(edges: list[tuple[int, int]], capacities: list[float], side: set[int]) -> float:
    return sum(own for (one, other), own in zip(edges, capacities, strict=True) if (one in side) != (other in side))


@pytest.mark.parametrize("most", [100.0, 0.6])
@pytest.mark.parametrize("seed", range(40))
def test_the_tree_holds_a_least_cut_of_any_two_nodes(seed: int, most: float) -> None:
    n, edges, capacities = graph(seed)
    tree, cuts = cut_tree(n, np.array(edges, dtype=np.int32).reshape(-1, 2), np.array(capacities), most)
    below = sides(n, tree.tolist())
    for node, side in below.items():
        if cuts[node] < most:
            assert capacity(edges, capacities, side) == pytest.approx(cuts[node])
    everything = [set(some) for size in range(1, n) for some in combinations(range(n), size)]
    for one, other in combinations(range(n), 2):
        least = min(capacity(edges, capacities, side) for side in everything if (one in side) != (other in side))
        found = [cuts[node] for node, side in below.items() if (one in side) != (other in side)]
        assert min(found) == pytest.approx(min(least, most))


def test_a_least_cut_by_hand() -> None:
    """Two ways of 0.5 and 0.25 lead from 0 to 3; the narrow places are behind 0 and behind 1."""
    ends = np.array([1, 2, 0, 3, 0, 3, 1, 2], dtype=np.int32)  # 0: 1 2, 1: 0 3, 2: 0 3, 3: 1 2
    back = np.array([2, 4, 0, 6, 1, 7, 3, 5])
    free = np.array([0.9, 0.25, 0.9, 0.5, 0.25, 0.9, 0.5, 0.9])
    queue, via = np.empty(4, dtype=np.int32), np.empty(4, dtype=np.int64)
    assert least_cut(np.array([0, 2, 4, 6, 8]), ends, back, free, 0, 3, 9.0, queue, via) == 0.75
    assert (via != -1).tolist() == [True, True, False, False]
