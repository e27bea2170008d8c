"""Excel: a sheet with a header; cells are read as text, and only the records are written."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, date, datetime, time
from itertools import dropwhile
from pathlib import Path
from typing import Any, ClassVar, Self

import polars as pl

from shoal.foundation.budgets import budget
from shoal.foundation.errors import MissingExtraError, SpecError
from shoal.foundation.shelf import did_you_mean
from shoal.tables.formats.codebook import Codebook
from shoal.tables.formats.column_type import ColumnType, Types
from shoal.tables.formats.format import Format, check_readable, columns_to_load, names_of_header, write_or_explain
from shoal.tables.formats.values import TextKind, rounded, texts_of
from shoal.tables.formats.workbook_size import check_workbook

SHEET = "data"  # the name of the sheet of a release
_ROWS, _COLUMNS, _LENGTH = 1_048_576, 16_384, 32_767  # limits of a sheet and of a cell
_EPOCH = datetime(2000, 1, 1, tzinfo=UTC)  # written instead of the time of writing


class Xlsx(Format):
    """One sheet of a workbook; its first row that is not empty is the header.

    A formula counts as its last computed value. Numbers have the 15 digits that Excel shows. A column is written as
    numbers, dates, timestamps or booleans if all its texts are such and are reproduced exactly, unless the codebook
    says that it holds texts.

    Args:
        sheet: The name of the sheet; None is the first that is not hidden.
    """

    name: ClassVar[str] = "xlsx"
    suffixes: ClassVar[tuple[str, ...]] = (".xlsx", ".xlsm")
    sheets: ClassVar[bool] = True
    kinds: ClassVar[frozenset[TextKind]] = frozenset(
        (TextKind.INTEGER, TextKind.NUMBER, TextKind.DATE, TextKind.TIMESTAMP, TextKind.BOOLEAN)
    )

    def __init__(self, sheet: str | None = None) -> None:
        self.sheet = sheet

    @classmethod
    def at(cls, sheet: str | None) -> Self:
        """Return the format for one sheet."""
        return cls(sheet)

    def sheet_names(self, path: Path) -> list[str]:
        """Return the names of the sheets that are not hidden."""
        return _visible(*_workbook(path))

    def columns(self, path: Path, delimiter: str | None = None) -> list[str]:
        """Return the names in the header."""
        with _opened(path, self.sheet) as sheet:
            return _header(next(_rows(sheet), []), f"'{path}'")

    def read(
        self,
        path: Path,
        *,
        keep: Collection[str] | None = None,
        text: Collection[str] = (),
        delimiter: str | None = None,
    ) -> pl.DataFrame:
        """Read the requested columns as text."""
        where = f"'{path}'"
        return pl.DataFrame(
            [
                texts_of(cells, name, where, rounded).cast(pl.String if name in text else pl.Categorical)
                for name, cells in self._cells(path, keep).items()
            ]
        )

    def types(self, path: Path, names: Collection[str]) -> Types:
        """Return the types of the columns whose cells are all alike; numbers are whole ones if all of them are."""
        found = {name: _dtype(cells) for name, cells in self._cells(path, names).items()}
        return {name: ColumnType.of(dtype) for name, dtype in found.items() if dtype is not None}

    def _cells(self, path: Path, keep: Collection[str] | None) -> dict[str, list[object]]:
        """Read the requested columns row by row."""
        where = f"'{path}'"
        with _opened(path, self.sheet) as sheet:
            rows = _rows(sheet)
            header = _header(next(rows, []), where)
            names = columns_to_load(header, keep, where)
            places = [header.index(name) for name in names]
            cells: list[list[object]] = [[] for _ in names]
            most = budget()
            for number, row in enumerate(rows, 1):
                most.check_records(number, where)
                for column, place in zip(cells, places, strict=True):
                    column.append(row[place])
        if not cells[0]:
            raise SpecError(f"{where} has no records: there is nothing after the header.")
        return dict(zip(names, cells, strict=True))

    def check(self, columns: Sequence[str], n_records: int) -> None:
        """Raise a SpecError for a table that is too long or too wide for a sheet."""
        _writing()
        if n_records >= _ROWS or len(columns) > _COLUMNS:
            raise SpecError(
                f"A sheet holds {_ROWS - 1} records and {_COLUMNS} columns at most; these are {n_records} and "
                f"{len(columns)}. Choose another format."
            )

    def write(
        self, frame: pl.DataFrame, path: Path, delimiter: str | None = None, codebook: Codebook | None = None
    ) -> None:
        """Write one sheet row by row, without an author and without the time."""
        self.check(frame.columns, frame.height)
        _check_lengths(frame)
        kinds = (codebook or Codebook()).kinds(frame)
        write_or_explain(path, lambda: _written(frame, kinds, path))


def _dtype(cells: Sequence[object]) -> pl.DataType | None:
    """Return the type of a column by what its cells hold; None if they hold several things, or nothing."""
    kinds = {type(cell) for cell in cells if cell not in ("", None)}
    if kinds == {float}:
        whole = all(cell.is_integer() for cell in cells if isinstance(cell, float))
        return pl.Int64() if whole else pl.Float64()
    if kinds and kinds <= {date, datetime}:
        clock = any(isinstance(cell, datetime) and cell.time() != time() for cell in cells)
        return pl.Datetime("us") if clock else pl.Date()
    known: dict[type, pl.DataType] = {str: pl.String(), bool: pl.Boolean(), time: pl.Time()}
    return known.get(kinds.pop()) if len(kinds) == 1 else None


def _rows(sheet: Any) -> Iterator[list[object]]:
    """Return the rows, starting with the first that is not empty."""
    return dropwhile(lambda row: all(cell == "" for cell in row), sheet.iter_rows())


def _workbook(path: Path) -> tuple[Any, Any]:
    """Open a workbook with its reader, whose own messages are not passed on, since they could show a value."""
    check_readable(path)
    try:
        import python_calamine as reader
    except ImportError:
        raise MissingExtraError("python-calamine", "excel") from None
    check_workbook(path)
    reason = f"'{path}' is not an Excel workbook (.xlsx), or a damaged one."
    workbook = None
    try:
        workbook = reader.CalamineWorkbook.from_path(str(path))
    except reader.PasswordError:
        reason = f"'{path}' is protected by a password: save it without one."
    except (reader.CalamineError, OSError, ValueError):
        pass
    if workbook is None:
        raise SpecError(reason)
    return workbook, reader


@contextmanager
def _opened(path: Path, name: str | None) -> Iterator[Any]:
    """Open a sheet for reading."""
    workbook, reader = _workbook(path)
    chosen, sheet = _chosen(workbook, reader, name, f"'{path}'"), None
    with suppress(reader.CalamineError, OSError, ValueError):
        sheet = workbook.get_sheet_by_name(chosen)
    if sheet is None:
        raise SpecError(f"A sheet of '{path}' could not be read: the workbook is damaged.")
    if sheet.merged_cell_ranges:
        raise SpecError(
            f"'{path}' has {len(sheet.merged_cell_ranges)} merged cells in the sheet, so that it is not known which "
            "records a value belongs to. Unmerge them."
        )
    yield sheet


def _chosen(workbook: Any, reader: Any, name: str | None, where: str) -> str:
    """Return the name of the requested sheet, or of the first visible one."""
    if name is not None:
        known = [one.name for one in workbook.sheets_metadata if one.typ == reader.SheetTypeEnum.WorkSheet]
        if name not in known:
            raise SpecError(f"No sheet '{name}' in {where}. {did_you_mean(name, known)}")
        return name
    seen = _visible(workbook, reader)
    if not seen:
        raise SpecError(f"{where} has no sheet that is not hidden. Name the sheet to read.")
    return seen[0]


def _visible(workbook: Any, reader: Any) -> list[str]:
    sheets = [one for one in workbook.sheets_metadata if one.typ == reader.SheetTypeEnum.WorkSheet]
    return [str(one.name) for one in sheets if one.visible == reader.SheetVisibleEnum.Visible]


def _header(cells: Sequence[object], where: str) -> list[str]:
    if not cells:
        raise SpecError(f"The sheet of {where} is empty: a header and records are needed.")
    names = [texts_of([cell], "header", where, rounded).item() or "" for cell in cells]
    return names_of_header(names, where)


def _check_lengths(frame: pl.DataFrame) -> None:
    for column in frame:
        longest = column.alias("").unique().cast(pl.String).str.len_chars().max() or 0
        if isinstance(longest, int) and longest > _LENGTH // 2:  # Excel counts some characters twice
            raise SpecError(f"Column '{column.name}' has a text of {longest} characters: too long for a cell of Excel.")


def _writing() -> Any:
    try:
        import xlsxwriter
    except ImportError:
        raise MissingExtraError("xlsxwriter", "excel") from None
    return xlsxwriter


def _written(frame: pl.DataFrame, kinds: Mapping[str, TextKind], path: Path) -> None:
    """Write the workbook; what the writer makes of an error of the system is that error again."""
    error = None
    try:
        _write(frame, kinds, path)
    except _writing().exceptions.XlsxWriterException as raised:
        error = next((one for one in raised.args if isinstance(one, OSError)), OSError())
    if error is not None:
        raise error


def _write(frame: pl.DataFrame, kinds: Mapping[str, TextKind], path: Path) -> None:
    with _writing().Workbook(str(path), {"constant_memory": True, "tmpdir": str(path.parent)}) as book:
        book.set_properties({"created": _EPOCH})
        sheet = book.add_worksheet(SHEET)
        day, second = (book.add_format({"num_format": form}) for form in ("yyyy-mm-dd", "yyyy-mm-dd hh:mm:ss"))
        for place, name in enumerate(frame.columns):
            sheet.write_string(0, place, name)
        writers = [_writer(sheet, kinds[name], day, second) for name in frame.columns]
        for row, cells in enumerate(frame.cast(pl.String).iter_rows(), 1):
            for place, cell in enumerate(cells):
                if cell:
                    writers[place](row, place, cell)
        if not any(frame.row(-1)):
            sheet.write_string(frame.height, 0, "")  # else an empty last record would be lost


def _writer(sheet: Any, kind: TextKind, day: Any, second: Any) -> Callable[[int, int, str], object]:
    """Return the function that writes a cell of a column."""
    if kind in (TextKind.INTEGER, TextKind.NUMBER):
        return lambda row, place, cell: sheet.write_number(row, place, float(cell))
    if kind is TextKind.DATE:
        return lambda row, place, cell: sheet.write_datetime(row, place, date.fromisoformat(cell), day)
    if kind is TextKind.TIMESTAMP:
        return lambda row, place, cell: sheet.write_datetime(row, place, datetime.fromisoformat(cell), second)
    if kind is TextKind.BOOLEAN:
        return lambda row, place, cell: sheet.write_boolean(row, place, cell == "true")
    return sheet.write_string
