"""The algorithms that recode each class for itself, each with its default parameters and with every other choice."""

from dataclasses import fields
from typing import Annotated, Literal, get_args, get_origin, get_type_hints

from shoal.search.algorithms import ALGORITHMS
from shoal.search.algorithms.algorithm import Algorithm


def choices(kind: type[Algorithm], default: Algorithm | None = None) -> list[tuple[str, object]]:
    """Return the parameters with a short list of values, and these values; those of the default are left out."""
    hints = get_type_hints(kind, include_extras=True)
    default = kind() if default is None else default
    found: list[tuple[str, object]] = []
    for field in fields(kind):
        hint = hints[field.name]
        hint = get_args(hint)[0] if get_origin(hint) is Annotated else hint
        values = (False, True) if hint is bool else get_args(hint) if get_origin(hint) is Literal else ()
        found += [(field.name, value) for value in values if value != getattr(default, field.name)]
    return found


def variants(kind: type[Algorithm]) -> dict[str, Algorithm]:
    """Return an algorithm with its defaults, and with each other choice of one parameter."""
    named = {kind.name: kind()}
    for parameter, value in choices(kind):
        named[f"{kind.name} {parameter}={value}"] = kind(**{parameter: value})
    return named


VARIANTS = {
    name: one for kind in ALGORITHMS if kind.local and not kind.one_level for name, one in variants(kind).items()
}
"""Those with one level for each column publish more than they must, and are tested by themselves."""
