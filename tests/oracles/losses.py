"""The measures, record by record, straight from their definitions."""

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from math import log2, prod

from tests.oracles.plain import Key, Node, PlainTable, Value

Kept = frozenset[Key]
Number = Fraction | float


def loss(measure: str, table: PlainTable, node: Node, kept: Kept) -> float:
    """Return the loss of publishing, at one level per column, the records whose class is kept."""
    if measure in CELLS:
        return float(sum(_column(measure, table, number, node, kept) for number in range(len(node))))
    return float(CLASSES[measure](table, node, kept))


def _column(measure: str, table: PlainTable, number: int, node: Node, kept: Kept) -> float:
    column, level = table.quasi[number], node[number]
    paid = 0.0
    for record in table.records:
        shown = table.key(record, node) in kept
        if shown:
            paid += float(CELLS[measure](table, column, record[column], level))
        elif measure in ALWAYS_ONE:
            paid += 1 if measure != "precision" else 1 / len(table.records)
        else:
            paid += float(CELLS[measure](table, column, record[column], table.height(column)))
    return table.weights.get(column, 1.0) * paid


def _inside(table: PlainTable, column: str, value: Value, level: int) -> list[Value]:
    """Return the values, of all records of the table, that the published label may stand for."""
    leaves = table.below(column, table.label(column, value, level), level)
    return [record[column] for record in table.records if record[column] in leaves]


def _stars(table: PlainTable, column: str, value: Value, level: int) -> Number:
    return int(level == table.height(column))


def _leaves(table: PlainTable, column: str, value: Value, level: int) -> int:
    return len(table.below(column, table.label(column, value, level), level))


def _lm(table: PlainTable, column: str, value: Value, level: int) -> Number:
    return Fraction(_leaves(table, column, value, level) - 1, max(len(table.domain(column)) - 1, 1))


def _ncp(table: PlainTable, column: str, value: Value, level: int) -> Number:
    leaves = _leaves(table, column, value, level)
    return Fraction(leaves, len(table.domain(column))) if leaves > 1 else 0


def _tree(table: PlainTable, column: str, value: Value, level: int) -> Number:
    """The lowest level at which the same leaves stand together, over that of the root."""
    mine = table.below(column, table.label(column, value, level), level)
    root = _first(table, column, value, table.domain(column))
    return Fraction(_first(table, column, value, mine), max(root, 1))


def _first(table: PlainTable, column: str, value: Value, leaves: list[Value]) -> int:
    levels = range(table.height(column) + 1)
    return next(at for at in levels if table.below(column, table.label(column, value, at), at) == leaves)


def _entropy(table: PlainTable, column: str, value: Value, level: int) -> Number:
    counts = Counter(_inside(table, column, value, level))
    return sum(-count / counts.total() * log2(count / counts.total()) for count in counts.values())


def _monotone_entropy(table: PlainTable, column: str, value: Value, level: int) -> Number:
    share = len(_inside(table, column, value, level)) / len(table.records)
    return share * float(_entropy(table, column, value, level))


def _nonuniform_entropy(table: PlainTable, column: str, value: Value, level: int) -> Number:
    inside = _inside(table, column, value, level)
    return -log2(inside.count(value) / len(inside))


def _absolute(table: PlainTable, column: str, value: Value, level: int) -> Number:
    return level


def _relative(table: PlainTable, column: str, value: Value, level: int) -> Number:
    return Fraction(level, table.height(column))


def _precision(table: PlainTable, column: str, value: Value, level: int) -> Number:
    return Fraction(level, table.height(column) * len(table.records))


def sizes(table: PlainTable, node: Node, kept: Kept) -> list[int]:
    """Return the sizes of the released classes."""
    counts = Counter(table.key(record, node) for record in table.records)
    return [size for key, size in counts.items() if key in kept]


def _suppressed(table: PlainTable, node: Node, kept: Kept) -> int:
    return len(table.records) - sum(sizes(table, node, kept))


def _discernibility(table: PlainTable, node: Node, kept: Kept) -> Number:
    return sum(size * size for size in sizes(table, node, kept)) + _suppressed(table, node, kept) * len(table.records)


def _class_size(table: PlainTable, node: Node, kept: Kept) -> Number:
    released, n = sizes(table, node, kept), len(table.records)
    if not released:
        return n
    share = Fraction(_suppressed(table, node, kept), n)
    return (1 - share) * Fraction(sum(released), len(released)) + share * n


def _distribution(table: PlainTable, node: Node, kept: Kept) -> Number:
    return len(table.records) - len(kept)


def _ambiguity(table: PlainTable, node: Node, kept: Kept) -> Number:
    total = 0
    for record in table.records:
        levels = node if table.key(record, node) in kept else [table.height(column) for column in table.quasi]
        cells = zip(table.quasi, levels, strict=True)
        total += prod(_leaves(table, column, record[column], level) for column, level in cells)
    return total


def _classification(table: PlainTable, node: Node, kept: Kept) -> Number:
    wrong = _suppressed(table, node, kept)
    for key in kept:
        shown = Counter(record[table.sensitive[0]] for record in table.records if table.key(record, node) == key)
        wrong += shown.total() - max(shown.values())
    return wrong


def _geometric_mean(table: PlainTable, node: Node, kept: Kept) -> Number:
    n, product = len(table.records), 1.0
    for column, level in zip(table.quasi, node, strict=True):
        paid = sum(
            _lm(table, column, record[column], level) if table.key(record, node) in kept else 1
            for record in table.records
        )
        product *= 1 + float(paid) / n
    return product ** (1 / len(node)) - 1


def _a_posteriori(table: PlainTable, node: Node, kept: Kept) -> Number:
    bits = sum(size * log2(size) for size in sizes(table, node, kept))
    return bits + _suppressed(table, node, kept) * log2(max(len(table.records), 2))


def _profitability(table: PlainTable, node: Node, kept: Kept) -> Number:
    counts = Counter(table.key(record, node) for record in table.records)
    most = sum(log2(len(table.domain(column))) for column in table.quasi)
    lost = 0.0
    for record in table.records:
        key = table.key(record, node)
        if key not in kept:
            lost += 1200
            continue
        cells = zip(table.quasi, node, strict=True)
        bits = sum(log2(_leaves(table, column, record[column], level)) for column, level in cells)
        lost += 1200 * (bits / most if most else 0) + (300 / counts[key] if 300 / counts[key] > 4 else 0)
    return lost


CELLS: dict[str, Callable[[PlainTable, str, Value, int], Number]] = {
    "lm": _lm,
    "balanced-lm": _lm,
    "ncp": _ncp,
    "stars": _stars,
    "tree": _tree,
    "entropy": _entropy,
    "monotone-entropy": _monotone_entropy,
    "nonuniform-entropy": _nonuniform_entropy,
    "absolute-distance": _absolute,
    "relative-distance": _relative,
    "precision": _precision,
}
"""The price of one value published at one level; a suppressed one costs what the top does."""

ALWAYS_ONE = {"lm", "balanced-lm", "ncp", "stars", "tree", "relative-distance", "precision"}
"""Where a suppressed cell is charged in full even if the column has one value only."""

CLASSES: dict[str, Callable[[PlainTable, Node, Kept], Number]] = {
    "geometric-mean": _geometric_mean,
    "a-posteriori": _a_posteriori,
    "profitability": _profitability,
    "discernibility": _discernibility,
    "class-size": _class_size,
    "distribution": _distribution,
    "suppression": _suppressed,
    "ambiguity": _ambiguity,
    "classification": _classification,
}
