"""ReadStat: the only module that imports pyreadstat, which reads and writes the files of statistics packages."""

import re
from abc import abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import polars as pl

from shoal.foundation.budgets import budget
from shoal.foundation.errors import MissingExtraError, SpecError
from shoal.tables.formats.codebook import Codebook, Entry
from shoal.tables.formats.column_type import ColumnType, Types
from shoal.tables.formats.format import Format, check_names, check_readable, columns_to_load, write_or_explain
from shoal.tables.formats.values import TextKind, distinct_values, plain_decimal, texts_of

_MOMENTS: tuple[tuple[re.Pattern[str], pl.DataType], ...] = (
    (re.compile(r"DATETIME|YMDHMS|%-?t[cC]"), pl.Datetime("us")),
    (re.compile(r"[AEJS]?DATE|DDMMYY|MMDDYY|YYMMDD|%-?td"), pl.Date()),
    (re.compile(r"TIME"), pl.Time()),
)
_STORED: dict[str, pl.DataType] = {
    "string": pl.String(),
    "int8": pl.Int8(),
    "int16": pl.Int16(),
    "int32": pl.Int32(),
    "float": pl.Float32(),
}
_ROWS = 2**31 - 1  # the largest limit that pyreadstat takes


class StatisticsFile(Format):
    """The file of a statistics package: its values are read as codes, and it has a codebook."""

    what: ClassVar[str]  # the kind of file, for messages
    kinds: ClassVar[frozenset[TextKind]] = frozenset(
        (TextKind.INTEGER, TextKind.NUMBER, TextKind.DATE, TextKind.TIMESTAMP)
    )

    @abstractmethod
    def reader(self, path: Path) -> str:
        """Return the name of pyreadstat's function that reads a file."""

    def columns(self, path: Path, delimiter: str | None = None) -> list[str]:
        """Return the names of the variables."""
        return list(self._meta(path).column_names)

    def read(
        self,
        path: Path,
        *,
        keep: Collection[str] | None = None,
        text: Collection[str] = (),
        delimiter: str | None = None,
    ) -> pl.DataFrame:
        """Read the requested columns, as codes."""
        most = budget()
        names = columns_to_load(self.columns(path), keep, f"'{path}'")
        rows = min(most.max_records + 1, _ROWS)
        columns, meta = _opened(path, self.reader(path), self.what, usecols=names, row_limit=rows)
        most.check_records(len(columns[names[0]]) if columns else 0, f"'{path}'")
        return _frame_of(columns, meta, names, list(text), f"'{path}'")

    def types(self, path: Path, names: Collection[str]) -> Types:
        """Return the types of the variables, by how they are stored and shown."""
        meta = self._meta(path)
        stored, shown = meta.readstat_variable_types, meta.original_variable_types
        there = [name for name in meta.column_names if name in names]
        return {name: ColumnType.of(_dtype(stored[name], shown.get(name) or "")) for name in there}

    def codebook(self, path: Path, frame: pl.DataFrame) -> Codebook:
        """Return the labels and the missing codes."""
        return _codebook_of(self._meta(path), frame)

    def _meta(self, path: Path) -> Any:
        return _opened(path, self.reader(path), self.what, metadataonly=True)[1]


def package() -> Any:
    """Return pyreadstat, or raise a MissingExtraError."""
    try:
        import pyreadstat
    except ImportError:
        raise MissingExtraError("pyreadstat", "stats") from None
    return pyreadstat


def _opened(path: Path, reader: str, what: str, **options: Any) -> tuple[Mapping[str, list[object]], Any]:
    """Return the columns of a file as Python values, and its metadata.

    Args:
        path: The file.
        reader: The name of pyreadstat's function.
        what: The expected kind of file, for messages.
        options: Passed on to the function.
    """
    check_readable(path)
    read = getattr(package(), reader)
    options |= {} if reader == "read_xport" else {"user_missing": True}  # transport files declare no missing values
    found = None
    try:
        found = read(path, output_format="dict", **options)
    except MemoryError:
        raise
    except Exception:  # whatever it is, its message could show a value
        found = None
    if found is None:
        raise SpecError(f"'{path}' is not {what}, or a damaged one.")
    check_names(found[1].column_names, f"'{path}'")
    return found


