"""Regions: nobody is lost, and nobody outside is nearer than said."""

import numpy as np
import pytest
from numpy.typing import NDArray

from shoal.clusters.searches.points import Points
from shoal.clusters.searches.regions import regions
from shoal.kernels.clusters.metrics import EARTH, EQUAL, HOLED, NUMBER, TABLE, Space, distances_between

TABLE_OF_4 = np.array([[0, 1, 2, 2], [1, 0, 2, 2], [2, 2, 0, 1], [2, 2, 1, 0]], dtype=np.float64)


def mixed(n: int, seed: int, *, squares: bool) -> Points:
    """Return points with an axis of every kind."""
    rng = np.random.default_rng(seed)
    holed = rng.normal(size=n).round(2)
    holed[rng.random(n) < 0.2] = np.nan
    vectors = rng.normal(size=(3, n))
    vectors /= np.sqrt((vectors**2).sum(axis=0))
    rows = [rng.integers(0, 30, n), rng.integers(0, 5, n), rng.integers(0, 4, n), holed, *vectors]
    space = Space(
        squares,
        np.array([NUMBER, EQUAL, TABLE, HOLED, EARTH]),
        np.array([0, 1, 2, 3, 4]),
        np.array([0.1, 1.5, 2.0, 1.0, 0.0005]),
        np.append(TABLE_OF_4.ravel(), 5.0),
        np.array([0, 0, 0, 16, 0]),
        np.array([0, 0, 4, 1, 0]),
    )
    return Points(space, np.array(rows, dtype=np.float64), rng.integers(1, 4, n))


def to_others(points: Points, own: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return how far some points are from the nearest of all others."""
    others = np.setdiff1d(np.arange(len(points)), own)
    if not len(others):
        return np.full(len(own), np.inf)
    positions = np.ascontiguousarray(points.positions)
    return distances_between(points.space, positions[:, own].copy(), positions[:, others].copy()).min(axis=1)


@pytest.mark.parametrize("squares", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_every_point_is_in_one_region_and_reach_is_never_too_far(seed: int, squares: bool) -> None:
    points = mixed(300, seed, squares=squares)
    found = regions(points, 40, 10)
    assert len(found) > 5
    assert np.array_equal(np.sort(np.concatenate([region.points for region in found])), np.arange(300))
    for region in found:
        assert len(region.points) <= 40
        assert points.counts[region.points].sum() >= 10
        assert (region.gap <= to_others(points, region.points) * (1 + 1e-12)).all()
        assert (np.diff(region.points) > 0).all()


def test_reach_is_the_distance_on_a_line() -> None:
    line = Points(
        Space(False, np.array([NUMBER]), np.array([0]), np.array([2.0]), np.zeros(0), np.array([0]), np.array([0])),
        np.array([[0.0, 1, 2, 10, 11, 12]]),
        np.ones(6, dtype=np.int64),
    )
    first, second = regions(line, 3, 2)
    assert first.points.tolist() == [0, 1, 2]
    assert first.gap.tolist() == [20, 18, 16]
    assert second.gap.tolist() == [16, 18, 20]


def test_what_cannot_be_parted_stays_one() -> None:
    points = mixed(50, 0, squares=False)
    (alone,) = regions(points, 10, int(points.counts.sum()))
    assert len(alone.points) == 50
    assert np.isinf(alone.gap).all()
    same = Points(points.space, np.repeat(points.positions[:, :1], 5, axis=1), np.ones(5, dtype=np.int64))
    assert len(regions(same, 1, 1)) == 1
