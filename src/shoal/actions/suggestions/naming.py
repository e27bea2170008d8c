"""Naming: what the name of a column says about it."""

import re
import unicodedata
from functools import cache

from shoal.actions.suggestions.vocabulary import Meaning, vocabulary

_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_PLAIN = {"ß": "ss", "ø": "o", "Ø": "o", "æ": "ae", "Æ": "ae", "œ": "oe", "ł": "l", "Ł": "l"}
_INSIDE = 7  # letters from which an entry is looked for within a longer word, as in German compounds


def words_of(name: str) -> tuple[str, ...]:
    """Split the name of a column into plain words: lower case, without accents and digits at the end."""
    swapped = "".join(_PLAIN.get(sign, sign) for sign in name)
    bare = "".join(sign for sign in unicodedata.normalize("NFKD", swapped) if not unicodedata.combining(sign))
    parts = re.split(r"[^A-Za-z0-9]+", _HUMP.sub(" ", bare))
    words = [part.lower() for part in parts if part]
    return tuple(word.rstrip("0123456789") or word for word in words)


def meaning_of(name: str) -> tuple[Meaning, str] | None:
    """Return what the name of a column says, and the words that say it; None if it says nothing known.

    The longest words win, and common ones such as `name` and `id` only where there are no others.
    """
    words = words_of(name)
    found = [
        (not meaning.weak, *covered, -number, entry)
        for number, (meaning, entries) in enumerate(_entries())
        for entry in entries
        if (covered := _covered(entry, words)) is not None
    ]
    if not found:
        return None
    *_, number, entry = max(found)
    return _entries()[-number][0], " ".join(entry)


def _covered(entry: tuple[str, ...], words: tuple[str, ...]) -> tuple[int, bool, int] | None:
    """Return how well an entry of the vocabulary covers a name: its letters, whether in a row, its words; or None."""
    joined, whole = "".join(entry), "".join(words)
    in_a_row = any(words[i : i + len(entry)] == entry for i in range(len(words)))
    written_together = joined in words or joined == whole or (len(joined) >= _INSIDE and joined in whole)
    apart = len(entry) > 1 and all(word in words for word in entry)
    return (len(joined), in_a_row, len(entry)) if in_a_row or written_together or apart else None


@cache
def _entries() -> tuple[tuple[Meaning, tuple[tuple[str, ...], ...]], ...]:
    return tuple(
        (meaning, tuple(words for text in entries if (words := words_of(text)))) for meaning, entries in vocabulary()
    )
