"""Near points against all distances."""

from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray

from shoal.kernels.neighbours.by_price import closure_pair_prices, nearest_in_orders, nearest_points
from tests.search.searches import MEASURE_NAMES, Search, random_tally


@pytest.mark.parametrize("measure", MEASURE_NAMES)
def test_prices_of_pairs(measure: str) -> None:
    for seed in range(6):
        search = Search.of(random_tally(Random(seed), 40, n_columns=1), measure, 1)  # noqa: S311  (tables, not secrets)
        codes = search.annealer.records.codes
        prices = closure_pair_prices(search.forms, 0, np.unique(codes[:, 0]))
        n = len(prices)
        assert len(codes) == n
        alone = search.prices([[point] for point in range(n)])
        for a in range(n):
            both = search.prices([[a, b] for b in range(n)])
            expected = [max(both[b] - (alone[a] + alone[b]) / 2, 0) if a != b else 0.0 for b in range(n)]
            assert np.allclose(prices[a], expected, atol=1e-5)


def random_distances(rng: Random, n: int) -> tuple[NDArray[np.int32], NDArray[np.float32], NDArray[np.float32]]:
    """Return points in a column of their own values, the prices of pairs, and the distance of any two points."""
    width = rng.randint(1, 9)
    own = np.array([[rng.choice([0.0, 0.25, 0.5, 2.0]) for _ in range(width)] for _ in range(width)], dtype=np.float32)
    prices = np.triu(own, 1) + np.triu(own, 1).T
    codes = np.array([[rng.randrange(width) for _ in range(n)]], dtype=np.int32)
    return codes, prices, prices[codes[0][:, None], codes[0][None, :]]


@pytest.mark.parametrize("seed", range(30))
def test_the_nearest_of_all(seed: int) -> None:
    rng = Random(seed)  # noqa: S311
    n = rng.randint(1, 60)
    codes, prices, distances = random_distances(rng, n)
    near = np.full((n, max(1, min(rng.randint(1, 12), n - 1))), -1, dtype=np.int32)
    starts, widths = np.zeros(1, dtype=np.int64), np.array([len(prices)])
    nearest_points(codes, prices.reshape(-1), starts, widths, 0, n // 2, near)
    nearest_points(codes, prices.reshape(-1), starts, widths, n // 2, n, near)
    for p in range(n):
        others = np.delete(distances[p], p)
        if n == 1:
            assert near.tolist() == [[0]]
            continue
        assert p not in near[p].tolist()
        assert len(set(near[p].tolist())) == near.shape[1]
        assert distances[p, near[p]].tolist() == np.sort(others)[: near.shape[1]].tolist()


@pytest.mark.parametrize("seed", range(20))
def test_the_nearest_in_some_orders(seed: int) -> None:
    rng = Random(seed)  # noqa: S311
    n, reach, wanted = rng.randint(2, 60), rng.randint(1, 4), rng.randint(1, 12)
    codes, prices, distances = random_distances(rng, n)
    orders = np.array([rng.sample(range(n), n) for _ in range(3)], dtype=np.int32)
    places = np.argsort(orders, axis=1).astype(np.int32)
    near = np.zeros((n, wanted), dtype=np.int32)
    starts, widths = np.zeros(1, dtype=np.int64), np.array([len(prices)])
    nearest_in_orders(codes, prices.reshape(-1), starts, widths, 0, n, near, orders, places, reach)
    for p in range(n):
        windows = [
            order[max(0, place[p] - reach) : place[p] + reach + 1] for order, place in zip(orders, places, strict=True)
        ]
        others = sorted({int(q) for window in windows for q in window} - {p})
        best = sorted(float(distances[p, q]) for q in others)[:wanted]
        assert set(near[p].tolist()) <= {p, *others}
        assert [float(distances[p, q]) for q in near[p][: len(best)]] == best
        assert near[p][len(best) :].tolist() == [p] * (wanted - len(best))
