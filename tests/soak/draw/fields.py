"""Random parameters for a member of a shelf, by what its fields allow."""

from collections.abc import Mapping
from functools import cache
from random import Random
from typing import Any

from pydantic import TypeAdapter

_NUMBERS: dict[str, tuple[Any, ...]] = {
    "k": (1, 2, 2, 3, 3, 4, 5),
    "l": (1, 2, 2, 3),
    "p": (1, 2, 2, 3),
    "c": (0.5, 1, 2, 3, "7/2"),
    "alpha": (0.3, 0.4, 0.5, 0.7, 0.9, 1),
    "e": (0, 1, 2, 5, 0.5, "7/2"),
    "t": (0, 0.1, 0.2, 0.3, 0.5, "1/3"),
    "beta": (0.5, 1, 2, 4),
    "delta": (0.5, 1, 1.5, 3),
    "least": (0, 0, 0.1),
    "most": (0.5, 0.9, 1),
    "effort": (0, 1, 5, 20),
    "nodes": (1, 20, 200),
    "work": (10_000, 100_000),
}
"""Numbers that are worth trying, by the letter of the paper; others are drawn from their limits."""


@cache
def _schema(member: type) -> dict[str, Any]:
    return TypeAdapter(member).json_schema()


def drawn_fields(draw: Random, member: type, given: Mapping[str, Any], share: float = 0.35) -> dict[str, Any]:
    """Draw the fields of a member: all that it needs, and some of the others.

    Args:
        draw: What is drawn with.
        member: The class on the shelf.
        given: Fields whose values depend on the table; one that is None is left out.
        share: How often a field is drawn that is not needed.
    """
    schema = _schema(member)
    needed, found = set(schema.get("required", ())), {}
    for name, field in schema.get("properties", {}).items():
        if name in given:
            if given[name] is not None and (name in needed or draw.random() < share):
                found[name] = given[name]
        elif name in needed or draw.random() < share:
            value = _value(draw, name, field)
            if value is not None:
                found[name] = value
    return found


def _value(draw: Random, name: str, field: Mapping[str, Any]) -> Any:
    """Draw a value that a field allows; None if there is none."""
    forms = [form for form in field.get("anyOf", [field]) if form.get("type") != "null"]
    whole = forms[0].get("type") == "integer"
    if name in _NUMBERS:
        return draw.choice([one for one in _NUMBERS[name] if not whole or isinstance(one, int)])
    form = forms[0]
    if "enum" in form:
        return draw.choice(form["enum"])
    if "const" in form:
        return form["const"]
    if form.get("type") in ("integer", "number"):
        low = form.get("minimum", form.get("exclusiveMinimum", 0))
        return int(low) + draw.choice((1, 2, 3) if "exclusiveMinimum" in form else (0, 1, 2, 3))
    return None
