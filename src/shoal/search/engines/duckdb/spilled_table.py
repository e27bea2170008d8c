"""Spilled table: the rows that DuckDB keeps, with values as a job takes them."""

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.search.engines.duckdb.spilling import SpilledRows
from shoal.tables.distant import DistantColumn, DistantTable
from shoal.tables.table import Column, Role, Table

Codes = dict[str, NDArray[np.unsignedinteger]]


class SpilledTable:
    """A table whose rows are in DuckDB: what is known of each column, and the rows in blocks or in parts.

    Args:
        rows: The rows.
        values: The values of each column by their codes (`SpilledRows.values`), changed as the job asks for.
        required: The columns in which a missing value leaves a record out.
    """

    def __init__(self, rows: SpilledRows, values: pl.DataFrame, required: Sequence[str] = ()) -> None:
        self.rows = rows
        found = {name: Column.of(values.get_column(name).head(rows.n_values(name))) for name in rows.names}
        self._gone = {name: found[name].codes == len(found[name].values) for name in required}
        self._codes = {name: column.codes for name, column in found.items()}
        self._columns = {name: column.values for name, column in found.items()}
        self.n_rows, self.n_records = 0, 0
        self._count()

    def _count(self) -> None:
        """Count the records of each value, and forget values that no record has."""
        counts = {name: np.zeros(len(values) + 1, dtype=np.int64) for name, values in self._columns.items()}
        for codes, numbers in self.blocks():
            self.n_rows, self.n_records = self.n_rows + len(numbers), self.n_records + int(numbers.sum())
            for name, own in codes.items():
                counts[name] += np.bincount(own, numbers, len(counts[name])).astype(np.int64)  # exact below 2^53
        self.columns: dict[str, DistantColumn] = {}
        for name, values in self._columns.items():
            used = np.append(counts[name][:-1] > 0, [True])  # the missing value keeps its place
            number = (np.cumsum(used) - 1).astype(np.min_scalar_type(int(used.sum())))
            self._codes[name] = number[self._codes[name]]
            kept = [value for value, there in zip(values, used.tolist(), strict=False) if there]
            self.columns[name] = DistantColumn(kept, counts[name][used])

    def table(self, roles: Mapping[str, Role]) -> DistantTable:
        """Return what is known of the table."""
        return DistantTable.of_columns(self.columns, roles, self.n_rows, self.n_records)

    def _cleaned(self, raw: Mapping[str, NDArray[np.uint64]]) -> tuple[Codes, NDArray[np.bool_] | None]:
        """Return the rows that are not left out, by the codes of `columns`, and which these are; None is all."""
        if not self._gone:
            return {name: self._codes[name][own] for name, own in raw.items()}, None
        kept = ~np.logical_or.reduce([gone[raw[name]] for name, gone in self._gone.items()])
        return {name: self._codes[name][own[kept]] for name, own in raw.items()}, kept

    def blocks(self) -> Iterator[tuple[Codes, NDArray[np.int64]]]:
        """Yield the codes of some rows, column by column, and their numbers of records."""
        for block, raw in self.rows.blocks():
            codes, kept = self._cleaned(raw)
            counts = block.get_column("n").to_numpy().astype(np.int64)
            yield codes, counts if kept is None else counts[kept]

    def split(self, numbers: Callable[[Codes], NDArray[np.int64]], n_parts: int) -> None:
        """Put the rows into parts, by the number of each row."""

        def own(raw: dict[str, NDArray[np.uint64]]) -> NDArray[np.int64]:
            codes, kept = self._cleaned(raw)
            if kept is None:
                return numbers(codes)
            found = np.full(len(kept), -1, dtype=np.int64)
            found[kept] = numbers(codes)
            return found

        self.rows.split(own, n_parts)

    def take(self, part: int, roles: Mapping[str, Role]) -> Table:
        """Return a part as a table, whose columns have the values of the whole; it is then forgotten."""
        raw, counts = self.rows.take(part)
        codes, _ = self._cleaned(raw)
        columns = {name: Column(self.columns[name].values, codes[name]) for name in self.rows.names}
        return Table(columns, {name: roles[name] for name in columns}, len(counts), counts)
