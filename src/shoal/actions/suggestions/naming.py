"""Naming: the meaning of the name of a column."""

import re
import unicodedata
from collections.abc import Collection
from functools import cache

from shoal.actions.suggestions.vocabulary import Meaning, listed, vocabulary

_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_PLAIN = dict(zip("ßøØæÆœłŁđĐ\u0131ð", ("ss", "o", "o", "ae", "ae", "oe", "l", "l", "d", "d", "i", "d"), strict=True))
_INSIDE = 7  # from this many letters on, an entry is also searched within longer words, as in German compounds


def words_of(name: str) -> tuple[str, ...]:
    """Split the name of a column into plain words: lower case, without accents and trailing digits."""
    swapped = "".join(_PLAIN.get(sign, sign) for sign in name)
    bare = "".join(sign for sign in unicodedata.normalize("NFKD", swapped) if not unicodedata.combining(sign))
    bare = unicodedata.normalize("NFC", bare)  # syllables of Korean are whole again
    parts = re.split(r"[\W_]+", _HUMP.sub(" ", bare))
    words = [part.lower() for part in parts if part]
    return tuple(word.rstrip("0123456789") or word for word in words)


@cache
def meaning_of(name: str) -> tuple[Meaning, str] | None:
    """Return the meaning of the name of a column, and the words that give it; None if it is unknown.

    The longest words win; common ones such as `name` and `id` count only if there are no others.
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


def words_pair(name: str, others: Collection[str]) -> bool:
    """Tell whether a column is one of a pair such as `first` and `last`, which together are the name of a person."""
    given, family = listed("persons.csv")["given"], listed("persons.csv")["family"]
    joined = {"".join(words_of(other)) for other in others}
    own = "".join(words_of(name))
    return any({first, last} <= joined and own in (first, last) for first, last in zip(given, family, strict=True))


def _covered(entry: tuple[str, ...], words: tuple[str, ...]) -> tuple[int, bool, int] | None:
    """Return how well a vocabulary entry covers a name: letters, whether consecutive, words; None if it does not."""
    if not _near(entry, words):
        return None
    joined, whole = "".join(entry), "".join(words)
    in_a_row = any(words[i : i + len(entry)] == entry for i in range(len(words)))
    written_together = joined in words or joined == whole or (len(joined) >= _INSIDE and joined in whole)
    apart = len(entry) > 1 and all(word in words for word in entry)
    return (len(joined), in_a_row, len(entry)) if in_a_row or written_together or apart else None


def _near(entry: tuple[str, ...], words: tuple[str, ...]) -> bool:
    """Tell, quickly, whether an entry may be in a name: its first two letters are."""
    start = entry[0][:2]
    return any(start in word for word in words)


@cache
def _entries() -> tuple[tuple[Meaning, tuple[tuple[str, ...], ...]], ...]:
    return tuple(
        (meaning, tuple(words for text in entries if (words := words_of(text)))) for meaning, entries in vocabulary()
    )
