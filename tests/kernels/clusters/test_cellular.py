"""Charges that grow, against plain sums over all records and clusters."""

from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray

from shoal.clusters.searches.duals import Dual, NearestPoints, dual
from shoal.clusters.searches.points import Points
from shoal.kernels.clusters.cellular import Prices, open_clusters
from tests.oracles.clusters.metrics import KINDS, random_matrix


def grown(matrix: NDArray[np.float64], counts: NDArray[np.int64], prices: Prices, left: int = 0) -> Dual:
    rows = NearestPoints.of(Points.of_matrix(matrix, counts))
    assert rows is not None
    return dual(rows, prices, left)


def plain_dual(matrix: NDArray[np.float64], counts: NDArray[np.int64], prices: Prices) -> list[float]:
    """Return the charges, by looking at all centres and radii each time a cluster is paid for."""
    n = len(matrix)
    charges: dict[int, float] = {}
    while len(charges) < n:
        found = min(
            (paid_at(matrix[v], counts, charges, prices, v, d), v, d)
            for v in range(n)
            for d in sorted(set(matrix[v].tolist()))
        )
        time, v, d = found
        charges |= {j: time for j in range(n) if matrix[v, j] <= d and j not in charges}
    return [charges[j] for j in range(n)]


def paid_at(
    row: NDArray[np.float64], counts: NDArray[np.int64], charges: dict[int, float], prices: Prices, v: int, d: float
) -> float:
    inside = [j for j in range(len(row)) if row[j] <= d]
    waiting = sum(int(counts[j]) for j in inside if j not in charges)
    if waiting == 0 or sum(counts[inside]) < prices.least or d >= prices.below:
        return float("inf")
    joined = sorted((charges[j] for j in inside if j in charges for _ in range(counts[j])), reverse=True)
    if prices.forced:
        return d + sum(d - charge for charge in joined[: max(prices.least - waiting, 0)]) / waiting
    fixed = sum(charge - d for charge in joined if charge > d)
    return d + (float(prices.setup[v]) + prices.slope * d - fixed) / waiting


def all_prices(n: int, draw: Random, total: int) -> list[Prices]:
    setup = np.array([draw.choice((0.0, 0.5, 1.0, 4.0)) for _ in range(n)])
    least = draw.randint(1, total)
    inf = float("inf")
    return [
        Prices(setup, 0.0, 1, inf, False),
        Prices(setup, float(least), least, inf, False),
        Prices(np.zeros(n), float(least), least, inf, False),
        Prices(np.zeros(n), 0.0, least, inf, True),
    ]


@pytest.mark.parametrize("kind", ["euclid", "manhattan"])
def test_charges_are_those_of_a_plain_search(kind: str) -> None:
    """Where no two clusters are paid for at the same time."""
    for seed in range(25):
        draw = Random(f"{kind} {seed}")  # noqa: S311
        n = draw.randint(1, 9)
        places = np.array([[draw.random(), draw.random()] for _ in range(n)])
        apart = np.abs(places[:, None] - places[None])
        matrix = apart.sum(axis=2) if kind == "manhattan" else np.sqrt((apart**2).sum(axis=2))
        counts = np.array([draw.randint(1, 3) for _ in range(n)])
        for prices in all_prices(n, draw, int(counts.sum())):
            assert grown(matrix, counts, prices).charges == pytest.approx(plain_dual(matrix, counts, prices))


def overpaid(matrix: NDArray[np.float64], counts: NDArray[np.int64], found: Dual, prices: Prices) -> float:
    """Return by how much a cluster is paid more than its price, at most."""
    most = -np.inf
    for v in range(len(matrix)):
        for d in matrix[v]:
            inside = matrix[v] <= d
            paid = np.sort(np.repeat(found.charges[inside], counts[inside]) - d)[::-1]
            if len(paid) >= prices.least and d < prices.below:
                if prices.forced:
                    most = max(most, paid[: prices.least].sum() + np.maximum(paid[prices.least :], 0).sum())
                else:
                    most = max(most, np.maximum(paid, 0).sum() - prices.setup[v] - prices.slope * d)
    return float(most)


@pytest.mark.parametrize("kind", KINDS)
def test_no_cluster_is_overpaid_and_all_have_joined(kind: str) -> None:
    for seed in range(30):
        draw = Random(f"{kind} {seed}")  # noqa: S311
        n = draw.randint(1, 12)
        matrix = random_matrix(kind, n, seed)
        counts = np.array([draw.choice((1, 1, 2, 5)) for _ in range(n)])
        for prices in all_prices(n, draw, int(counts.sum())):
            found = grown(matrix, counts, prices)
            assert found.done
            assert (found.events >= 0).all()
            assert overpaid(matrix, counts, found, prices) <= 1e-9
            centres, reaches = found.centres[found.events], found.reaches[found.events]
            assert (matrix[centres, np.arange(n)] <= reaches).all()
            assert (found.charges >= reaches).all()
            assert (np.diff([found.charges[found.events == e].max() for e in range(len(found.centres))]) >= 0).all()


def test_some_records_may_stay_behind_and_radii_may_be_limited() -> None:
    matrix = np.abs(np.subtract.outer([0.0, 1.0, 2.0, 9.0], [0.0, 1.0, 2.0, 9.0]))
    counts = np.array([1, 1, 1, 2])
    inf = float("inf")
    whole = grown(matrix, counts, Prices(np.zeros(4), 3.0, 3, inf, False))
    assert (whole.centres.tolist(), whole.reaches.tolist()) == ([1, 2], [1.0, 7.0])
    assert whole.charges.tolist() == [2.0, 2.0, 2.0, 7.0 + 21.0 / 2]
    fewer = grown(matrix, counts, Prices(np.zeros(4), 3.0, 3, inf, False), left=2)
    assert (fewer.done, fewer.left, fewer.charges.tolist()) == (True, 2, [2.0] * 4)
    assert fewer.value(2) == pytest.approx(6.0)
    assert fewer.value(3) == pytest.approx(4.0)
    short = grown(matrix, counts, Prices(np.zeros(4), 3.0, 3, 7.0, False))
    assert (short.done, short.stuck, short.left) == (False, True, 2)
    nothing = grown(matrix, counts, Prices(np.zeros(4), 3.0, 3, 0.0, False))
    assert (nothing.stuck, nothing.left, len(nothing.centres)) == (True, 5, 0)


def test_openings_are_thinned_out() -> None:
    """Three openings on a line; the middle one, the smallest, shares someone with both others."""
    line = np.array([0.0, 2.0, 3.0, 4.0, 7.0])
    matrix = np.abs(np.subtract.outer(line, line))
    points = Points.of_matrix(matrix)
    charges, events = np.array([2.0, 5.0, 5.0, 5.0, 5.0]), np.array([0, 2, 1, 2, 2])
    centres, reaches = np.array([1, 2, 3]), np.array([2.0, 1.0, 3.0])
    found = open_clusters(
        points.space, points.positions, charges, events, centres, reaches, np.array([2, 0, 1], dtype=np.int64)
    )
    assert found.tolist() == [2, 2, 2, 2, 2]
    smaller = open_clusters(
        points.space, points.positions, charges, events, centres, np.array([2.0, 1.0, 0.5]), np.array([0, 1, 2])
    )
    assert smaller.tolist() == [0, 0, 0, 0, 0]