def saved(writer: str, frame: pl.DataFrame, path: Path, **options: Any) -> None:
    """Write typed columns; the writer's own messages are not passed on, since they could show a value.

    Args:
        writer: The name of pyreadstat's function.
        frame: The columns.
        path: The file.
        options: Passed on to the function.
    """
    write, raised = getattr(package(), writer), False
    try:
        write_or_explain(path, lambda: write(frame, path, **options))
    except (SpecError, OSError):
        raise
    except Exception:
        raised = True
    if raised:
        raise SpecError(f"Cannot write '{path}': the disk is full, or the columns do not fit into the format.")


def _frame_of(
    columns: Mapping[str, list[object]], meta: Any, names: Sequence[str], text: Sequence[str], where: str
) -> pl.DataFrame:
    """Return the columns as text, in the order of the file: plain numbers, and missing codes as `.a`."""
    if not columns or not len(columns[names[0]]):
        raise SpecError(f"{where} has no records.")
    made = []
    for name in names:
        values = _values(columns[name], meta.readstat_variable_types[name])
        made.append(texts_of(values, name, where).cast(pl.String if name in text else pl.Categorical))
    return pl.DataFrame(made)


def _values(values: Sequence[object], storage: str) -> list[object]:
    """Return the values, with missing codes as `.a` and 32-bit floats by their shortest digits."""
    if storage == "string":
        return list(values)
    short = storage == "float"
    return [
        f".{value}"
        if isinstance(value, str)
        else float(str(np.float32(value)))
        if short and isinstance(value, float)
        else value
        for value in values
    ]


def _dtype(storage: str, shown: str) -> pl.DataType:
    """Return the type of a variable; what it is shown as tells dates and times, which are stored as numbers."""
    if storage != "string":
        for pattern, dtype in _MOMENTS:
            if pattern.match(shown):
                return dtype
    return _STORED.get(storage, pl.Float64())


def _codebook_of(meta: Any, frame: pl.DataFrame) -> Codebook:
    """Return the codebook for the columns and values of a frame that was read from a file."""
    entries = {}
    for name in frame.columns:
        storage = meta.readstat_variable_types[name]
        labels = meta.variable_value_labels.get(name, {})
        values = distinct_values(frame.get_column(name))
        entries[name] = Entry(
            label=meta.column_names_to_labels.get(name) or "",
            values={_code(value, storage): str(label) for value, label in labels.items()},
            missing=_groups(meta, name, values, storage),
            text=storage == "string",
        ).among(values)
    return Codebook(entries)


def _code(value: object, storage: str) -> str:
    if storage != "string" and isinstance(value, str):
        return f".{value}"
    return plain_decimal(float(value)) if isinstance(value, int | float) else str(value)


def _groups(meta: Any, name: str, values: list[str], storage: str) -> tuple[tuple[str, ...], ...]:
    """Return the missing codes of a column, grouped by the range that declares them."""
    if storage != "string":
        lettered = tuple(value for value in values if value.startswith("."))
        ranges = [(float(one["lo"]), float(one["hi"])) for one in (meta.missing_ranges or {}).get(name, [])]
        numbers = {value: float(value) for value in values if _is_number(value)} if ranges else {}
        groups = [tuple(value for value, number in numbers.items() if lo <= number <= hi) for lo, hi in ranges]
        return tuple(group for group in (lettered, *groups) if group)
    declared = {str(one["lo"]).rstrip() for one in (meta.missing_ranges or {}).get(name, [])}
    return tuple((value,) for value in values if value in declared)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def check_names_fit(names: Sequence[str], fits: Callable[[str], bool], what: str, rule: str) -> None:
    """Raise a SpecError that lists the columns whose names a format does not allow."""
    wrong = [f"'{name}'" for name in names if not fits(name)]
    wrong = wrong or [f"'{name}'" for name in names if sum(name.lower() == other.lower() for other in names) > 1]
    if wrong:
        raise SpecError(f"{what} cannot hold columns of the name {', '.join(wrong)}: {rule} Rename them.")
