"""Texts: all words of the app, by language; another language is one more file."""

import tomllib
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import Any

from shoal.foundation.errors import ShoalError, SpecError

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
        return texts[key].format(**{name: _written(value, texts) for name, value in values.items()})

    return translate


class TextError(SpecError):
    """What is wrong, in words of the catalogue: a page says it in its own language.

    Args:
        key: The key of the text.
        told: Its values.
    """

    def __init__(self, key: str, /, **told: Any) -> None:
        super().__init__(translator(LANGUAGES[0])(key, **told))
        self.key, self.told = key, told


def error_text(error: ShoalError, t: Translate) -> str:
    """Return what an error says; that of the library is in English."""
    return t(error.key, **error.told) if isinstance(error, TextError) else str(error)


def _written(value: Any, texts: dict[str, str]) -> Any:
    """Return a whole number in groups of three digits, as the language writes them."""
    is_count = isinstance(value, int) and not isinstance(value, bool)
    return f"{value:,}".replace(",", texts["app.thousands"]) if is_count else value
