"""The algorithms that publish clusters, each with its default parameters and with every other choice."""

from dataclasses import MISSING, fields
from typing import Any

from shoal.search.algorithms import ALGORITHMS
from shoal.search.algorithms.algorithm import Algorithm
from tests.contracts.local_variants import choices

EXAMPLES: dict[str, Any] = {"clusters": 3}
"""A value for each parameter that must be given."""


def needed(kind: type[Algorithm]) -> dict[str, Any]:
    """Return the parameters that an algorithm cannot do without, each with some value."""
    given = [field for field in fields(kind) if field.default is MISSING and field.default_factory is MISSING]
    return {field.name: EXAMPLES[field.name] for field in given}


def made(kind: type[Algorithm], **more: Any) -> Algorithm:
    """Return an algorithm with what it needs."""
    return kind(**{**needed(kind), **more})


def variants(kind: type[Algorithm]) -> dict[str, Algorithm]:
    """Return an algorithm, and with each other choice of one parameter."""
    named = {kind.name: made(kind)}
    for parameter, value in choices(kind, made(kind)):
        named[f"{kind.name} {parameter}={value}"] = made(kind, **{parameter: value})
    return named


CLUSTERING = {name: one for kind in ALGORITHMS if kind.objective for name, one in variants(kind).items()}
