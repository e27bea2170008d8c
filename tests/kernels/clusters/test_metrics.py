"""Distances in compiled loops are those of a plain sum over the axes."""

from math import acos, isnan, sqrt

import numpy as np
import pytest
from numpy.typing import NDArray

from shoal.kernels.clusters.metrics import (
    EARTH,
    EARTH_RADIUS,
    EQUAL,
    HOLED,
    NUMBER,
    TABLE,
    TREE,
    Space,
    distances_between,
    distances_of_pairs,
)

LEVELS = np.array([[0, 0], [1, 0], [2, 1], [3, 1], [4, 2]], dtype=np.float64)
FAR = 7.5
N = 40


def space(weights: NDArray[np.float64], *, squares: bool) -> Space:
    """Return one axis of each kind."""
    apart = np.array([[0, 1, 2], [1, 0, 2.5], [2, 2.5, 0]])
    tables = [np.zeros((0, 0)), np.zeros((0, 0)), apart, np.zeros((0, 0)), np.array([[FAR]]), LEVELS]
    sizes = np.array([table.size for table in tables])
    return Space(
        squares=squares,
        kinds=np.array([NUMBER, EQUAL, TABLE, EARTH, HOLED, TREE]),
        starts=np.array([0, 1, 2, 3, 6, 7]),
        weights=weights,
        tables=np.concatenate([table.ravel() for table in tables]),
        table_starts=np.cumsum(sizes) - sizes,
        table_sizes=np.array([table.shape[1] for table in tables]),
    )


def positions(rng: np.random.Generator, n: int) -> NDArray[np.float64]:
    places = rng.normal(size=(3, n))
    places /= np.sqrt((places**2).sum(axis=0))
    holed = np.where(rng.random(n) < 0.3, np.nan, rng.integers(0, 5, n))
    rows = [rng.normal(size=n), rng.integers(0, 3, n), rng.integers(0, 3, n), *places, holed, rng.integers(0, 5, n)]
    return np.array(rows, dtype=np.float64)


def plain(one: Space, a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    table = np.array([[0, 1, 2], [1, 0, 2.5], [2, 2.5, 0]])
    missing = (isnan(a[6]), isnan(b[6]))
    meeting = next((level for level in range(2) if LEVELS[int(a[7]), level] == LEVELS[int(b[7]), level]), 2)
    along = [
        abs(a[0] - b[0]),
        float(a[1] != b[1]),
        table[int(a[2]), int(b[2])],
        EARTH_RADIUS * acos(min(max(float(a[3:6] @ b[3:6]), -1.0), 1.0)),
        0.0 if all(missing) else FAR if any(missing) else abs(a[6] - b[6]),
        meeting,
    ]
    weighted = [weight * distance for weight, distance in zip(one.weights, along, strict=True)]
    return sqrt(sum(distance**2 for distance in weighted)) if one.squares else sum(weighted)


@pytest.mark.parametrize("squares", [True, False])
@pytest.mark.parametrize("seed", range(3))
def test_distances_are_those_of_a_plain_sum(seed: int, squares: bool) -> None:
    rng = np.random.default_rng(seed)
    one = space(rng.random(6) * 3, squares=squares)
    a, b = positions(rng, N), positions(rng, N)
    found = distances_between(one, a, b)
    wanted = np.array([[plain(one, a[:, i], b[:, j]) for j in range(N)] for i in range(N)])
    np.testing.assert_allclose(found, wanted, rtol=1e-9)
    assert (distances_of_pairs(one, a, b) == np.diag(found)).all()


@pytest.mark.parametrize("squares", [True, False])
def test_every_way_to_a_distance_gives_the_same_bits(squares: bool) -> None:
    rng = np.random.default_rng(5)
    one = space(rng.random(6), squares=squares)
    a = positions(rng, N)
    found = distances_between(one, a, a)
    assert (found == found.T).all()
    assert not np.diag(found).any()
    pairs = np.array([[i, j] for i in range(N) for j in range(N)])
    assert (distances_of_pairs(one, a[:, pairs[:, 0]].copy(), a[:, pairs[:, 1]].copy()) == found.ravel()).all()
    some = rng.permutation(N)[:7]
    assert (distances_between(one, a[:, some].copy(), a) == found[some]).all()


def test_opposite_places_are_half_the_way_round() -> None:
    """Where the sine of half the angle tells nothing any more."""
    one = Space(
        False,
        np.array([EARTH]),
        np.array([0]),
        np.ones(1),
        np.zeros(0),
        np.zeros(1, dtype=np.int64),
        np.zeros(1, dtype=np.int64),
    )
    angles = np.pi - np.array([0, 1e-9, 1e-6, 1e-3])
    there = np.stack([np.cos(angles), np.sin(angles), 0 * angles])
    here = np.array([[1.0], [0], [0]])
    np.testing.assert_allclose(distances_between(one, here, there)[0], angles * EARTH_RADIUS, rtol=1e-15, atol=0)
