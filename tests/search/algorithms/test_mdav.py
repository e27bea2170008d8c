"""MDAV as an algorithm: its classes are published as their means."""

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.clusters.searches.mdav import mdav
from shoal.clusters.searches.points import FoundClusters, Points
from shoal.foundation.errors import InfeasibleError
from shoal.foundation.progress import Progress, silent
from shoal.search.algorithms import Mdav
from shoal.search.clusters.finishing import Finish
from tests.oracles.numbers import plain_mdav, squared_errors, table_problem


def test_by_hand() -> None:
    """As in `tests/spaces/test_mdav.py`: 20 and 22, 0 and 1, and 2, 10 and 11; squares 2, 0.5 and 48 2/3."""
    rows = np.array([[0], [1], [2], [10], [11], [20], [22]])
    found = Mdav().solve(table_problem(rows, 2))
    assert found.loss.total == pytest.approx(2 + 0.5 + 146 / 3)
    assert found.loss.measure == "sse"
    assert sorted(found.groups.sizes.tolist()) == [2, 2, 3]


@pytest.mark.parametrize("k", [2, 3, 7])
def test_the_loss_is_that_of_the_plain_twin(k: int) -> None:
    rows = np.unique(np.random.default_rng(k).integers(0, 1000, (100, 3)), axis=0)
    found = Mdav().solve(table_problem(rows, k))
    assert found.loss.total == pytest.approx(sum(squared_errors(rows, own) for own in plain_mdav(rows, k)), rel=1e-6)


def test_all_records_and_more_than_all() -> None:
    rows = np.arange(6)[:, None]
    assert Mdav().solve(table_problem(rows, 6)).groups.sizes.tolist() == [6]
    with pytest.raises(InfeasibleError):
        Mdav().solve(table_problem(rows, 7))


def test_a_table_in_regions_has_no_bound_and_speaks_of_none() -> None:
    def search(points: Points, limit: int, deadline: float, tell: Progress) -> FoundClusters:
        return FoundClusters(mdav(points, 3))

    finish = Finish(objective="sse", most=20, region=20)
    found = finish.solve(table_problem(np.arange(60)[:, None], 3), "mdav", search, silent)
    assert found.bound is None
    assert "regions" in found.remark
    assert "bound" not in found.remark


def test_numbers_and_categories() -> None:
    """The mean is 45.2 and 'a'; the last record is farthest from it, and leaves with the one before."""
    people = pl.DataFrame({"age": [20, 21, 60, 62, 63], "job": ["a", "a", "b", "b", "c"]})
    release = shoal.anonymize(people, quasi=["age", "job"], k=2, algorithm="mdav")
    assert sorted(release.data.rows()) == [("33.67", "a")] * 3 + [("62.5", "b")] * 2
