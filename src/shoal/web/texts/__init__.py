"""Texts: all words of the app, by language; another language is one more file."""

import tomllib
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import Any

LANGUAGES = ("en", "de")
"""The languages, the first one by default; each is the name of a file."""

Translate = Callable[..., str]


@cache
def catalogue(language: str) -> dict[str, str]:
    """Return all texts of a language, by their keys: `section.name`."""
    content = tomllib.loads(files(__name__).joinpath(f"{language}.toml").read_text(encoding="utf-8"))
    return {f"{section}.{name}": text for section, texts in content.items() for name, text in texts.items()}


def translator(language: str) -> Translate:
    """Return what gives the text of a key, with its values filled in."""
    texts = catalogue(language)

    def translate(key: str, /, **values: Any) -> str:
        return texts[key].format(**values)

    return translate
