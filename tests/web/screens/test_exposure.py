import json
from pathlib import Path

import polars as pl
import pytest

from tests.web.browser import Walker
from tests.web.tables import project_of


@pytest.fixture
def browser(tmp_path: Path) -> Walker:
    return Walker(tmp_path, project_of(tmp_path))


def test_the_risks_are_those_of_the_table_and_are_measured_once(browser: Walker, tmp_path: Path) -> None:
    page = browser.get("/exposure").text
    table = pl.read_csv(tmp_path / "table.csv")
    sizes = table.group_by("age", "sex", "ward").len()["len"]
    alone = int((sizes == 1).sum())
    assert f"{alone} of 200 records can be singled out" in page
    kept = json.loads((browser.project.folder / "exposure.json").read_text())
    assert kept["curve"]["3"] == pytest.approx(sizes.filter(sizes < 3).sum() / 200)
    assert browser.get("/exposure").text == page
    assert browser.session.tasks.get(2) is None
    browser.session.language = "de"
    assert f"{alone} von 200 Datensätzen lassen sich herausgreifen" in browser.get("/exposure").text


def test_it_is_measured_again_if_the_roles_change(browser: Walker) -> None:
    browser.get("/exposure")
    browser.project.change(
        lambda content: {**content, "columns": content["columns"] | {"ward": {"role": "insensitive"}}},
        "history.roles",
        columns="ward",
    )
    assert "ward" not in browser.get("/exposure").text.partition("<table")[2]


def test_what_somebody_finds_who_looks_for_a_person(browser: Walker, tmp_path: Path) -> None:
    table = pl.read_csv(tmp_path / "table.csv")
    one = table.filter(pl.len().over("age", "sex", "ward") == 1).row(0, named=True)
    answer = browser.post("/exposure/find", **{"known-0": one["age"], "known-1": one["sex"], "known-2": one["ward"]})
    assert "One record matches" in answer.text
    assert f"certainly <q>{one['illness']}</q>" in answer.text
    assert "?" not in str(answer.url)
    n = table.filter(pl.col("sex") == "m").height
    assert f"{n} records match" in browser.post("/exposure/find", **{"known-1": "m"}).text
    assert "No record matches" in browser.post("/exposure/find", **{"known-0": "<b>x</b>"}).text
    assert "<b>x</b>" not in browser.post("/exposure/find", **{"known-0": "<b>x</b>"}).text
    assert browser.post("/exposure/find").status_code == 422
    kept = [path.read_text() for path in browser.project.folder.rglob("*.json")]
    assert not any("known" in text for text in kept)
