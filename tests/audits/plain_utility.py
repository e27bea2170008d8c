"""What a release is good for, counted record by record: slow, and plain enough to check by eye."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from math import sqrt

Spread = Mapping[str | None, float]


def spread_evenly(cell: str | None, covers: Callable[[str], Sequence[str]], n_values: int) -> Spread:
    """Return where a cell's record is: part of it at each value; a cell that covers all values is suppressed."""
    if cell is None:
        return {None: 1.0}
    values = covers(cell)
    if cell == "*" or (len(values) == n_values > 1):
        return {"*": 1.0}
    return {value: 1 / len(values) for value in values}


def shares(spreads: Sequence[Spread]) -> dict[str | None, float]:
    """Return the distribution of a column."""
    found: Counter[str | None] = Counter()
    for spread in spreads:
        for value, part in spread.items():
            found[value] += part / len(spreads)  # type: ignore[assignment]
    return dict(found)


def joint(first: Sequence[Spread], second: Sequence[Spread]) -> dict[tuple[str | None, str | None], float]:
    """Return the table of two columns."""
    found: Counter[tuple[str | None, str | None]] = Counter()
    for one, other in zip(first, second, strict=True):
        for (a, part), (b, share) in product(one.items(), other.items()):
            found[a, b] += part * share / len(first)  # type: ignore[assignment]
    return dict(found)


def variation(before: Mapping[object, float], after: Mapping[object, float]) -> float:
    """Return half the sum of the differences."""
    return sum(abs(before.get(key, 0.0) - after.get(key, 0.0)) for key in {*before, *after}) / 2


def cramers_v(table: Mapping[tuple[str | None, str | None], float], n: int) -> float | None:
    """Return Cramér's V of what is told."""
    told = {pair: share * n for pair, share in table.items() if not {None, "*"} & set(pair) and share > 0}
    rows, columns = Counter[str | None](), Counter[str | None]()
    for (a, b), mass in told.items():
        rows[a] += mass  # type: ignore[assignment]
        columns[b] += mass  # type: ignore[assignment]
    total, least = sum(told.values()), min(len(rows), len(columns)) - 1
    if least < 1:
        return None
    chi = 0.0
    for a, b in product(rows, columns):
        expected = rows[a] * columns[b] / total
        chi += (told.get((a, b), 0.0) - expected) ** 2 / expected
    return sqrt(chi / (total * least))


def pearson(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Return Pearson's correlation."""
    n = len(first)
    if len(set(first)) < 2 or len(set(second)) < 2:
        return None
    one, other = sum(first) / n, sum(second) / n
    above = sum((x - one) * (y - other) for x, y in zip(first, second, strict=True))
    return above / sqrt(sum((x - one) ** 2 for x in first) * sum((y - other) ** 2 for y in second))


def ranks(numbers: Sequence[float]) -> list[float]:
    """Return the rank of each number, equal ones the mean of theirs."""
    return [sum(y < x for y in numbers) + (sum(y == x for y in numbers) + 1) / 2 for x in numbers]
