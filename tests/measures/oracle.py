"""What every measure should say, computed record by record from plain lists."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import log2, prod


@dataclass(frozen=True)
class Cell:
    """A published cell: the values it may stand for, and the level of the hierarchy it was taken from."""

    level: int
    leaves: frozenset[str]


@dataclass(frozen=True)
class PlainColumn:
    """A quasi column: one row per value, with its labels up to the top; `numeric` if nodes are intervals."""

    name: str
    rows: tuple[tuple[str, ...], ...]
    weight: float = 1.0
    numeric: bool = False

    @property
    def height(self) -> int:
        return len(self.rows[0]) - 1

    @property
    def domain(self) -> frozenset[str]:
        return frozenset(row[0] for row in self.rows)

    def cell(self, value: str, level: int) -> Cell:
        label = next(row[level] for row in self.rows if row[0] == value)
        return Cell(level, frozenset(row[0] for row in self.rows if row[level] == label))

    def lowest(self, leaves: frozenset[str]) -> int:
        value = min(leaves)
        return next(level for level in range(self.height + 1) if self.cell(value, level).leaves == leaves)


@dataclass(frozen=True)
class PlainRelease:
    """A table and what was published of it: for each record its cells, or None if it is suppressed."""

    columns: tuple[PlainColumn, ...]
    records: tuple[tuple[str, ...], ...]
    published: tuple[tuple[Cell, ...] | None, ...]
    labels: tuple[str, ...]

    def only(self, number: int) -> "PlainRelease":
        """Return the release with one quasi column."""
        return replace(
            self,
            columns=(self.columns[number],),
            records=tuple((record[number],) for record in self.records),
            published=tuple(cells and (cells[number],) for cells in self.published),
        )

    def nothing(self) -> "PlainRelease":
        """Return the release in which every record is suppressed."""
        return replace(self, published=(None,) * len(self.records))

    def classes(self) -> list[list[int]]:
        """Return the numbers of the records of each released class."""
        members: dict[tuple[Cell, ...], list[int]] = {}
        for number, cells in enumerate(self.published):
            if cells is not None:
                members.setdefault(cells, []).append(number)
        return list(members.values())

    @property
    def suppressed(self) -> int:
        return sum(cells is None for cells in self.published)


CellPrice = Callable[[PlainColumn, list[str], str, Cell], float]
"""The price of publishing a value of a column, whose values are listed, as a cell."""

Total = Callable[[PlainRelease], float]


def width(leaves: frozenset[str]) -> float:
    return max(map(float, leaves)) - min(map(float, leaves))


def stars(column: PlainColumn, values: list[str], value: str, cell: Cell) -> float:
    return float(cell.level == column.height)


def tree(column: PlainColumn, values: list[str], value: str, cell: Cell) -> float:
    root = column.lowest(column.domain)
    return column.lowest(cell.leaves) / root if root else 0.0


def entropy(column: PlainColumn, values: list[str], value: str, cell: Cell) -> float:
    inside = Counter(other for other in values if other in cell.leaves)
    return sum(-count / inside.total() * log2(count / inside.total()) for count in inside.values())


def monotone_entropy(column: PlainColumn, values: list[str], value: str, cell: Cell) -> float:
    share = sum(other in cell.leaves for other in values) / len(values)
    return share * entropy(column, values, value, cell)


def nonuniform_entropy(column: PlainColumn, values: list[str], value: str, cell: Cell) -> float:
    return -log2(values.count(value) / sum(other in cell.leaves for other in values))


def absolute_distance(column: PlainColumn, values: list[str], value: str, cell: Cell) -> float:
    return cell.level


def relative_distance(column: PlainColumn, values: list[str], value: str, cell: Cell) -> float:
    return cell.level / column.height


def precision(column: PlainColumn, values: list[str], value: str, cell: Cell) -> float:
    return cell.level / column.height / len(values)


def lm(column: PlainColumn, values: list[str], value: str, cell: Cell) -> float:
    if column.numeric:
        return width(cell.leaves) / width(column.domain) if width(column.domain) else 0.0
    return (len(cell.leaves) - 1) / (len(column.domain) - 1) if len(column.domain) > 1 else 0.0


def ncp(column: PlainColumn, values: list[str], value: str, cell: Cell) -> float:
    if column.numeric:
        return lm(column, values, value, cell)
    return len(cell.leaves) / len(column.domain) if len(cell.leaves) > 1 else 0.0


def per_cell(price: CellPrice, full: CellPrice | float = 1.0) -> Total:
    """Add up the prices of all cells; a suppressed one costs `full`, or what the top costs by the function `full`."""

    def total(release: PlainRelease) -> float:
        paid = 0.0
        for number, column in enumerate(release.columns):
            values = [record[number] for record in release.records]
            for value, cells in zip(values, release.published, strict=True):
                if cells is not None:
                    paid += column.weight * price(column, values, value, cells[number])
                elif callable(full):
                    paid += column.weight * full(column, values, value, column.cell(value, column.height))
                else:
                    paid += column.weight * full
        return paid

    return total


def discernibility(release: PlainRelease) -> float:
    return sum(len(members) ** 2 for members in release.classes()) + release.suppressed * len(release.records)


def class_size(release: PlainRelease) -> float:
    n, classes = len(release.records), release.classes()
    if not classes:
        return n
    share = release.suppressed / n
    return (1 - share) * (n - release.suppressed) / len(classes) + share * n


def distribution(release: PlainRelease) -> float:
    return len(release.records) - len(release.classes())


def suppression(release: PlainRelease) -> float:
    return release.suppressed


def ambiguity(release: PlainRelease) -> float:
    everything = prod(len(column.domain) for column in release.columns)
    return sum(everything if cells is None else prod(len(cell.leaves) for cell in cells) for cells in release.published)


def classification(release: PlainRelease) -> float:
    wrong = release.suppressed
    for members in release.classes():
        shown = Counter(release.labels[number] for number in members)
        wrong += len(members) - max(shown.values())
    return wrong


def geometric_mean(release: PlainRelease) -> float:
    unweighted = [replace(column, weight=1.0) for column in release.columns]
    plain = replace(release, columns=tuple(unweighted))
    factors = [1 + per_cell(lm)(plain.only(number)) / len(release.records) for number in range(len(release.columns))]
    return prod(factors) ** (1 / len(factors)) - 1


def a_posteriori(release: PlainRelease) -> float:
    released = sum(len(members) * log2(len(members)) for members in release.classes())
    return released + release.suppressed * log2(max(len(release.records), 2))


def profitability(release: PlainRelease) -> float:
    """What is not paid out, with the default figures: 1,200 a record, 300 for an attack, which costs 4."""
    most = sum(log2(len(column.domain)) for column in release.columns)
    lost = 1200.0 * release.suppressed
    for members in release.classes():
        cells = release.published[members[0]] or ()
        bits = sum(log2(len(cell.leaves)) for cell in cells)
        worth = 1200 * (1 - (bits / most if most else 0))
        attacked = 300 / len(members) > 4
        lost += sum(1200 - (worth - (300 / len(members) if attacked else 0)) for _ in members)
    return lost


TOTALS: dict[str, Total] = {
    "balanced-lm": per_cell(lm),
    "geometric-mean": geometric_mean,
    "a-posteriori": a_posteriori,
    "profitability": profitability,
    "stars": per_cell(stars),
    "tree": per_cell(tree),
    "entropy": per_cell(entropy, entropy),
    "monotone-entropy": per_cell(monotone_entropy, monotone_entropy),
    "nonuniform-entropy": per_cell(nonuniform_entropy, nonuniform_entropy),
    "absolute-distance": per_cell(absolute_distance, absolute_distance),
    "relative-distance": per_cell(relative_distance),
    "precision": per_cell(precision, precision),
    "lm": per_cell(lm),
    "ncp": per_cell(ncp),
    "discernibility": discernibility,
    "class-size": class_size,
    "distribution": distribution,
    "suppression": suppression,
    "ambiguity": ambiguity,
    "classification": classification,
}
