"""Format: how columns of text are read from a file, and written to one."""

import os
import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import ClassVar, Self

import polars as pl

from shoal.foundation.budgets import COLUMNS, budget, check_regular
from shoal.foundation.errors import SpecError
from shoal.foundation.shelf import did_you_mean
from shoal.tables.formats.codebook import Codebook
from shoal.tables.formats.column_type import ColumnType, Types
from shoal.tables.formats.values import TextKind, text_kind_of


class Format(ABC):
    """A file as columns of text, where a missing value is null and an empty text counts as missing.

    Text is never turned into numbers, so that `00501` stays `00501`. No message shows a value of the
    file, and no exception of the parser is passed on, since parsers quote what they fail on.
    """

    name: ClassVar[str]
    suffixes: ClassVar[tuple[str, ...]]  # the endings of its files; a release has the first
    writes: ClassVar[bool] = True  # some formats can only be read
    padded: ClassVar[bool] = False  # whether texts are padded with spaces, so that trailing spaces are lost
    delimited: ClassVar[bool] = False  # whether a character separates the fields, which who reads them may be told
    sheets: ClassVar[bool] = False  # whether a file may hold several tables, each with a name
    kinds: ClassVar[frozenset[TextKind]] = frozenset()  # what else than text it writes, if all texts of a column are it

    @classmethod
    def at(cls, sheet: str | None) -> Self:
        """Return the format for one sheet of a file; None is the first, or the only table."""
        return cls()

    def delimiter(self, path: Path) -> str | None:
        """Return the delimiter of a file; None if the format has none."""
        return None

    @abstractmethod
    def columns(self, path: Path, delimiter: str | None = None) -> list[str]:
        """Return the names of the columns, without reading the records."""

    @abstractmethod
    def read(
        self,
        path: Path,
        *,
        keep: Collection[str] | None = None,
        text: Collection[str] = (),
        delimiter: str | None = None,
    ) -> pl.DataFrame:
        """Return the records, each column as a categorical one, which is fast and small.

        Args:
            path: The file.
            keep: The columns to load, in any order; the others are not loaded. None is all.
            text: The columns to return as plain text, such as one with a different value in every record.
            delimiter: The delimiter; None to detect it.
        """

    def batches(
        self, path: Path, *, keep: Collection[str] | None = None, delimiter: str | None = None
    ) -> Iterator[pl.DataFrame]:
        """Yield the records in parts, so that not all are in memory, if the format can be read so; see `read`."""
        yield self.read(path, keep=keep, delimiter=delimiter)

    @abstractmethod
    def write(
        self, frame: pl.DataFrame, path: Path, delimiter: str | None = None, codebook: Codebook | None = None
    ) -> None:
        """Write the columns and nothing else: no unused category, no statistics, no labels but those of the codebook.

        Args:
            frame: The columns as text.
            path: The file.
            delimiter: The delimiter, if the format has one.
            codebook: The labels of the columns and values, if the format can store them.
        """

    def sheet_names(self, path: Path) -> list[str]:
        """Return the names of the sheets of a workbook that are not hidden; none of any other format."""
        return []

    def codebook(self, path: Path, frame: pl.DataFrame) -> Codebook:
        """Return the codebook of a file for the columns and values of a frame that was read from it."""
        return Codebook()

    def kept_labels(self, frame: pl.DataFrame, codebook: Codebook) -> list[str]:
        """Return the columns whose value labels can be written."""
        return []

    def types(self, path: Path, names: Collection[str]) -> Types:
        """Return the types of some columns that a file declares; none if it holds texts."""
        return {}

    def keeps(self, kind: ColumnType, values: Sequence[str]) -> bool:
        """Tell whether a column is written in its type, and not as text for want of one that gives its values back.

        Args:
            kind: The type of the column.
            values: Its different values, as texts.
        """
        return kind.is_text or not values or text_kind_of(values) in self.kinds

    def write_typed(
        self,
        frame: pl.DataFrame,
        path: Path,
        types: Types,
        delimiter: str | None = None,
        codebook: Codebook | None = None,
    ) -> None:
        """Write columns in their types, as far as the format has these and reading gives the same texts; see `write`.

        Args:
            frame: The columns as text.
            path: The file.
            types: The types of some columns, each known to give back all values of the release.
            delimiter: The delimiter, if the format has one.
            codebook: The labels of the columns and values.
        """
        texts = [name for name, one in types.items() if one.is_text]
        self.write(frame, path, delimiter, (codebook or Codebook()).with_texts(texts))

    def check(self, columns: Sequence[str], n_records: int) -> None:  # noqa: B027  (most formats hold anything)
        """Raise a SpecError if a table with these columns cannot be written, before any work is done for it."""


