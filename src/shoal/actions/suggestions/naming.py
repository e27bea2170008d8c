"""Naming: the meaning of the name of a column."""

import re
import unicodedata
from collections.abc import Collection
from functools import cache

from shoal.actions.suggestions.vocabulary import Meaning, listed, vocabulary
from shoal.actions.suggestions.writing import written_out

_UNTOLD = frozenset(["", *"abcdefghijklmnopqrstuvwxyz"])  # a single letter says nothing
_DOTTED = re.compile(r"(?<![^\W_])(?:[^\W\d_]\.){2,}")  # `D.O.B.` is one word
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_PLAIN = dict(zip("ßøØæÆœłŁđĐ\u0131ð", ("ss", "o", "o", "ae", "ae", "oe", "l", "l", "d", "d", "i", "d"), strict=True))
_INSIDE = 7  # from this many letters on, an entry is also searched within longer words, as in German compounds
_INSIDE_JOINED = 2  # the same in Chinese, Japanese, Korean and Thai
_JOINED = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")


def words_of(name: str, digits: bool = False) -> tuple[str, ...]:
    """Split the name of a column into plain words: lower case, without accents and, unless kept, trailing digits."""
    whole = _DOTTED.sub(lambda found: found[0].replace(".", "") + " ", name)
    swapped = "".join(_PLAIN.get(sign, sign) for sign in whole)
    bare = "".join(sign for sign in unicodedata.normalize("NFKD", swapped) if not unicodedata.combining(sign))
    bare = unicodedata.normalize("NFC", bare)  # syllables of Korean are whole again
    parts = "".join(sign if _is_letter(sign) else " " for sign in _HUMP.sub(" ", bare)).split()
    words = [part.lower() for part in parts]
    return tuple(words if digits else (word.rstrip("0123456789") or word for word in words))


def _is_letter(sign: str) -> bool:
    """Tell whether a sign is part of a word; the vowels of Hindi and Thai are marks, and no letters."""
    return sign.isalnum() or unicodedata.category(sign).startswith("M")


@cache
def meanings_of(name: str) -> tuple[tuple[Meaning, str], ...]:
    """Return the meanings of the name of a column, the likeliest first, each with the words that give it.

    The longest words win; common ones such as `name` and `id` count only if there are no others. What is written
    together or in short is read in full too: `hospitaldischargestatus`, `annual_inc`.
    """
    words = words_of(name)
    found = [
        (not _meanings()[number].weak, *covered, -number, entry)
        for read in (words, written_out(words))
        for number, entry in _near(read)
        if (covered := _covered(entry, read)) is not None
    ]
    ordered: dict[str, tuple[Meaning, str]] = {}
    for *_, number, entry in sorted(found, reverse=True):
        meaning = _meanings()[-number]
        ordered.setdefault(meaning.noun, (meaning, " ".join(entry)))
    return tuple(ordered.values())


def meaning_of(name: str) -> tuple[Meaning, str] | None:
    """Return the likeliest meaning of the name of a column, and the words that give it; None if it is unknown."""
    return next(iter(meanings_of(name)), None)


def words_pair(name: str, others: Collection[str]) -> bool:
    """Tell whether a column is one of a pair such as `first` and `last`, which together are the name of a person."""
    given, family = listed("persons.csv")["given"], listed("persons.csv")["family"]
    joined = {"".join(words_of(other)) for other in others}
    own = "".join(words_of(name))
    return any({first, last} <= joined and own in (first, last) for first, last in zip(given, family, strict=True))


def _covered(entry: tuple[str, ...], words: tuple[str, ...]) -> tuple[int, bool, int] | None:
    """Return how well a vocabulary entry covers a name: letters, whether consecutive, words; None if it does not."""
    joined, whole = "".join(entry), "".join(words)
    in_a_row = any(words[i : i + len(entry)] == entry for i in range(len(words)))
    written_together = joined in words or joined == whole or (len(joined) >= _least(joined) and joined in whole)
    apart = len(entry) > 1 and all(word in words for word in entry)
    return (len(joined), in_a_row, len(entry)) if in_a_row or written_together or apart else None


def _least(entry: str) -> int:
    """Return how long an entry must be to be searched within longer words: scripts without blanks join all words."""
    return _INSIDE_JOINED if _JOINED.match(entry) else _INSIDE


def _near(words: tuple[str, ...]) -> list[tuple[int, tuple[str, ...]]]:
    """Return the entries that may be in a name, with the numbers of their meanings: their first two letters are."""
    parts = {word[place : place + length] for word in words for place in range(len(word)) for length in (1, 2)}
    return [one for part in parts for one in _starting().get(part, ())]


@cache
def _meanings() -> tuple[Meaning, ...]:
    return tuple(meaning for meaning, _ in vocabulary())


@cache
def _starting() -> dict[str, list[tuple[int, tuple[str, ...]]]]:
    """Return all entries by the first two letters of their first word, with the numbers of their meanings."""
    found: dict[str, list[tuple[int, tuple[str, ...]]]] = {}
    for number, (_, entries) in enumerate(vocabulary()):
        for words in map(words_of, entries):
            if "".join(words) not in _UNTOLD:
                found.setdefault(words[0][:2], []).append((number, words))
    return found
