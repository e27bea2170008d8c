"""Sorted distances, whole or in part, and duals that are stopped."""

from itertools import count

import numpy as np
import pytest

from shoal.clusters.searches import duals
from shoal.clusters.searches.duals import NearestPoints, dual
from shoal.clusters.searches.points import Points
from shoal.kernels.clusters.cellular import Prices
from tests.oracles.clusters.cellular import least_cellular
from tests.oracles.clusters.metrics import KINDS, random_matrix


def points_of(kind: str, n: int, seed: int = 1) -> Points:
    counts = np.random.default_rng(seed).integers(1, 4, n)
    return Points.of_matrix(random_matrix(kind, n, seed), counts)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("width", [1, 4, 13])
def test_rows_in_part_lead_to_the_same_charges(kind: str, width: int) -> None:
    """What does not fit into memory is computed when it is needed."""
    points = points_of(kind, 40)
    whole, part = NearestPoints.of(points), NearestPoints.of(points, memory=12 * 40 * width)
    assert whole is not None
    assert part is not None
    assert (whole.whole, part.whole, part.near.shape) == (True, False, (40, width))
    for forced in (False, True):
        for least in (1, 6, 30):
            prices = Prices(np.full(40, 1.0), float(least), least, float("inf"), forced)
            one, other = dual(whole, prices), dual(part, prices)
            assert one.charges.tolist() == other.charges.tolist()
            assert one.events.tolist() == other.events.tolist()
    for size in (1, 2, 9, points.n_records):
        assert whole.reaches(size).tolist() == part.reaches(size).tolist()
        assert points.counts[part.around(3, size)[0]].sum() >= size


def test_a_row_is_sorted_with_equals_in_order() -> None:
    points = points_of("hamming", 30)
    rows = NearestPoints.of(points)
    assert rows is not None
    for point in range(30):
        apart = points.distances(np.array([point]))[0]
        assert rows.near[point].tolist() == sorted(range(30), key=lambda j: (apart[j], j))
        assert rows.far[point].tolist() == sorted(apart.tolist())


def test_time_may_run_out_at_any_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is charged by then is a bound, and grows."""
    points = Points.of_matrix(random_matrix("euclid", 7, 5))
    prices = Prices(np.zeros(7), 3.0, 3, float("inf"), False)
    best = least_cellular(random_matrix("euclid", 7, 5), [1] * 7, [0.0] * 7, 3)
    rows = NearestPoints.of(points)
    assert rows is not None
    assert NearestPoints.of(points, deadline=-1.0) is None
    monkeypatch.setattr(duals, "_BUDGET", 1)
    before = -1.0
    for steps in range(200):
        clock = count()
        monkeypatch.setattr(duals, "clock", lambda ticks=clock: float(next(ticks)))
        found = dual(rows, prices, deadline=float(steps) - 0.5)
        assert before - 1e-9 <= found.value() <= 2 * best + 1e-9
        before = found.value()
        if found.done:
            break
    assert found.done
    assert steps > 7
