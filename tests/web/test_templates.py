"""What the policy forbids is not in the pages: scripts and styles within them, or from elsewhere."""

import re
from pathlib import Path

import pytest

import shoal.web

ROOM = Path(shoal.web.__file__).parent
PAGES = sorted((ROOM / "pages").rglob("*.html"))
FILES = [*PAGES, *sorted((ROOM / "static").iterdir())]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_pages_hold_no_script_style_or_handler(path: Path) -> None:
    text = re.sub(r"\{[{%].*?[}%]\}", "", path.read_text(encoding="utf-8"))
    assert re.findall(r"\sstyle\s*=|\son[a-z]+\s*=|<style|javascript:", text) == []
    assert re.findall(r"\|\s*safe\b|autoescape", path.read_text(encoding="utf-8")) == []
    assert all(" src=" in tag for tag in re.findall(r"<script[^>]*>", text))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_nothing_is_fetched_from_elsewhere(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    found = [one for one in re.findall(r"(?:https?:)?//[\w.-]+\.[a-z]{2,}[^\s\"')]*", text) if "www.w3.org/" not in one]
    assert found == []


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_every_form_that_is_sent_has_the_form_token(path: Path) -> None:
    for tag in re.findall(r"<form[^>]*method=\"post\"[^>]*>", path.read_text(encoding="utf-8"), re.IGNORECASE):
        assert 'action="{{ action(' in tag


def test_the_script_is_short() -> None:
    assert sum(len(path.read_text(encoding="utf-8").splitlines()) for path in (ROOM / "static").glob("*.js")) <= 400
