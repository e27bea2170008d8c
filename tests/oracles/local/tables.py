"""A plain table whose columns may publish nodes of a tree, ranges or sets; what a class may show, and its texts."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Literal

from shoal.measures import MEASURES
from shoal.search.problem import Problem
from shoal.tables.hierarchies import Ranges
from shoal.tables.hierarchies.hierarchy import Form as HierarchyForm
from shoal.tables.hierarchies.hierarchy import Hierarchy
from tests.oracles.plain import PlainTable, Rules, Value
from tests.oracles.problems import hierarchy_of, tally_of

Form = Literal["tree", "ranges", "numbers", "grid", "sets"]
"""What a column publishes; `numbers` are ranges that are priced by their width, in a `grid` with ends rounded."""
GRID = 3
"""The step of the grid, of whole numbers."""


def rounded(leaves: Iterable[Value]) -> tuple[int, int]:
    """Return the ends of a range of whole numbers, rounded outward to the grid."""
    numbers = [int(leaf) for leaf in leaves if leaf is not None]
    return min(numbers) // GRID * GRID, max(numbers) // GRID * GRID + GRID - 1


@dataclass(frozen=True)
class Cell:
    """The values that a published cell may stand for, the lowest level whose node covers them, whether it is a star."""

    leaves: frozenset[Value]
    level: int
    star: bool = False


@dataclass(frozen=True)
class LocalTable(PlainTable):
    """Records with a form for each column, a tree if left out; the rows of a hierarchy are in the column's order."""

    forms: Mapping[str, Form] = field(default_factory=dict)

    def form(self, column: str) -> Form:
        return self.forms.get(column, "tree")

    def with_records(self, records: Sequence[Mapping[str, Value]]) -> "LocalTable":
        return replace(self, records=records)

    def level_above(self, column: str, leaves: frozenset[Value]) -> int:
        """Return the lowest level at which the values share a label."""
        levels = range(self.height(column) + 1)
        return next(level for level in levels if len({self.label(column, leaf, level) for leaf in leaves}) == 1)

    def top(self, column: str) -> Cell:
        """Return the cell that may be any value."""
        label = next(iter(self.hierarchies[column].values()))[-1]
        return Cell(frozenset(self.domain(column)), self.height(column), star=label == "*")

    def choices(self, column: str, values: Sequence[Value], *, by_nodes: bool = False) -> list[Cell]:
        """Return the cells that may be published for these values, the most specific first.

        In a tree that is each node above all of them, and in a grid too if a measure charges nodes alone. Else it is
        one alone: the range from the least to the greatest, or the set itself; or the top, where a missing value meets
        others.
        """
        wanted = frozenset(values)
        if self.form(column) == "tree" or (self.form(column) == "grid" and by_nodes):
            lowest = self.level_above(column, wanted)
            labels = [(level, self.label(column, values[0], level)) for level in range(lowest, self.height(column))]
            nodes = [Cell(frozenset(self.below(column, label, level)), level) for level, label in labels]
            return [*nodes, self.top(column)]
        if len(wanted) > 1 and None in wanted:
            return [self.top(column)]
        if self.form(column) in ("ranges", "numbers") and len(wanted) > 1:
            order: list[Value] = list(self.hierarchies[column])
            places = [order.index(value) for value in wanted]
            wanted = frozenset(order[min(places) : max(places) + 1])
        if self.form(column) == "grid" and len(wanted) > 1:
            wanted = self._between(column, *rounded(wanted))
        return [Cell(wanted, self.level_above(column, wanted))]

    def _between(self, column: str, low: int, high: int) -> frozenset[Value]:
        return frozenset(leaf for leaf in self.domain(column) if leaf is not None and low <= int(leaf) <= high)

    def read(self, column: str, text: Value) -> Cell:
        """Return what a reader takes a published text for; an error if it means nothing, or two things."""
        meanings = {cell.leaves: cell for cell in reversed(self._meanings(column, text))}
        assert len(meanings) == 1, f"{len(meanings)} meanings of a text of {column}"
        return next(iter(meanings.values()))

    def _meanings(self, column: str, text: Value) -> list[Cell]:
        values = list(self.hierarchies[column])
        top = [self.top(column)] if text == next(iter(self.hierarchies[column].values()))[-1] else []
        if self.form(column) == "tree":
            shown = [(level, self.below(column, text, level)) for level in range(self.height(column))]
            return [*(Cell(frozenset(leaves), level) for level, leaves in shown if leaves), *top]
        found = top
        if text in self.domain(column):
            found.append(Cell(frozenset([text]), 0))
        if self.form(column) == "sets" and text is not None and text.startswith("{"):
            leaves = frozenset[Value](text[1:-1].split(", "))
            assert leaves <= set(values)
            found.append(Cell(leaves, self.level_above(column, leaves)))
        if self.form(column) == "grid" and text is not None:
            found += self._on_grid(column, text)
        if self.form(column) in ("ranges", "numbers"):
            for start, low in enumerate(values):
                for end, high in enumerate(values[start + 1 :], start + 1):
                    if text == f"{low} - {high}":
                        between = frozenset[Value](values[start : end + 1])
                        found.append(Cell(between, self.level_above(column, between)))
        return found

    def _on_grid(self, column: str, text: str) -> list[Cell]:
        """Return the nodes between the values and the top that have this label, and the range that reads like it."""
        levels = range(1, self.height(column))
        shown = [(level, frozenset(self.below(column, text, level))) for level in levels]
        nodes = [Cell(leaves, level) for level, leaves in shown if leaves]
        if " - " not in text:
            return nodes
        low, high = map(int, text.split(" - "))
        assert low % GRID == 0
        assert (high + 1) % GRID == 0
        leaves = self._between(column, low, high)
        return [*nodes, Cell(leaves, self.level_above(column, leaves))]


_FORMS: dict[Form, HierarchyForm] = {"tree": "tree", "ranges": "ranges", "sets": "sets"}


def full_hierarchy(table: LocalTable, column: str) -> Hierarchy:
    """Return the hierarchy of a column with its form, and a leaf for the missing value if there is one."""
    form = table.form(column)
    if form not in ("numbers", "grid"):
        return replace(hierarchy_of(table, column), form=_FORMS[form])
    recipe = Ranges(grid=GRID) if form == "grid" else Ranges()
    hierarchy = recipe.build(list(table.hierarchies[column]), column)
    return hierarchy.with_missing() if None in table.domain(column) else hierarchy


def local_problem(
    table: LocalTable,
    rules: Rules,
    measure: str = "lm",
    max_suppressed: Fraction = Fraction(0),
    time_limit: float | None = None,
) -> Problem:
    """Ask for a release of a table in which each class is recoded for itself."""
    tally = tally_of(table)
    quasi = tuple(replace(column, hierarchy=full_hierarchy(table, column.name)) for column in tally.quasi)
    return Problem(
        tally=replace(tally, quasi=quasi),
        models=rules.models,
        measure=MEASURES[measure](),
        max_suppressed=max_suppressed,
        stars=rules.stars,
        wildcard=rules.wildcard,
        time_limit=time_limit,
    )
