"""Splitting: clusters of 2k records become several, and no radius grows."""

import numpy as np
import pytest

from shoal.clusters.searches.points import Clusters, Points
from shoal.clusters.searches.splitting import split_clusters
from tests.oracles.clusters.metrics import KINDS, random_matrix


def spread_out(points: Points, n_clusters: int, seed: int) -> Clusters:
    """Return some clusters, drawn at random, with some records in none."""
    rng = np.random.default_rng(seed)
    entries: dict[tuple[int, int], int] = {}
    for point, count in enumerate(points.counts.tolist()):
        for owner in rng.integers(-1, n_clusters, count).tolist():
            entries[point, owner] = entries.get((point, owner), 0) + 1
    point, owner = np.array(list(entries)).T
    middles = points.positions[:, rng.integers(0, len(points), n_clusters)]
    return Clusters(point, owner, np.array(list(entries.values())), middles, 1.5)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("k", [1, 2, 5])
def test_clusters_become_as_many_as_they_can_and_no_radius_grows(kind: str, k: int) -> None:
    points = Points.of_matrix(random_matrix(kind, 30, k), np.arange(30) % 3 + 1)
    clusters = spread_out(points, 4, k)
    divided = split_clusters(points, clusters, k)
    assert divided.bound == 1.5
    assert divided.sizes.max() < 2 * k
    assert divided.sizes.min() >= k
    held = np.bincount(divided.points, weights=divided.amounts, minlength=30)
    assert held.tolist() == points.counts.tolist()
    lost = (clusters.owners < 0, divided.owners < 0)
    assert clusters.amounts[lost[0]].sum() == divided.amounts[lost[1]].sum()
    assert divided.radii(points).max() <= clusters.radii(points).max()
    assert divided.sizes @ divided.radii(points) <= clusters.sizes @ clusters.radii(points) + 1e-9


def test_nothing_to_split() -> None:
    points = Points.of_matrix(random_matrix("line", 3, 0))
    clusters = Clusters(np.arange(3), np.zeros(3, dtype=np.int64), np.ones(3, dtype=np.int64), np.zeros((1, 1)))
    assert split_clusters(points, clusters, 2) is clusters
