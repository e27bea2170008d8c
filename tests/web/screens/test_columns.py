"""The roles of columns, and the questions that are asked outright."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.web.browser import Reader, opened

TABLE = "\n".join(["patient,age,flat", *(f"{i // 2},{20 + i % 40},{i // 3}" for i in range(90)), ""])


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[Reader]:
    with opened(tmp_path, TABLE) as found:
        roles = {"patient": "identifier", "age": "quasi", "flat": "omitted"}
        columns = {name: {"role": role} for name, role in roles.items()}
        found.project.change(lambda job: {**job, "columns": columns}, "history.roles", columns="")
        yield found


def roles(browser: Reader) -> list[str]:
    return [column["role"] for column in browser.project.content["columns"].values()]


def test_whose_record_it_is_is_asked_outright(browser: Reader) -> None:
    assert "Whose records are they?" in browser.read("/columns")
    browser.send("/columns", entity="0", household="")
    assert roles(browser) == ["entity", "quasi", "omitted"]
    browser.send("/columns", entity="", household="2")
    assert roles(browser) == ["omitted", "quasi", "household"]
    before = browser.project.version
    browser.send("/columns", entity="", household="2")
    assert browser.project.version == before
    assert "one column has the role" in browser.send("/columns", 422, entity="0", household="2")
    assert browser.project.version == before


def test_an_identifier_may_leave_as_a_pseudonym(browser: Reader) -> None:
    browser.send("/columns", identifier="0", pseudonym="0")
    assert browser.project.content["columns"]["patient"] == {"role": "identifier", "pseudonym": True}
    assert "checked" in browser.read("/columns")
    browser.send("/columns", identifier="0")
    assert browser.project.content["columns"]["patient"] == {"role": "identifier"}
