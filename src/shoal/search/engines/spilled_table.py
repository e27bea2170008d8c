"""Spilled table: the rows that an engine keeps, with values as a job takes them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.search.engines.kept_rows import KeptRows, RawBlock, RawCodes
from shoal.tables.distant import DistantColumn, DistantTable
from shoal.tables.table import Column, Role

Codes = dict[str, NDArray[np.unsignedinteger]]


@dataclass(frozen=True, slots=True, eq=False)
class RowCoding:
    """What becomes of the codes by which an engine keeps rows; it can be sent to where these are.

    Args:
        codes: For each column, the code of each that is kept.
        gone: For columns in which a missing value leaves a record out, which codes do.
        values: The values of each column by their new codes.
    """

    codes: Mapping[str, NDArray[np.unsignedinteger]]
    gone: Mapping[str, NDArray[np.bool_]]
    values: Mapping[str, list[str]]

    def cleaned(self, raw: RawCodes) -> tuple[Codes, NDArray[np.bool_] | None]:
        """Return the rows that are not left out, by their new codes, and which these are; None is all."""
        if not self.gone:
            return {name: self.codes[name][own] for name, own in raw.items()}, None
        kept = ~np.logical_or.reduce([gone[raw[name]] for name, gone in self.gone.items()])
        return {name: self.codes[name][own[kept]] for name, own in raw.items()}, kept

    def blocks(self, raw: Iterator[RawBlock]) -> Iterator[tuple[Codes, NDArray[np.int64]]]:
        """Yield the codes of some rows, column by column, and their numbers of records."""
        for own, counts in raw:
            codes, kept = self.cleaned(own)
            yield codes, counts if kept is None else counts[kept]


class SpilledTable:
    """A table whose rows are kept by an engine: what is known of each column.

    Args:
        rows: The rows.
        values: The values of each column by their codes (`KeptRows.values`), changed as the job asks for.
        required: The columns in which a missing value leaves a record out.
    """

    def __init__(self, rows: KeptRows, values: pl.DataFrame, required: Sequence[str] = ()) -> None:
        self.rows = rows
        found = {name: Column.of(values.get_column(name).head(rows.n_values(name))) for name in rows.names}
        coding = RowCoding(
            codes={name: column.codes for name, column in found.items()},
            gone={name: found[name].codes == len(found[name].values) for name in required},
            values={name: column.values for name, column in found.items()},
        )
        self.n_rows, self.n_records = 0, 0
        counts = {name: np.zeros(len(own) + 1, dtype=np.int64) for name, own in coding.values.items()}
        for n_rows, n_records, own in rows.gathered(partial(_counted, coding)):
            self.n_rows, self.n_records = self.n_rows + n_rows, self.n_records + n_records
            for name, numbers in own.items():
                counts[name] += numbers
        self._forget(coding, counts)

    def _forget(self, coding: RowCoding, counts: Mapping[str, NDArray[np.int64]]) -> None:
        """Forget values that no record has."""
        self.columns: dict[str, DistantColumn] = {}
        codes = {}
        for name, values in coding.values.items():
            used = np.append(counts[name][:-1] > 0, [True])  # the missing value keeps its place
            number = (np.cumsum(used) - 1).astype(np.min_scalar_type(int(used.sum())))
            codes[name] = number[coding.codes[name]]
            kept = [value for value, there in zip(values, used.tolist(), strict=False) if there]
            self.columns[name] = DistantColumn(kept, counts[name][used])
        self.coding = replace(coding, codes=codes, values={name: one.values for name, one in self.columns.items()})

    def table(self, roles: Mapping[str, Role]) -> DistantTable:
        """Return what is known of the table."""
        return DistantTable.of_columns(self.columns, roles, self.n_rows, self.n_records)


def _counted(coding: RowCoding, raw: Iterator[RawBlock]) -> tuple[int, int, dict[str, NDArray[np.int64]]]:
    """Count rows, records, and the records of each value of each column."""
    n_rows, n_records = 0, 0
    counts = {name: np.zeros(len(values) + 1, dtype=np.int64) for name, values in coding.values.items()}
    for codes, numbers in coding.blocks(raw):
        n_rows, n_records = n_rows + len(numbers), n_records + int(numbers.sum())
        for name, own in codes.items():
            counts[name] += np.bincount(own, numbers, len(counts[name])).astype(np.int64)  # exact below 2^53
    return n_rows, n_records, counts
