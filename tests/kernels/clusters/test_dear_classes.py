"""Classes that are charged too much against a look at all classes."""

from itertools import combinations

import numpy as np
import pytest

from shoal.kernels.clusters.dear_classes import find_dear_classes
from tests.oracles.numbers import squared_errors


@pytest.mark.parametrize("seed", range(20))
def test_as_the_plain_twin(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows, size = rng.integers(0, 9, (9, 2)).astype(np.float64), int(rng.integers(2, 5))
    charges = rng.normal(4, 4, 9)
    expected = np.zeros(9)
    dear = set()
    for some in combinations(range(9), size):
        excess = charges[list(some)].sum() - squared_errors(rows, some)
        if excess > 1e-9:
            dear.add(some)
            expected[list(some)] = np.maximum(expected[list(some)], excess / size)
    surplus, listed, excess = np.zeros(9), np.zeros((200, size), dtype=np.int64), np.zeros(200)
    number = find_dear_classes(rows, charges, size, 1e-9, 10**6, surplus, listed, excess)
    np.testing.assert_allclose(surplus, expected, atol=1e-12)
    assert {tuple(sorted(own)) for own in listed[:number].tolist()} <= dear
    for own, much in zip(listed[:number], excess[:number], strict=True):
        assert much == pytest.approx(charges[own].sum() - squared_errors(rows, own.tolist()))


def test_a_long_search_is_given_up_and_a_short_list_filled() -> None:
    rows, charges = np.zeros((9, 1)), np.ones(9)
    listed, excess = np.zeros((2, 3), dtype=np.int64), np.zeros(2)
    assert find_dear_classes(rows, charges, 3, 0.0, 5, np.zeros(9), listed, excess) == -1
    surplus = np.zeros(9)
    assert find_dear_classes(rows, charges, 3, 0.0, 10**6, surplus, listed, excess) == 2
    assert surplus.tolist() == [1.0] * 9
