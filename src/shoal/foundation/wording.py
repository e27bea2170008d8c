"""Wording: counts as people write them, one record and two classes, and names in a row."""

from collections.abc import Mapping, Sequence
from typing import Any

_SINGULAR = {"are": "is", "have": "has"}


def number_of(number: int, noun: str, verb: str = "") -> str:
    """Return a number with its noun, and the verb that follows: `1 record is`, `2 classes are`, `0 records are`.

    Args:
        number: How many.
        noun: What, if it is one: `record`, `class`, `different value`.
        verb: What they do, if they are several: `are`, `have`, `hold`.
    """
    if number != 1:
        return f"{number} {_with_s(noun)} {verb}".rstrip()
    return f"{number} {noun} {_SINGULAR.get(verb) or _with_s(verb)}".rstrip() if verb else f"{number} {noun}"


def series(names: Sequence[str]) -> str:
    """Return names in a row: `a`, `a and b`, `a, b and c`."""
    return " and ".join(part for part in (", ".join(names[:-1]), *names[-1:]) if part)


def safety(certificate: Mapping[str, Any]) -> str:
    """Return what a verdict begins with: it tells where strict counting reaches less than the reading of wildcards."""
    strictly = all(claim.get("strict", claim["achieved"]) == claim["achieved"] for claim in certificate["claims"])
    return "safe" if strictly else "safe by one reading"


def _with_s(word: str) -> str:
    return f"{word}es" if word.endswith(("s", "ch")) else f"{word}s"
