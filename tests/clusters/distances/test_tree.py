import numpy as np
import pytest

from shoal.clusters.distances import Tree, tree
from shoal.kernels.clusters.metrics import TABLE, TREE
from shoal.tables.hierarchies import Masking, Sets, Taxonomy
from tests.clusters.distances.columns import between, check_metric, column

WORLD = {"Any": {"Europe": ["France", "Italy"], "Asia": ["India", {"East": ["Japan", "Korea"]}]}}


def test_values_are_as_far_as_the_level_where_they_meet() -> None:
    one = column(["22030", "22032", "22045", "90210", None], Masking())
    found = between(Tree(), one, ["22030", "22032", "22045", "90210", None])
    assert found[0].tolist() == pytest.approx([0, 1 / 5, 2 / 5, 1, 1])
    assert between(Tree(), column(["22030", "22032"], Masking(), weight=10), ["22030", "22032"])[0, 1] == 2


def test_a_tree_need_not_be_balanced() -> None:
    found = between(Tree(), column(["France"], Taxonomy(tree=WORLD)), ["Japan", "Korea", "India", "Italy"])
    assert found[0].tolist() == pytest.approx([0, 1 / 3, 2 / 3, 1])


def test_without_levels_it_is_the_equal_distance() -> None:
    assert between(Tree(), column(["a", "b", "c"], Sets()), ["a", "b", "c"]).tolist() == (1 - np.eye(3)).tolist()


def test_it_is_an_ultrametric() -> None:
    codes = [f"{code:04d}" for code in np.random.default_rng(0).integers(0, 10_000, 60)]
    apart = between(Tree(), column([*codes, None], Masking()), [*codes, None])
    check_metric(apart)
    assert (apart[:, None, :] <= np.maximum(apart[:, :, None], apart[None])).all()


def test_many_values_go_up_the_tree_to_the_same_distances(monkeypatch: pytest.MonkeyPatch) -> None:
    codes: list[str | None] = [f"{code:04d}" for code in np.random.default_rng(0).integers(0, 10_000, 60)]
    one = column([*codes, None], Masking(), weight=0.3)
    assert Tree().axis([one], 0).kind == TABLE
    looked_up = between(Tree(), one, [*codes, None])
    monkeypatch.setattr(tree, "_LARGEST", 10)
    assert Tree().axis([one], 0).kind == TREE
    assert (between(Tree(), one, [*codes, None]) == looked_up).all()
