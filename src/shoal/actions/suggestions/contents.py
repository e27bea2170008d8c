"""Contents: what the values of a column are by lists of words, whatever the column is called."""

from collections.abc import Sequence
from functools import cache

from shoal.actions.suggestions.naming import words_of
from shoal.actions.suggestions.persons import are_places
from shoal.actions.suggestions.signs import are_clinical
from shoal.actions.suggestions.vocabulary import Meaning, listed, meaning_named

_MOST = 0.6  # least share of the different values that must be in the list
_FEWEST = 2  # of them at least
_LARGEST = 300  # different values; more are no categories of such a kind


def content_of(values: Sequence[str]) -> Meaning | None:
    """Return what most of the values are; None if no list knows them."""
    if not _FEWEST <= len(values) <= 10 * _LARGEST:
        return None
    if are_clinical(values):
        return meaning_named("diagnosis or disease")
    if len(values) <= _LARGEST:
        plain = {" ".join(words_of(value)) for value in values} - {""}
        counts = {noun: len(plain & words) for noun, words in _lists().items()}
        noun = max(counts, key=lambda one: counts[one])
        if counts[noun] >= max(_FEWEST, _MOST * len(plain)):
            return meaning_named(noun)
    return meaning_named("place") if are_places(values) else None


@cache
def _lists() -> dict[str, frozenset[str]]:
    return {
        noun: frozenset(" ".join(words_of(word)) for word in words) for noun, words in listed("contents.csv").items()
    }
