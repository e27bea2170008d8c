from pathlib import Path

import pytest

from shoal.web.tries import tried
from tests.web.browser import Walker
from tests.web.tables import project_of


@pytest.fixture
def browser(tmp_path: Path) -> Walker:
    return Walker(tmp_path, project_of(tmp_path))


def test_several_k_are_tried_and_stand_side_by_side(browser: Walker) -> None:
    assert "tried" not in browser.get("/try").text.partition("<main")[2].partition("</form>")[2]
    answer = browser.post("/try", k="3, 6", max_suppressed="2", algorithm="mondrian", measure="lm")
    assert answer.status_code == 200
    assert [one["setting"] for one in tried(browser.project).values()] == [{}, {"k": 6}]
    assert '<a href="/try/1" aria-label=' in answer.text
    assert 'id="try-2"' in answer.text
    assert 'role="group"' in answer.text
    page = browser.get("/try/compare?of=1&of=2").text
    assert page.count("better</span>") >= 2
    assert browser.get("/try/2").text.count("<h1>Setting 2: k = 6</h1>") == 1
    assert browser.get("/try/9").status_code == 404
    assert browser.get("/try/compare?of=1").status_code == 422


def test_what_is_wrong_is_told_and_what_was_entered_stays(browser: Walker) -> None:
    for fields, words in (
        ({"k": "five"}, "k must be a whole number"),
        ({"k": "0"}, "greater than or equal to 1"),
        ({"max_suppressed": "101"}, "from 0 to 100"),
        ({"omit": ["age", "sex", "ward"]}, "no column has the role"),
        ({"k": " ".join(map(str, range(2, 20)))}, "At most 12"),
    ):
        answer = browser.post("/try", **fields)
        assert answer.status_code == 422
        assert words in answer.text
    assert not tried(browser.project)
    assert 'value="five"' in browser.post("/try", k="five").text


def test_a_setting_that_no_release_meets_is_shown_with_its_reason(browser: Walker) -> None:
    page = browser.post("/try", k="201").text
    assert "What no release can keep" in page
    assert not tried(browser.project)


def test_a_setting_is_taken_over(browser: Walker) -> None:
    browser.post("/try", k="6", omit=["ward"], max_suppressed="0")
    assert browser.post("/try/1/take", version="of another tab").status_code == 409
    browser.post("/try/1/take")
    assert browser.project.job.require[0].parameters["k"] == 6
    assert browser.project.content["columns"]["ward"] == {"role": "omitted"}
    assert browser.project.history[0].what == ("history.took", {"number": 1})
    assert "an earlier state" in browser.get("/try").text
    assert browser.post("/try/1/take").status_code == 422


def test_the_change_that_loses_less_is_one_form(browser: Walker) -> None:
    browser.post("/try", k="6")
    page = browser.get("/try/1").text
    assert "Changes that would lose less" in page
    assert 'name="omit" value="age"' in page


def test_german(browser: Walker) -> None:
    browser.session.language = "de"
    page = browser.post("/try", k="3,4").text
    assert "Was ausprobiert wurde" in page
    assert browser.get("/try/compare?of=1&of=2").status_code == 200
