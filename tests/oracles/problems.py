"""Turns a plain table into a problem, and a solution back into published records."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from shoal.classes.tally import QuasiColumn, SensitiveColumn, Tally
from shoal.measures import MEASURES
from shoal.search.problem import Problem, Solution
from shoal.tables.hierarchies.hierarchy import Hierarchy
from tests.oracles.plain import Key, PlainTable, Record, Rules, Value

PEOPLE = "people.csv"


def hierarchy_of(table: PlainTable, column: str) -> Hierarchy:
    """Return a column's hierarchy, with a leaf for the missing value if there is one."""
    hierarchy = Hierarchy.of_rows(list(table.hierarchies[column].values()), f"hierarchy of '{column}'")
    return hierarchy.with_missing() if None in table.domain(column) else hierarchy


def tally_of(table: PlainTable) -> Tally:
    """Count the records of a table."""
    hierarchies = [hierarchy_of(table, column) for column in table.quasi]
    values = [_ordered({record[name] for record in table.records}) for name in table.sensitive]
    shown = sorted({_profile(record, table, values) for record in table.records})
    points: dict[tuple[int, ...], list[int]] = {}
    for record in table.records:
        codes = _codes(record, table, hierarchies)
        points.setdefault((*codes, shown.index(_profile(record, table, values))), [0, 0])[0] += 1
    for person in table.people:
        points.setdefault((*_codes(person, table, hierarchies), 0), [0, 0])[1] += 1
    rows = np.array(sorted(points), dtype=np.int32)
    counts = np.array([points[point] for point in sorted(points)], dtype=np.int64)
    quasi = []
    for j, (column, hierarchy) in enumerate(zip(table.quasi, hierarchies, strict=True)):
        leaves = np.bincount(rows[:, j], weights=counts[:, 0], minlength=hierarchy.n_leaves).astype(np.int64)
        quasi.append(QuasiColumn(column, hierarchy, leaves, table.weights.get(column, 1.0)))
    sensitive = [SensitiveColumn(name, mine) for name, mine in zip(table.sensitive, values, strict=True)]
    return Tally(
        quasi=tuple(quasi),
        sensitive=tuple(sensitive),
        codes=np.ascontiguousarray(rows[:, :-1]),
        profiles=np.ascontiguousarray(rows[:, -1]),
        profile_codes=np.array(shown, dtype=np.int32).reshape(len(shown), len(values)),
        counts=np.ascontiguousarray(counts[:, 0]),
        populations={PEOPLE: np.ascontiguousarray(counts[:, 1])} if table.people else {},
    )


def problem_of(
    table: PlainTable,
    rules: Rules,
    measure: str = "lm",
    max_suppressed: Fraction = Fraction(0),
    time_limit: float | None = None,
) -> Problem:
    """Ask for the release of a table."""
    return Problem(
        tally=tally_of(table),
        models=rules.models,
        measure=MEASURES[measure](),
        max_suppressed=max_suppressed,
        stars=rules.stars,
        wildcard=rules.wildcard,
        time_limit=time_limit,
    )


def published(table: PlainTable, problem: Problem, solution: Solution) -> list[tuple[Record, Key | None]]:
    """Return each record with the texts that are published for it, or None if it is suppressed."""
    texts = []
    for number in range(len(table.quasi)):
        labels, shown = solution.recoding.published(number)
        texts.append([labels[code] for code in shown])
    hierarchies = [column.hierarchy for column in problem.tally.quasi]
    values = [column.values for column in problem.tally.sensitive]
    shown_profiles = [tuple(row) for row in problem.tally.profile_codes.tolist()]
    points = list(zip(problem.tally.codes.tolist(), problem.tally.profiles.tolist(), strict=True))
    parts = zip(
        solution.parts.points.tolist(), solution.parts.classes.tolist(), solution.parts.counts.tolist(), strict=True
    )
    classes: dict[int, list[int]] = {}
    for point, label, count in parts:
        classes.setdefault(point, []).extend([label] * count)
    released: list[tuple[Record, Key | None]] = []
    for record in table.records:
        profile = shown_profiles.index(_profile(record, table, values))
        label = classes[points.index((list(_codes(record, table, hierarchies)), profile))].pop()
        released.append((record, tuple(text[label] for text in texts) if label >= 0 else None))
    return released


def _ordered(values: set[Value]) -> tuple[Value, ...]:
    return tuple(sorted(values, key=lambda value: (value is None, value or "")))


def _codes(record: Record, table: PlainTable, hierarchies: Sequence[Hierarchy]) -> tuple[int, ...]:
    pairs = zip(table.quasi, hierarchies, strict=True)
    return tuple(hierarchy.values.index(record[column]) for column, hierarchy in pairs)


def _profile(record: Record, table: PlainTable, values: Sequence[tuple[Value, ...]]) -> tuple[int, ...]:
    return tuple(mine.index(record[name]) for name, mine in zip(table.sensitive, values, strict=True))
