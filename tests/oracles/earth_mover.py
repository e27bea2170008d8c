"""The earth mover's distance between two distributions, in fractions: in closed form, and for any ground distance."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations, product

from tests.oracles.plain import Value

Shares = Mapping[Value, Fraction]
Ground = Callable[[Value, Value, Sequence[Value]], Fraction]
"""How far apart two values are, among the values that occur."""

Metric = tuple[tuple[Fraction, ...], ...]


def in_closed_form(kind: str, p: Shares, q: Shares) -> Fraction:
    """Return the equal or the ordered distance; values stand in text order, the missing one last."""
    gaps = [p.get(value, Fraction(0)) - q.get(value, Fraction(0)) for value in _in_order(p, q)]
    match kind:
        case "equal":
            return sum((abs(gap) for gap in gaps), Fraction(0)) / 2
        case "ordered":
            carried = [abs(sum(gaps[: i + 1], Fraction(0))) for i in range(len(gaps))]
            return sum(carried, Fraction(0)) / max(len(gaps) - 1, 1)
    raise AssertionError(kind)


def by_duality(ground: Ground, p: Shares, q: Shares) -> Fraction:
    """Return the largest sum of potential times mass (Kantorovich and Rubinstein); for few values."""
    values = _in_order(p, q)
    masses = [p.get(value, Fraction(0)) - q.get(value, Fraction(0)) for value in values]
    corners = _potentials(tuple(tuple(ground(a, b, values) for b in values) for a in values))
    return max(sum((f * mass for f, mass in zip(fs, masses, strict=True)), Fraction(0)) for fs in corners)


def _in_order(p: Shares, q: Shares) -> list[Value]:
    return sorted({*p, *q}, key=lambda value: (value is None, value or ""))


@cache
def _potentials(metric: Metric) -> list[tuple[Fraction, ...]]:
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