def check_readable(path: Path) -> None:
    """Raise a SpecError unless `path` is a readable file that is not empty."""
    if path.is_dir():
        raise SpecError(f"'{path}' is a folder: the path of a file is needed.")
    if not path.exists():
        start = "" if path.is_absolute() else f", seen from '{Path.cwd()}'"
        raise SpecError(f"There is no file '{path}'{start}. A path in a job file starts from the folder of that file.")
    check_regular(path)
    if not os.access(path, os.R_OK):
        raise SpecError(f"The file '{path}' cannot be read: its permissions forbid it.")
    size = path.stat().st_size
    if size == 0:
        raise SpecError(f"The file '{path}' is empty.")
    budget().check_bytes(size, f"'{path}'")


def check_names(names: Sequence[str], where: str) -> None:
    """Raise a SpecError if a column has no name, or shares it with another, or if there are too many."""
    _check_number(names, where)
    unnamed = [str(position) for position, name in enumerate(names, 1) if not name.strip()]
    if unnamed:
        raise SpecError(
            f"Without a name in {where}: column number {', '.join(unnamed)} of {len(names)}. "
            "Name every column in the header (a delimiter at the end of the header makes a column too)."
        )
    doubled = [f"'{name}'" for name, count in Counter(names).items() if count > 1]
    if doubled:
        raise SpecError(f"Column names used more than once in {where}: {', '.join(doubled)}. Rename all but one.")


def _check_number(names: Sequence[str], where: str) -> None:
    """Raise a SpecError if there are too many columns."""
    if len(names) > COLUMNS:
        raise SpecError(f"There are {len(names)} columns in {where}: {COLUMNS} are read at most.")


def names_of_header(header: Sequence[str], where: str) -> list[str]:
    """Return the names of the columns of a file as it came: those without a name get one, and equal ones a number.

    The second `age` becomes `age (2)`, and the third column, if it has no name, `column 3`.
    """
    _check_number(header, where)
    given = [name if name.strip() else f"column {position}" for position, name in enumerate(header, 1)]
    taken, numbers, found = set(given), Counter[str](), []
    for name in given:
        numbers[name] += 1
        made = name
        while numbers[name] > 1 and (made := f"{name} ({numbers[name]})") in taken:
            numbers[name] += 1
        taken.add(made)
        found.append(made)
    check_names(found, where)
    return found


def columns_to_load(columns: Sequence[str], keep: Collection[str] | None, where: str) -> list[str]:
    """Return the columns to load, in the order of the file."""
    if keep is None:
        return list(columns)
    for name in keep:
        if name not in columns and any(other in columns for other in keep):
            raise SpecError(f"No column '{name}' in {where}. {did_you_mean(name, list(columns))}")
        if name not in columns:  # without a header, the first record would be shown here
            near = did_you_mean(name, list(columns))
            hint = near if near.startswith("Did you mean") else "Does it have a header?"
            raise SpecError(f"No column '{name}' in {where}, nor any other that is asked for. {hint}")
    if not keep:
        raise SpecError(f"No column of {where} is asked for: at least one is needed.")
    return [name for name in columns if name in keep]


def write_or_explain(path: Path, write: Callable[[], object]) -> None:
    """Call `write`; if it fails, raise a SpecError with the reason, but without any value."""
    if not path.parent.is_dir():
        raise SpecError(f"Cannot write '{path}': there is no folder '{path.parent}'.")
    reason = ""
    try:
        write()
    except OSError as error:
        reason = _system_reason(error) or "the file cannot be opened, or the disk is full"
    except pl.exceptions.PolarsError as error:
        reason = _system_reason(error) or "the disk is full, or the columns cannot be turned into text"
    if reason:
        raise SpecError(f"Cannot write '{path}': {reason}.")


def _system_reason(error: Exception) -> str | None:
    """Return what the system says, by its number, in an error of ours or of polars; None if it says nothing."""
    told = re.search(r"os error ([0-9]+)", str(error))
    number = error.errno if isinstance(error, OSError) and error.errno else int(told[1]) if told else None
    return None if number is None else os.strerror(number)
