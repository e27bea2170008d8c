"""Counterfeits: records of nobody, added to a table so that classes show their values equally often."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from shoal.tables.hierarchies.hierarchy import Label
from shoal.tables.table import Column, Table


def with_counterfeits(table: Table, column: str, like: Sequence[int], values: Sequence[Label]) -> Table:
    """Return a table with records of nobody behind its own.

    Args:
        table: The table, with each record as a row of its own.
        column: The sensitive column.
        like: For each record the row whose other values it is given.
        values: Its sensitive value.
    """
    if not len(like):
        return table
    rows = np.array(like, dtype=np.int64)
    columns = {
        name: _with_values(one, values)
        if name == column
        else Column(one.values, np.concatenate([one.codes, one.codes[rows]]))
        for name, one in table.columns.items()
    }
    return replace(table, columns=columns, n_rows=table.n_rows + len(rows))


def _with_values(column: Column, values: Sequence[Label]) -> Column:
    """Return a column with more records; a value that none of its own has is known from now on."""
    known = sorted({*column.values, *(value for value in values if value is not None)})
    code: dict[Label, int] = {value: number for number, value in enumerate(known)}
    code[None] = len(known)
    number = np.array([code[value] for value in (*column.values, None)], dtype=np.min_scalar_type(len(known)))
    added: NDArray[np.unsignedinteger] = np.array([code[value] for value in values], dtype=number.dtype)
    return Column(known, np.concatenate([number[column.codes], added]))
