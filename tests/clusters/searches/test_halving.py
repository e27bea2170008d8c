"""Clusters are split in two while there may be more, and no record gets farther from its centre than the widest was."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.clusters.searches.balls import one_cluster
from shoal.clusters.searches.halving import halved
from shoal.clusters.searches.points import Points
from tests.clusters.searches.test_cuts import classes, plane
from tests.oracles.clusters.metrics import KINDS, random_matrix


def test_by_hand() -> None:
    """0 is the centre, 100 is farthest from it, and 0 is farthest from that: 0, 1, 2 and 98, 99, 100."""
    points = plane([[0], [1], [2], [98], [99], [100]])
    found = halved(points, one_cluster(points)[0], 3, 2, free=True)
    assert classes(found) == [[0, 1, 2], [3, 4, 5]]
    assert sorted(found.centres[0].tolist()) == [1, 99]
    assert halved(points, found, 3, 9, free=True).n_clusters == 2


@settings(max_examples=80, deadline=None)
@given(seed=st.integers(0, 10**6), k=st.integers(1, 4), n=st.integers(1, 40), free=st.booleans())
def test_more_clusters_are_never_wider(seed: int, k: int, n: int, free: bool) -> None:
    rng = np.random.default_rng(seed)
    points = plane(rng.integers(0, 50, (n, 2)).tolist(), rng.integers(1, 3, n).tolist())
    before = one_cluster(points)[0]
    radius, cost = np.inf, np.inf
    for most in range(1, n // k + 2):
        found = halved(points, before, min(k, points.n_records), most, free=free)
        assert found.n_clusters <= most
        assert found.sizes.min() >= min(k, points.n_records)
        assert np.bincount(found.points, weights=found.amounts, minlength=n).tolist() == points.counts.tolist()
        radii = found.radii(points)
        assert radii.max() <= radius * (1 + 1e-12)
        assert found.sizes @ radii <= cost * (1 + 1e-12)
        radius, cost = float(radii.max()), float(found.sizes @ radii)


@pytest.mark.parametrize("kind", KINDS)
def test_any_metric_space(kind: str) -> None:
    points = Points.of_matrix(random_matrix(kind, 17, 1))
    found = halved(points, one_cluster(points)[0], 3, 4, free=False)
    assert sorted(found.points.tolist()) == list(range(17))
    assert found.sizes.min() >= 3
