"""Seats and drafts of clusters against plain sums over their records."""

from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray

from shoal.kernels.clusters.centres import (
    DISTANCES,
    RADIUS,
    SQUARES,
    ClusterPricing,
    cluster_cost,
    fill_middle,
    move_centres,
    value_at,
)
from shoal.kernels.clusters.clustering_state import CLUSTER, MEMBER
from shoal.kernels.clusters.metrics import EARTH, EQUAL, HOLED, NUMBER, TABLE, Space, distances_between


def some_space(rng: np.random.Generator, n: int, squares: bool) -> tuple[Space, NDArray[np.float64]]:
    """Return a space with an axis of each kind, and n places in it."""
    table = rng.integers(1, 5, (3, 3)).astype(np.float64)
    table = np.where(np.eye(3) > 0, 0.0, table + table.T)
    space = Space(
        squares,
        np.array([NUMBER, EQUAL, TABLE, HOLED, EARTH]),
        np.array([0, 1, 2, 3, 4]),
        np.array([1.0, 2.0, 0.5, 1.5, 0.001]),
        np.append(table.ravel(), 7.0),
        np.array([0, 0, 0, 9, 0]),
        np.array([0, 0, 3, 1, 0]),
    )
    globe = rng.standard_normal((3, n))
    holed = np.where(rng.random(n) < 0.2, np.nan, rng.integers(0, 9, n))
    codes = rng.integers(0, 3, (2, n))
    return space, np.vstack([rng.integers(0, 9, n), codes, holed, globe / np.linalg.norm(globe, axis=0)])


def plain_value(goal: int, far: NDArray[np.float64]) -> float:
    return float({SQUARES: (far**2).sum(), DISTANCES: far.sum(), RADIUS: far.max()}[goal])


@pytest.mark.parametrize("goal", [SQUARES, DISTANCES, RADIUS])
@pytest.mark.parametrize("free", [True, False])
def test_each_cluster_is_seated_best(goal: int, free: bool) -> None:
    for seed in range(10):
        rng = np.random.default_rng(seed)
        n = 24
        space, positions = some_space(rng, n, bool(seed % 2))
        pricing = ClusterPricing(space, positions, False, np.zeros((0, 0)), goal, free, 0.0, np.inf, 0.0)
        records = np.zeros(n, dtype=MEMBER)
        records["point"] = rng.permutation(n)
        groups = np.zeros(4, dtype=CLUSTER)
        groups["size"] = [5, 0, 12, 7]
        groups["begin"] = [0, 5, 5, 17]
        members = rng.permutation(n)
        centres = np.ascontiguousarray(positions[:, :4])
        values = np.full(4, -1.0)
        move_centres(pricing, records, groups, members, centres, values, 20, 0, 0, 4)
        assert values[1] == -1.0
        assert np.array_equal(centres[:, 1], positions[:, 1], equal_nan=True)
        for c in (0, 2, 3):
            begin, size = int(groups["begin"][c]), int(groups["size"][c])
            points: NDArray[np.int64] = records["point"][members[begin : begin + size]]
            own = positions[:, points]
            tried = [positions[:, c], *own.T]
            if free:
                tried.append(_middle(pricing, records, members, groups[c], positions[:, [c]]))
            best = min(plain_value(goal, distances_between(space, one[:, None].copy(), own)[0]) for one in tried)
            assert values[c] == pytest.approx(best, abs=1e-12)
            found = distances_between(space, np.ascontiguousarray(centres[:, [c]]), own)[0]
            assert plain_value(goal, found) == pytest.approx(best, abs=1e-12)


def _middle(
    pricing: ClusterPricing,
    records: NDArray[np.void],
    members: NDArray[np.int64],
    group: np.void,
    base: NDArray[np.float64],
) -> NDArray[np.float64]:
    place = np.ascontiguousarray(base)
    fill_middle(pricing, records, members, int(group["begin"]), int(group["begin"] + group["size"]), place, 0)
    return place[:, 0]


@pytest.mark.parametrize("goal", [SQUARES, RADIUS])
def test_the_middle_of_each_axis(goal: int) -> None:
    draw = Random(1)  # noqa: S311
    rng = np.random.default_rng(1)
    for _ in range(20):
        n = draw.randint(1, 9)
        space, positions = some_space(rng, n, True)
        records = np.zeros(n, dtype=MEMBER)
        records["point"] = np.arange(n)
        place = np.ascontiguousarray(positions[:, :1])
        pricing = ClusterPricing(space, positions, False, np.zeros((0, 0)), goal, True, 0.0, np.inf, 0.0)
        fill_middle(pricing, records, np.arange(n), 0, n, place, 0)
        number, category, holed = positions[0], positions[1], positions[3]
        expected = number.mean() if goal == SQUARES else (number.min() + number.max()) / 2
        assert place[0, 0] == pytest.approx(expected)
        assert (category == place[1, 0]).sum() == np.bincount(category.astype(int)).max()
        known = holed[~np.isnan(holed)]
        if 2 * len(known) < n:
            assert np.isnan(place[3, 0])
        else:
            assert place[3, 0] == pytest.approx(known.mean() if goal == SQUARES else (known.min() + known.max()) / 2)
        total = positions[4:].sum(axis=1)
        np.testing.assert_allclose(place[4:, 0], total / np.linalg.norm(total))


def test_what_is_paid() -> None:
    rng = np.random.default_rng(1)
    space, positions = some_space(rng, 3, True)
    squares = ClusterPricing(space, positions, False, np.zeros((0, 0)), SQUARES, True, 2.0, np.inf, 0.0)
    assert cluster_cost(squares, 5, 7.0) == 9.0
    reach = squares._replace(goal=RADIUS)
    assert cluster_cost(reach, 5, 7.0) == 37.0
    assert cluster_cost(reach._replace(cap=6.0, penalty=100.0), 5, 7.0) == 137.0
    assert cluster_cost(reach._replace(cap=8.0, penalty=100.0), 5, 7.0) == 37.0


def test_a_value_is_given_up() -> None:
    rng = np.random.default_rng(1)
    space, positions = some_space(rng, 9, True)
    records = np.zeros(9, dtype=MEMBER)
    records["point"] = np.arange(9)
    pricing = ClusterPricing(space, positions, False, np.zeros((0, 0)), SQUARES, True, 0.0, np.inf, 0.0)
    whole = value_at(pricing, records, np.arange(9), 0, 9, positions, 0, np.inf)
    assert 1.0 <= value_at(pricing, records, np.arange(9), 0, 9, positions, 0, 1.0) <= whole
