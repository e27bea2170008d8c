"""Balls around all points: measured in parts, and within a time."""

import numpy as np
import pytest

from shoal.clusters.searches import balls as balls
from shoal.clusters.searches.balls import (
    balls_reached,
    nearest_of,
    one_cluster,
    reaches,
    records_within,
    taken_in,
    widest_reach,
)
from shoal.clusters.searches.points import Clusters, Points
from shoal.foundation.progress import silent
from tests.oracles.clusters.metrics import random_matrix

MATRIX = random_matrix("graph", 40, 2)
COUNTS = np.random.default_rng(2).integers(1, 4, 40)
POINTS = Points.of_matrix(MATRIX, COUNTS)
NEEDED = np.array([min(d for d in row if COUNTS[row <= d].sum() >= 9) for row in MATRIX])


@pytest.mark.parametrize("pairs", [50_000_000, 100])
def test_in_parts_as_at_once(pairs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(balls, "_PAIRS", pairs)
    assert widest_reach(POINTS, 9, np.inf, silent) == NEEDED.max()
    measured = reaches(POINTS, 9, np.inf, silent)
    assert measured is not None
    assert measured[0].tolist() == NEEDED.tolist()
    reached = balls_reached(POINTS, NEEDED, np.inf, silent)
    assert reached is not None
    assert reached.tolist() == np.maximum(MATRIX, NEEDED).min(axis=1).tolist()
    counted = records_within(POINTS, COUNTS, 3.0, np.inf)
    assert counted is not None
    assert counted[0].tolist() == ((MATRIX <= 3) @ COUNTS).tolist()
    assert counted[1:] == (3.0, MATRIX[MATRIX > 3].min())


def test_no_time_gives_nothing() -> None:
    assert reaches(POINTS, 9, 0.0, silent) is None
    assert balls_reached(POINTS, NEEDED, 0.0, silent) is None
    assert records_within(POINTS, COUNTS, 3.0, 0.0) is None
    assert widest_reach(POINTS, 9, 0.0, silent) == 0


def test_all_records_in_one_cluster() -> None:
    clusters, radius = one_cluster(POINTS)
    assert clusters.sizes.tolist() == [COUNTS.sum()]
    assert clusters.radii(POINTS).tolist() == [radius] == [MATRIX[0].max()]


def test_who_is_near_enough_is_taken_in(monkeypatch: pytest.MonkeyPatch) -> None:
    places = np.array([0.0, 2, 5, 3, -2, 9])
    points = Points.of_matrix(np.abs(np.subtract.outer(places, places)))
    monkeypatch.setattr(balls, "_FEW", 6)  # one centre after the other
    centres = points.positions[:, [0, 2]]
    best, place = nearest_of(points, centres, points.positions)
    assert (best.tolist(), place.tolist()) == ([0, 2, 0, 2, 2, 4], [0, 0, 1, 1, 0, 1])
    clusters = Clusters(np.arange(6), np.array([0, 0, 1, -1, -1, -1]), points.counts, centres)
    found = taken_in(points, clusters)
    assert found.owners.tolist() == [0, 0, 1, 1, 0, -1]
    assert found.radii(points).max() == 2
