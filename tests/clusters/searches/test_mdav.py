"""MDAV against its plain twin, worked by hand, and in the corners."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.clusters.searches.mdav import mdav
from shoal.clusters.searches.middles import means
from shoal.clusters.searches.points import Points
from shoal.kernels.clock import clock
from shoal.kernels.clusters.mdav import fill_mean
from shoal.kernels.clusters.metrics import EARTH, EQUAL, HOLED, NUMBER, Space
from tests.oracles.clusters.metrics import KINDS, random_matrix
from tests.oracles.numbers import plain_mdav


def line(numbers: list[list[float]], counts: list[int] | None = None) -> Points:
    rows = np.array(numbers, dtype=np.float64)
    d = rows.shape[1]
    zero = np.zeros(d, dtype=np.int64)
    space = Space(True, np.full(d, NUMBER), np.arange(d), np.ones(d), np.zeros(0), zero, zero)
    many = np.ones(len(rows), dtype=np.int64) if counts is None else np.array(counts)
    return Points(space, np.ascontiguousarray(rows.T), many)


def classes(points: Points, k: int) -> list[list[int]]:
    """Return the points of each class, as often as they are in it."""
    found = mdav(points, k)
    return [
        sorted(np.repeat(found.points[found.owners == c], found.amounts[found.owners == c]).tolist())
        for c in range(found.n_clusters)
    ]


def test_by_hand() -> None:
    """The mean of 0, 1, 2, 10, 11, 20, 22 is 66/7, 22 is farthest; its opposite is 0; 2, 10 and 11 are left."""
    points = line([[0], [1], [2], [10], [11], [20], [22]])
    assert classes(points, 2) == [[5, 6], [0, 1], [2, 3, 4]]
    assert mdav(points, 2).centres[0].tolist() == [21, 0.5, 23 / 3]


def test_one_class_more_of_2k_to_3k() -> None:
    """Of 0, 1, 5, 6, 7, k = 2, 0 is farthest from the mean 3.8."""
    assert classes(line([[0], [1], [5], [6], [7]]), 2) == [[0, 1], [2, 3, 4]]


@pytest.mark.parametrize(("n", "k"), [(1, 1), (3, 3), (5, 3), (2, 3), (4, 4)])
def test_fewer_than_2k_are_one_class(n: int, k: int) -> None:
    assert classes(line([[i] for i in range(n)]), k) == [list(range(n))]


def test_ties_go_to_the_first() -> None:
    """All are at one place, so that the first k leave each time."""
    assert classes(line([[3.0]] * 7), 2) == [[0, 1], [2, 3], [4, 5, 6]]


def test_a_point_of_many_records_is_parted() -> None:
    assert classes(line([[0], [9]], [5, 2]), 2) == [[1, 1], [0, 0], [0, 0, 0]]


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), k=st.integers(1, 5), n=st.integers(1, 60), width=st.integers(1, 3))
def test_as_the_plain_twin(seed: int, k: int, n: int, width: int) -> None:
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, rng.choice([3, 50, 100_000]), (n, width)).astype(np.float64)
    ordered = rows[np.lexsort(rows.T[::-1])]
    points, counts = np.unique(ordered, axis=0, return_counts=True)
    expected = [sorted(map(tuple, ordered[own].tolist())) for own in plain_mdav(ordered, k)]
    found = [sorted(map(tuple, points[own].tolist())) for own in classes(line(points.tolist(), counts.tolist()), k)]
    assert found == expected


@pytest.mark.parametrize("kind", KINDS)
def test_any_metric_space(kind: str) -> None:
    for seed in range(5):
        found = mdav(Points.of_matrix(random_matrix(kind, 17, seed)), 3)
        assert sorted(found.points.tolist()) == list(range(17))
        assert found.sizes.tolist() == [3, 3, 3, 3, 5]


@pytest.mark.parametrize("k", [2, 5])
def test_what_a_deadline_leaves_is_cut(k: int) -> None:
    """The first batch takes 1/16 of the records; the deadline has passed before it, or before the second."""
    points = line(np.random.default_rng(1).random((400, 2)).tolist())
    whole = mdav(points, k)
    for deadline in (clock() - 1, clock() + 1e-5):
        found = mdav(points, k, deadline=deadline)
        assert found.sizes.min() >= k
        assert found.sizes.max() <= 2 * k - 1
        assert found.sizes.sum() == 400
        assert (found.far(points) ** 2).sum() < 3 * (whole.far(points) ** 2).sum()


@pytest.mark.parametrize("seed", range(20))
def test_the_mean_is_that_of_middles(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 9))
    counts = rng.integers(0, 3, n)
    counts[0] += 1
    kinds = np.array([NUMBER, EQUAL, HOLED, EARTH])
    starts = np.array([0, 1, 2, 3])
    zero = np.zeros(4, dtype=np.int64)
    space = Space(True, kinds, starts, np.ones(4), np.ones(1), zero, zero + 1)
    holed = np.where(rng.random(n) < 0.5, np.nan, rng.integers(0, 9, n))
    globe = rng.standard_normal((3, n))
    here = np.vstack([rng.integers(0, 9, n), rng.integers(0, 3, n), holed, globe / np.linalg.norm(globe, axis=0)])
    centre = np.empty((6, 1))
    fill_mean(space, here, counts, int(counts.sum()), np.zeros(3, dtype=np.int64), centre)
    some = counts > 0
    expected = means(space, here[:, some], np.zeros(int(some.sum()), dtype=np.int64), counts[some], 1)
    np.testing.assert_allclose(centre, expected)
