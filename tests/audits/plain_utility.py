"""What a release is good for, counted record by record: slow, and plain enough to check by eye."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from itertools import product
from math import sqrt
from typing import TypeVar

import polars as pl

from shoal.audits.utility.readings import Reading
from shoal.audits.utility.scales import Scale

T = TypeVar("T", bound=Hashable)
Spread = Mapping[str | None, float]


def scale(
    raw: Sequence[str | None], shown: Sequence[str | None], least: int = 1, *, name: str = "x", binned: bool = False
) -> Scale:
    """Return a column before and after."""
    before, after = (pl.Series(name, list(column), dtype=pl.String) for column in (raw, shown))
    return Scale.of(Reading.of(before, after), least, binned=binned)


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
    found: dict[str | None, float] = defaultdict(float)
    for spread in spreads:
        for value, part in spread.items():
            found[value] += part / len(spreads)
    return dict(found)


def joint(first: Sequence[Spread], second: Sequence[Spread]) -> dict[tuple[str | None, str | None], float]:
    """Return the table of two columns."""
    found: dict[tuple[str | None, str | None], float] = defaultdict(float)
    for one, other in zip(first, second, strict=True):
        for (a, part), (b, share) in product(one.items(), other.items()):
            found[a, b] += part * share / len(first)
    return dict(found)


def variation(before: Mapping[T, float], after: Mapping[T, float]) -> float:
    """Return half the sum of the differences."""
    return sum(abs(before.get(key, 0.0) - after.get(key, 0.0)) for key in {*before, *after}) / 2


def cramers_v(table: Mapping[tuple[str | None, str | None], float], n: int) -> float | None:
    """Return Cramér's V of what is told."""
    told = {pair: share * n for pair, share in table.items() if not {None, "*"} & set(pair) and share > 0}
    rows: dict[str | None, float] = defaultdict(float)
    columns: dict[str | None, float] = defaultdict(float)
    for (a, b), mass in told.items():
        rows[a] += mass
        columns[b] += mass
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
