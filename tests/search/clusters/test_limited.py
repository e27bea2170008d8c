"""More clusters never have a larger radius, and are used."""

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.search.algorithms import RkCenter
from shoal.search.clusters.limited import levels_of
from tests.oracles.clusters.radius_cases import radius_case
from tests.oracles.numbers import table_problem

DATA = Path(__file__).parents[4] / "shared" / "data" / "microaggregation"
ROUNDED = 1 + 1e-6  # centres are published with some decimals


def test_the_levels_do_not_depend_on_what_is_asked() -> None:
    assert levels_of(200, 20) == [1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 20]
    assert levels_of(1_000, 216) == [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 216]
    assert levels_of(9_000, 100) == [1, 2, 4, 8, 32, 100]
    assert levels_of(9, 1) == [1]


def test_the_radius_never_grows_with_the_limit(seeds: Callable[[int], range]) -> None:
    for seed in seeds(40):
        case = radius_case(seed, most=12)
        radii = [RkCenter(clusters=most).solve(case.problem).loss.total for most in range(1, 7)]
        assert all(later <= earlier * ROUNDED for earlier, later in pairwise(radii))


def test_the_radius_never_grows_between_levels(seeds: Callable[[int], range]) -> None:
    for seed in range(len(seeds(6))):
        problem = table_problem(np.random.default_rng(seed).integers(0, 1000, (90, 2)), 3)
        found = [RkCenter(clusters=most).solve(problem) for most in (1, 2, 3, 7, 9, 11, 12, 14, 17, 22, 30)]
        radii = [solution.loss.total for solution in found]
        assert all(later <= earlier * ROUNDED for earlier, later in pairwise(radii))
        assert [solution.groups.n_classes for solution in found[:6]] == [1, 2, 3, 7, 9, 11]
        assert found[-1].groups.sizes.min() >= 3


def check_uses_its_clusters(frame: pl.DataFrame, clusters: int, least: int) -> None:
    """Check that most of the allowed clusters are there, and cost little more than those of other algorithms."""

    def objectives(name: str, **fields: object) -> tuple[int, float, float]:
        asked = {"name": name, **fields}
        found = shoal.anonymize(frame, quasi=frame.columns, k=5, algorithm=asked, seed=1).certificate["clusters"]
        return found["count"], found["objectives"]["radius"], found["objectives"]["cellular"]

    count, radius, cellular = objectives("rk-center", clusters=clusters)
    assert count > least
    assert radius <= 1.02 * objectives("r-gather")[1]
    assert cellular <= 1.2 * objectives("r-cellular", centres="any")[2]


def test_most_of_the_clusters_are_used() -> None:
    rows = np.random.default_rng(1).integers(0, 1000, (90, 3))
    check_uses_its_clusters(pl.DataFrame(rows, schema=["a", "b", "c"]), 18, 12)


@pytest.mark.deep
def test_census_uses_its_clusters() -> None:
    if not (DATA / "census.csv").is_file():
        pytest.skip(f"There is no table in '{DATA.name}/census.csv': shoal does not ship it.")
    check_uses_its_clusters(pl.read_csv(DATA / "census.csv"), 216, 150)
