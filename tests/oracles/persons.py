"""Promises that count persons, for one class at a time: each definition by hand, on the sets of values they hold."""

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from fractions import Fraction

from shoal.models import (
    AlphaKAnonymity,
    BetaLikeness,
    DeltaDisclosure,
    DistinctLDiversity,
    FrequencyLDiversity,
    KAnonymity,
    KEAnonymity,
    PrivacyModel,
    PSensitiveKAnonymity,
    RecursiveClDiversity,
    TCloseness,
)

Class = Sequence[tuple[str, str]]
Persons = list[set[str]]

VALUES = ["1", "2", "3", "4"]


def persons_of(one: Class) -> Persons:
    """Return the different values that each person of a class holds."""
    held = defaultdict(set)
    for value, person in one:
        held[person].add(value)
    return list(held.values())


def holding(persons: Persons, *values: str) -> int:
    """Return how many persons hold one of some values."""
    return sum(bool(held & set(values)) for held in persons)


def counts(persons: Persons) -> list[int]:
    return sorted((holding(persons, value) for value in VALUES), reverse=True)


def beyond(persons: Persons, most: int) -> int:
    return max(len(persons) - sum(counts(persons)[:most]), 0)


def far(persons: Persons, everybody: Persons, sets: Sequence[Sequence[str]]) -> Fraction:
    zero = Fraction(0)
    gaps = [
        Fraction(holding(persons, *one), len(persons)) - Fraction(holding(everybody, *one), len(everybody))
        for one in sets
    ]
    return max(sum((gap for gap in gaps if gap > 0), zero), sum((-gap for gap in gaps if gap < 0), zero))


def ends_apart(persons: Persons, everybody: Persons, end: Callable[[set[str]], str]) -> Fraction:
    """Return the ordered distance of one value of each person, on the line of all values that occur."""
    places = sorted({value for held in everybody for value in held})
    total = Fraction(0)
    for place in places[:-1]:
        here = Fraction(sum(end(held) <= place for held in persons), len(persons))
        total += abs(here - Fraction(sum(end(held) <= place for held in everybody), len(everybody)))
    return total / max(len(places) - 1, 1)


def closeness(persons: Persons, everybody: Persons, distance: str) -> Fraction:
    single = [[value] for value in VALUES]
    if distance == "equal":
        return far(persons, everybody, single)
    if distance == "hierarchical":
        return (far(persons, everybody, single) + far(persons, everybody, [["1", "2"], ["3", "4"]])) / 2
    return max(ends_apart(persons, everybody, min), ends_apart(persons, everybody, max))


def kept_by_hand(model: PrivacyModel, persons: Persons, everybody: Persons) -> bool:
    """Tell whether a class keeps a promise, by its definition for persons."""
    most, size = counts(persons), len(persons)
    if isinstance(model, KAnonymity):
        return size >= model.k
    if isinstance(model, DistinctLDiversity):
        return sum(most[: model.l - 1]) < size and model.l <= len(VALUES) + 1
    if isinstance(model, PSensitiveKAnonymity):
        return sum(most[: model.p - 1]) < size >= model.k
    if isinstance(model, FrequencyLDiversity):
        return most[0] * Fraction(model.l) <= size
    if isinstance(model, AlphaKAnonymity):
        limited = most[0] if model.value is None else holding(persons, model.value)
        return limited <= Fraction(model.alpha) * size and size >= model.k
    if isinstance(model, RecursiveClDiversity):
        return most[0] < Fraction(model.c) * beyond(persons, model.l - 1)
    if isinstance(model, KEAnonymity):
        gap = max(min(map(int, held)) for held in persons) - min(max(map(int, held)) for held in persons)
        return sum(most[: model.k - 1]) < size and max(gap, 0) >= model.e
    if isinstance(model, TCloseness):
        return closeness(persons, everybody, model.distance) <= Fraction(model.t)
    shares = {value: Fraction(holding(persons, value), size) for value in VALUES}
    bases = {value: Fraction(holding(everybody, value), len(everybody)) for value in VALUES}
    known = [value for value in VALUES if bases[value]]
    if isinstance(model, BetaLikeness):
        limit = Fraction(model.beta)
        return all(
            (gain := (shares[value] - bases[value]) / bases[value]) <= limit
            and (model.kind == "basic" or gain <= 0 or gain <= -math.log(bases[value]) + 1e-12)
            for value in known
        )
    assert isinstance(model, DeltaDisclosure)
    return all(shares[value] and abs(math.log(shares[value] / bases[value])) < float(model.delta) for value in known)
