"""From clusters to a release: promises are kept, and what was proven stays proven."""

from dataclasses import replace
from math import inf

import numpy as np
import pytest

from shoal.classes.grouping import Grouping
from shoal.clusters.searches.gathering import gathered
from shoal.clusters.searches.points import Clusters, FoundClusters
from shoal.foundation.progress import silent
from shoal.models import DistinctLDiversity, FrequencyLDiversity
from shoal.search.clusters.clustering import MetricTable
from shoal.search.clusters.finishing import Finish, mended
from tests.oracles.clusters.metrics import KINDS, metric_problem, random_matrix

DIVERSE = (DistinctLDiversity(l=2, column="s"), FrequencyLDiversity(l=2, column="s"))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("effort", [0, 5])
def test_further_promises_are_kept_by_joining(kind: str, effort: int) -> None:
    problem = metric_problem(random_matrix(kind, 24, 3), k=2, values="aab" * 8, models=DIVERSE[:1])
    places = MetricTable.of(problem, "r-gather")
    found = gathered(places.points, 2, None, inf, silent).finding(1)
    solution = Finish(objective="radius", effort=effort).release(places, found, inf, silent)
    assert DIVERSE[0].holds(solution.groups).all()
    assert solution.bound is not None
    assert solution.bound <= solution.loss.total + 1e-9
    broken = not DIVERSE[0].holds(_groups(places, found.found)).all()
    assert (solution.guarantee == "none") <= broken


def _groups(places: MetricTable, clusters: Clusters) -> Grouping:
    parts = places.parts(clusters)
    return Grouping.of_parts(places.problem.tally, parts, clusters.n_clusters)


def test_clusters_that_keep_all_promises_come_back() -> None:
    problem = metric_problem(random_matrix("euclid", 8, 1), k=2)
    places = MetricTable.of(problem, "r-gather")
    parts = places.parts(gathered(places.points, 2, None, inf, silent).found)
    assert mended(places, parts) is parts


@pytest.mark.parametrize("centres", ["any", "records"])
def test_records_stay_records(centres: str) -> None:
    problem = metric_problem(random_matrix("euclid", 20, 5), k=3, values="abcde" * 4, models=DIVERSE)
    places = MetricTable.of(problem, "r-gather")
    found = gathered(places.points, 3, None, inf, silent).finding(1)
    finish = Finish(objective="radius", centres="any" if centres == "any" else "records", effort=5)
    solution = finish.release(places, found, inf, silent)
    texts = solution.recoding.shown[0].labels
    assert set(texts) <= set(problem.tally.quasi[0].hierarchy.values)
    assert all(model.holds(solution.groups).all() for model in DIVERSE)


def test_a_parted_point_deals_out_its_values() -> None:
    """Three records with a, two with b and one with c stand at one place: each half gets some of each."""
    problem = metric_problem(np.zeros((3, 3)), counts=[3, 2, 1], k=1, values="abc")
    alike = replace(problem.tally, codes=np.zeros((3, 1), dtype=np.int32))
    places = MetricTable.of(replace(problem, tally=alike), "r-gather")
    halves = Clusters(np.zeros(2, dtype=np.int64), np.arange(2), np.array([3, 3]), np.zeros((1, 2)))
    parts = places.parts(halves)
    shares = {(int(p), int(c)): int(n) for p, c, n in zip(parts.points, parts.classes, parts.counts, strict=True)}
    assert shares == {(0, 0): 2, (1, 0): 1, (0, 1): 1, (1, 1): 1, (2, 1): 1}


def test_an_effort_of_none_leaves_clusters_as_they_are() -> None:
    problem = metric_problem(random_matrix("manhattan", 12, 2), k=2)
    places = MetricTable.of(problem, "r-gather")
    one = Clusters(np.arange(12), np.zeros(12, dtype=np.int64), np.ones(12, dtype=np.int64), np.zeros((1, 1)))
    kept = Finish(objective="radius").release(places, FoundClusters(one), inf, silent)
    split = Finish(objective="radius", effort=1).release(places, FoundClusters(one), inf, silent)
    assert kept.groups.n_classes == 1
    assert split.groups.n_classes > 1
    assert split.loss.total <= kept.loss.total
