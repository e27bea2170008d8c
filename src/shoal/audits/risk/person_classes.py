"""PersonClasses: equivalence classes counted by persons, in the table and in a population."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.classes.wildcard_matching import matching_pairs
from shoal.tables.distinct_rows import distinct_rows
from shoal.tables.hierarchies.hierarchy import STAR
from shoal.tables.rows import Rows
from shoal.tables.table import Column, check_whole, totals

IndexPairs = tuple[NDArray[np.int64], NDArray[np.int64]]


@dataclass(frozen=True, slots=True, eq=False)
class PersonClasses:
    """The equivalence classes of a table with the number of persons in each, strictly and with wildcards.

    Strictly, a missing value and a star are values like any other, so the size of a class is never overstated. As
    wildcards, they match every value.

    Args:
        class_of: The class of each row of the table.
        counts: The number of records of each row.
        cells: `cells[class, column]`, the values as codes.
        open_cells: `open_cells[class, column]` is true where the value is missing or a star.
        person_of: The number of each row's person; None if each record is a person of its own.
        persons: The number of persons of each class.
        matching: The number of persons in all classes that match each class, with wildcards.
        pairs: The pairs of classes that match with wildcards; None if no cell is missing or a star.
        population: The number of persons of the population in each class, if a population is given.
    """

    class_of: NDArray[np.int32]
    counts: NDArray[np.int64]
    cells: NDArray[np.int32]
    open_cells: NDArray[np.bool_]
    person_of: NDArray[np.int32] | None
    persons: NDArray[np.int64]
    matching: NDArray[np.int64]
    pairs: IndexPairs | None = None
    population: NDArray[np.int64] | None = None

    @classmethod
    def of(
        cls,
        rows: Rows,
        quasi: Sequence[str],
        entity: str | None = None,
        population: Rows | None = None,
        *,
        local: bool = False,
    ) -> "PersonClasses":
        """Group the records of a table, together with those of a population if one is given.

        Args:
            rows: The rows of the table, with nulls where a value is missing.
            quasi: The quasi columns.
            entity: The column that identifies the person of each record, if a person may have several.
            population: The quasi columns of everybody, generalized as the table is: one record for each person.
            local: Whether the numbers in `entity` identify persons within a class only. Then records of different
                classes count as different persons, and wildcards match nothing, since it is unknown which persons two
                classes share.
        """
        height = rows.frame.height
        columns = [Column.of(_stacked(rows, population, name)) for name in quasi]
        n_rows = height + (population.frame.height if population is not None else 0)
        sizes = [len(column.values) + 1 for column in columns]
        labels, cells = distinct_rows([column.codes for column in columns], sizes, n_rows)
        class_of, outside = labels[:height], labels[height:]
        person_of = None if entity is None else identities(rows, entity)
        if local and person_of is not None:
            person_of, _ = distinct_rows([class_of, person_of], [len(cells), height], height)
        opened = _opened(cells, [column.values for column in columns])
        pairs = None if local else _pairs(cells, opened)
        if person_of is None:
            strict = totals(class_of, rows.counts, len(cells))
            matching = _summed(strict, pairs)
        else:
            strict, matching = _persons(class_of, person_of, len(cells), pairs)
        everybody = None if population is None else totals(outside, population.counts, len(cells))
        return cls(class_of, rows.counts, cells, opened, person_of, strict, matching, pairs, everybody)

    @property
    def n_records(self) -> int:
        """The number of records."""
        return int(self.counts.sum())

    @property
    def n_persons(self) -> int:
        """The number of persons."""
        return self.n_records if self.person_of is None else int(self.person_of.max(initial=-1)) + 1

    @property
    def records(self) -> NDArray[np.int64]:
        """The number of records of each class."""
        return totals(self.class_of, self.counts, len(self.cells))

    @property
    def owners(self) -> NDArray[np.int64]:
        """The only person of each class; -1 if it has several or none."""
        owners = np.full(len(self.cells), -1, dtype=np.int64)
        owners[self.class_of] = np.arange(len(self.class_of)) if self.person_of is None else self.person_of
        return np.where(self.persons == 1, owners, -1)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The number of persons of each class with records of the table; other classes occur in the population only."""
        return self.persons[self.persons > 0]

    def summed(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return for each class the sum over all classes that match it."""
        return _summed(values, self.pairs)


def identities(rows: Rows, name: str) -> NDArray[np.int32]:
    """Return the number of each row's person or household; it must not be missing."""
    column = rows.column(name)
    check_whole(column, name, rows.counts)
    return column.codes.astype(np.int32)


def _stacked(rows: Rows, population: Rows | None, name: str) -> pl.Series:
    tables = [rows] if population is None else [rows, population]
    columns = [one.frame.get_column(name) for one in tables]
    return columns[0] if population is None else pl.concat([column.cast(pl.String) for column in columns])


def _opened(cells: NDArray[np.int32], texts: Sequence[list[str]]) -> NDArray[np.bool_]:
    """Return which cells are missing or a star."""
    opened = np.zeros(cells.shape, dtype=np.bool_)
    for j, values in enumerate(texts):
        star = values.index(STAR) if STAR in values else -1
        opened[:, j] = (cells[:, j] == len(values)) | (cells[:, j] == star)
    return opened


def _pairs(cells: NDArray[np.int32], opened: NDArray[np.bool_]) -> IndexPairs | None:
    """Return the pairs of classes that match with wildcards; None if no cell is a wildcard."""
    if not opened.any():
        return None
    return matching_pairs(np.where(opened, -2, cells).astype(np.int32), np.full(cells.shape[1], -2, dtype=np.int32))


def _summed(values: NDArray[Any], pairs: IndexPairs | None) -> NDArray[Any]:
    return values if pairs is None else np.bincount(pairs[0], values[pairs[1]], len(values)).astype(values.dtype)


def _persons(
    class_of: NDArray[np.int32],
    person_of: NDArray[np.int32],
    n_classes: int,
    pairs: IndexPairs | None,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Count the distinct persons of each class, and of all classes that match it."""
    n_persons = int(person_of.max(initial=-1)) + 1
    _, entries = distinct_rows([class_of, person_of], [n_classes, n_persons], len(class_of))
    strict = np.bincount(entries[:, 0], minlength=n_classes).astype(np.int64)
    if pairs is None or len(entries) == n_persons:  # nobody is in two classes, so counts add up
        return strict, _summed(strict, pairs)
    starts = np.concatenate([[0], np.cumsum(strict)])
    lengths = strict[pairs[1]]
    owners = np.repeat(pairs[0], lengths)
    within = np.arange(len(owners)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    found = entries[np.repeat(starts[pairs[1]], lengths) + within, 1]
    _, met = distinct_rows([owners, found], [n_classes, n_persons], len(owners))
    return strict, np.bincount(met[:, 0], minlength=n_classes).astype(np.int64)
