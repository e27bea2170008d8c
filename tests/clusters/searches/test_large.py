"""Large tables: clusters of regions are clusters of the whole, and their bound is one for the whole."""

from fractions import Fraction
from math import inf

import numpy as np
import pytest

from shoal.clusters.objectives import Objective
from shoal.clusters.searches import large
from shoal.clusters.searches.cellular import CellularRequest, r_cellular
from shoal.clusters.searches.cuts import cut_classes
from shoal.clusters.searches.gathering import gathered, gathered_beside
from shoal.clusters.searches.large import far_records, in_regions
from shoal.clusters.searches.outliers import gathered_core
from shoal.clusters.searches.points import FoundClusters, Points
from shoal.foundation.progress import Progress, silent
from tests.clusters.searches.test_cuts import plane
from tests.clusters.searches.test_regions import mixed
from tests.oracles.clusters.cellular import least_cellular
from tests.oracles.clusters.gathering import least, one_by_one


def radius(points: Points, limit: int, tell: Progress) -> FoundClusters:
    if limit:
        return gathered_core(points, 3, limit, inf, tell)
    return gathered(points, 3, None, inf, tell).finding(1)


def cost(points: Points, limit: int, tell: Progress) -> FoundClusters:
    return FoundClusters(r_cellular(CellularRequest(points, 3, limit=limit, centres="any", tell=tell)).clusters)


@pytest.mark.parametrize(("objective", "limit"), [("radius", 0), ("radius", 12), ("cellular", 0)])
@pytest.mark.parametrize("seed", [0, 1, pytest.param(2, marks=pytest.mark.deep)])
def test_all_records_are_in_clusters_of_the_whole(
    objective: Objective, limit: int, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(large, "_WHOLE", 0)  # so that the clusters are those of the regions
    points = mixed(200, seed, squares=seed % 2 == 0)
    search = radius if objective == "radius" else cost
    found = in_regions(points, search, objective, most=100, region=40, r=3, limit=limit, deadline=inf, progress=silent)
    clusters = found.found
    assert "regions" in found.remark
    assert found.factor is None
    held = np.bincount(clusters.points, weights=clusters.amounts, minlength=len(points))
    assert held.tolist() == points.counts.tolist()
    assert clusters.sizes.min() >= 3
    assert clusters.amounts[clusters.owners < 0].sum() <= limit
    radii = clusters.radii(points)
    assert 0 < found.bound <= (radii.max() if objective == "radius" else clusters.sizes @ radii)
    whole = search(points, limit, silent)
    own = whole.found.radii(points)
    assert found.bound <= (own.max() if objective == "radius" else whole.found.sizes @ own)


@pytest.mark.parametrize("seed", range(4))
def test_borders_of_regions_do_not_spoil_the_radius(seed: int) -> None:
    """Groups of ten records lie far apart, and regions cut them: alone, they would be joined with records far off."""
    rng = np.random.default_rng(seed)
    rows = (rng.integers(0, 9, (20, 3)) * 100)[np.repeat(np.arange(20), 10)] + rng.random((200, 3))
    points = plane(rows.tolist())
    found = in_regions(points, radius, "radius", most=100, region=35, r=3, limit=0, deadline=inf, progress=silent)
    whole = radius(points, 0, silent)
    assert found.factor == 2
    assert found.found.sizes.min() >= 3
    assert found.found.radii(points).max() <= 2 * found.bound * (1 + 1e-9)
    assert found.bound <= whole.found.radii(points).max()


def test_little_work_leaves_the_clusters_as_they_are() -> None:
    points = plane(np.random.default_rng(1).random((60, 2)).tolist())
    given = cut_classes(points, 3)
    low = 1e-3
    for work in (0, 1):
        searched = gathered_beside(points, 3, given, low, inf, silent, work=work)
        assert searched.found is given
        assert (searched.low, searched.high) == (low, given.radii(points).max())
    searched = gathered_beside(points, 3, given, low, inf, silent, work=10**9)
    assert searched.high <= searched.low
    assert searched.found.sizes.min() >= 3


def test_few_points_are_searched_at_once() -> None:
    points = mixed(60, 0, squares=False)
    found = in_regions(points, radius, "radius", most=60, region=9, r=3, limit=0, deadline=inf, progress=silent)
    assert found.factor == 2
    assert found.remark == ""


@pytest.mark.parametrize("seed", [*range(7), *(pytest.param(seed, marks=pytest.mark.deep) for seed in range(7, 20))])
def test_far_records_bound_every_clustering(seed: int) -> None:
    """Of the distance to the last of the r nearest, any smaller number will do as well."""
    rng = np.random.default_rng(seed)
    places = rng.integers(0, 12, (7, 2)).astype(np.float64)
    matrix = np.abs(places[:, None] - places[None]).sum(axis=2)
    counts, r, limit = rng.integers(1, 3, 7), int(rng.integers(2, 4)), int(rng.integers(0, 3))
    reach = [np.sort(np.repeat(row, counts))[r - 1] for row in matrix]
    apart = np.array(reach) * rng.choice([1.0, 1.0, 0.5], 7)
    given = matrix, counts.tolist()
    widest = least(one_by_one(*given), r, left_out=limit, diameter=True)
    assert far_records(apart, counts, limit, "radius") <= widest / 2 + 1e-9
    setup = [0.0] * 7
    assert far_records(apart, counts, limit, "cellular") <= least_cellular(*given, setup, r, limit, free=True) + 1e-9


def test_all_may_be_left_out() -> None:
    assert far_records(np.ones(3), np.array([2, 1, 1]), 4, "radius") == 0
    assert far_records(np.ones(3), np.array([2, 1, 1]), 3, "cellular") == pytest.approx(Fraction(1, 2))
