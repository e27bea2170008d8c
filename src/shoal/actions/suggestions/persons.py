"""Persons: whether the values of a column name people, by lists of names and by their form.

The lists in `names/` are of given and family names from many countries, in their own scripts and in Latin letters. What
is a name of other things too (`ordinary.txt`) or of a place (`places.txt`) speaks for neither.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import chain

from shoal.actions.suggestions.naming import words_of

_LISTS = ("english", "german", "romance", "northern", "slavic", "world", "scripts")
_FORM = re.compile(r"[^\W\d_][^\d_@/\\:;!?%&+=<>#*|]*")
_LONGEST, _WORDS = 90, 9
_SHORT = 6  # letters; the ending of a longer word may tell that it is a family name
_HAN = re.compile(r"[\u4e00-\u9fff\u3005]{2,5}|[\uac00-\ud7a3]{2,4}")
_FEW, _SOME = 5, 20  # numbers of different values; the fewer there are, the more of them must be known
_SHARES = {_FEW: 0.9, _SOME: 0.5}
_MANY = 0.3
_MANY_ELSEWHERE = 0.15  # in other scripts than Latin, of which the lists know fewer names and other words are no names
_LATIN = "\u036f"  # the last sign of Latin and its accents


@dataclass(frozen=True, slots=True)
class NamesFound:
    """What the values of a column say of whether they are names of persons.

    Args:
        likely: Whether they are.
        few: Whether there are so few different values that it may be chance.
        known: The share of the values that hold a known name, or a title.
        places: The share of the values that hold the name of a place.
    """

    likely: bool
    few: bool
    known: float
    places: float


def persons_among(values: Sequence[str], hinted: bool = False) -> NamesFound:
    """Look at the different values of a column.

    Args:
        values: The values.
        hinted: Whether the name of the column, or of another one beside it, says that they are names.
    """
    formed = [value.strip() for value in values if _formed(value.strip())]
    if len(values) < 2 or len(formed) < 0.9 * len(values) or not _capital(formed):
        return NamesFound(False, len(values) < _FEW, 0.0, 0.0)
    marks = [_mark(value) for value in formed]
    known = marks.count("name") / max(len(formed) - marks.count("unclear"), 1)
    places = marks.count("place") / len(formed)
    many = _MANY_ELSEWHERE if sum(value[0] > _LATIN for value in formed) > len(formed) / 2 else _MANY
    least = next((share for most, share in _SHARES.items() if len(values) < most), many)
    enough = known >= (0.1 if hinted else least) and marks.count("name") >= 2 and known > 2 * places
    return NamesFound(enough, len(values) < _FEW, known, places)


def are_places(values: Sequence[str]) -> bool:
    """Tell whether at least three of the values, and half of them, are countries, regions or large cities."""
    marks = [_mark(value.strip()) for value in values if _formed(value.strip())]
    return marks.count("place") >= max(3, 0.5 * len(values)) and marks.count("place") > marks.count("name")


def are_titles(values: Sequence[str]) -> bool:
    """Tell whether the values are titles that stand beside names."""
    return len(values) > 1 and {_plain(value) for value in values} <= _words("titles")


def are_word_like(values: Sequence[str]) -> bool:
    """Tell whether the values have the form of names, known or not: capitalised, short, of up to four words."""
    formed = [value.strip() for value in values if _formed(value.strip()) and len(value.split()) <= 4]
    return len(formed) >= 0.9 * max(len(values), 1) and _capital(formed) and max(map(len, formed)) > 2


def _formed(value: str) -> bool:
    """Tell whether a text has the form of a name: a few words of letters, no digits, and none of an institution."""
    return (
        len(value) <= _LONGEST
        and _FORM.fullmatch(value) is not None
        and len(value.split()) <= _WORDS
        and not _words("institutions") & set(words_of(value))
    )


def _capital(values: Sequence[str]) -> bool:
    """Tell whether nearly all texts begin with a capital, or all are in small letters alone, or have no case."""
    low = _words("particles") | _words("titles")
    small = sum(value[0].islower() and value.split()[0].casefold() not in low for value in values)
    return small <= 0.1 * len(values) or all(value == value.lower() and " " not in value for value in values)


def _mark(value: str) -> str:
    """Return whether a text holds the name of a person or a place; it is unclear if it may be another word."""
    if _HAN.fullmatch(value):
        return _han(value)
    words = [word for word in words_of(value) if word not in _words("particles") and len(word) > 1]
    names, places, ordinary = _names(), _words("places"), _words("ordinary")
    if any(word in _words("titles") for word in words) and len(words) > 1:
        return "name"
    sure = [word for word in words if _is_name(word)]
    where = [word for word in words if word in places and word not in names]
    if where and not sure:
        return "place"
    if sure and (len(words) < 3 or len(sure) > 1 or len(sure) * 3 >= len(words)):
        return "name"
    return "unclear" if words and all(word in ordinary or (word in names and word in places) for word in words) else ""


@cache
def _is_name(word: str) -> bool:
    """Tell whether a word is a name of persons and of nothing else that is known."""
    listed = word in _names() or (len(word) > _SHORT and word.endswith(tuple(_words("endings"))))
    return listed and word not in _words("places") and word not in _words("ordinary")


def _han(value: str) -> str:
    if value in _words("places"):
        return "place"
    names = _names()
    return "name" if value[0] in names or value[:2] in names else ""


@cache
def _names() -> frozenset[str]:
    """Return all given and family names, in small letters without accents."""
    lines = chain.from_iterable(_text(name).splitlines() for name in _LISTS)
    return frozenset(_plain(word) for line in lines for word in line.partition(":")[2].split())


@cache
def _words(name: str) -> frozenset[str]:
    """Return the words of a list in which all lines are alike."""
    return frozenset(map(_plain, _text(name).split()))


def _plain(word: str) -> str:
    return "".join(words_of(word)) or unicodedata.normalize("NFC", word)


def _text(name: str) -> str:
    return (files("shoal.actions.suggestions") / "names" / f"{name}.txt").read_text(encoding="utf-8")
