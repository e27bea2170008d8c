"""Brute force over all full-domain generalizations, on lists of records."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations, product

from shoal.measures import MEASURES
from shoal.models import PrivacyModel
from tests.oracles.losses import loss
from tests.oracles.plain import Key, Node, PlainTable, Record, Rules
from tests.oracles.promises import keep_together, keeps


@dataclass(frozen=True)
class Judged:
    """A level vector: the classes that can be released, and whether stars may stand for the others."""

    node: Node
    kept: frozenset[Key]
    suppressed: int
    stars_allowed: bool

    def feasible(self, limit: int) -> bool:
        if not self.kept:
            return False
        return self.suppressed == 0 or (self.suppressed <= limit and self.stars_allowed)


@dataclass(frozen=True)
class FullDomain:
    """All level vectors of a table, judged by the same rules."""

    table: PlainTable
    rules: Rules

    @cached_property
    def judged(self) -> list[Judged]:
        """Judge every level vector, without what fails."""
        return [judge(self.table, self.rules, node) for node in nodes(self.table)]

    def feasible(self, max_suppressed: Fraction, *, every: bool = False) -> list[Judged]:
        """Return the releases that are allowed: level vectors, each with all choices of the classes to release.

        If each class is judged alone, it is enough to release all that can be, unless `every` choice is wanted.
        """
        limit = int(max_suppressed * len(self.table.records))
        if every or self.rules.stars or self.rules.wildcard or any(model.relative for model in self.rules.models):
            return [one for node in nodes(self.table) for one in choices(self.table, self.rules, node, limit)]
        return [one for one in self.judged if one.feasible(limit)]

    def minimal(self, max_suppressed: Fraction) -> set[Node]:
        """Return the allowed level vectors with no other allowed one below."""
        allowed = [one.node for one in self.feasible(max_suppressed)]
        return {node for node in allowed if not any(lower(other, node) for other in allowed)}

    def loss(self, measure: str, one: Judged) -> float:
        """Return the loss of a level vector."""
        return loss(measure, self.table, one.node, one.kept)

    def optimum(self, measure: str, max_suppressed: Fraction, among: Sequence[Node] | None = None) -> float | None:
        """Return the least loss of all allowed level vectors, or of some; None if none is allowed."""
        every = not MEASURES[measure].monotone  # then it may be cheaper to suppress a class
        allowed = [one for one in self.feasible(max_suppressed, every=every) if among is None or one.node in among]
        return min((self.loss(measure, one) for one in allowed), default=None)

    def at(self, node: Node) -> Judged:
        """Return one level vector."""
        return next(one for one in self.judged if one.node == node)


def nodes(table: PlainTable) -> Iterator[Node]:
    """Go through all level vectors."""
    return product(*(range(table.height(column) + 1) for column in table.quasi))


def lower(one: Node, other: Node) -> bool:
    """Tell whether a level vector lies below another."""
    return one != other and all(a <= b for a, b in zip(one, other, strict=True))


def _classes(table: PlainTable, node: Node) -> tuple[dict[Key, list[Record]], dict[Key, int]]:
    """Return the records of each class of a level vector, and how many of the people are in each."""
    classes: dict[Key, list[Record]] = {}
    for record in table.records:
        classes.setdefault(table.key(record, node), []).append(record)
    return classes, dict(Counter(table.key(person, node) for person in table.people))


def choices(table: PlainTable, rules: Rules, node: Node, limit: int) -> Iterator[Judged]:
    """Go through all sets of classes of a level vector that may be released with the others suppressed."""
    classes, people = _classes(table, node)
    alone = [model for model in rules.models if not model.relative and not rules.wildcard]
    able = [key for key in classes if _keeps_all(alone, table, classes[key], [], people.get(key, 0), 0)]
    for number in range(len(able), 0, -1):
        for kept in combinations(able, number):
            gone = len(table.records) - sum(len(classes[key]) for key in kept)
            if gone <= limit and _stand_together(table, rules, classes, set(kept), people):
                yield Judged(node, frozenset(kept), gone, stars_allowed=True)


def _stand_together(
    table: PlainTable, rules: Rules, classes: dict[Key, list[Record]], kept: set[Key], people: dict[Key, int]
) -> bool:
    reference = table.records if rules.stars else [record for key in kept for record in classes[key]]
    outside = sum(count for key, count in people.items() if key not in kept)
    for key in kept:
        cells = [other for other in kept if matches(key, other)] if rules.wildcard else [key]
        members = [record for cell in cells for record in classes[cell]]
        covered = sum(people.get(cell, 0) for cell in cells)
        if not _keeps_all(rules.models, table, members, reference, covered, outside):
            return False
    if not rules.stars and not _keep_together(rules, [classes[key] for key in kept]):
        return False
    if rules.stars and len(kept) == len(classes) and not _keep_together(rules, list(classes.values())):
        return False
    return not rules.stars or len(kept) == len(classes) or stars_stand(table, rules, classes, kept, people)


def judge(table: PlainTable, rules: Rules, node: Node) -> Judged:
    """Take out the classes that fail, and again, until those that are left stand together."""
    classes, people = _classes(table, node)
    kept = set(classes)
    while True:
        reference = table.records if rules.stars else [record for key in kept for record in classes[key]]
        outside = sum(count for key, count in people.items() if key not in kept)
        fails = set()
        for key in kept:
            cells = [other for other in kept if matches(key, other)] if rules.wildcard else [key]
            members = [record for cell in cells for record in classes[cell]]
            covered = sum(people.get(cell, 0) for cell in cells)
            if not _keeps_all(rules.models, table, members, reference, covered, outside):
                fails.add(key)
        kept -= fails
        if not fails or not kept:
            break
    gone = [key for key in classes if key not in kept]
    starred = [record for key in gone for record in classes[key]]
    allowed = not rules.stars or not starred or stars_stand(table, rules, classes, kept, people)
    return Judged(node, frozenset(kept), len(starred), allowed)


def stars_stand(
    table: PlainTable, rules: Rules, classes: dict[Key, list[Record]], kept: set[Key], people: dict[Key, int]
) -> bool:
    """Tell whether the released classes and one class of all starred records keep the promises side by side."""
    star: Key = ("*",) * len(table.quasi)
    shown: dict[Key, list[Key]] = {key: [key] for key in kept}
    shown.setdefault(star, []).extend(key for key in classes if key not in kept)
    outside = sum(count for key, count in people.items() if key not in classes)
    for key in shown:
        cells = [
            cell for other in shown if other == key or (rules.wildcard and matches(key, other)) for cell in shown[other]
        ]
        members = [record for cell in cells for record in classes[cell]]
        covered = sum(people.get(cell, 0) for cell in cells)
        if not _keeps_all(rules.models, table, members, table.records, covered, outside):
            return False
    return _keep_together(rules, [[record for cell in shown[key] for record in classes[cell]] for key in shown])


def _keep_together(rules: Rules, classes: Sequence[Sequence[Record]]) -> bool:
    return all(keep_together(model, classes) for model in rules.models)


def matches(one: Key, other: Key) -> bool:
    """Tell whether two classes may be the same if a missing value may be any."""
    return all(a == b or a is None or b is None for a, b in zip(one, other, strict=True))


def _keeps_all(
    models: Sequence[PrivacyModel],
    table: PlainTable,
    members: Sequence[Record],
    reference: Sequence[Record],
    covered: int,
    outside: int,
) -> bool:
    return all(keeps(model, members, reference, table.sensitive, covered, outside) for model in models)
