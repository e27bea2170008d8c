"""The editor of hierarchies: everything by plain forms, written as the files that the command line reads."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from shoal.actions.anonymize import run
from shoal.web.trees import FOUND, MOST
from tests.web.browser import Reader, opened

ILL = ["flu", "cold", "ulcer", "gastritis"]
TABLE = "\n".join(["age,illness,town", *(f"{20 + i % 40},{ILL[i % 4]},town {i % 5}" for i in range(80)), ""])
ROLES = {"age": "quasi", "illness": "quasi", "town": "insensitive"}


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[Reader]:
    with opened(tmp_path, TABLE) as found:
        columns = {name: {"role": role} for name, role in ROLES.items()}
        promises = [{"model": "k-anonymity", "k": 3}]
        found.project.change(lambda job: {**job, "columns": columns, "require": promises}, "history.roles", columns="")
        yield found


def test_values_are_put_together_named_anew_and_taken_out(browser: Reader) -> None:
    assert "illness" in browser.read("/words")
    nodes = [browser.key("/words/1", value) for value in ("flu", "cold")]
    assert "lungs" in browser.send("/words/1", do="group", node=nodes, name="lungs")
    assert browser.project.content["columns"]["illness"]["hierarchy"] == {
        "type": "levels",
        "path": "hierarchies/illness.csv",
    }
    group = browser.key("/words/1", "lungs")
    page = browser.send("/words/1", do="rename", node=[group], name="chest <b>")
    assert "chest <b>" in page
    assert "values: 2 · records: 40" in page
    browser.send("/words/1", do="out", node=[browser.key("/words/1", "flu")])
    rows = (browser.project.folder / "hierarchies" / "illness.csv").read_text().splitlines()
    assert sorted(rows)[0].startswith("cold;")
    assert [change.what[0] for change in browser.project.history[-3:]] == ["history.hierarchy"] * 3


def test_what_is_dropped_on_a_group_moves_there_and_the_job_runs(browser: Reader) -> None:
    browser.send("/words/1", do="make", type="suppression")
    nodes = [browser.key("/words/1", value) for value in ("flu", "cold")]
    browser.send("/words/1", do="group", node=nodes, name="lungs")
    dragged, onto = browser.key("/words/1", "ulcer"), browser.key("/words/1", "lungs")
    browser.send("/words/1", do="move", node=[dragged], onto=onto)
    text = (browser.project.folder / "hierarchies" / "illness.csv").read_text()
    assert sorted(text.splitlines()) == sorted(
        ["flu;lungs;*", "cold;lungs;*", "ulcer;lungs;*", "gastritis;gastritis;*"]
    )
    assert len(run(browser.project.job).data) == 80


def test_levels_come_and_go(browser: Reader) -> None:
    browser.send("/words/1", do="make", type="suppression")
    browser.send("/words/1", do="add:0")
    file = browser.project.folder / "hierarchies" / "illness.csv"
    assert "flu;flu;*" in file.read_text()
    browser.send("/words/1", do="remove:1")
    assert "flu;*" in file.read_text().splitlines()


def test_numbers_are_cut_by_cut_points_or_widths_and_stay_a_recipe(browser: Reader) -> None:
    browser.send("/words/0", do="make", type="intervals", cuts="25 30 45\n30", widths="")
    recipe = browser.project.content["columns"]["age"]["hierarchy"]
    assert recipe == {"type": "intervals", "cuts": [[25, 30, 45], [30]]}
    assert "30-44" in browser.read("/words/0")
    browser.send("/words/0", do="make", type="intervals", cuts="", widths="5, 10")
    assert browser.project.content["columns"]["age"]["hierarchy"] == {"type": "intervals", "widths": [5, 10]}
    before = browser.project.version
    assert "cut points as numbers" in browser.send("/words/0", 422, do="make", type="intervals", cuts="old")
    assert browser.project.version == before


def test_a_mistake_is_told_on_the_same_page_and_changes_nothing(browser: Reader) -> None:
    before = browser.project.version
    assert "at least one" in browser.send("/words/1", 422, do="group", name="x")
    assert "not possible in a hierarchy" in browser.send("/words/1", 422, do="burn")
    assert "no such column" in browser.read("/words/9", 422)
    assert browser.project.version == before
    browser.send("/words/1", 409, version="old", do="keep")


def test_values_without_a_place_are_named_and_get_one(browser: Reader) -> None:
    browser.send("/words/1/take", files={"file": ("l.csv", b"Flu;*\ncold;*\nulcer;*\n")}, kind="levels")
    page = browser.read("/words/1")
    assert "2 values" in page
    assert "gastritis" in page
    assert "did you mean Flu" in page
    assert "2 values" in browser.read("/words")
    browser.send("/words/1", do="complete")
    assert "lacking" not in browser.read("/words/1")


def test_a_file_comes_in_and_goes_out(browser: Reader) -> None:
    browser.send("/words/1/take", files={"file": ("../g.csv", b"flu;lungs\ncold;lungs\n")}, kind="groups")
    assert "flu;lungs;*" in browser.read("/words/1/levels.csv")
    wrong = browser.send("/words/1/take", 422, files={"file": ("l.csv", b"a;b;*\na;c;*\n")}, kind="levels")
    assert "/levels.csv" not in wrong.split('role="alert">')[1].split("</p>")[0]
    assert "flu;lungs;*" in browser.read("/words/1/levels.csv")


def test_a_column_of_ten_thousand_values_stays_small_and_is_searched(tmp_path: Path) -> None:
    names = [f"{'ä' * 90}<&> place number {i}" for i in range(10_000)]
    with opened(tmp_path, "\n".join(["place", *names, *names[:3], ""])) as browser:
        job = {"columns": {"place": {"role": "quasi", "hierarchy": {"type": "suppression"}}}}
        browser.project.change(lambda content: {**content, **job}, "history.roles", columns="place")
        answer = browser.get("/words/0")
        assert len(answer.content) < 300_000
        assert answer.text.count('name="node"') <= MOST + 1
        found = browser.send("/words/0/search", search="NUMBER 98")
        assert found.count('name="node"') == FOUND
        assert "Found: 111" in found
        assert "place number 9999" in browser.send("/words/0/search", search="number 9999")
        assert "place number 9999" in browser.read("/words/0?at=1-0&first=9960")
        assert len(browser.get("/words/0?at=1-0&first=9960").content) < 300_000


def test_a_project_without_counts_offers_to_count(browser: Reader) -> None:
    (browser.project.folder / "columns.json").unlink()
    (browser.project.folder / "values" / "0001.json").unlink()
    assert 'id="count"' in browser.read("/words")
    assert 'id="tree"' not in browser.read("/words/1")
    assert "not been counted" in browser.send("/words/1", 422, do="group", name="x")


def test_all_of_it_is_there_in_german(browser: Reader) -> None:
    browser.session.language = "de"
    assert "Gröbere Wörter für age" in browser.read("/words/0")
    assert "verschiedene Werte" in browser.read("/words")


def test_all_values_together_are_the_top_already(browser: Reader) -> None:
    nodes = [browser.key("/words/1", value) for value in ILL]
    page = browser.send("/words/1", 422, do="group", node=nodes, name="all")
    assert "Together they would mean the same as the top level: *" in page
    assert 'value="all"' in page  # what was typed stays
    browser.send("/words/1", do="group", node=nodes[:3], name="some")
    nodes = [browser.key("/words/1", "some"), browser.key("/words/1", ILL[3])]
    assert "Together they would" in browser.send("/words/1", 422, do="group", node=nodes, name="all")
