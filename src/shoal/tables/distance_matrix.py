"""A matrix of distances between the values of a column, read from a CSV file."""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import gcd, lcm
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.foundation.budgets import budget, read_bytes
from shoal.foundation.errors import SpecError
from shoal.foundation.exact import fraction
from shoal.tables.hierarchies.hierarchy import Label
from shoal.tables.hierarchies.numeric import scaled


@dataclass(frozen=True, slots=True, eq=False)
class DistanceMatrix:
    """A metric on values, with integer entries in a common unit.

    Args:
        where: The name of the matrix, for messages.
        row_of: The row of each value; None is the missing value, an empty label in the file.
        entries: The distances, as 64-bit integers, or as Python integers if these do not suffice.
        unit: The integer that stands for 1 in the file.
    """

    where: str
    row_of: Mapping[Label, int]
    entries: NDArray[Any]
    unit: int = 1

    @property
    def largest(self) -> int:
        """The largest distance, to which all are normalized; at least 1."""
        return max(int(self.entries.max()), 1)

    def among(self, values: Sequence[Label], column: str) -> NDArray[Any]:
        """Return the distances between the values of a column, by their codes.

        Args:
            values: The values, by code.
            column: The column's name, for messages.
        """
        rows = [self.row_of.get(value, -1) for value in values]
        if lacking := rows.count(-1):
            raise SpecError(
                f"The {self.where} lacks {lacking} of the {len(rows)} different values of column '{column}'. "
                "Add a row and a column for each of them (they are not shown here, since they are data)."
            )
        return self.entries[np.ix_(rows, rows)]


def read_matrix(path: str) -> DistanceMatrix:
    """Return the matrix in a file; it is read again only if the file has changed."""
    try:
        state = Path(path).stat()
        return _read(path, state.st_mtime_ns, state.st_size)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not a CSV file in UTF-8"
        raise SpecError(f"The distance matrix '{path}' cannot be read: {reason}.") from error


@lru_cache(maxsize=16)
def _read(path: str, _changed: int, _size: int) -> DistanceMatrix:
    where = f"distance matrix '{path}'"
    text = read_bytes(Path(path)).decode("utf-8-sig")
    budget().check_items(text.count(",") + text.count(";") + text.count("\n"), f"the {where}")
    head = text.partition("\n")[0]
    delimiter = ";" if head.count(";") > head.count(",") else ","
    rows = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter) if row]
    labels = _labels(rows, where)
    whole, unit = _whole(rows, where)
    fits = max(whole) < 2**61
    entries = np.array(whole, dtype=np.int64 if fits else object).reshape(len(labels), len(labels))
    small = max(whole) < 2**30  # then the sum of two fits into 32 bits
    _check_metric(entries.astype(np.int32) if small else entries, where)
    return DistanceMatrix(where, {label or None: place for place, label in enumerate(labels)}, entries, unit)


def _whole(rows: Sequence[Sequence[str]], where: str) -> tuple[list[int], int]:
    """Return all numbers of a table, row by row, as integers over a common denominator, and the denominator."""
    found = scaled([cell for row in rows[1:] for cell in row[1:]])
    if found is not None and min(found[0]) >= 0:
        divisor = gcd(found[1], *found[0])
        return [number // divisor for number in found[0]], found[1] // divisor
    numbers = [_number(cell, i, j, where) for i, row in enumerate(rows[1:], 2) for j, cell in enumerate(row[1:], 2)]
    unit = lcm(*(number.denominator for number in numbers))
    return [int(number * unit) for number in numbers], unit


def _labels(rows: Sequence[Sequence[str]], where: str) -> list[str]:
    """Return the values that the first row and the first column of a square table list."""
    if len(rows) < 2 or len(rows[0]) < 2:
        raise SpecError(f"The {where} is empty: its first row and its first column list the values.")
    if len(rows) != len(rows[0]) or any(len(row) != len(rows[0]) for row in rows):
        raise SpecError(
            f"The {where} is not square: its first row lists {len(rows[0]) - 1} values, so that it needs "
            f"{len(rows[0])} rows of {len(rows[0])} fields."
        )
    labels = list(rows[0][1:])
    if repeated := len(labels) - len(set(labels)):
        raise SpecError(f"The {where} lists {repeated} of its values more than once in its first row.")
    for line, (row, label) in enumerate(zip(rows[1:], labels, strict=True), 2):
        if row[0] != label:
            raise SpecError(f"The {where} lists another value in row {line} than in column {line}: use one order.")
    return labels


def _number(cell: str, row: int, column: int, where: str) -> Fraction:
    number = fraction(cell.strip())
    if not isinstance(number, Fraction) or number < 0:
        raise SpecError(f"The {where} needs a number of at least 0 in row {row}, column {column}.")
    return number


def _check_metric(entries: NDArray[Any], where: str) -> None:
    """Raise a SpecError unless the distances form a metric; rows are counted as in the file."""
    if np.any(np.diag(entries) != 0):
        row = int(np.flatnonzero(np.diag(entries) != 0)[0]) + 2
        raise SpecError(f"The {where} needs 0 on its diagonal: row {row} has another number there.")
    if np.any(entries != entries.T):
        first, second = np.argwhere(entries != entries.T)[0] + 2
        raise SpecError(f"The {where} is not symmetric: rows {first} and {second} disagree about their distance.")
    for middle in range(len(entries)):
        longer = entries > entries[:, middle, None] + entries[middle]
        if longer.any():
            first, second = np.argwhere(longer)[0] + 2
            raise SpecError(
                f"The {where} breaks the triangle inequality: rows {first} and {second} are farther apart than by "
                f"way of row {middle + 2}."
            )
