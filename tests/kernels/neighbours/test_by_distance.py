"""Near points against a plain sort of all distances."""

import numpy as np
import pytest

from shoal.clusters.searches.points import Points
from shoal.search.neighbours import by_distance as room
from shoal.search.neighbours.by_distance import neighbours_by_distance
from tests.oracles.clusters.metrics import KINDS, random_matrix


@pytest.mark.parametrize("kind", KINDS)
def test_the_nearest_of_all(kind: str) -> None:
    for seed in range(5):
        matrix = random_matrix(kind, 30, seed)
        near = neighbours_by_distance(Points.of_matrix(matrix), 6, np.random.default_rng(seed))
        np.fill_diagonal(matrix, np.inf)
        assert near.tolist() == np.argsort(matrix, axis=1, kind="stable")[:, :6].tolist()


@pytest.mark.parametrize(("n", "expected"), [(1, [[0]]), (2, [[1], [0]]), (3, [[1, 2], [0, 2], [0, 1]])])
def test_few_points(n: int, expected: list[list[int]]) -> None:
    near = neighbours_by_distance(Points.of_matrix(np.zeros((n, n))), 6, np.random.default_rng(0))
    assert near.tolist() == expected


def test_in_leaves_most_are_found_and_none_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "_ALL_PAIRS", 10)
    monkeypatch.setattr(room, "_LEAF", 80)
    rows = np.random.default_rng(1).random((400, 2))
    matrix = np.sqrt(((rows[:, None] - rows[None]) ** 2).sum(axis=2))
    near = neighbours_by_distance(Points.of_matrix(matrix), 8, np.random.default_rng(2))
    again = neighbours_by_distance(Points.of_matrix(matrix), 8, np.random.default_rng(2))
    assert near.tolist() == again.tolist()
    np.fill_diagonal(matrix, np.inf)
    exact = np.argsort(matrix, axis=1, kind="stable")[:, :8]
    assert all(len(set(row)) == 8 and own not in row for own, row in enumerate(near.tolist()))
    assert np.mean([len(set(a) & set(b)) for a, b in zip(near.tolist(), exact.tolist(), strict=True)]) > 7
