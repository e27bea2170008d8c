"""By all orders of the records of a tiny table that fit its release, as 003 s.4.2.1 has it."""

from collections import Counter
from itertools import permutations
from math import log2
from random import Random

import pytest

from shoal.measures import APosteriori
from tests.measures.build import build
from tests.measures.oracle import Cell, PlainColumn, PlainRelease

ROWS = (("a", "ab", "*"), ("b", "ab", "*"), ("c", "cd", "*"), ("d", "cd", "*"))


def entropy_of_all_orders(release: PlainRelease) -> float:
    """Return the sum over the rows of the entropy of what stands there in all orders that fit, each equally likely."""
    seen: list[Counter[tuple[str, ...]]] = [Counter() for _ in release.records]
    for order in permutations(release.records):
        rows = zip(order, release.published, strict=True)
        if all(all(v in cell.leaves for v, cell in zip(row, cells or (), strict=True)) for row, cells in rows):
            for count, row in zip(seen, order, strict=True):
                count[row] += 1
    return sum(-n / one.total() * log2(n / one.total()) for one in seen for n in one.values())


@pytest.mark.parametrize("seed", range(12))
def test_it_is_the_entropy_over_all_orders_that_fit(seed: int) -> None:
    """But for the bits that tell equal records apart, which are the same whatever is published."""
    rng = Random(seed)  # noqa: S311  (tables, not secrets)
    columns = (PlainColumn("p", ROWS), PlainColumn("q", ROWS))
    records = tuple((rng.choice("abcd"), rng.choice("dab")) for _ in range(5))
    apart = sum(count * log2(count) for count in Counter(records).values())
    for levels in ((0, 0), (1, 0), (1, 1), (0, 2), (2, 2)):
        cells: list[tuple[Cell, ...]] = [
            tuple(column.cell(value, at) for column, value, at in zip(columns, record, levels, strict=True))
            for record in records
        ]
        release = PlainRelease(columns, records, tuple(cells), ("x",) * 5)
        loss = build(release).loss(APosteriori())
        assert loss.total - apart == pytest.approx(entropy_of_all_orders(release), abs=1e-9)
