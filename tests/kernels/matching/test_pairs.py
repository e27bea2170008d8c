"""Pairs and triples against all of them."""

from itertools import combinations_with_replacement

import numpy as np
import pytest

from shoal.kernels.matching.pairs import beyond_charges, least_in_rows, light_triples


@pytest.mark.parametrize("seed", range(20))
def test_what_pairs_cost_beyond_charges(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 9))
    costs, charges = rng.integers(0, 50, (n, n)), rng.integers(-9, 20, n)
    left = np.empty((n, n), dtype=np.int64)
    beyond_charges(costs, charges, left)
    assert (left == costs - charges[:, None] - charges[None, :]).all()


@pytest.mark.parametrize("seed", range(60))
def test_the_least_in_each_row(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, wanted, below = int(rng.integers(1, 12)), int(rng.integers(1, 5)), int(rng.integers(-3, 9))
    left = rng.integers(-5, 8, (n, n))
    expected = []
    for row in range(n):
        places = [place for place in np.argsort(left[row], kind="stable").tolist() if left[row, place] < below]
        expected += [[row, place] for place in places[:wanted]]
    assert least_in_rows(left, below, wanted).tolist() == expected


@pytest.mark.parametrize("seed", range(60))
def test_light_triples(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, limit = int(rng.integers(0, 14)), int(rng.integers(0, 30))
    left = rng.integers(-4, 25, (20, 20))
    left = np.triu(left) + np.triu(left, 1).T
    members = np.sort(rng.choice(20, n, replace=False))
    weights = np.maximum(left, 0)
    expected = [
        [a, b, c]
        for a, b, c in combinations_with_replacement(members.tolist(), 3)
        if weights[a, b] + weights[b, c] + weights[a, c] < limit
    ]
    found, visited = light_triples(left, members, limit, 10_000)
    assert found.tolist() == expected
    near = [sum(weights[a, b] < limit for b in members[place:]) for place, a in enumerate(members.tolist())]
    assert visited == sum(count * (count + 1) // 2 for count in near)
    few, more = light_triples(left, members, limit, visited - 1)
    assert more == visited or len(few) < len(found) or not visited
    assert few.tolist() == expected[: len(few)]
