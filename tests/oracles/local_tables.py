"""A plain table whose columns may publish nodes of a tree, ranges or sets; what a class may show, and its texts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Literal

from shoal.measures import MEASURES
from shoal.search.problem import Problem
from shoal.tables.hierarchies import Ranges
from shoal.tables.hierarchies.hierarchy import Hierarchy
from tests.oracles.plain import PlainTable, Rules, Value
from tests.oracles.problems import hierarchy_of, tally_of

Form = Literal["tree", "ranges", "numbers", "sets"]
"""What a column publishes; `numbers` are ranges that are priced by their width."""


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

    def choices(self, column: str, values: Sequence[Value]) -> list[Cell]:
        """Return the cells that may be published for these values, the most specific first.

        In a tree that is each node above all of them. Else it is one alone: the range from the least to the
        greatest, or the set itself; or the top, where a missing value meets others.
        """
        wanted = frozenset(values)
        if self.form(column) == "tree":
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
        return [Cell(wanted, self.level_above(column, wanted))]

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
        if self.form(column) in ("ranges", "numbers"):
            for start, low in enumerate(values):
                for end, high in enumerate(values[start + 1 :], start + 1):
                    if text == f"{low} - {high}":
                        between = frozenset[Value](values[start : end + 1])
                        found.append(Cell(between, self.level_above(column, between)))
        return found


def full_hierarchy(table: LocalTable, column: str) -> Hierarchy:
    """Return the hierarchy of a column with its form, and a leaf for the missing value if there is one."""
    form = table.form(column)
    if form != "numbers":
        return replace(hierarchy_of(table, column), form=form)
    hierarchy = Ranges().build(list(table.hierarchies[column]), column)
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
