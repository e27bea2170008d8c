"""Cellular clustering against brute force: with setup costs, least sizes and outliers, in all kinds of spaces."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import count
from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray

from shoal.clusters.searches import duals
from shoal.clusters.searches.cellular import CellularRequest, Opened, cellular, r_cellular, r_cellular_outliers
from shoal.clusters.searches.points import Points
from shoal.kernels.clusters.cellular import Prices
from tests.oracles.clusters.cellular import cover_instance, least_cellular, random_cover
from tests.oracles.clusters.metrics import KINDS, random_matrix


@dataclass(frozen=True)
class Case:
    """Points of some space, at most eight records in all."""

    matrix: NDArray[np.float64]
    counts: list[int]
    draw: Random

    @classmethod
    def of(cls, kind: str, seed: int) -> "Case":
        draw = Random(f"{kind} {seed}")  # noqa: S311
        n = draw.randint(1, 7)
        counts = [1] * n
        for _ in range(draw.randint(0, 7 - n)):
            counts[draw.randrange(n)] += 1
        return cls(random_matrix(kind, n, seed), counts, draw)

    @property
    def points(self) -> Points:
        return Points.of_matrix(self.matrix, np.array(self.counts, dtype=np.int64))

    def least(self, request: CellularRequest, *, free: bool = False) -> float:
        setup = [request.setup] * len(self.counts)
        return least_cellular(self.matrix, self.counts, setup, request.r, request.limit, free=free)


def cost(points: Points, found: Opened, setup: NDArray[np.float64]) -> float:
    """Measure the cost again; all records must be accounted for."""
    clusters = found.clusters
    held = np.bincount(clusters.points, weights=clusters.amounts, minlength=len(points))
    assert held.tolist() == points.counts.tolist()
    centres = clusters.centres[0].astype(np.int64)
    return float(clusters.sizes @ clusters.radii(points)) + float(setup[centres].sum())


def check(case: Case, request: CellularRequest, found: Opened, factor: float, most_gone: int) -> None:
    clusters, points = found.clusters, request.points
    paid = cost(points, found, np.full(len(points), request.setup))
    best = case.least(request)
    assert found.proven
    assert clusters.sizes.min() >= request.r
    assert clusters.amounts[clusters.owners < 0].sum() <= most_gone
    assert clusters.bound <= best + 1e-9
    if most_gone == request.limit:
        assert paid <= factor * best + 1e-9


@pytest.mark.parametrize("kind", KINDS)
def test_clusters_of_any_size(kind: str, seeds: Callable[[int], range]) -> None:
    for seed in seeds(30):
        case = Case.of(kind, seed)
        points, draw = case.points, case.draw
        setup = np.array([draw.choice((0.0, 1.0, 2.5, 10.0)) for _ in case.counts])
        found = cellular(points, setup)
        best = least_cellular(case.matrix, case.counts, setup.tolist())
        paid = cost(points, found, setup)
        assert found.proven
        assert (found.clusters.owners >= 0).all()
        assert found.clusters.bound <= best + 1e-9
        assert best - 1e-9 <= paid <= 3 * found.clusters.bound + 1e-6
        limit = draw.randint(0, sum(case.counts))
        fewer = cellular(points, setup, limit=limit).clusters.bound
        assert fewer <= least_cellular(case.matrix, case.counts, setup.tolist(), 1, limit) + 1e-9
        alike = np.full(len(setup), setup[0])
        anywhere = cellular(points, alike, centres="any").clusters.bound
        assert anywhere <= least_cellular(case.matrix, case.counts, alike.tolist(), free=True) + 1e-9


@pytest.mark.parametrize("kind", KINDS)
def test_clusters_of_at_least_r(kind: str, seeds: Callable[[int], range]) -> None:
    for seed in seeds(30):
        case = Case.of(kind, seed)
        n = sum(case.counts)
        for r, limit in ((case.draw.randint(1, n), 0), (n, 0), (case.draw.randint(1, n), case.draw.randint(0, n))):
            request = CellularRequest(case.points, r, case.draw.choice((0.0, 0.0, 2.0)), limit)
            check(case, request, r_cellular(request), 36, 0)
            anywhere = replace(request, centres="any")
            assert r_cellular(anywhere).clusters.bound <= case.least(anywhere, free=True) + 1e-9


@pytest.mark.parametrize("kind", KINDS)
def test_some_records_are_left_out(kind: str, seeds: Callable[[int], range]) -> None:
    for seed in seeds(30):
        case = Case.of(kind, seed)
        n = sum(case.counts)
        r = case.draw.randint(1, n)
        for limit in {0, case.draw.randint(0, n), n}:
            request = CellularRequest(case.points, r, case.draw.choice((0.0, 0.0, 2.0)), limit)
            check(case, request, r_cellular_outliers(request), 54, limit)
            anywhere = replace(request, centres="any")
            assert r_cellular_outliers(anywhere).clusters.bound <= case.least(anywhere, free=True) + 1e-9


def test_outliers_by_hand() -> None:
    """Two pairs and two far records; two may be left out, and then both pairs cost 2 each."""
    line = np.array([0.0, 1.0, 10.0, 11.0, 100.0, 300.0])
    points = Points.of_matrix(np.abs(np.subtract.outer(line, line)))
    found = r_cellular_outliers(CellularRequest(points, 2, limit=2)).clusters
    assert found.points[found.owners < 0].tolist() == [4, 5]
    assert float(found.sizes @ found.radii(points)) == 4.0
    assert found.bound == pytest.approx(4.0)
    whole = r_cellular(CellularRequest(points, 2)).clusters
    assert float(whole.sizes @ whole.radii(points)) >= whole.bound > 200


def test_one_of_many_far_records_has_to_be_served() -> None:
    """Seventy at one place and forty around it, all 1 away: one of these takes r - 1 others along.

    The forty pay for a cluster together, so that each is charged little. But no narrower cluster serves enough.
    """
    matrix = np.full((41, 41), 2.0)
    matrix[0] = matrix[:, 0] = 1.0
    np.fill_diagonal(matrix, 0.0)
    points = Points.of_matrix(matrix, np.array([70] + [1] * 40))
    for r in (2, 20, 60):
        found = r_cellular_outliers(CellularRequest(points, r, limit=39))
        assert found.proven
        assert found.clusters.bound == pytest.approx(r)
        assert float(found.clusters.sizes @ found.clusters.radii(points)) <= 2 * r
        free = r_cellular_outliers(CellularRequest(points, r, limit=39, centres="any"))
        assert free.clusters.bound == pytest.approx(r / 2)


def test_a_guess_follows_if_the_last_opening_became_a_cluster() -> None:
    """Of random points some need several guesses; each is narrower than the one before."""
    guesses = []
    for seed in range(12):
        points = Points.of_matrix(random_matrix("manhattan", 60, seed))
        request = CellularRequest(points, 6, limit=4)
        seen: list[float] = []

        def paid(self: CellularRequest, below: float = float("inf"), seen: list[float] = seen) -> Prices:
            seen.append(below)
            return Prices(np.zeros(60), 6.0, 6, below, False)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(CellularRequest, "paid", paid)
            assert r_cellular_outliers(request).proven
        assert seen == sorted(seen, reverse=True)
        guesses.append(len(seen))
    assert max(guesses) > 2


@pytest.mark.parametrize("solve", [r_cellular, r_cellular_outliers])
def test_time_may_run_out_at_any_moment(solve: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """The clusters are large enough, the bound is one, and the factor is claimed only where it holds."""
    matrix = random_matrix("euclid", 7, 5)
    points, best = Points.of_matrix(matrix), least_cellular(matrix, [1] * 7, [0.0] * 7, 3, 1)
    monkeypatch.setattr(duals, "_BUDGET", 1)
    for steps in range(0, 90, 6):
        clock = count()
        monkeypatch.setattr(duals, "clock", lambda ticks=clock: float(next(ticks)))
        found = (r_cellular if solve is r_cellular else r_cellular_outliers)(
            CellularRequest(points, 3, limit=1, deadline=steps - 0.5)
        )
        clusters = found.clusters
        assert clusters.sizes.min() >= 3
        assert clusters.bound <= best + 1e-9
        if found.proven:
            assert float(clusters.sizes @ clusters.radii(points)) <= 54 * least_cellular(matrix, [1] * 7, [0.0] * 7, 3)
    assert found.proven


def test_without_any_time_all_are_in_one_cluster() -> None:
    points = Points.of_matrix(random_matrix("euclid", 30, 1))
    for found in (
        cellular(points, np.ones(30), deadline=-1.0),
        r_cellular(CellularRequest(points, 4, deadline=-1.0)),
        r_cellular_outliers(CellularRequest(points, 4, limit=3, deadline=-1.0)),
    ):
        assert (found.proven, found.clusters.sizes.tolist()) == (False, [30])


@pytest.mark.parametrize("seed", range(20))
def test_set_covers_are_clusterings(seed: int) -> None:
    """The least cost tells the fewest sets that cover all elements (001 Theorem 3.2)."""
    draw = Random(seed)  # noqa: S311
    n_sets = draw.randint(1, 4)
    matrix, setup, best = cover_instance(random_cover(n_sets, 7 - n_sets, seed), 7 - n_sets)
    assert least_cellular(matrix, [1] * 7, setup) == best
    found = cellular(Points.of_matrix(matrix), np.array(setup))
    assert found.clusters.bound <= best + 1e-9
    assert best <= cost(Points.of_matrix(matrix), found, np.array(setup)) <= 3 * best


def test_a_larger_set_cover() -> None:
    matrix, setup, best = cover_instance(random_cover(9, 60, 3), 60)
    found = cellular(Points.of_matrix(matrix), np.array(setup))
    paid = cost(Points.of_matrix(matrix), found, np.array(setup))
    assert found.clusters.bound <= best <= paid <= 3 * best
