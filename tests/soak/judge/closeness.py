"""How far a class is from the release, by earth mover's distances; also where persons hold several values."""

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

from tests.soak.judge.persons import NotJudgedError, Persons, Reached, Ways, holders, number, shares


def closeness(
    promise: Mapping[str, Any], blocks: list[Persons], everybody: Persons, ways: Ways, files: Mapping[str, str]
) -> tuple[bool, Reached]:
    """The least work; of persons the ordered one is that of their lowest values, and that of their highest."""
    values = sorted(holders(everybody))
    distance = promise.get("distance", "equal")
    views: list[Callable[[Persons], Persons]] = [lambda persons: persons]
    if distance == "ordered":
        place = _ordered(promise["column"], values, ways).index
        views = [lambda persons: [{min(held, key=place)} for held in persons]]
        views += [lambda persons: [{max(held, key=place)} for held in persons]]
    far = Fraction(0)
    for view in views:
        table, work = view(everybody), _work(promise, values, ways, files)
        far = max(far, *(work(view(block), table) for block in blocks))
    return far <= number(promise["t"]), {"t": far}


def _differences(persons: Persons, everybody: Persons) -> dict[str, Fraction]:
    own, table = shares(persons), shares(everybody)
    return {value: own.get(value, Fraction(0)) - table.get(value, Fraction(0)) for value in own | table}


def _work(
    promise: Mapping[str, Any], values: list[str], ways: Ways, files: Mapping[str, str]
) -> Callable[[Persons, Persons], Fraction]:
    """Return how far a class is from the release."""
    distance = promise.get("distance", "equal")
    if distance == "equal":
        return _gained_or_lost
    if distance == "ordered":
        places = {value: Fraction(place) for place, value in enumerate(_ordered(promise["column"], values, ways))}
        return _along(places, Fraction(len(values) - 1))
    if distance == "matrix":
        return _along(*_line(files[promise["distances"]]))
    levels = ways[promise["column"]](values)
    if levels is None or len(levels) < 2:
        raise NotJudgedError("t-closeness along a hierarchy that is not known here")
    return _tree(levels[:-1])


def _gained_or_lost(persons: Persons, everybody: Persons) -> Fraction:
    """Sum what shares gain, or what they lose: the same where each person holds one value, and else the larger."""
    apart = _differences(persons, everybody).values()
    gained = sum((one for one in apart if one > 0), Fraction(0))
    return max(gained, gained - sum(apart, Fraction(0)))


def _tree(levels: Sequence[Mapping[str, str]]) -> Callable[[Persons, Persons], Fraction]:
    """Values are as far apart as the level where they meet, over the height; a missing one meets others at the top."""

    def lifted(persons: Persons, labels: Mapping[str, str]) -> Persons:
        return [{labels[value] if value else "" for value in held} for held in persons]

    def work(persons: Persons, everybody: Persons) -> Fraction:
        each = [_gained_or_lost(lifted(persons, labels), lifted(everybody, labels)) for labels in levels]
        return sum(each, Fraction(0)) / len(levels)

    return work


def _along(places: Mapping[str, Fraction], longest: Fraction) -> Callable[[Persons, Persons], Fraction]:
    """On a line the least work moves what is left over, from each place to the next one."""

    def work(persons: Persons, everybody: Persons) -> Fraction:
        apart, total, carried = _differences(persons, everybody), Fraction(0), Fraction(0)
        order = sorted(apart, key=lambda value: places[value])
        for one, following in pairwise(order):
            carried += apart[one]
            total += abs(carried) * (places[following] - places[one])
        return total / longest if longest else Fraction(0)

    return work


def _line(text: str) -> tuple[dict[str, Fraction], Fraction]:
    """Return the places on a line whose distances a matrix tells; the soak's matrices are such, the first is at 0."""
    header, first, *_ = list(csv.reader(io.StringIO(text)))
    places = {value: Fraction(entry) for value, entry in zip(header[1:], first[1:], strict=True)}
    return places, max(places.values())


def _ordered(column: str, values: list[str], ways: Ways) -> list[str]:
    if "" in values:
        raise NotJudgedError("t-closeness along an order with missing values")
    levels = ways[column](values) if column in ways else None
    if levels is not None:
        known = list(levels[0])
        return sorted(values, key=known.index)
    if column in ways:
        raise NotJudgedError("t-closeness along an order that is not known here")
    numbers = [_plain_number(value) for value in values]
    if all(one is not None for one in numbers) and len(set(numbers)) == len(numbers):
        return sorted(values, key=Fraction)
    if any(one is not None for one in numbers) or any(value[:1].isdigit() for value in values):
        raise NotJudgedError("t-closeness along an order of mixed values")
    return sorted(values)


def _plain_number(text: str) -> Fraction | None:
    try:
        return None if "/" in text or "_" in text or not text.isascii() else Fraction(text)
    except ValueError:
        return None
