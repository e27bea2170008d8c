"""Cycles, paths and the classes made of them."""

from random import Random

import numpy as np
import pytest

from shoal.search.matching.cycles import cycle_edges, degrees, greedy_cycle, labelled, pruned, walks


def edges_of(*pairs: tuple[int, int]) -> "np.ndarray[tuple[int, ...], np.dtype[np.int32]]":
    return np.array(pairs, dtype=np.int32).reshape(-1, 2)


@pytest.mark.parametrize("seed", range(20))
def test_a_greedy_cycle_goes_through_all(seed: int) -> None:
    rng = Random(seed)  # noqa: S311
    n = rng.randint(2, 12)
    edges = [tuple(sorted(rng.sample(range(n), 2))) for _ in range(rng.randint(0, 2 * n))]
    order = greedy_cycle(n, np.array(edges, dtype=np.int32).reshape(-1, 2))
    assert sorted(order.tolist()) == list(range(n))
    if edges and n > 2:
        assert list(edges[0]) in cycle_edges(order).tolist()


def test_the_edges_of_a_cycle() -> None:
    assert cycle_edges(np.array([2, 0, 1])).tolist() == [[0, 2], [0, 1], [1, 2]]
    assert cycle_edges(np.array([1, 0])).tolist() == [[0, 1]]


def test_long_paths_and_cycles_of_equal_records_are_pruned() -> None:
    """Trap of the paper: with zero weights a lightest [1,2]-factor may be a cycle or a long path."""
    path = edges_of((0, 1), (1, 2), (2, 3), (3, 4), (4, 5))
    ring = edges_of((0, 1), (1, 2), (2, 3), (3, 4), (0, 4))
    for edges, n in ((path, 6), (ring, 5)):
        for heavy in range(len(edges)):
            weights = np.zeros(len(edges), dtype=np.int64)
            weights[heavy] = 1
            left = pruned(n, edges, weights)
            ends = degrees(n, left)
            assert ends.min() >= 1
            assert not (ends[left] == 2).all(axis=1).any()
            assert sorted({len(walk) for walk in walks(n, left)}) in ([2], [2, 3], [3])
            if 0 < heavy < len(edges) - 1:
                assert edges[heavy].tolist() not in left.tolist()


def test_walks_go_along_their_edges() -> None:
    found = walks(9, edges_of((0, 3), (3, 5), (1, 2), (4, 6), (6, 7), (4, 7)))
    assert [walk.tolist() for walk in found] == [[0, 3, 5], [1, 2], [4, 6, 7]]
    labels = labelled(9, found)
    assert labels.tolist() == [0, 1, 1, 0, 2, 0, 2, 2, -1]
