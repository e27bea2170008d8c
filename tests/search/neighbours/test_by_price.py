"""Near points of a table: exact for small ones, and useful for large ones."""

from collections.abc import Callable
from itertools import count
from random import Random

import numpy as np
import pytest

from shoal.search.neighbours import by_price
from shoal.search.neighbours.by_price import neighbours_by_price
from tests.search.searches import MEASURE_NAMES, Search, random_tally


@pytest.mark.parametrize("measure", MEASURE_NAMES)
@pytest.mark.parametrize("widest", [512, 4], ids=["all pairs", "bins"])
def test_near_points(measure: str, widest: int, monkeypatch: pytest.MonkeyPatch, seeds: Callable[[int], range]) -> None:
    monkeypatch.setattr("shoal.search.neighbours.by_price._WIDEST", widest)
    for seed in seeds(5):
        search = Search.of(random_tally(Random(seed), 60), measure, 1)  # noqa: S311  (tables, not secrets)
        codes = search.annealer.records.codes
        near = neighbours_by_price(codes, search.forms, 7, np.random.default_rng(0))
        n = len(codes)
        assert near.shape == (n, max(1, min(7, n - 1)))
        assert n == 1 or all(p not in near[p].tolist() for p in range(n))
        if widest == 512 and n > 1:
            check_exact(search, near.tolist())


def check_exact(search: Search, near: list[list[int]]) -> None:
    n = len(near)
    alone = np.array(search.prices([[point] for point in range(n)]))
    for p in range(n):
        both = np.array(search.prices([[p, q] for q in range(n)]))
        apart = np.delete(both - (alone[p] + alone) / 2, p)
        found = both[near[p]] - (alone[p] + alone[near[p]]) / 2
        if apart.min() >= -1e-9 and search.measure.monotone:
            assert np.allclose(found, np.sort(apart)[: len(found)], atol=1e-4)


def test_many_points_are_looked_for_in_orders(monkeypatch: pytest.MonkeyPatch) -> None:
    search = Search.of(random_tally(Random(9), 2_000, n_columns=6), "ncp", 1)  # noqa: S311
    codes = search.annealer.records.codes
    monkeypatch.setattr("shoal.search.neighbours.by_price._ALL_PAIRS", 10)
    near = neighbours_by_price(codes, search.forms, 10, np.random.default_rng(0))
    assert near.tolist() == neighbours_by_price(codes, search.forms, 10, np.random.default_rng(0)).tolist()
    others = np.random.default_rng(1).integers(0, len(codes), near.shape)
    prices = [
        np.mean(search.prices([[p, int(q)] for p in range(0, len(codes), 7) for q in found[p]]))
        for found in (search.annealer.near[:, :10], near, others)
    ]
    assert prices[0] <= prices[1] < (prices[0] + prices[2]) / 2


def test_points_that_there_is_no_time_to_compare_are_looked_for_in_orders(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each look at the clock is a second, in which ten points are compared: all take twenty."""
    search = Search.of(random_tally(Random(9), 400, n_columns=6), "ncp", 1)  # noqa: S311
    codes = search.annealer.records.codes[:200]
    monkeypatch.setattr(by_price, "_AT_ONCE", 10)

    def found(seconds: float | None, at_once: list[int]) -> list[list[int]]:
        ticks = count()
        at = iter(at_once)
        monkeypatch.setattr(by_price, "clock", lambda: float(next(at, 10**6) if at_once else next(ticks)))
        return neighbours_by_price(codes, search.forms, 7, np.random.default_rng(0), seconds).tolist()

    every = found(None, [])
    assert found(20, []) == every
    late = found(20, [0, 1, 10**6])  # the second ten take too long
    assert late[:20] == every[:20]
    monkeypatch.setattr(by_price, "_ALL_PAIRS", 10)
    assert late[20:] == found(None, [])[20:] != every[20:]
