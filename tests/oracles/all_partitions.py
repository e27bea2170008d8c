"""Brute force over all partitions of the records of a tiny table, and over all choices of suppressed records."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations

from shoal.models.table_model import TableModel
from tests.oracles.local.losses import Pricing, Shown
from tests.oracles.local.tables import Cell, LocalTable
from tests.oracles.plain import Record, Rules
from tests.oracles.promises import keep_together, keeps

Members = tuple[int, ...]
"""The numbers of the records of a class, ascending."""

Look = tuple[str | Cell | None, ...]
"""What a class looks like to a reader: texts, or cells in their place; None is a missing value."""


@dataclass(frozen=True)
class Partitions:
    """All partitions of a table, judged by the same rules; each class is published as its closure."""

    table: LocalTable
    rules: Rules
    _passing: dict[tuple[Members, Members], bool] = field(default_factory=dict)

    def optimum(
        self, measure: str, max_suppressed: Fraction = Fraction(0), pricing: Pricing | None = None
    ) -> float | None:
        """Return the least loss of all allowed releases, or None if none is allowed.

        Release by release (`least`) where only that will do. Else class by class: if promises look at each class
        alone, and prices add up over records, the best for some records is a class of the first of them and the
        best for the others. Two classes may then be published alike; but joined they keep the promises, which are
        monotone, and pay the same.
        """
        pricing = Pricing(self.table, measure) if pricing is None else pricing
        together = any(isinstance(model, TableModel) for model in self.rules.models)
        if self.rules.wildcard or self.table.people or together or not pricing.additive:
            return self.least(pricing, max_suppressed)
        assert all(model.monotone for model in self.rules.models)
        by_class = _ByClass(self, pricing)
        losses = []
        for gone in self.choices(max_suppressed):
            rest = self.without(gone)
            if not gone or not self.rules.stars or self.keeps_all(gone, self.without(())):
                best = by_class.best(rest, self._reference(rest))
                if best is not None:
                    losses.append(best + sum(map(pricing.forgone, self.records(gone))))
        return min(losses, default=None)

    def least(self, pricing: Pricing, max_suppressed: Fraction = Fraction(0)) -> float | None:
        """Return the least loss of all allowed releases, by looking at every single one."""
        shown: dict[Members, Shown] = {}
        losses = []
        for gone in self.choices(max_suppressed):
            for partition in partitions(self.without(gone)):
                for members in partition:
                    if members not in shown:
                        shown[members] = pricing.shown(self.records(members))
                classes = {look(shown[members]): shown[members] for members in partition}
                if len(classes) == len(partition) and allowed(self.table, self.rules, classes, self.records(gone)):
                    losses.append(pricing.loss(list(classes.values()), self.records(gone)))
        return min(losses, default=None)

    def choices(self, max_suppressed: Fraction) -> Iterator[Members]:
        """Go through all choices of suppressed records; at least one record is released."""
        n = len(self.table.records)
        for size in range(min(int(max_suppressed * n), n - 1) + 1):
            yield from combinations(range(n), size)

    def keeps_all(self, members: Members, reference: Members) -> bool:
        """Tell whether a class keeps all promises, compared with the reference."""
        key = (members, reference)
        if key not in self._passing:
            records, whole = self.records(members), self.records(reference)
            models, sensitive = self.rules.models, self.table.sensitive
            self._passing[key] = all(keeps(model, records, whole, sensitive) for model in models)
        return self._passing[key]

    def _reference(self, rest: Members) -> Members:
        """Return the records that a class is compared with; all of them if no promise compares."""
        relative = any(model.relative for model in self.rules.models)
        return rest if relative and not self.rules.stars else self.without(())

    def without(self, gone: Members) -> Members:
        """Return the other records."""
        return tuple(number for number in range(len(self.table.records)) if number not in gone)

    def records(self, members: Members) -> list[Record]:
        """Return the records with these numbers."""
        return [self.table.records[number] for number in members]


@dataclass(frozen=True)
class _ByClass:
    """The best releases of some of the records, each found once."""

    space: Partitions
    pricing: Pricing
    known: dict[tuple[Members, Members], float | None] = field(default_factory=dict)
    paid: dict[Members, float] = field(default_factory=dict)

    def best(self, rest: Members, reference: Members) -> float | None:
        """Return the least loss of releasing all of these records, None if that is not allowed."""
        if not rest:
            return 0.0
        if (rest, reference) not in self.known:
            found = []
            for members, others in _classes_of_first(rest):
                if self.space.keeps_all(members, reference):
                    below = self.best(others, reference)
                    if below is not None:
                        found.append(self.price(members) + below)
            self.known[rest, reference] = min(found, default=None)
        return self.known[rest, reference]

    def price(self, members: Members) -> float:
        if members not in self.paid:
            self.paid[members] = self.pricing.paid(self.pricing.shown(self.space.records(members)))
        return self.paid[members]


def _classes_of_first(rest: Members) -> Iterator[tuple[Members, Members]]:
    """Go through all classes that hold the first of some records, each with the records left."""
    first, others = rest[0], rest[1:]
    for size in range(len(others) + 1):
        for more in combinations(others, size):
            yield (first, *more), tuple(number for number in others if number not in more)


def partitions(rest: Members) -> Iterator[list[Members]]:
    """Go through all partitions of some records."""
    if not rest:
        yield []
        return
    for members, others in _classes_of_first(rest):
        for partition in partitions(others):
            yield [members, *partition]


def look(one: Shown) -> Look:
    """Return what a class looks like, without naming its cells, but for stars and missing values."""
    return tuple("*" if cell.star else None if cell.leaves == {None} else cell for cell in one.cells)


def allowed(table: LocalTable, rules: Rules, classes: Mapping[Look, Shown], gone: list[Record]) -> bool:
    """Tell whether a release keeps all promises; classes are told apart by their looks.

    Records that are suppressed are left out, or they are a class of stars, together with any that looks so too.
    """
    if not classes or not _stand(table, rules, classes):
        return False
    if not gone or not rules.stars:
        return True
    star: Look = ("*",) * len(table.quasi)
    alike = classes[star].members if star in classes else []
    stars = Shown([*gone, *alike], tuple(table.top(column) for column in table.quasi))
    return _stand(table, rules, {**classes, star: stars})


def _stand(table: LocalTable, rules: Rules, classes: Mapping[Look, Shown]) -> bool:
    """Tell whether each class keeps all promises, beside the others."""
    released = [record for one in classes.values() for record in one.members]
    reference = table.records if rules.stars else released
    outside = sum(not any(_covers(table, one, person) for one in classes.values()) for person in table.people)
    for key in classes:
        alike = [one for other, one in classes.items() if other == key or (rules.wildcard and _matches(key, other))]
        members = [record for one in alike for record in one.members]
        covered = sum(any(_covers(table, one, person) for one in alike) for person in table.people)
        for model in rules.models:
            if not keeps(model, members, reference, table.sensitive, covered, outside):
                return False
    return all(keep_together(model, [one.members for one in classes.values()]) for model in rules.models)


def _matches(one: Look, other: Look) -> bool:
    """Tell whether two classes may be the same if a missing value may be any."""
    return all(a == b or a is None or b is None for a, b in zip(one, other, strict=True))


def _covers(table: LocalTable, one: Shown, person: Record) -> bool:
    return all(person[column] in cell.leaves for column, cell in zip(table.quasi, one.cells, strict=True))
