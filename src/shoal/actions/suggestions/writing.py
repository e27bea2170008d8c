"""Writing: words of column names that are written together, or in short, as words of their own."""

from functools import cache

from shoal.actions.suggestions.vocabulary import listed, vocabulary

_LEAST = 4  # letters of a word of the vocabulary that may be a part of a longer one
_LONGEST = 40
_NEUTRAL, _SHORT, _FIRST, _LAST = "neutral", "short parts", "first alone", "last alone"


@cache
def written_out(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return words with those in full that are short forms, and those apart that are written together.

    A word is taken apart only if all of it is known: `statetax` is `state` and `tax`.
    """
    return tuple(full for word in words for part in parts_of(word) for full in _full().get(part, (part,)))


@cache
def parts_of(word: str) -> tuple[str, ...]:
    """Return the fewest known words that a word is made of, or the word itself."""
    if word in _known() or word in _full() or not word.isascii() or len(word) > _LONGEST:
        return (word,)
    best: list[tuple[str, ...] | None] = [(), *([None] * len(word))]
    for end in range(1, len(word) + 1):
        for start in range(end):
            before, part = best[start], word[start:end]
            if before is None or not _is_part(part, start == 0, end == len(word)):
                continue
            shortest = best[end]
            if shortest is None or len(before) + 1 < len(shortest):
                best[end] = (*before, part)
    found = best[-1]
    says = found is not None and any(part not in listed("abbreviations.csv")[_NEUTRAL] for part in found)
    return found if found and says else (word,)


def _is_part(part: str, first: bool, last: bool) -> bool:
    lists = listed("abbreviations.csv")
    if part in lists[_FIRST] or part in lists[_LAST]:
        return (first and part in lists[_FIRST]) or (last and part in lists[_LAST])
    longer = len(part) >= _LEAST and (part in _known() or part in _full())
    return longer or part in lists[_NEUTRAL] or part in lists[_SHORT]


@cache
def _known() -> frozenset[str]:
    """Return all words of the vocabulary that are entries by themselves."""
    return frozenset(text for _, entries in vocabulary() for text in entries if text.isalpha())


@cache
def _full() -> dict[str, tuple[str, ...]]:
    """Return the words of each short form."""
    special = (_NEUTRAL, _SHORT, _FIRST, _LAST)
    return {
        short: tuple(words[0].split()) for short, words in listed("abbreviations.csv").items() if short not in special
    }
