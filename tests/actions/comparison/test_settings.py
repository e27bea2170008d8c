from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from shoal import KAnonymity, SpecError, TCloseness
from shoal.actions.comparison.settings import Grid, GridEntry, grid_entries
from shoal.jobs.arguments import request
from shoal.jobs.job import Job

ROLES: dict[str, Any] = {"quasi": ["age"], "sensitive": ["ill"]}


def grid(**axes: Any) -> Grid:
    def make(choice: GridEntry) -> Job:
        own = {key: getattr(choice, key) for key in ("k", "algorithm", "measure", "max_suppressed")}
        return request("data.csv", **ROLES, **{k: v for k, v in own.items() if v is not None}, require=choice.promises)

    return Grid.of(grid_entries(**axes), make)


def labels(**axes: Any) -> list[str]:
    return [setting.label for setting in grid(**axes).settings]


def test_every_combination_is_a_setting_and_the_algorithms_change_first() -> None:
    assert labels(ks=[2, 5], algorithms=["optimal", "tightest"]) == [
        "k 2, optimal",
        "k 2, tightest",
        "k 5, optimal",
        "k 5, tightest",
    ]
    assert labels(ks=[2], algorithms=["optimal"], limits=["0", "0.05"]) == [
        "k 2, optimal, up to 0%",
        "k 2, optimal, up to 5%",
    ]


def test_what_is_not_named_is_usual() -> None:
    assert len(labels()) == 12
    assert labels(algorithms=["auto"])[0] == "k 2, auto"
    assert [choice.k for choice in grid_entries(algorithms=["auto"], promised=True)] == [None]
    assert len(grid_entries(promised=True)) == 12


def test_promises_of_one_model_on_one_column_are_alternatives() -> None:
    near = [{"model": "t-closeness", "t": t, "column": "ill"} for t in (0.1, 0.3)]
    also = {"model": "distinct-l-diversity", "l": 2, "column": "ill"}
    found = grid(ks=[2], promises=[*near, also])
    assert [setting.promises for setting in found.settings] == [
        ["t-closeness:column=ill,t=0.1", "distinct-l-diversity:column=ill,l=2"],
        ["t-closeness:column=ill,t=0.3", "distinct-l-diversity:column=ill,l=2"],
    ]
    assert [setting.short for setting in found.settings] == ["k 2, t-closeness t=0.1", "k 2, t-closeness t=0.3"]
    assert [promise.name for promise in found.promises] == ["t-closeness", "t-closeness"]  # the other one never differs
    assert grid(ks=[2, 5], promises=[also]).promises == ()


def test_equal_settings_are_one_and_clusters_look_at_no_measure() -> None:
    assert labels(ks=[2, 2, 5]) == ["k 2, auto", "k 5, auto"]
    found = grid(ks=[2], algorithms=["optimal", "mdav"], measures=["entropy", "lm"])
    assert [(setting.algorithm, setting.measure) for setting in found.settings] == [
        ("optimal", "entropy"),
        ("mdav", None),
        ("optimal", "lm"),
    ]
    assert [setting.label for setting in found.settings] == ["k 2, optimal, entropy", "k 2, mdav", "k 2, optimal, lm"]
    assert found.reference.search.measure.name == "entropy"
    assert grid(ks=[2], algorithms=["mdav"], measures=["ncp"]).reference.search.measure.name == "ncp"


def test_parameters_of_algorithms_are_told() -> None:
    relaxed = {"name": "mondrian", "mode": "relaxed"}
    assert labels(ks=[2], algorithms=["mondrian", relaxed]) == ["k 2, mondrian", "k 2, mondrian:mode=relaxed"]


def test_settings_that_lose_from_different_tables_are_refused(tmp_path: Path) -> None:
    def make(choice: GridEntry) -> Job:
        population = [{"model": "k-map", "k": 2, "population": str(tmp_path / "all.csv")}] if choice.k == 5 else []
        return request("data.csv", **ROLES, k=choice.k or 2, require=population)

    with pytest.raises(SpecError, match="same external tables"):
        Grid.of(grid_entries(ks=[2, 5]), make)

    def dropping(choice: GridEntry) -> Job:
        watching = [TCloseness(t=Fraction("0.1"), column="ill")] if choice.k == 5 else []
        return request("data.csv", **ROLES, missing="drop", require=[KAnonymity(k=choice.k or 2), *watching])

    with pytest.raises(SpecError, match="same sensitive columns"):
        Grid.of(grid_entries(ks=[2, 5]), dropping)


def test_a_wrong_request_is_told_before_anything_is_tried() -> None:
    with pytest.raises(SpecError, match="Did you mean 'tightest'"):
        grid(ks=[2], algorithms=["optimal", "tightst"])
    with pytest.raises(SpecError, match="greater than or equal to 1"):
        grid(ks=[2, 0])
