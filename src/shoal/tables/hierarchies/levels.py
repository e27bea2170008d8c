"""A levels file: one row per value, with its label at every level."""

import csv
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from shoal.foundation.errors import SpecError
from shoal.tables.hierarchies.hierarchy import Hierarchy
from shoal.tables.hierarchies.spec import HierarchySpec, read_text

_DELIMITERS = (";", "\t", ",")
_QUOTED = re.compile(r'"(?:[^"]|"")*"')


@dataclass(frozen=True, slots=True, kw_only=True)
class Levels(HierarchySpec):
    """Read a CSV file of rows `value;level 1;...;*`, the format of ARX, without a header.

    Its values are the domain of the column, in the order of the file; values that the data lack stay.

    Args:
        path: The file. The delimiter is the first of `;`, tab and `,` that makes the file a hierarchy; those that occur
            in the first row, outside of quotes, are tried first.
    """

    name: ClassVar[str] = "levels"
    files: ClassVar[Mapping[str, str]] = {"path": "the file of levels"}

    path: str

    def build(self, values: Sequence[str], column: str, folder: Path = Path()) -> Hierarchy:
        """Read the file and check that its levels nest below one top."""
        where = f"hierarchy '{self.path}' of column '{column}'"
        text = read_text(folder / self.path, where)
        refusals = []
        for delimiter in _delimiters(text):
            try:
                rows, numbers = read_rows(text, delimiter, where)
                return Hierarchy.of_rows(rows, where, numbers)
            except SpecError as refusal:
                refusals.append(refusal)
        raise refusals[0]

    def strangers(self, values: Sequence[str], column: str, folder: Path = Path()) -> list[bool]:
        """Tell which values the file lacks."""
        known = set(self.build(values, column, folder).values)
        return [value not in known for value in values]


def read_rows(text: str, delimiter: str, where: str) -> tuple[list[list[str]], list[int]]:
    """Return the rows that are not blank, and the line on which each starts."""
    rows: list[list[str]] = []
    numbers: list[int] = []
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    line = 1
    try:
        for row in reader:
            if any(field.strip() for field in row):
                rows.append(row)
                numbers.append(line)
            line = reader.line_num + 1
    except csv.Error as error:
        raise SpecError(f"The {where} is not a CSV file: row {line} cannot be read ({error}).") from None
    return rows, numbers


def _delimiters(text: str) -> list[str]:
    """Return all delimiters; first those of the first row that has any outside of quotes."""
    bare = _QUOTED.sub("", text).splitlines()
    first = next((line for line in bare if any(delimiter in line for delimiter in _DELIMITERS)), "")
    return sorted(_DELIMITERS, key=lambda delimiter: delimiter not in first)
