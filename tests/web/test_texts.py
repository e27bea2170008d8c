"""All languages say the same things, all words of the pages are in the catalogue, and none is there for nothing."""

import re
from pathlib import Path
from string import Formatter

import pytest

import shoal.web
from shoal.web.texts import LANGUAGES, catalogue, translator

ROOM = Path(shoal.web.__file__).parent
ASKED = re.compile(r"""\bt(?:ranslator\([^()]*(?:\([^()]*\))?[^()]*\))?\(\s*["']([a-z_]+\.[a-z_]+)["']\s*[,)]""")
BUILT = re.compile(
    r"""\b(?:t|texts\.get)\(\s*"""
    r"""(?:["']([a-z_]+\.[a-z_]*)["']\s*~|f["']([a-z_]+\.[a-z_]*)\{|[a-z.]+ ~ ["'](\.[a-z_]+)["'])"""
)
QUOTED = re.compile(r"""["']([a-z_]+\.[a-z_]+)["']""")
SAME = {"app.language_en", "app.language_de"}
"""What is the same in all languages."""

FIRST, *OTHERS = LANGUAGES


def _placeholders(text: str) -> set[str | None]:
    return {field for _, field, _, _ in Formatter().parse(text) if field is not None}


@pytest.mark.parametrize("language", OTHERS)
def test_every_language_has_the_same_keys_and_placeholders(language: str) -> None:
    ours, theirs = catalogue(FIRST), catalogue(language)
    assert list(theirs) == list(ours)  # in the same order, to be read side by side
    assert {key: _placeholders(text) for key, text in theirs.items()} == {
        key: _placeholders(text) for key, text in ours.items()
    }


@pytest.mark.parametrize("language", OTHERS)
def test_every_text_is_translated(language: str) -> None:
    """A sentence that is the same in two languages was forgotten; a single word may be."""
    ours, theirs = catalogue(FIRST), catalogue(language)
    same = {key for key, text in theirs.items() if text == ours[key] and len(text.split()) > 2}
    assert same - SAME == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_texts_are_plain(language: str) -> None:
    for key, text in catalogue(language).items():
        assert text.strip() == text, key
        assert text, key
        assert "<" not in text, key  # pages escape it


def _sources() -> str:
    pages = [path.read_text(encoding="utf-8") for path in sorted((ROOM / "pages").rglob("*.html"))]
    files = [path.read_text(encoding="utf-8") for path in sorted(ROOM.rglob("*.py"))]
    return "\n".join([*pages, *files])


def test_every_word_that_is_asked_for_is_there() -> None:
    asked = set(ASKED.findall(_sources()))
    assert len(asked) > 40
    assert asked - set(catalogue(FIRST)) == set()


def test_no_text_is_there_for_nothing() -> None:
    sources = _sources()
    asked = set(QUOTED.findall(sources))
    parts = [one for found in BUILT.findall(sources) for one in found if one]
    unused = {
        key
        for key in set(catalogue(FIRST)) - asked
        if not any(key.startswith(part) or (part.startswith(".") and key.endswith(part)) for part in parts)
    }
    assert unused == set()


def test_a_text_is_filled_in() -> None:
    assert translator("de")("open.size", records=5, columns=2) == "5 Datensätze, 2 Spalten"
