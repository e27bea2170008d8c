"""Mondrian as plain recursion over the points of a table: what the compiled cuts must do."""

from collections.abc import Iterator
from dataclasses import dataclass

from shoal.models import KAnonymity
from shoal.search.problem import Problem
from tests.oracles.local.losses import Pricing
from tests.oracles.local.tables import LocalTable
from tests.oracles.plain import Record, Rules, Value
from tests.oracles.promises import keeps

Members = dict[int, int]
"""How many records of which point are in a class."""


@dataclass(frozen=True)
class PlainMondrian:
    """Cuts classes of points, which are numbered as in the problem's tally."""

    table: LocalTable
    rules: Rules
    problem: Problem
    relaxed: bool = False
    by_order: bool = False

    @property
    def k(self) -> int:
        return self.problem.k

    def record(self, point: int) -> Record:
        tally = self.problem.tally
        values = [column.hierarchy.values[tally.codes[point, j]] for j, column in enumerate(tally.quasi)]
        shown = tally.profile_codes[tally.profiles[point]]
        others = [column.values[code] for column, code in zip(tally.sensitive, shown, strict=True)]
        return dict(zip((*self.table.quasi, *self.table.sensitive), (*values, *others), strict=True))

    def records(self, members: Members) -> list[Record]:
        return [self.record(point) for point, count in members.items() for _ in range(count)]

    def classes(self) -> list[Members]:
        """Return all classes of the whole table."""
        return self.cut({point: int(count) for point, count in enumerate(self.problem.tally.counts)})

    def cut(self, members: Members) -> list[Members]:
        """Cut a class along its widest column that allows it, and the parts again."""
        for column in sorted(self.table.quasi, key=lambda column: -self.width(column, members)):
            parts = self.parts(column, members)
            if parts and all(self.keeps(part) for part in parts):
                return [one for part in parts for one in self.cut(part)]
        return [members]

    def width(self, column: str, members: Members) -> float:
        """Return what lm charges a record of the class."""
        pricing = Pricing(self.table, "lm")
        values = [record[column] for record in self.records(members)]
        return self.table.weights.get(column, 1.0) * pricing.price(column, values[0], pricing.cell(column, values))

    def keeps(self, members: Members) -> bool:
        """Tell whether a class keeps all promises beside the number of records, which has been looked at."""
        others = [model for model in self.rules.models if not isinstance(model, KAnonymity)]
        records = self.records(members)
        return all(keeps(model, records, self.table.records, self.table.sensitive) for model in others)

    def along_tree(self, column: str) -> bool:
        return self.table.form(column) == "tree" and not self.by_order

    def place(self, column: str, value: Value) -> tuple[int, ...]:
        """Return where a value stands in the order of its column: by the first value below each node above it."""
        domain = self.table.domain(column)
        if self.table.form(column) != "tree":
            return (domain.index(value),)
        labels = [[self.table.label(column, other, level) for other in domain] for level in self.levels(column)]
        return tuple(names.index(names[domain.index(value)]) for names in labels)

    def levels(self, column: str) -> range:
        return range(self.table.height(column), -1, -1)

    def groups(self, column: str, members: Members) -> list[Members]:
        """Return the points by value, or by the child of the class's node above it, in the order of the column."""
        values = frozenset(self.record(point)[column] for point in members)
        level = self.table.level_above(column, values) - 1 if self.along_tree(column) else 0
        found: dict[Value, Members] = {}
        for point in sorted(members, key=lambda point: (self.place(column, self.record(point)[column]), point)):
            label = self.table.label(column, self.record(point)[column], level)
            found.setdefault(label, {})[point] = members[point]
        return list(found.values())

    def halves(self, groups: list[Members]) -> Iterator[tuple[int, list[Members]]]:
        """Go through the cuts between two groups, with the number of records of the smaller side."""
        for place in range(1, len(groups)):
            sides = [joined(groups[:place]), joined(groups[place:])]
            yield min(sum(side.values()) for side in sides), sides

    def parts(self, column: str, members: Members) -> list[Members]:
        """Return the parts of a class along a column, or none if one would have fewer than k records."""
        if len({self.record(point)[column] for point in members}) == 1:
            return []
        groups = self.groups(column, members)
        if self.along_tree(column) and all(sum(group.values()) >= self.k for group in groups):
            return groups
        smaller, sides = max(reversed(list(self.halves(groups))), key=lambda half: half[0])
        half = sum(members.values()) // 2
        if self.relaxed and not self.along_tree(column) and smaller < half:
            smaller, sides = half, shared(groups, half)
        return sides if smaller >= self.k else []


def joined(groups: list[Members]) -> Members:
    return {point: count for group in groups for point, count in group.items()}


def shared(groups: list[Members], half: int) -> list[Members]:
    """Take the first half of the records in the order of the groups, and within each of the points."""
    first: Members = {}
    second: Members = {}
    for group in groups:
        for point, count in sorted(group.items()):
            taken = min(count, half - sum(first.values()))
            first |= {point: taken} if taken else {}
            second |= {point: count - taken} if count > taken else {}
    return [first, second]
