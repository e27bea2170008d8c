"""The screen on which the next table is released."""

from pathlib import Path

import pytest

import shoal
from shoal.web.projects import Project
from tests.web.browser import Browser, tried_project

NO_FILE = {"file": ("", b"")}
"""What a browser sends when no file was chosen."""


def _browser(root: Path) -> tuple[Browser, Project]:
    project = tried_project(root, search={"max_suppressed": 0, "algorithm": "optimal"})
    return Browser(root, project), project


def _next_table(root: Path) -> Path:
    lines = (root / "table.csv").read_text().splitlines()
    path = root / "next.csv"
    path.write_text("\n".join([*lines, *lines[1:40], ""]))
    return path


def test_rules_are_put_to_a_file_of_the_folder(tmp_path: Path) -> None:
    browser, project = _browser(tmp_path)
    _next_table(tmp_path)
    shown = browser.led(browser.upload("/next-time/apply", NO_FILE, number="1", path="next.csv", failing="refuse"))
    assert 'id="compared"' in shown.text
    assert ">239<" in shown.text
    made = project.folder / "applied" / "0001"
    assert shoal.verify(made / "release").verdict == "all claims hold"
    assert made.stat().st_mode & 0o77 == 0
    assert browser.get("/look?number=r1").status_code == 200
    over = browser.get("/hand-over?number=r1")
    assert 'shoal apply "project/tried/0001/release" "next.csv" --seed' in over.text.replace("&#34;", '"')
    assert 'id="context"' not in over.text
    copied = browser.led(browser.post("/hand-over/r1/copy", target="out", half="whole"))
    assert "copied and verified" in copied.text
    browser.upload("/next-time/apply", NO_FILE, number="1", path="next.csv", failing="suppress")
    assert (project.folder / "applied" / "0002").is_dir()


def test_rules_are_put_to_an_uploaded_file(tmp_path: Path) -> None:
    browser, _ = _browser(tmp_path)
    sent = {"file": ("march.csv", _next_table(tmp_path).read_bytes())}
    shown = browser.led(browser.upload("/next-time/apply", sent, number="1", failing="refuse"))
    assert 'id="compared"' in shown.text
    for name in ("../march.csv", ".march.csv", "a/b.csv"):
        sent = {"file": (name, b"a,b\n")}
        assert browser.upload("/next-time/apply", sent, number="1", failing="refuse").status_code == 422


def test_what_the_rules_do_not_cover_refuses_the_table(tmp_path: Path) -> None:
    browser, project = _browser(tmp_path)
    (tmp_path / "next.csv").write_text("age,sex,ward,illness\n33,m,1,flu\n")
    shown = browser.led(browser.upload("/next-time/apply", NO_FILE, number="1", path="next.csv", failing="refuse"))
    assert 'role="alert"' in shown.text
    assert not list((project.folder / "applied").glob("*"))


@pytest.mark.parametrize(
    "fields",
    [
        {"number": "2", "path": "table.csv", "failing": "refuse"},
        {"number": "1", "path": "table.csv", "failing": "ignore"},
        {"number": "1", "path": "", "failing": "refuse"},
        {"number": "1", "path": "../x.csv", "failing": "refuse"},
    ],
)
def test_a_wrong_request_is_refused(tmp_path: Path, fields: dict[str, str]) -> None:
    assert _browser(tmp_path)[0].upload("/next-time/apply", NO_FILE, **fields).status_code == 422


def test_the_same_job_takes_the_next_table(tmp_path: Path) -> None:
    browser, project = _browser(tmp_path)
    _next_table(tmp_path)
    before = project.content
    answer = browser.post("/next-time/table", path="next.csv")
    assert answer.headers["location"].startswith("/tasks/")
    assert project.content == {**before, "input": {"path": "../next.csv"}}
    assert project.columns["records"] == 239
    assert project.history[-1].what[0] == "history.table"
    assert (project.folder / "tried" / "0001").is_dir()
    assert browser.post("/next-time/table", path="").status_code == 422
    assert browser.post("/next-time/table", path="next.csv", version="0").status_code == 409


def test_without_a_try_there_are_no_rules(tmp_path: Path) -> None:
    from tests.web.tables import project_of

    text = Browser(tmp_path, project_of(tmp_path)).get("/next-time").text
    assert 'id="same-now"' in text
    assert 'id="apply-now"' not in text
