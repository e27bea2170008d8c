"""Placement: which class the records of each row of a table go to, and the different rows that this publishes."""

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.classes.grouping import Parts
from shoal.classes.recoding import Recoding
from shoal.kernels.grouping import take
from shoal.search.engines.engine import Counted
from shoal.search.engines.numbering import numbered
from shoal.search.problem import Solution
from shoal.tables.distinct_rows import distinct_rows
from shoal.tables.hierarchies.hierarchy import STAR, Label
from shoal.tables.table import Column, Role, Table, totals

Codes = TypeVar("Codes", bound=np.integer)


@dataclass(frozen=True, slots=True, eq=False)
class Placement:
    """Some records of a row of a table, in a class.

    Args:
        rows: The row; None if there is one entry for each row of the table, in their order.
        classes: The class, or -1 if the records are suppressed.
        counts: The number of records; None if each entry is one.
    """

    rows: NDArray[np.int64] | None
    classes: NDArray[np.int32]
    counts: NDArray[np.int64] | None

    def of_rows(self, codes: NDArray[Codes]) -> NDArray[Codes]:
        """Return for each entry what is given for each row."""
        return codes if self.rows is None else codes[self.rows]

    def kept(self) -> "Placement":
        """Return the entries that are not suppressed."""
        inside = np.flatnonzero(self.classes >= 0)
        rows = inside if self.rows is None else self.rows[inside]
        return Placement(rows, self.classes[inside], None if self.counts is None else self.counts[inside])

    def single(self) -> "Placement":
        """Return an entry for each record."""
        if self.counts is None:
            return self
        rows = np.arange(len(self.classes)) if self.rows is None else self.rows
        return Placement(np.repeat(rows, self.counts), np.repeat(self.classes, self.counts), None)

    def parts(self, points: NDArray[np.int32]) -> Parts:
        """Count the records by their point and their class, given the point of each row."""
        width = int(self.classes.max(initial=-1)) + 2
        found, entry_of = np.unique(
            self.of_rows(points).astype(np.int64) * width + self.classes + 1, return_inverse=True
        )
        of_points, owners = np.divmod(found, width)
        counts = totals(entry_of, self.counts, len(found))
        return Parts(of_points.astype(np.int32), (owners - 1).astype(np.int32), counts)


def placed(
    table: Table,
    counted: Counted[NDArray[np.int32]],
    solution: Solution,
    rng: np.random.Generator,
    *,
    blindly: bool = False,
) -> Placement:
    """Give the records of each row of a table their class.

    Most points go to one class, and so do all records of their rows. The records of a split point are told apart by
    their other columns alone. They are sorted by these and then drawn at random, so that neither the order of the table
    nor a value decides who goes where. Blindly, no other column tells them apart, and they are in the order of the
    table.
    """
    parts, points = solution.parts, counted.point_of
    n_parts = np.bincount(parts.points, minlength=counted.tally.n_points)
    labels = np.full(counted.tally.n_points, -1, dtype=np.int32)
    labels[parts.points] = parts.classes
    classes = take(labels, points)
    if n_parts.max(initial=0) <= 1:
        return Placement(None, classes, table.counts)
    rows = np.flatnonzero(n_parts[points] > 1)
    if not blindly:
        rows = rows[_by_others(table, solution, points, rows)]
    records = rows if table.counts is None else np.repeat(rows, table.counts[rows])
    records = records[np.lexsort((rng.random(len(records)), points[records]))]
    by_point = np.argsort(parts.points, kind="stable")
    by_point = by_point[n_parts[parts.points[by_point]] > 1]
    drawn = np.repeat(parts.classes[by_point], parts.counts[by_point])
    if table.counts is None:
        classes[records] = drawn
        return Placement(None, classes, None)
    return _gathered(table.counts, classes, n_parts[points] > 1, records, drawn)


