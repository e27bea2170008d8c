"""Records that clusters borrow are shared out."""

from collections.abc import Callable
from random import Random

import numpy as np
import pytest

from shoal.clusters.searches.duals import NearestPoints
from shoal.clusters.searches.points import Points
from shoal.clusters.searches.sharing import shared_out
from tests.oracles.clusters.metrics import KINDS, random_matrix


def line(*places: float, counts: list[int] | None = None) -> NearestPoints:
    numbers = np.array(places)
    rows = NearestPoints.of(
        Points.of_matrix(
            np.abs(np.subtract.outer(numbers, numbers)), None if counts is None else np.array(counts, dtype=np.int64)
        )
    )
    assert rows is not None
    return rows


def test_large_clusters_stay_as_they_are() -> None:
    rows = line(0, 1, 2, 10, 11)
    found = shared_out(rows, np.array([1, 3]), np.array([0, 0, 0, 1, 1]), np.ones(5, dtype=np.int64), 2)
    assert (found.points.tolist(), found.owners.tolist()) == ([0, 1, 2, 3, 4], [0, 0, 0, 1, 1])
    assert found.centres.tolist() == [[1.0, 3.0]]


def test_a_cluster_that_is_too_small_leans_on_one_it_borrows_from() -> None:
    """The record at 4 borrows from the pair at 2 and 3, which is narrower; three are too few for two clusters."""
    rows = line(2, 3, 4)
    found = shared_out(rows, np.array([0, 2]), np.array([0, 0, 1]), np.ones(3, dtype=np.int64), 2)
    assert found.owners.tolist() == [0, 0, 0]
    assert found.radii(rows.points).tolist() == [2.0]


def test_an_open_cluster_gives_its_farthest_records() -> None:
    """Five records at one place, one 1 away, and a lone one 3 away from it: r = 3."""
    rows = line(0, 1, 4, counts=[5, 1, 1])
    found = shared_out(rows, np.array([0, 2]), np.array([0, 0, 1]), rows.points.counts, 3)
    assert sorted(found.sizes.tolist()) == [3, 4]
    assert found.points.tolist() == [0, 0, 1, 2]
    assert sorted(found.radii(rows.points).tolist()) == [0.0, 4.0]


def test_records_left_out_can_be_borrowed() -> None:
    rows = line(0, 1, counts=[1, 3])
    found = shared_out(rows, np.array([0]), np.array([0, 0]), np.array([1, 0]), 3)
    assert (found.points.tolist(), found.owners.tolist(), found.amounts.tolist()) == ([0, 1, 1], [0, -1, 0], [1, 1, 2])


@pytest.mark.parametrize("kind", KINDS)
def test_all_clusters_are_large_enough_and_cost_six_times_the_shared_ones(
    kind: str, seeds: Callable[[int], range]
) -> None:
    for seed in seeds(40):
        draw = Random(f"{kind} {seed}")  # noqa: S311
        n = draw.randint(1, 25)
        counts = np.array([draw.choice((1, 1, 1, 2, 6)) for _ in range(n)])
        points = Points.of_matrix(random_matrix(kind, n, seed), counts)
        rows = NearestPoints.of(points)
        assert rows is not None
        r = draw.randint(1, int(counts.sum()))
        centres = np.array(sorted(draw.sample(range(n), draw.randint(1, n))))
        apart = points.distances(centres)
        owners = apart.argmin(axis=0)
        shared = 0.0
        for c in np.unique(owners):
            own = int(counts[owners == c].sum())
            reach = max(apart[c][owners == c].max(), rows.around(int(centres[c]), r)[1][-1] if own < r else 0.0)
            shared += max(own, r) * float(reach)
        found = shared_out(rows, centres, owners, counts, r)
        assert found.sizes.min() >= r
        assert found.n_clusters <= len(np.unique(owners))
        assert np.bincount(found.points, weights=found.amounts, minlength=n).tolist() == counts.tolist()
        assert (found.owners >= 0).all()
        assert float(found.sizes @ found.radii(points)) <= 6 * shared + 1e-9
