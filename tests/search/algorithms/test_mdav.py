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


@pytest.mark.parametrize("gamma", [None, 0.5])
def test_classes_within_groups_are_those_of_each_group_alone(gamma: float | None) -> None:
    rng = np.random.default_rng(1)
    people = pl.DataFrame(
        {"sex": rng.choice(["f", "m", "x"], 90).tolist(), "a": rng.integers(0, 99, 90), "b": rng.integers(0, 99, 90)}
    )
    units = {name: {"type": "number", "unit": 1.0} for name in ("a", "b")}
    asked = {"name": "mdav"} if gamma is None else {"name": "mdav", "gamma": gamma}
    whole = shoal.anonymize(
        people, quasi=people.columns, k=3, algorithm={**asked, "by": "sex"}, distances={**units, "sex": "equal"}
    )
    for sex in ("f", "m", "x"):
        own = people.filter(pl.col("sex") == sex).drop("sex")
        alone = shoal.anonymize(own, quasi=["a", "b"], k=3, algorithm=asked, distances=units)
        found = whole.data.filter(pl.col("sex") == sex).drop("sex")
        assert sorted(found.rows()) == sorted(alone.data.rows())


def test_groups_that_are_too_small_or_unknown() -> None:
    people = pl.DataFrame({"sex": ["f"] * 5 + ["m"], "age": range(6), "ill": ["a", "b"] * 3})
    asked = {"name": "mdav", "by": "sex"}
    with pytest.raises(InfeasibleError, match="1 of 2 groups of equal values in 'sex'"):
        shoal.anonymize(people, quasi=["sex", "age"], omit=["ill"], k=2, algorithm=asked)
    with pytest.raises(shoal.SpecError, match="no quasi column 'town' for 'by'"):
        shoal.anonymize(people, quasi=["sex", "age"], omit=["ill"], k=2, algorithm={"name": "mdav", "by": "town"})
    diverse = [{"model": "distinct-l-diversity", "l": 2, "column": "ill"}]
    with pytest.raises(shoal.SpecError, match="keep k-anonymity alone"):
        shoal.anonymize(people, quasi=["sex", "age"], sensitive=["ill"], k=2, require=diverse, algorithm=asked)
