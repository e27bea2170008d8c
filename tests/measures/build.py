"""Turns plain lists into what the measures read."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from shoal.classes.grouping import Grouping
from shoal.classes.recoding import Recoding, Subsets
from shoal.classes.tally import QuasiColumn, SensitiveColumn, Tally
from shoal.measures import Loss, Measure
from shoal.tables.hierarchies.hierarchy import Hierarchy
from tests.measures.oracle import Cell, PlainColumn, PlainRelease, width


@dataclass(frozen=True)
class Release:
    """The classes of a release, as a measure reads them."""

    groups: Grouping
    recoding: Recoding
    released: NDArray[np.bool_]

    def loss(self, measure: Measure) -> Loss:
        return measure.loss(self.groups, self.recoding, self.released)

    def shuffled(self, order: Sequence[int]) -> "Release":
        """Return the same classes in another order."""
        target = np.argsort(np.array(order)).astype(np.int32)
        recoding = replace(self.recoding, cells=self.recoding.cells[order])
        return Release(self.groups.merged(target, len(order)), recoding, self.released[order])


def hierarchy_of(column: PlainColumn) -> Hierarchy:
    """Read the rows; where the values are numbers, add the width of each node."""
    hierarchy = Hierarchy.of_rows(column.rows, f"hierarchy of column '{column.name}'")
    if not column.numeric:
        return hierarchy
    spans = []
    for level, labels in enumerate(hierarchy.labels):
        members = [frozenset(row[0] for row in column.rows if row[level] == label) for label in labels]
        spans.append(np.array([width(leaves) for leaves in members]))
    return replace(hierarchy, spans=tuple(spans))


def quasi_column(column: PlainColumn, values: Sequence[str]) -> QuasiColumn:
    """Count the values of a column."""
    hierarchy = hierarchy_of(column)
    codes = hierarchy.encode(values, column.name)
    counts = np.bincount(codes, minlength=hierarchy.n_leaves).astype(np.int64)
    return QuasiColumn(column.name, hierarchy, counts, column.weight)


def publish(
    columns: Sequence[PlainColumn],
    records: Sequence[tuple[str, ...]],
    levels: Sequence[Sequence[int] | None],
    labels: Sequence[str] | None = None,
) -> PlainRelease:
    """Generalize each record to its own levels; None suppresses it."""
    published: list[tuple[Cell, ...] | None] = []
    for record, steps in zip(records, levels, strict=True):
        if steps is None:
            published.append(None)
        else:
            cells = zip(columns, record, steps, strict=True)
            published.append(tuple(column.cell(value, step) for column, value, step in cells))
    return PlainRelease(tuple(columns), tuple(records), tuple(published), tuple(labels or ["-"] * len(records)))


def full_domain(
    columns: Sequence[PlainColumn], records: Sequence[tuple[str, ...]], levels: Sequence[int], k: int = 1
) -> PlainRelease:
    """Generalize every record to the same levels, and suppress the classes of fewer than `k`."""
    release = publish(columns, records, [levels] * len(records))
    kept = {number for members in release.classes() if len(members) >= k for number in members}
    return publish(columns, records, [levels if number in kept else None for number in range(len(records))])


def suppressed_cells(names: Sequence[str], records: Sequence[tuple[str, ...]], classes: Sequence[int]) -> PlainRelease:
    """Publish a star in each column in which the class of a record is not constant, and else the value."""
    values = [sorted({record[number] for record in records}) for number in range(len(names))]
    columns = [
        PlainColumn(name, tuple((value, "*") for value in mine)) for name, mine in zip(names, values, strict=True)
    ]
    levels = []
    for mine in classes:
        members = [record for record, other in zip(records, classes, strict=True) if other == mine]
        levels.append([int(len({record[number] for record in members}) > 1) for number in range(len(names))])
    return publish(columns, records, levels)


def build(plain: PlainRelease) -> Release:
    """Number the classes by first appearance, and code their records and cells."""
    quasi = tuple(
        quasi_column(column, [record[number] for record in plain.records])
        for number, column in enumerate(plain.columns)
    )
    shown = tuple(sorted(set(plain.labels)))
    tally = Tally(
        quasi=quasi,
        sensitive=(SensitiveColumn("label", shown),),
        codes=np.zeros((len(plain.records), len(quasi)), dtype=np.int32),
        profiles=np.array([shown.index(label) for label in plain.labels], dtype=np.int32),
        profile_codes=np.arange(len(shown), dtype=np.int32)[:, None],
        counts=np.ones(len(plain.records), dtype=np.int64),
    )
    cells = list(dict.fromkeys(plain.published))
    members = np.array([cells.index(mine) for mine in plain.published], dtype=np.int32)
    released = np.array([published is not None for published in cells])
    return Release(Grouping.of(tally, members, len(cells)), _recoding(quasi, cells), released)


def _recoding(quasi: tuple[QuasiColumn, ...], cells: Sequence[tuple[Cell, ...] | None]) -> Recoding:
    """Number the different cells of each column; a suppressed class shows any."""
    shown = []
    places = np.zeros((len(cells), len(quasi)), dtype=np.int32)
    for number, column in enumerate(quasi):
        different = list(dict.fromkeys(published[number] for published in cells if published is not None))
        leaves = [column.hierarchy.values.index(min(cell.leaves)) for cell in different]
        levels = [cell.level for cell in different]
        codes = [column.hierarchy.codes[level, leaf] for level, leaf in zip(levels, leaves, strict=True)]
        labels = tuple(column.hierarchy.labels[level][code] for level, code in zip(levels, codes, strict=True))
        subsets = Subsets(labels, np.array(levels, dtype=np.int32), np.array(codes, dtype=np.int32))
        shown.append(subsets if different else Subsets.of_level(column.hierarchy, 0))
        for row, published in enumerate(cells):
            places[row, number] = 0 if published is None else different.index(published[number])
    return Recoding(quasi, tuple(shown), places)
