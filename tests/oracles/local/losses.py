"""The measures on a release whose classes are each recoded for themselves, straight from their definitions."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import log2, prod

from tests.oracles.local.tables import Cell, LocalTable, rounded
from tests.oracles.losses import ALWAYS_ONE, CELLS, Number
from tests.oracles.plain import Record, Value


@dataclass(frozen=True)
class Shown:
    """A released class: its records, and the cell of each column."""

    members: Sequence[Record]
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class Pricing:
    """The prices of one measure for one table."""

    table: LocalTable
    measure: str
    _known: dict[tuple[str, Value, Cell], float] = field(default_factory=dict)
    _choices: dict[tuple[str, frozenset[Value]], list[Cell]] = field(default_factory=dict)

    @property
    def additive(self) -> bool:
        """Whether every cell has a price of its own."""
        return self.measure in CELLS

    def price(self, column: str, value: Value, cell: Cell) -> float:
        """Return the price of publishing a cell for a value, before the column's weight."""
        key = (column, value, cell)
        if key not in self._known:
            self._known[key] = float(self._price(*key))
        return self._known[key]

    def _price(self, column: str, value: Value, cell: Cell) -> Number:
        table = self.table
        node = len(cell.leaves) == 1 or (None in cell.leaves and len(cell.leaves) > 1)
        if table.form(column) == "tree" or node or self.measure not in SUBSETS:
            return CELLS[self.measure](table, column, value, cell.level)
        return SUBSETS[self.measure](table, column, value, cell)

    def lost(self, column: str, value: Value) -> float:
        """Return the price of suppressing a value, before the column's weight."""
        if self.measure in ALWAYS_ONE:
            return 1.0 if self.measure != "precision" else 1 / len(self.table.records)
        return self.price(column, value, self.table.top(column))

    def cell(self, column: str, values: Sequence[Value]) -> Cell:
        """Return the cell that is published for the values of a class: the cheapest, of equal ones the most specific.

        A measure that has no price for a cell takes the most specific.
        """
        key = (column, frozenset(values))
        if key not in self._choices:
            by_nodes = self.additive and self.measure not in SUBSETS
            self._choices[key] = self.table.choices(column, values, by_nodes=by_nodes)
        choices = self._choices[key]
        if not self.additive or len(choices) == 1:
            return choices[0]
        # a hair, so that rounding does not prefer a coarser node of the same price
        prices = [sum(self.price(column, value, cell) for value in values) for cell in choices]
        return next(cell for cell, price in zip(choices, prices, strict=True) if price <= min(prices) + 1e-9)

    def shown(self, members: Sequence[Record]) -> Shown:
        """Return a class with what is published for it."""
        cells = [self.cell(column, [record[column] for record in members]) for column in self.table.quasi]
        return Shown(members, tuple(cells))

    def paid(self, one: Shown) -> float:
        """Return what the records of a class pay, where cells have prices."""
        return sum(
            self.table.weights.get(column, 1.0) * self.price(column, record[column], cell)
            for column, cell in zip(self.table.quasi, one.cells, strict=True)
            for record in one.members
        )

    def forgone(self, record: Record) -> float:
        """Return what a suppressed record pays, where cells have prices."""
        weights = self.table.weights
        return sum(weights.get(column, 1.0) * self.lost(column, record[column]) for column in self.table.quasi)

    def loss(self, classes: Sequence[Shown], gone: Sequence[Record]) -> float:
        """Return the loss of a release; no two classes show the same cells."""
        if self.additive:
            return sum(map(self.paid, classes)) + sum(map(self.forgone, gone))
        return float(CLASSES[self.measure](self.table, classes, len(gone)))


def _inside(table: LocalTable, column: str, cell: Cell) -> list[Value]:
    return [record[column] for record in table.records if record[column] in cell.leaves]


def _width(leaves: Sequence[Value]) -> float:
    numbers = [float(leaf) for leaf in leaves if leaf is not None]
    return max(numbers) - min(numbers)


def _lm(table: LocalTable, column: str, value: Value, cell: Cell) -> Number:
    if table.form(column) == "grid":
        ends, known = rounded(cell.leaves), [int(leaf) for leaf in table.domain(column) if leaf is not None]
        return (min(ends[1], max(known)) - max(ends[0], min(known))) / _width(table.domain(column))
    if table.form(column) == "numbers":
        return _width(list(cell.leaves)) / _width(table.domain(column))
    return Fraction(len(cell.leaves) - 1, len(table.domain(column)) - 1)