def _by_others(
    table: Table, solution: Solution, points: NDArray[np.int32], rows: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the order of some rows by their point and all columns that are not generalized, pseudonyms at last.

    So whatever the key of these is, as many records with the same other values go to each class.
    """
    quasi = {column.name for column in solution.recoding.columns}
    names = [name for name in table.columns if name not in quasi]
    others = [table.columns[name] for name in sorted(names, key=lambda name: name in table.pseudonyms)]
    codes = [points[rows], *(column.codes[rows] for column in others)]
    sizes = [int(points.max(initial=-1)) + 1, *(len(column.values) + 1 for column in others)]
    return np.argsort(distinct_rows(codes, sizes, len(rows))[0], kind="stable")


def _gathered(
    counts: NDArray[np.int64],
    classes: NDArray[np.int32],
    split: NDArray[np.bool_],
    records: NDArray[np.int64],
    drawn: NDArray[np.int32],
) -> Placement:
    """Return the entries of rows that stay whole, and then those of the records that were drawn, counted."""
    whole = np.flatnonzero(~split)
    width = int(drawn.max(initial=-1)) + 2
    found, n_drawn = np.unique(records * width + drawn + 1, return_counts=True)
    rows, owners = np.divmod(found, width)
    return Placement(
        np.concatenate([whole, rows]),
        np.concatenate([classes[whole], (owners - 1).astype(np.int32)]),
        np.concatenate([counts[whole], n_drawn.astype(np.int64)]),
    )


def different_rows(
    table: Table, solution: Solution, placement: Placement, *, stars: bool
) -> tuple[pl.DataFrame, NDArray[np.int32], NDArray[np.int64] | None]:
    """Return the different rows that leave, in the order of their content, and the row and number of each entry.

    See `different_codes`.
    """
    made, row_of, counts = different_codes(table, solution, placement, stars=stars)
    return pl.DataFrame([_series(name, *made[name]) for name in table.published]), row_of, counts


def different_codes(
    table: Table, solution: Solution, placement: Placement, *, stars: bool
) -> tuple[dict[str, tuple[list[Label], NDArray[np.int32]]], NDArray[np.int32], NDArray[np.int64] | None]:
    """Return the different rows that leave, as labels and codes of each column, and the row and number of each entry.

    Quasi columns are generalized, persons become numbers within their class, others stay as they are.

    Args:
        table: The table.
        solution: What each class is published as.
        placement: The class of the records.
        stars: Whether suppressed records leave with stars in their quasi columns; else they are left out.
    """
    if not stars and solution.suppressed:
        placement = placement.kept()
    if _numbered_by(table):
        placement = placement.single()
    quasi = [column.name for column in solution.recoding.columns]
    labels, shown = zip(*(_with_star(solution.recoding, number) for number in range(len(quasi))), strict=True)
    cell_of, cells = distinct_rows(shown, [len(texts) for texts in labels], len(shown[0]))
    class_of = take(cell_of, placement.classes)
    others = _others(table, quasi, class_of, placement)
    row_of, rows = _rows(class_of, len(cells), list(others.values()))
    made = {name: (labels[j], cells[rows[:, 0], j]) for j, name in enumerate(quasi)}
    made |= {name: ([*column.values, None], rows[:, 1 + j]) for j, (name, column) in enumerate(others.items())}
    return made, row_of, placement.counts


def _others(table: Table, quasi: list[str], class_of: NDArray[np.int32], placement: Placement) -> dict[str, Column]:
    """Return the columns that are not generalized, of the records that leave; whose they are, as numbers.

    Pseudonyms are the last, so that the order of the others, and the numbers, do not depend on their key.
    """
    found = {
        name: Column(table.columns[name].values, placement.of_rows(table.columns[name].codes))
        for name in table.published
        if name not in quasi
    }
    last = {name: found.pop(name).renamed(texts) for name, texts in table.pseudonyms.items()}
    for name in _numbered_by(table):
        n_classes, plain = int(class_of.max(initial=-1)) + 1, [one for other, one in found.items() if other != name]
        row_of, _ = _rows(class_of, n_classes, plain)
        turns = _rows(row_of, int(row_of.max(initial=-1)) + 1, list(last.values()))[0] if last else None
        found[name] = numbered(class_of, found[name], row_of, turns)
    return {**found, **last}


def _numbered_by(table: Table) -> list[str]:
    """Return the column that tells whose record it is, if it leaves as a number."""
    return [name for name in table.names(Role.ENTITY) if name not in table.pseudonyms]


def _rows(
    class_of: NDArray[np.int32], n_classes: int, others: list[Column]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the row of each entry among the different ones, and the codes of these."""
    codes = [class_of, *(column.codes for column in others)]
    return distinct_rows(codes, [n_classes, *(len(column.values) + 1 for column in others)], len(class_of))


def _with_star(recoding: Recoding, number: int) -> tuple[list[Label], NDArray[np.int32]]:
    """Return the labels of one column and which of them each class shows, with a last class of stars."""
    labels, shown = recoding.published(number)
    if STAR not in labels:
        labels = [*labels, STAR]
    return labels, np.append(shown, labels.index(STAR)).astype(np.int32)


def _series(name: str, labels: list[Label], codes: NDArray[np.int32]) -> pl.Series:
    """Return a column of categories that holds only the labels that occur."""
    texts = pl.Series(labels, dtype=pl.String).cast(pl.Categorical)
    return texts.gather(pl.Series(codes.astype(np.uint32))).alias(name)  # named last: it may be a pattern
