"""The definitions of the models, one class at a time, as plainly as possible, in fractions."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from math import prod

from shoal.models import (
    AlphaKAnonymity,
    BetaLikeness,
    DeltaDisclosure,
    DeltaPresence,
    DistinctLDiversity,
    EntropyLDiversity,
    FrequencyLDiversity,
    KAnonymity,
    KMap,
    PrivacyModel,
    PSensitiveKAnonymity,
    RecursiveClDiversity,
    TCloseness,
)
from shoal.models.model import SensitiveModel

ORDER = ("a", "b", "c", "d", None)
ROWS = (("a", "vowel", "*"), ("b", "other", "*"), ("c", "other", "*"), ("d", "other", "*"))
DISTANCES = (
    ("0", "1", "2.5", "3", "4"),
    ("1", "0", "1.5", "3", "4"),
    ("2.5", "1.5", "0", "2", "4"),
    ("3", "3", "2", "0", "3.5"),
    ("4", "4", "4", "3.5", "0"),
)

Value = str | None
Metric = tuple[tuple[Fraction, ...], ...]


@dataclass(frozen=True)
class Plain:
    """A release as lists: the (value, other value) of each record of each class, and an outside table."""

    classes: Sequence[Sequence[tuple[Value, Value]]]
    covered: Sequence[int] = ()
    outside: int = 0

    def values(self) -> list[Value]:
        return [record[0] for records in self.classes for record in records]


def keeps(model: PrivacyModel, plain: Plain, number: int) -> bool:
    """Tell whether a class of the release keeps the promise."""
    match model:
        case KAnonymity():
            return len(plain.classes[number]) >= model.k
        case KMap():
            return plain.covered[number] >= model.k
        case DeltaPresence():
            if model.least > 0 and plain.outside > 0:
                return False
            share = Fraction(len(plain.classes[number]), plain.covered[number]) if plain.covered[number] else 2
            return model.least <= share <= model.most
        case SensitiveModel():
            return all(_keeps(model, block, plain.values()) for block in _blocks(model, plain.classes[number]))
    raise AssertionError(model)


def _blocks(model: SensitiveModel, records: Sequence[tuple[Value, Value]]) -> list[list[Value]]:
    if model.others == "ignored":
        return [[value for value, _ in records]]
    return [[value for value, other in records if other == known] for known in {other for _, other in records}]


def _keeps(model: SensitiveModel, block: list[Value], table: list[Value]) -> bool:
    p, q = shares(block), shares(table)
    descending = sorted(Counter(block).values(), reverse=True)
    size = len(block)
    match model:
        case DistinctLDiversity():
            return len(p) >= model.l
        case EntropyLDiversity():
            return Fraction(size) ** size >= model.l**size * prod(count**count for count in descending)
        case RecursiveClDiversity():
            return descending[0] < model.c * sum(descending[model.l - 1 :])
        case FrequencyLDiversity():
            return max(p.values()) <= 1 / Fraction(model.l)
        case PSensitiveKAnonymity():
            return len(p) >= model.p and size >= model.k
        case AlphaKAnonymity():
            limited = max(p.values()) if model.value is None else p.get(model.value, Fraction(0))
            return limited <= model.alpha and size >= model.k
        case TCloseness():
            return distance(model.distance, block, table) <= model.t
        case BetaLikeness():
            gains = {value: (p[value] - q[value]) / q[value] for value in p if p[value] > q[value]}
            enhanced = model.kind == "enhanced"
            return all(
                gain <= model.beta and not (enhanced and decimal(gain) > -logarithm(q[value]))
                for value, gain in gains.items()
            )
        case DeltaDisclosure():
            return all(v in p and abs(logarithm(p[v] / q[v])) < decimal(Fraction(model.delta)) for v in q)
    raise AssertionError(model)


def shares(values: Sequence[Value]) -> dict[Value, Fraction]:
    return {value: Fraction(count, len(values)) for value, count in Counter(values).items()}


def decimal(number: Fraction) -> Decimal:
    with localcontext() as context:
        context.prec = 60
        return Decimal(number.numerator) / Decimal(number.denominator)


def logarithm(number: Fraction) -> Decimal:
    with localcontext() as context:
        context.prec = 60
        return decimal(number).ln()


def distance(kind: str, block: Sequence[Value], table: Sequence[Value]) -> Fraction:
    """Return the earth mover's distance by the ground distance's definition and duality."""
    occurring = [value for value in ORDER if value in table]
    p, q = shares(block), shares(table)
    masses = [p.get(value, Fraction(0)) - q[value] for value in occurring]
    return earth_mover(masses, tuple(tuple(ground(kind, a, b, occurring) for b in occurring) for a in occurring))


def ground(kind: str, first: Value, second: Value, occurring: Sequence[Value]) -> Fraction:
    """Return how far apart two values are."""
    if first == second:
        return Fraction(0)
    if kind == "equal":
        return Fraction(1)
    if kind == "ordered":
        return Fraction(abs(occurring.index(first) - occurring.index(second)), len(occurring) - 1)
    if kind == "matrix":
        return Fraction(DISTANCES[ORDER.index(first)][ORDER.index(second)]) / 4
    paths: Mapping[Value, tuple[str, ...]] = {row[0]: row[1:] for row in ROWS}
    if first is None or second is None:
        return Fraction(1)
    return Fraction(1, 2) if paths[first][0] == paths[second][0] else Fraction(1)


def earth_mover(masses: Sequence[Fraction], metric: Metric) -> Fraction:
    """Return the largest sum of potential times mass (Kantorovich and Rubinstein)."""
    return max(sum((f * mass for f, mass in zip(fs, masses, strict=True)), Fraction(0)) for fs in potentials(metric))


@cache
def potentials(metric: Metric) -> list[tuple[Fraction, ...]]:
    """Return the corners of the polytope of functions that rise by at most the distance, 0 at the first value.

    A corner is tight along a spanning tree, up or down on each edge of it.
    """
    n = len(metric)
    found = []
    for edges in combinations(combinations(range(n), 2), n - 1):
        for signs in product((1, -1), repeat=n - 1):
            height = {0: Fraction(0)}
            for _ in range(n):
                for (a, b), sign in zip(edges, signs, strict=True):
                    if a in height and b not in height:
                        height[b] = height[a] + sign * metric[a][b]
                    elif b in height and a not in height:
                        height[a] = height[b] - sign * metric[a][b]
            if len(height) == n and all(height[a] - height[b] <= metric[a][b] for a in range(n) for b in range(n)):
                found.append(tuple(height[a] for a in range(n)))
    return found