def _ncp(table: LocalTable, column: str, value: Value, cell: Cell) -> Number:
    if table.form(column) in ("numbers", "grid"):
        return _lm(table, column, value, cell)
    return Fraction(len(cell.leaves), len(table.domain(column)))


def _stars(table: LocalTable, column: str, value: Value, cell: Cell) -> Number:
    return 1


def _entropy(table: LocalTable, column: str, value: Value, cell: Cell) -> Number:
    counts = Counter(_inside(table, column, cell))
    return sum(-count / counts.total() * log2(count / counts.total()) for count in counts.values())


def _monotone_entropy(table: LocalTable, column: str, value: Value, cell: Cell) -> Number:
    return len(_inside(table, column, cell)) / len(table.records) * float(_entropy(table, column, value, cell))


def _nonuniform_entropy(table: LocalTable, column: str, value: Value, cell: Cell) -> Number:
    inside = _inside(table, column, cell)
    return -log2(inside.count(value) / len(inside))


SUBSETS: dict[str, Callable[[LocalTable, str, Value, Cell], Number]] = {
    "lm": _lm,
    "balanced-lm": _lm,
    "ncp": _ncp,
    "stars": _stars,
    "entropy": _entropy,
    "monotone-entropy": _monotone_entropy,
    "nonuniform-entropy": _nonuniform_entropy,
}
"""The price of a range or a set of several values; by the other measures it is that of the lowest node above."""


def _discernibility(table: LocalTable, classes: Sequence[Shown], gone: int) -> Number:
    return sum(len(one.members) ** 2 for one in classes) + gone * len(table.records)


def _class_size(table: LocalTable, classes: Sequence[Shown], gone: int) -> Number:
    n = len(table.records)
    average = Fraction(n - gone, len(classes))
    return Fraction(n - gone, n) * average + gone


def _distribution(table: LocalTable, classes: Sequence[Shown], gone: int) -> Number:
    return len(table.records) - len(classes)


def _suppression(table: LocalTable, classes: Sequence[Shown], gone: int) -> Number:
    return gone


def _ambiguity(table: LocalTable, classes: Sequence[Shown], gone: int) -> Number:
    everything = prod(len(table.domain(column)) for column in table.quasi)
    covered = sum(len(one.members) * prod(len(cell.leaves) for cell in one.cells) for one in classes)
    return covered + gone * everything


def _classification(table: LocalTable, classes: Sequence[Shown], gone: int) -> Number:
    label = table.sensitive[0]
    most = sum(max(Counter(record[label] for record in one.members).values()) for one in classes)
    return len(table.records) - most


def _geometric_mean(table: LocalTable, classes: Sequence[Shown], gone: int) -> Number:
    product = 1.0
    for number, column in enumerate(table.quasi):
        paid = float(gone)
        for one in classes:
            cell = one.cells[number]
            paid += len(one.members) * (float(_lm(table, column, None, cell)) if len(cell.leaves) > 1 else 0.0)
        product *= 1 + paid / len(table.records)
    return product ** (1 / len(table.quasi)) - 1


def _a_posteriori(table: LocalTable, classes: Sequence[Shown], gone: int) -> Number:
    bits = sum(len(one.members) * log2(len(one.members)) for one in classes)
    return bits + gone * log2(max(len(table.records), 2))


def _profitability(table: LocalTable, classes: Sequence[Shown], gone: int) -> Number:
    most = sum(log2(len(table.domain(column))) for column in table.quasi)
    lost = 1200.0 * gone
    for one in classes:
        size, bits = len(one.members), sum(log2(len(cell.leaves)) for cell in one.cells)
        lost += size * 1200 * (bits / most if most else 0) + (300 if 300 / size > 4 else 0)
    return lost


CLASSES: dict[str, Callable[[LocalTable, Sequence[Shown], int], Number]] = {
    "geometric-mean": _geometric_mean,
    "a-posteriori": _a_posteriori,
    "profitability": _profitability,
    "discernibility": _discernibility,
    "class-size": _class_size,
    "distribution": _distribution,
    "suppression": _suppression,
    "ambiguity": _ambiguity,
    "classification": _classification,
}
"""The loss by the released classes and the number of suppressed records."""
