"""Cuts into classes of k to 2k - 1: by hand, in all spaces, and far better than one class."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.clusters.searches.cuts import cut_classes
from shoal.clusters.searches.mdav import mdav
from shoal.clusters.searches.points import Clusters, Points
from shoal.kernels.clusters.metrics import EARTH, EQUAL, HOLED, NUMBER, TABLE, TREE, Space
from tests.oracles.clusters.metrics import KINDS, random_matrix


def plane(rows: list[list[float]], counts: list[int] | None = None) -> Points:
    places = np.array(rows, dtype=np.float64)
    d = places.shape[1]
    zero = np.zeros(d, dtype=np.int64)
    space = Space(True, np.full(d, NUMBER), np.arange(d), np.ones(d), np.zeros(0), zero, zero)
    many = np.ones(len(places), dtype=np.int64) if counts is None else np.array(counts)
    return Points(space, np.ascontiguousarray(places.T), many)


def classes(found: Clusters) -> list[list[int]]:
    return sorted(
        np.repeat(found.points, found.amounts)[np.repeat(found.owners, found.amounts) == c].tolist()
        for c in range(found.n_clusters)
    )


def squares(points: Points, found: Clusters) -> float:
    return float(found.amounts @ found.far(points) ** 2)


def test_by_hand() -> None:
    """Seven numbers, k = 2: three classes fit, of which the left half gets one."""
    found = cut_classes(plane([[0], [1], [10], [11], [12], [30], [31]]), 2)
    assert classes(found) == [[0, 1], [2, 3], [4, 5, 6]]
    assert sorted(found.centres[0].tolist()) == pytest.approx([0.5, 10.5, 73 / 3])


def test_the_widest_side_is_cut() -> None:
    assert classes(cut_classes(plane([[0, 0], [1, 90], [2, 0], [3, 90]]), 2)) == [[0, 2], [1, 3]]


def test_a_point_of_many_records_is_parted() -> None:
    assert classes(cut_classes(plane([[0], [9]], [5, 2]), 2)) == [[0, 0], [0, 0], [0, 1, 1]]


def test_a_missing_number_is_far_from_all_others() -> None:
    space = Space(
        True, np.array([HOLED]), np.array([0]), np.ones(1), np.array([9.0]), np.zeros(1, int), np.ones(1, int)
    )
    points = Points(space, np.array([[0.0, np.nan, 1.0, np.nan]]), np.ones(4, dtype=np.int64))
    assert classes(cut_classes(points, 2)) == [[0, 2], [1, 3]]


@settings(max_examples=80, deadline=None)
@given(seed=st.integers(0, 10**6), k=st.integers(1, 6), n=st.integers(1, 80), most=st.none() | st.integers(1, 12))
def test_every_class_has_k_to_2k_minus_1_records(seed: int, k: int, n: int, most: int | None) -> None:
    rng = np.random.default_rng(seed)
    kinds = np.array([NUMBER, EQUAL, TABLE, HOLED, EARTH, TREE])
    table = np.append(np.append((1 - np.eye(3)).ravel(), 7.0), [0, 3, 1, 3, 2, 4])
    starts, sizes = np.array([0, 0, 0, 9, 0, 10]), np.array([0, 0, 3, 1, 0, 2])
    space = Space(True, kinds, np.array([0, 1, 2, 3, 4, 7]), np.ones(6), table, starts, sizes)
    globe = rng.standard_normal((3, n))
    holed = np.where(rng.random(n) < 0.3, np.nan, rng.integers(0, 9, n))
    rows = [rng.integers(0, 4, n), *rng.integers(0, 3, (2, n)), holed, *(globe / np.linalg.norm(globe, axis=0))]
    counts = rng.integers(1, 4, n)
    points = Points(space, np.vstack([*rows, rng.integers(0, 3, n)]), counts)
    total = int(counts.sum())
    found = cut_classes(points, k, most=most)
    assert np.bincount(found.points, weights=found.amounts, minlength=n).tolist() == counts.tolist()
    assert found.sizes.min() >= min(k, total)
    if most is None:
        assert found.sizes.max() <= max(2 * k - 1, min(k, total)) or total < 2 * k
        assert found.n_clusters >= max(total // (2 * k - 1), 1)
    else:
        assert found.n_clusters <= most


@pytest.mark.parametrize("kind", KINDS)
def test_any_metric_space(kind: str) -> None:
    found = cut_classes(Points.of_matrix(random_matrix(kind, 17, 1)), 3)
    assert sorted(found.points.tolist()) == list(range(17))
    assert set(found.sizes.tolist()) <= {3, 4, 5}


def test_the_loss_is_near_that_of_mdav() -> None:
    """One class of all records would lose 33 times as much as MDAV."""
    points = plane(np.random.default_rng(1).random((600, 2)).tolist())
    assert squares(points, cut_classes(points, 3)) < 3 * squares(points, mdav(points, 3))
