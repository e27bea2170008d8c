"""Keeping a project, quitting, the language."""

import shutil
from pathlib import Path

from shoal.web.projects import Project
from tests.web.browser import Browser
from tests.web.tables import project_of


def _unsaved(root: Path) -> Browser:
    made = project_of(root)
    browser = Browser(root, None)
    shutil.copytree(made.folder, browser.session.workspace.folder, dirs_exist_ok=True)
    browser.session.project = Project(browser.session.workspace.folder)
    return browser


def test_quitting_asks_what_would_be_lost(tmp_path: Path) -> None:
    browser = _unsaved(tmp_path)
    ended: list[bool] = []
    browser.session.quit = lambda: ended.append(True)
    assert browser.post("/quit").headers["location"] == "/quit"
    asked = browser.get("/quit").text
    assert 'id="keep-now"' in asked
    assert 'value="table-release"' in asked
    assert not ended
    assert "shoal has stopped" in browser.post("/quit", sure="1").text
    assert ended


def test_a_project_is_kept_and_then_quit_at_once(tmp_path: Path) -> None:
    browser = _unsaved(tmp_path)
    ended: list[bool] = []
    browser.session.quit = lambda: ended.append(True)
    answer = browser.post("/keep", name="mine", quit="1")
    assert answer.headers["location"] == "/quit"
    assert (tmp_path / "mine" / "job.toml").is_file()
    assert (tmp_path / "mine").stat().st_mode & 0o77 == 0
    assert str(tmp_path / "mine") in browser.get("/quit").text
    browser.post("/quit")
    assert ended
    browser.session.workspace.close()
    assert (tmp_path / "mine" / "job.toml").is_file()


def test_a_name_that_is_taken_or_leads_elsewhere_is_refused(tmp_path: Path) -> None:
    browser = _unsaved(tmp_path)
    for name in ("project", "table.csv", "../x", ".x", "", "a/b"):
        assert browser.post("/keep", name=name).status_code == 422
    assert browser.led(browser.post("/keep", name="mine")).status_code == 200
    assert browser.post("/keep", name="other").status_code == 422


def test_german_pages_have_german_words(tmp_path: Path) -> None:
    browser = _unsaved(tmp_path)
    assert browser.post("/language", language="de", back="/history").headers["location"] == "/history"
    text = browser.get("/history").text
    assert '<html lang="de">' in text
    assert "Was bisher geschah" in text
