"""Each kernel of balls against its twin in plain NumPy."""

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from shoal.clusters.searches.points import Points
from shoal.kernels.clusters.gathering import (
    choose_centres,
    count_within,
    fill_ball_radii,
    fill_joining_radii,
    list_within,
    select_heavy,
)
from tests.oracles.clusters.metrics import KINDS, random_matrix

quick = settings(deadline=None, max_examples=60)
seeds = st.integers(0, 2**32)


def drawn(seed: int) -> tuple[NDArray[np.float64], Points, Any, float]:
    """Return distances, points that have them, what draws further, and a threshold."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 20))
    matrix = random_matrix(KINDS[seed % len(KINDS)], n, seed)
    tau = float(rng.choice(matrix.ravel())) + float(rng.choice([0.0, 0.5]))
    return matrix, Points.of_matrix(matrix, rng.integers(1, 4, n)), rng, tau


@given(seeds)
@quick
def test_the_least_distance_with_enough_records(seed: int) -> None:
    rng = np.random.default_rng(seed)
    m = int(rng.integers(1, 30))
    far, heavy = rng.integers(0, 8, m).astype(np.float64), rng.integers(1, 4, m)
    need = int(rng.integers(1, heavy.sum() + 1))
    expected = min(d for d in far if heavy[far <= d].sum() >= need)
    together = int(heavy[far <= expected].sum())
    assert select_heavy(far.copy(), heavy.copy(), m, need) == (expected, together)


@given(seeds)
@quick
def test_discs_that_hold_enough(seed: int) -> None:
    matrix, points, rng, floor = drawn(seed)
    n = len(points)
    weights = points.counts * rng.integers(0, 2, n)
    need = int(rng.integers(1, points.n_records + 1))
    floor = floor if rng.random() < 0.5 else -1.0
    reach, inside = np.full(n, np.nan), np.zeros(n, dtype=np.int64)
    chosen = rng.permutation(n)[: rng.integers(0, n + 1)]
    fill_ball_radii(points.space, points.positions, weights, need, floor, chosen, reach, inside)
    for point in chosen.tolist():
        enough = [d for d in (floor, *matrix[point]) if d >= floor and weights[matrix[point] <= d].sum() >= need]
        least = min(enough, default=np.inf)
        assert (reach[point], inside[point]) == (least, weights[matrix[point] <= least].sum())
    assert np.isnan(np.delete(reach, chosen)).all()


@given(seeds)
@quick
def test_discs_that_are_reached(seed: int) -> None:
    matrix, points, rng, _ = drawn(seed)
    own, reach = rng.integers(0, 6, len(points)).astype(np.float64), np.empty(len(points))
    fill_joining_radii(points.space, points.positions, own, np.arange(len(points)), reach)
    assert reach.tolist() == np.maximum(matrix, own).min(axis=1).tolist()


@given(seeds)
@quick
def test_centres_and_their_neighbours(seed: int) -> None:
    matrix, points, rng, tau = drawn(seed)
    n = len(points)
    expected: list[int] = []
    for point in range(n):
        if not (matrix[point, expected] <= tau).any():
            expected.append(point)
    room = int(rng.integers(1, n + 2))
    centres, degrees = np.zeros(room, dtype=np.int64), np.zeros(room, dtype=np.int64)
    owner, nearest, span = np.full(n, -1), np.full(n, np.inf), np.array([0.0, np.inf])
    point, found, many = 0, 0, int(rng.integers(1, 4))
    while point < n and found <= room:
        point, found = choose_centres(
            points.space, points.positions, tau, point, centres, found, many, owner, nearest, degrees, span
        )
    taken = expected[:room]
    rows = matrix[taken]
    assert found == min(len(expected), room + 1)
    assert centres[: len(taken)].tolist() == taken
    assert degrees[: len(taken)].tolist() == (rows <= tau).sum(axis=1).tolist()
    assert span.tolist() == [rows[rows <= tau].max(), rows[rows > tau].min(initial=np.inf)]
    least = rows.min(axis=0)
    assert nearest.tolist() == np.where(least <= tau, least, np.inf).tolist()
    assert owner.tolist() == np.where(least <= tau, rows.argmin(axis=0), -1).tolist()
    starts = np.concatenate([[0], np.cumsum(degrees[: len(taken)])])
    within = np.empty(starts[-1], dtype=np.int32)
    middle = len(taken) // 2
    for begin, end in ((0, middle), (middle, len(taken))):
        list_within(points.space, points.positions, tau, centres, starts, begin, end, within)
    assert within.tolist() == np.nonzero(rows <= tau)[1].tolist()


@given(seeds)
@quick
def test_records_within_a_threshold(seed: int) -> None:
    matrix, points, rng, tau = drawn(seed)
    weights = points.counts * rng.integers(0, 2, len(points))
    counts = np.zeros(len(points), dtype=np.int64)
    chosen = np.arange(len(points))
    below, above = count_within(points.space, points.positions, weights, tau, chosen, counts)
    assert counts.tolist() == ((matrix <= tau) @ weights).tolist()
    assert (below, above) == (matrix[matrix <= tau].max(), matrix[matrix > tau].min(initial=np.inf))
