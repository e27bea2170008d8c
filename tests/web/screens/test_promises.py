from pathlib import Path
from typing import Any

import pytest

from shoal.models import MODELS
from shoal.web.promise_forms import fields_of, first_of
from shoal.web.texts import LANGUAGES, catalogue
from tests.web.browser import Walker
from tests.web.tables import project_of

AS_IT_IS = {"p0-model": "k-anonymity", "p0-was": "0", "p1-model": "distinct-l-diversity", "p1-was": "1",
            "p1-column": "illness", "p1-others": "ignored"}  # fmt: skip


def asked(**changes: Any) -> dict[str, Any]:
    return {**AS_IT_IS, "p0-k": "3", "p1-l": "2", **{key.replace("_", "-", 1): one for key, one in changes.items()}}


@pytest.fixture
def browser(tmp_path: Path) -> Walker:
    return Walker(tmp_path, project_of(tmp_path))


def test_promises_are_saved(browser: Walker) -> None:
    before = browser.project.content["require"]
    assert 'id="p0-k"' in browser.get("/promises").text
    browser.post("/promises", **asked())
    assert browser.project.content["require"] == before
    assert not browser.project.history
    browser.post("/promises", **asked(p0_k="7"))
    assert browser.project.content["require"] == [{**before[0], "k": 7}, before[1]]
    assert browser.project.history[0].what[0] == "history.promises"
    browser.post("/promises", **asked(p0_k="7"), preset="public")
    assert browser.project.content["require"][0]["k"] == 12
    browser.post("/promises", **asked(), remove="1")
    assert [one["model"] for one in browser.project.content["require"]] == ["k-anonymity"]


def test_the_library_tells_beside_the_field_what_is_wrong(browser: Walker) -> None:
    for fields, place, words in (
        ({"p0_k": "0"}, "p0-k", "greater than or equal to 1"),
        ({"p0_k": "five"}, "p0-k", "valid integer"),
        ({"p0_k": ""}, "p0-k", "is missing"),
        ({"p1_l": "2.5"}, "p1-l", "integer"),
    ):
        told = browser.post("/promises/check", **asked(**fields))
        assert f'data-for="m-{place}"' in told.text
        assert words in told.text
        page = browser.post("/promises", **asked(**fields))
        assert page.status_code == 422
        assert words in page.text.partition(f'id="m-{place}"')[2].partition("</span>")[0]
    assert not browser.project.history
    assert "data-for" not in browser.post("/promises/check", **asked(p0_k="4")).text


def test_another_tab_is_not_written_over(browser: Walker) -> None:
    assert browser.post("/promises", **asked(p0_k="9"), version="old").status_code == 409
    assert not browser.project.history


@pytest.mark.parametrize("model", MODELS.own)
def test_every_model_has_a_form_and_words_in_every_language(browser: Walker, model: str) -> None:
    for language in LANGUAGES:
        texts = catalogue(language)
        assert {f"promises.{model}", f"promises.usual_{model}"} <= set(texts)
        for field in fields_of(model):
            assert f"promises.field_{field.name}" in texts
            assert {f"promises.option_{one}" for one in field.choices} <= set(texts)
    answer = browser.post("/promises", **asked(), add="1", new_model=model)
    files = [field.name for field in fields_of(model) if field.kind == "file" and field.needed]
    if files:
        assert answer.status_code == 422
        assert "is missing" in answer.text
    elif model != "k-anonymity":
        assert answer.status_code == 200
        assert browser.project.job.require[-1].name == model
        assert browser.project.content["require"][-1] == first_of(model, ["illness"])


def test_a_file_of_a_promise_lies_under_the_folder(browser: Walker) -> None:
    more = {"p2-model": "k-map", "p2-k": "3"}
    refused = browser.post("/promises", **asked(), **more, **{"p2-population": "../elsewhere.csv"})
    assert refused.status_code == 422
    assert "Only files in the folder" in refused.text
    browser.post("/promises", **asked(), **more, **{"p2-population": "table.csv"})
    assert browser.project.content["require"][2]["population"] == "../table.csv"
    assert 'value="table.csv"' in browser.get("/promises").text
