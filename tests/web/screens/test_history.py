"""The screen of all that was done, with undo."""

from pathlib import Path

from shoal.web.settings import with_setting
from tests.web.browser import Browser, tried_project
from tests.web.tables import project_of


def test_every_change_can_be_undone_and_gone_back_to(tmp_path: Path) -> None:
    project = project_of(tmp_path)
    browser = Browser(tmp_path, project)
    first = project.content
    assert "Nothing has been changed yet." in browser.get("/history").text
    project.change(lambda content: with_setting(content, {"k": 7}), "history.roles", columns="<b>age</b>")
    project.change(lambda content: with_setting(content, {"k": 8}), "history.roles", columns="<b>age</b>")
    shown = browser.get("/history").text
    assert "Roles of &lt;b&gt;age" in shown
    second = project.job_file.read_bytes()
    assert browser.post("/history/2").status_code == 303
    assert project.content["require"][0]["k"] == 7
    assert "Went back to state 2" in browser.get("/history").text
    assert browser.post("/history/3").status_code == 303  # undoes the undo
    assert project.job_file.read_bytes() == second
    browser.post("/history/1")
    assert project.content == first
    assert browser.post("/history/99").status_code == 422
    assert browser.post("/history/1", version="0").status_code == 409


def test_a_change_of_another_version_is_told_by_its_key(tmp_path: Path) -> None:
    project = project_of(tmp_path)
    project.change(lambda content: with_setting(content, {"k": 6}), "history.of_the_future")
    assert "history.of_the_future" in Browser(tmp_path, project).get("/history").text


def test_many_changes_are_shown_page_by_page(tmp_path: Path) -> None:
    project = project_of(tmp_path)
    for number in range(60):
        project.remember("history.restored", number=number)
    browser = Browser(tmp_path, project)
    assert "Older changes" in browser.get("/history").text
    rest = browser.get("/history?first=50").text
    assert rest.count('class="what"') == 10
    assert "Newer changes" in rest


def test_all_that_was_tried_is_listed(tmp_path: Path) -> None:
    project = tried_project(tmp_path, {"k": 4}, {"k": 6, "omit": ["ward"]})
    text = Browser(tmp_path, project).get("/history").text
    assert "k = 6; without ward" in text
    assert text.count('href="/look?number=') == 2
    project.change(lambda content: with_setting(content, {"k": 9}), "history.roles", columns="x")
    assert "an earlier state" in Browser(tmp_path, project).get("/history").text
