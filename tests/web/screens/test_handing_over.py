"""The screen on which a release is signed and handed over."""

import io
import json
from pathlib import Path
from zipfile import ZipFile

import pytest

import shoal
from tests.web.browser import Browser, tried_project


def test_all_parts_are_there(tmp_path: Path) -> None:
    text = Browser(tmp_path, tried_project(tmp_path)).get("/hand-over").text
    for part in ("context", "certificate", "verify", "halves", "sign", "copy", "repeat"):
        assert f'id="{part}"' in text
    for key in ("dataset", "release_model", "review", "date"):
        assert f'name="{key}"' in text
    assert "project/tried/0001/job.toml" in text
    assert "distinct-l-diversity" in text
    assert "style=" not in text


def test_a_release_is_verified_and_packed_into_two_halves(tmp_path: Path) -> None:
    browser = Browser(tmp_path, tried_project(tmp_path))
    assert browser.get("/hand-over/1/download/public").status_code == 422
    shown = browser.led(browser.post("/hand-over/1/verify"))
    assert 'id="verified"' in shown.text
    assert "All promises hold." in shown.text
    halves = {side: browser.get(f"/hand-over/1/download/{side}") for side in ("public", "private")}
    names = {side: ZipFile(io.BytesIO(answer.content)).namelist() for side, answer in halves.items()}
    assert "public/data.csv" in names["public"]
    assert "private/job.toml" in names["private"]
    assert not [name for name in names["public"] if "private" in name or "job" in name]
    ZipFile(io.BytesIO(halves["public"].content)).extractall(tmp_path / "got")
    assert shoal.verify(tmp_path / "got" / "public").public
    again = browser.led(browser.post("/hand-over/1/verify"))
    assert again.status_code == 200
    assert browser.get("/hand-over/1/download/public").content == halves["public"].content
    assert browser.get("/hand-over/1/download/job.toml").status_code == 422


def test_a_release_that_was_changed_is_not_handed_over(tmp_path: Path) -> None:
    project = tried_project(tmp_path)
    data = project.folder / "tried" / "0001" / "release" / "public" / "data.csv"
    data.write_text(data.read_text().replace("gout", "cold", 1))
    browser = Browser(tmp_path, project)
    shown = browser.led(browser.post("/hand-over/1/copy", target="out", half="whole"))
    assert 'role="alert"' in shown.text
    assert not (tmp_path / "out").exists()
    browser.post("/hand-over/1/verify")
    assert 'id="verified"' not in browser.get("/hand-over").text


@pytest.mark.parametrize("half", ["public", "whole"])
def test_a_release_is_copied_and_verified_there(tmp_path: Path, half: str) -> None:
    browser = Browser(tmp_path, tried_project(tmp_path))
    shown = browser.led(browser.post("/hand-over/1/copy", target="out", half=half))
    assert "copied and verified" in shown.text
    assert shoal.verify(tmp_path / "out").public == (half == "public")
    assert (tmp_path / "out" / "private").exists() == (half == "whole")
    if half == "whole":
        assert (tmp_path / "out" / "private" / "job.toml").stat().st_mode & 0o77 == 0


@pytest.mark.parametrize("target", ["", "table.csv", "../out", "/elsewhere/out", "no/such", ".hidden", "link/out"])
def test_a_copy_goes_only_to_a_new_folder_under_the_start(tmp_path: Path, target: str) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "other")
    browser = Browser(tmp_path, tried_project(tmp_path))
    before = sorted(tmp_path.rglob("*"))
    assert browser.post("/hand-over/1/copy", target=target, half="public").status_code == 422
    assert sorted(tmp_path.rglob("*")) == before


def test_answers_go_into_the_job_and_the_same_records_are_released_again(tmp_path: Path) -> None:
    project = tried_project(tmp_path, {"k": 4})
    browser = Browser(tmp_path, project)
    given = {"dataset": "Patients", "release_model": "contract", "review": "2030-01-31", "threats": ""}
    shown = browser.led(browser.post("/hand-over/1/context", **given))
    assert shown.status_code == 200
    assert project.content["context"] == {key: value for key, value in given.items() if value}
    first, second = (project.folder / "tried" / number / "release" for number in ("0001", "0002"))
    assert (first / "public" / "data.csv").read_bytes() == (second / "public" / "data.csv").read_bytes()
    assert "Patients" in (second / "public" / "report-public.html").read_text()
    assert 'value="2" selected' in shown.text
    assert project.history[-1].what[0] == "history.context"
    assert browser.post("/hand-over/2/context", **given).headers["location"] == "/hand-over?number=2"
    assert browser.post("/hand-over/1/context", dataset="X").status_code == 422  # of an earlier job
    assert browser.post("/hand-over/2/context", review="soon").status_code == 422
    assert browser.post("/hand-over/2/context", version="0", dataset="X").status_code == 409


def test_a_release_is_signed_with_a_new_key_and_with_an_old_one(tmp_path: Path) -> None:
    pytest.importorskip("cryptography")
    project = tried_project(tmp_path)
    browser = Browser(tmp_path, project)
    shown = browser.led(browser.post("/hand-over/1/sign", key="steward.key", new="1", name=""))
    assert ".sig" in shown.text
    assert (tmp_path / "steward.key").stat().st_mode & 0o77 == 0
    browser.post("/hand-over/1/sign", key="steward.key", name="officer")
    (public,) = [path for path in tmp_path.glob("steward*") if path.name != "steward.key"]
    release = project.folder / "tried" / "0001" / "release"
    assert shoal.verify(release, keys=[public]).verdict == "all claims hold"
    assert any("officer" in path.name for path in release.rglob("*.sig"))
    assert browser.post("/hand-over/1/sign", key="steward.key", new="1").status_code == 422
    assert browser.post("/hand-over/1/sign", key="no.key").status_code == 422


def test_the_job_repeats_the_release(tmp_path: Path) -> None:
    project = tried_project(tmp_path)
    browser = Browser(tmp_path, project)
    job = browser.get("/hand-over/1/job")
    assert job.text == (project.folder / "tried" / "0001" / "job.toml").read_text()
    assert "attachment" in job.headers["content-disposition"]
    again = shoal.run(shoal.Job.read(project.folder / "tried" / "0001" / "job.toml"))
    again.write(tmp_path / "again")
    first = project.folder / "tried" / "0001" / "release" / "public" / "data.csv"
    assert (tmp_path / "again" / "public" / "data.csv").read_bytes() == first.read_bytes()


def test_what_is_kept_beside_a_try_holds_no_value(tmp_path: Path) -> None:
    project = tried_project(tmp_path)
    browser = Browser(tmp_path, project)
    browser.post("/hand-over/1/verify")
    browser.post("/hand-over/1/copy", target="out", half="public")
    for name in ("verified.json", "handed.json"):
        file = project.folder / "tried" / "0001" / name
        assert json.loads(file.read_text())
        assert "gout" not in file.read_text()
