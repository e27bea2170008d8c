"""The kernel that looks for overcharges against a twin that goes through all combinations of cells plainly."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from random import Random

import numpy as np

from shoal.kernels.verification.excess import ChargedRows
from shoal.kernels.verification.overcharges import ENDS, MUCH, NODES, RANGES, SETS, Choices, overcharges

ENOUGH = 10**9
NO_CAPS = (np.zeros(0, dtype=np.int32), 1, np.zeros(0, dtype=np.int64), 0, 1)


@dataclass(frozen=True)
class Cell:
    """What a column may publish: for which ranks, at which price, and which ranks a class must have for it."""

    ranks: frozenset[int]
    price: int
    needed: Callable[[set[int]], bool]


@dataclass(frozen=True)
class Column:
    """A column of four values: a tree of two pairs, ranges or sets."""

    kind: int
    nodes: list[int]
    pairs: list[list[int]]

    @classmethod
    def drawn(cls, rng: Random) -> "Column":
        leaves = [rng.randint(-1, 2) for _ in range(4)]
        halves = [max(leaves[h * 2 : h * 2 + 2]) + rng.randint(0, 3) for h in range(2)]
        pairs = [[rng.randint(0, 9) if low < high else leaves[low] for high in range(4)] for low in range(4)]
        return cls(rng.choice([NODES, RANGES, SETS, ENDS]), [*leaves, *halves, max(halves) + rng.randint(0, 3)], pairs)

    def cells(self, present: set[int]) -> Iterator[Cell]:
        """Yield the cells of some ranks, as `Choices` tells them."""
        for rank in range(4):
            price = self.nodes[rank] if self.kind == NODES else self.pairs[rank][rank]
            yield Cell(frozenset([rank]), price, bool)
        if self.kind == NODES:
            for half in range(2):
                ranks = frozenset([2 * half, 2 * half + 1])
                yield Cell(ranks, self.nodes[4 + half], lambda found: len(found) > 1)
            yield Cell(frozenset(range(4)), self.nodes[6], lambda found: min(found) < 2 <= max(found))
        elif self.kind == RANGES:
            for low, high in product(range(4), repeat=2):
                if low < high:
                    between = frozenset(range(low, high + 1))
                    yield Cell(between, self.pairs[low][high], frozenset([low, high]).issubset)
        elif len(present) > 1:
            one, two = sorted(present)[:2]
            two = max(present) if self.kind == ENDS else two
            yield Cell(frozenset(range(4)), self.pairs[one][two], lambda found: len(found) > 1)


def choices_of(columns: list[Column]) -> Choices:
    nodes = [column.nodes if column.kind == NODES else [] for column in columns]
    pairs = [[price for row in column.pairs for price in row] if column.kind != NODES else [] for column in columns]
    below = np.cumsum([0, *(8 if own else 0 for own in nodes)])
    children = [[-1] * 4 + [at] * 2 + [at + 4] if own else [] for own, at in zip(nodes, below, strict=False)]
    least = [min([*own, *two]) for own, two in zip(nodes, pairs, strict=True)]
    return Choices(
        kinds=np.array([column.kind for column in columns], dtype=np.int8),
        widths=np.full(len(columns), 4, dtype=np.int64),
        begins=np.cumsum([0, *map(len, nodes)]).astype(np.int64),
        lows=np.array([0, 1, 2, 3, 0, 2, 0] * sum(map(bool, nodes)), dtype=np.int64),
        highs=np.array([1, 2, 3, 4, 2, 4, 4] * sum(map(bool, nodes)), dtype=np.int64),
        prices=np.array([price for own in nodes for price in own], dtype=np.int64),
        children=np.array([child for own in children for child in own], dtype=np.int64),
        ends=np.array([1, 2, 3, 4, 2, 2, 4, 4] * sum(map(bool, nodes)), dtype=np.int64),
        tables=np.cumsum([0, *map(len, pairs)])[:-1].astype(np.int64),
        pairs=np.array([price for own in pairs for price in own], dtype=np.int64),
        least=np.array([sum(least[j:]) for j in range(len(columns) + 1)], dtype=np.int64),
    )


def plain(columns: list[Column], rows: ChargedRows) -> int:
    """Add up the excesses of all combinations of cells.

    A set costs what the two cheapest values among the rows with the cells of the columns before do.
    """

    def excess(depth: int, members: list[int], cells: list[Cell], price: int) -> int:
        if depth < len(columns):
            found = 0
            for cell in columns[depth].cells({int(rows.ranks[depth, row]) for row in members}):
                inside = [row for row in members if rows.ranks[depth, row] in cell.ranks]
                found += excess(depth + 1, inside, [*cells, cell], price + cell.price)
            return found
        shown = [{int(rows.ranks[j, row]) for row in members} for j in range(len(columns))]
        if not members or not all(cell.needed(own) for cell, own in zip(cells, shown, strict=True)):
            return 0
        n_records = int(rows.counts[members].sum())
        if len(rows.values):
            most = under_caps(rows, members, price)
            return n_records * -(-most // (rows.k * rows.parts)) if most > 0 else 0
        ranked = sorted(int(rows.own[row]) - price for row in members for _ in range(rows.counts[row]))[::-1]
        if len(ranked) < rows.k:
            return 0
        return max(sum(ranked[: rows.k]) + sum(max(one, 0) for one in ranked[rows.k :]), 0)

    return excess(0, list(range(len(rows.own))), [], 0)


def under_caps(rows: ChargedRows, members: list[int], price: int) -> int:
    """Try all amounts in parts, record by record; 0 if there are no k records under the caps."""
    reached: dict[tuple[int, ...], int] = {(0,) * len(rows.caps): 0}
    for row in members:
        value, surplus = int(rows.values[row]), int(rows.own[row]) - price
        further: dict[tuple[int, ...], int] = {}
        for amounts, total in reached.items():
            for amount in range(int(rows.counts[row]) * rows.parts + 1):
                now = (*amounts[:value], amounts[value] + amount, *amounts[value + 1 :])
                above = sum(max(one - int(cap), 0) for one, cap in zip(now, rows.caps, strict=True))
                if sum(now) <= rows.k * rows.parts and above <= rows.spare:
                    further[now] = max(further.get(now, -(10**9)), total + amount * surplus)
        reached = further
    whole = [total for amounts, total in reached.items() if sum(amounts) == rows.k * rows.parts]
    return max([0, *whole])


def drawn(seed: int) -> tuple[list[Column], ChargedRows]:
    rng = Random(seed)  # noqa: S311  (tables, not secrets)
    columns = [Column.drawn(rng) for _ in range(rng.randint(1, 3))]
    n = rng.randint(1, 7)
    ranks = np.array([[rng.randrange(4) for _ in range(n)] for _ in columns], dtype=np.int32)
    values = [rng.randrange(4) for _ in range(n)] if rng.random() < 0.4 else []
    rows = ChargedRows(
        ranks,
        np.array([rng.randint(-3, 12) for _ in range(n)], dtype=np.int64),
        np.array([rng.choice([1, 1, 2, 3]) for _ in range(n)], dtype=np.int64),
        np.array(values, dtype=np.int32),
        rng.randint(1, 3 if values else 4),
        np.array([rng.randint(0, 5) for _ in range(4 if values else 0)], dtype=np.int64),
        rng.randint(0, 2),
        2,
    )
    return columns, rows


def test_all_excesses_are_added_up(seeds: Callable[[int], range]) -> None:
    some = 0
    for seed in seeds(1_200):
        columns, rows = drawn(seed)
        expected = plain(columns, rows)
        assert overcharges(choices_of(columns), rows, ENOUGH) == expected, seed
        some += expected > 0
    assert some > len(seeds(1_200)) // 5


def test_no_sum_leaves_64_bits() -> None:
    """Of eight combinations, each with an excess of 2^61, the sum would be 2^64, which is 0 in 64 bits."""
    column = Column(NODES, [0] * 7, [[0] * 4] * 4)
    for n_columns, n_records, charge in ((1, 1, 2**57), (3, 1, 2**59), (1, 7, 2**59)):
        ranks = np.array([[0, 1, 2, 3]] * n_columns, dtype=np.int32)
        own, counts = np.full(4, charge, dtype=np.int64), np.ones(4, dtype=np.int64)
        rows = ChargedRows(ranks, own, counts * n_records, *NO_CAPS)
        plainly = plain([column] * n_columns, rows)
        assert overcharges(choices_of([column] * n_columns), rows, ENOUGH) == min(plainly, MUCH)
        assert (plainly > MUCH) == (charge == 2**59)


def test_no_sum_under_caps_leaves_64_bits() -> None:
    """Four records are charged up to 2^61 over the parts of a record, all together."""
    column = Column(NODES, [0] * 7, [[0] * 4] * 4)
    ranks, counts = np.array([[0, 1, 2, 3]], dtype=np.int32), np.ones(4, dtype=np.int64)
    for parts, charge in ((1, 2**57), (1, 2**59), (1024, 2**47), (1024, 2**49)):
        own, values = np.full(4, charge, dtype=np.int64), np.arange(4, dtype=np.int32)
        caps = np.ones(4, dtype=np.int64)
        whole = plain([column], ChargedRows(ranks, own, counts, values, 1, caps, 0, 1))
        rows = ChargedRows(ranks, own, counts, values, 1, parts * caps, 0, parts)
        assert overcharges(choices_of([column]), rows, ENOUGH) == min(whole, MUCH)
        assert (whole > MUCH) == (charge == 2**59)


def test_a_walk_that_takes_too_long_says_so() -> None:
    columns, rows = drawn(3)
    assert overcharges(choices_of(columns), rows, 0) == -1
