import json
from pathlib import Path
from random import Random
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.foundation.errors import SpecError
from shoal.releases.rules.rules import Rules
from tests.actions.test_apply import LOCAL, RECIPES, records, released
from tests.cli.run import done
from tests.cli.test_schema import _allows


@pytest.fixture(scope="module")
def local() -> shoal.Release:
    return released(records(2, 80), LOCAL, algorithm="mondrian", k=3)


def test_the_same_release_has_the_same_rules_whatever_the_order_of_the_table(local: shoal.Release) -> None:
    table = records(2, 80)
    Random(1).shuffle(table)  # noqa: S311
    again = released(table, LOCAL, algorithm="mondrian", k=3, seed=99)
    assert again.rules().text() == local.rules().text()


def test_rules_are_read_as_they_were_written(local: shoal.Release, tmp_path: Path) -> None:
    local.write(tmp_path / "out")
    text = (tmp_path / "out/private/rules.json").read_bytes()
    for path in (tmp_path / "out", tmp_path / "out/private/rules.json"):
        assert Rules.read(path).text() == text
    assert json.loads(text)["classes"] == Rules.read(path).classes
    assert max(map(len, text.splitlines())) < 200


def test_what_cells_are_stands_in_the_rules(local: shoal.Release) -> None:
    content = json.loads(local.rules().text())
    assert content["recoding"] == "local"
    assert "seed" not in content["request"]["search"]
    assert content["request"]["input"] == {"missing": "category"}
    labels = local.frame.cast(pl.String)
    for name, rule in content["columns"].items():
        assert [cell["label"] for cell in rule["cells"]] == [
            *sorted(label for label in labels[name].unique() if label is not None),
            *([None] if labels[name].null_count() else []),
        ]
    rows = {tuple(rule["cells"][at]["label"] for rule, at in zip(content["columns"].values(), row, strict=True))
            for row in content["classes"]}  # fmt: skip
    assert rows == set(labels.select(list(content["columns"])).rows())


def test_the_schema_allows_rules_and_nothing_else(local: shoal.Release) -> None:
    schema = json.loads(done("schema", "rules").out)
    content = json.loads(local.rules().text())
    assert "folder" not in schema["properties"]
    assert _allows(schema, {**content, "columns": {}}, schema)
    assert not _allows(schema, {**content, "recoding": "global"}, schema)
    with pytest.raises(AssertionError, match="There is no schema of 'release'"):
        done("schema", "release")


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "version": ({"rules": 2}, "rules: Input should be 1"),
    "kind": ({"recoding": "global"}, "recoding: Input should be 'full-domain'"),
    "key": ({"quest": 1}, "quest: this key is not known here"),
    "no classes": ({"classes": None}, "classes are for local recoding"),
    "short class": ({"classes": [[0]]}, "a class has one cell for each column"),
    "no such cell": ({"classes": [[0, 999]]}, "a class has one cell for each column"),
    "no such number": ({"classes": [[0, 10**30]]}, "a class has one cell for each column"),
    "negative cell": ({"classes": [[-1, 0]]}, "a class has one cell for each column"),
    "radii": ({"radii": [1.0]}, "centres have a radius each"),
    "no cells": ({"columns": {"age": {}}}, "a column needs a level or cells"),
    "two of a kind": (
        {"columns": {"age": {"cells": [{"label": "a", "level": 1, "top": True}]}}},
        "a cell is a node at a level",
    ),
    "twice": ({"columns": {"age": {"cells": [{"label": "a"}, {"label": "a"}]}}}, "two cells have one label"),
}


@pytest.mark.parametrize("kind", WRONG)
def test_rules_that_are_not_as_they_should_be_are_refused(kind: str, tmp_path: Path) -> None:
    changes, words = WRONG[kind]
    first = released(records(2, 30), ["age", "kind"], algorithm="mondrian", k=3)
    (tmp_path / "rules.json").write_text(json.dumps(json.loads(first.rules().text()) | changes), encoding="utf-8")
    with pytest.raises(SpecError) as refused:
        Rules.read(tmp_path)
    assert words in str(refused.value)


def test_what_is_no_file_of_rules_is_refused(tmp_path: Path) -> None:
    for text, words in (("{", "not a JSON file"), ("[]", "contains no rules"), ('{"a": 1}', "contains no rules")):
        (tmp_path / "rules.json").write_text(text, encoding="utf-8")
        with pytest.raises(SpecError, match=words):
            Rules.read(tmp_path)
    with pytest.raises(SpecError, match="There are no rules at"):
        Rules.read(tmp_path / "nowhere")


def test_rules_with_another_request_are_refused(local: shoal.Release) -> None:
    content = json.loads(local.rules().text())
    content["request"]["columns"]["age"] = {"role": "insensitive"}
    with pytest.raises(SpecError, match="do not match the quasi columns"):
        shoal.apply(Rules.model_validate(content), pl.DataFrame(records(1)))


VALUES: dict[str, list[str]] = {
    "age": ["23", "38", "21"],
    "zip": ["220", "22030"],
    "day": ["2024-01-02", "2024-01-02T10:00"],
    "size": ["3", "50", "7"],
}
MORE: dict[str, list[str]] = {
    "age": ["23", "38", "21", "-5", "22.5", "x", "99"],
    "zip": ["220", "22030", "1", "123456"],
    "day": ["2024-01-02", "2024-03-02T10:00", "2023-05-05", "soon"],
    "size": ["3", "50", "7", "900", "x"],
}
STRANGE = {"age": ["-5", "22.5", "x"], "zip": ["123456"], "day": ["soon"], "size": ["x"]}


@pytest.mark.parametrize("name", VALUES)
def test_a_pinned_recipe_does_to_other_values_what_it_did(name: str) -> None:
    from shoal.jobs.job import Job

    columns = {name: {"role": "quasi", "hierarchy": RECIPES[name]}}
    require = [{"model": "k-anonymity", "k": 1}]
    job = Job.of({"input": {"path": "x"}, "columns": columns, "require": require}, Path())
    recipe = job.columns[name].hierarchy
    assert recipe is not None
    pinned = recipe.pinned(VALUES[name])
    first = recipe.build(VALUES[name], name)
    strange = [value for value, is_one in zip(MORE[name], pinned.strangers(MORE[name], name), strict=True) if is_one]
    assert strange == STRANGE[name]
    second = pinned.build([value for value in MORE[name] if value not in strange], name)
    if name != "size":  # the levels of ranges go by the values
        assert second.height == first.height
        for value in set(VALUES[name]) & set(MORE[name]):
            labels = [
                [hierarchy.labels[level][hierarchy.codes[level][hierarchy.values.index(value)]] for level in range(3)]
                for hierarchy in (first, second)
            ]
            assert labels[0] == labels[1]
    with pytest.raises(SpecError) as refused:
        pinned.build(MORE[name], name)
    assert not any(value in str(refused.value) for value in STRANGE[name] if len(value) > 1)
