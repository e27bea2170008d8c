"""The screen that shows what became of a table."""

from pathlib import Path

import pytest

from shoal.foundation.progress import silent
from shoal.web.screens.looking import attack_in_words
from shoal.web.texts import LANGUAGES, translator
from shoal.web.tries import LOOK
from shoal.web.work import looking
from tests.web.browser import Browser, tried_project


def test_the_newest_try_is_shown_with_all_there_is_to_see(tmp_path: Path) -> None:
    project = tried_project(tmp_path, {"k": 4}, {"k": 40})
    browser = Browser(tmp_path, project)
    shown = browser.get("/look")
    assert shown.status_code == 200
    assert len(shown.content) < 300_000
    assert 'id="verdict"' in shown.text
    assert "<mark>" in shown.text
    assert "Safe: all promises hold." in shown.text
    assert shown.text.count("<svg") >= 4
    assert "style=" not in shown.text
    other = browser.get("/look?number=1")
    assert 'value="1" selected' in other.text
    assert browser.get("/look?number=9").status_code == 422


def test_a_column_that_was_wiped_out_is_shown_in_red(tmp_path: Path) -> None:
    project = tried_project(tmp_path, {"k": 90})
    text = Browser(tmp_path, project).get("/look").text
    assert 'class="wiped"' in text
    assert "no information left" in text
    assert 'id="not-useful"' in text


def test_a_try_that_was_not_looked_at_is_made_again(tmp_path: Path) -> None:
    project = tried_project(tmp_path)
    file = project.folder / "tried" / "0001" / LOOK
    before = file.read_text()
    file.unlink()
    browser = Browser(tmp_path, project)
    assert "made without the data for this page" in browser.get("/look").text
    looking.work(folder=str(file.parent), progress=silent)
    assert file.read_text() == before
    assert file.stat().st_mode & 0o77 == 0


def test_a_release_in_regions_says_so(tmp_path: Path) -> None:
    project = tried_project(tmp_path)
    (project.folder / "tried" / "0001" / LOOK).write_text("{}")
    assert "made in regions" in Browser(tmp_path, project).get("/look").text


def test_reports_are_shown_as_pages_that_may_do_nothing(tmp_path: Path) -> None:
    browser = Browser(tmp_path, tried_project(tmp_path))
    for side in ("private", "public"):
        shown = browser.get(f"/look/1/report/{side}")
        assert shown.status_code == 200
        assert shown.headers["content-security-policy"].endswith("sandbox")
    for wrong in ("/look/1/report/job.toml", "/look/2/report/public", "/look/1/report/%2e%2e"):
        assert browser.get(wrong).status_code in (404, 405, 422)


def test_values_are_escaped(tmp_path: Path) -> None:
    project = tried_project(tmp_path)
    file = project.folder / "tried" / "0001" / LOOK
    file.write_text(file.read_text().replace('"gout"', '"<script>x</script>"'))
    text = Browser(tmp_path, project).get("/look").text
    assert "<script>x" not in text
    assert "&lt;script&gt;x" in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_attacks_find_is_said_in_every_language(language: str) -> None:
    t = translator(language)
    for name in ("homogeneity", "background-knowledge", "skewness", "similarity"):
        for by in ("range", "hierarchy"):
            finding = {"attack": name, "column": "a", "share": 0.5, "records": 7, "values": 1, "at": 0.2, "by": by}
            assert "7" in attack_in_words(finding, t)["words"]
            assert not attack_in_words({**finding, "records": 0}, t)["found"]


def test_all_languages_have_the_same_texts() -> None:
    from shoal.web.texts import catalogue

    first, *others = (catalogue(language) for language in LANGUAGES)
    for other in others:
        assert other.keys() == first.keys()
