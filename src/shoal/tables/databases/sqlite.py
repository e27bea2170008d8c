"""SQLite: a database in a file."""

import sqlite3
from collections.abc import Collection, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import ClassVar
from urllib.parse import quote

import polars as pl

from shoal.foundation.budgets import ROW_BYTES, Meter
from shoal.foundation.errors import SpecError
from shoal.tables.databases.address import quoted, table_name, table_parts
from shoal.tables.databases.file_database import FileDatabase, FileSession
from shoal.tables.formats.codebook import Codebook
from shoal.tables.formats.column_type import ColumnType, Types
from shoal.tables.formats.format import check_names, check_readable, columns_to_load
from shoal.tables.formats.values import TextKind, kinds_of, texts_of

_BATCH = 100_000  # records that are turned into columns or stored at once
_AT_ONCE = 8  # records that are fetched at once
_OPERATIONS = 100_000  # steps of SQLite after which the time is looked at
_TYPES = {
    TextKind.INTEGER: "INTEGER",
    TextKind.NUMBER: "REAL",
    TextKind.BOOLEAN: "BOOLEAN",
    TextKind.DATE: "DATE",
    TextKind.TIMESTAMP: "TIMESTAMP",
    TextKind.TEXT: "TEXT",
    TextKind.EXACT: "TEXT",
}
_DECLARED: dict[str, pl.DataType] = {
    **dict.fromkeys(("INT", "INTEGER", "BIGINT"), pl.Int64()),
    **dict.fromkeys(("REAL", "DOUBLE", "DOUBLE PRECISION", "FLOAT"), pl.Float64()),
    **dict.fromkeys(("BOOL", "BOOLEAN"), pl.Boolean()),
    **dict.fromkeys(("TEXT", "VARCHAR", "CHAR", "CLOB"), pl.String()),
    **dict.fromkeys(("TIMESTAMP", "DATETIME"), pl.Datetime("us")),
    "DATE": pl.Date(),
}
_PATIENCE = 10  # seconds to wait for the lock of another program


class Sqlite(FileDatabase):
    """An SQLite file: `sqlite:///patients.db` is a relative path, `sqlite:////data/patients.db` an absolute one.

    A value has the type with which it was stored. Numbers of a BOOLEAN column are read as `true` and `false`.
    """

    name: ClassVar[str] = "sqlite"
    schemes: ClassVar[tuple[str, ...]] = ("sqlite",)
    capitals: ClassVar[bool] = False
    ending: ClassVar[str] = "db"

    def tables(self) -> list[str]:
        """Return the names of the tables and views."""
        check_readable(self.file)
        with closing(_connected(self.file, writes=False)) as connection:
            asked = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY rowid"
            return [table_name(name) for (name,) in connection.execute(asked) if not name.startswith("sqlite_")]

    @contextmanager
    def connected(self, path: Path, *, writes: bool) -> Iterator[FileSession]:
        """Open the file."""
        with closing(_connected(path, writes=writes)) as connection:
            yield _SqliteSession(connection, f"'{path}'")


def _connected(path: Path, *, writes: bool) -> sqlite3.Connection:
    reason = ""
    try:
        mode = "rwc" if writes else "ro"
        uri = f"file:{quote(str(path.absolute()))}?mode={mode}"
        connection = sqlite3.connect(uri, uri=True, isolation_level=None, timeout=_PATIENCE)
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, ROW_BYTES)
        connection.execute("BEGIN IMMEDIATE" if writes else "BEGIN")
        connection.execute("SELECT count(*) FROM sqlite_master")
    except sqlite3.OperationalError as error:
        locked = "locked" in str(error)
        reason = "another program has locked it" if locked else "it cannot be opened, or may not be written"
    except (sqlite3.DatabaseError, UnicodeDecodeError):
        reason = "it is not a SQLite database, or a damaged one"
    if reason:
        raise SpecError(f"The database '{path}' cannot be used: {reason}.")
    return connection


class _SqliteSession(FileSession):
    def __init__(self, connection: sqlite3.Connection, where: str) -> None:
        self._connection, self._where = connection, where
        self.committed = False

    def exists(self, table: str) -> bool:
        """Ask the catalogue."""
        return bool(self._described(table))

    def _described(self, table: str) -> list[tuple[str, str]]:
        """Return the names and declared types of the columns; an empty list if there is no such table."""
        parts, rows = table_parts(table), None
        schema = parts[0] if len(parts) > 1 else "main"
        with suppress(sqlite3.Error, UnicodeDecodeError):
            query = "SELECT name, type FROM pragma_table_info(?, ?)"
            rows = self._connection.execute(query, (parts[-1], schema)).fetchall()
        if rows is None:
            raise SpecError(
                f"The table {table} of {self._where} cannot be read: it is a view of a table that does not exist."
            )
        return [(str(name), str(kind).upper()) for name, kind in rows]

    def columns(self, table: str) -> list[str]:
        """Return the names of the columns."""
        names = [name for name, _ in self._described(table)]
        if not names:
            raise SpecError(f"There is no table {table} in {self._where}.")
        check_names(names, f"the table {table}")
        return names

    def read(self, table: str, *, keep: Collection[str] | None = None, text: Collection[str] = ()) -> pl.DataFrame:
        """Fetch the records in batches."""
        where = f"the table {table}"
        names = columns_to_load(self.columns(table), keep, where)
        truths = {name for name, kind in self._described(table) if kind in ("BOOL", "BOOLEAN")}
        query = f"SELECT {', '.join(map(quoted, names))} FROM {_quoted(table)}"  # noqa: S608  (names are quoted)
        batches, failed = [], False
        meter = Meter(where)
        self._connection.set_progress_handler(meter.late, _OPERATIONS)
        try:
            for rows in _fetched(self._connection.execute(query), meter):
                batches.append(_frame(rows, names, truths, text, where))
        except (sqlite3.Error, UnicodeDecodeError):
            failed = True
        meter.check()
        if failed:
            raise SpecError(
                f"The table {table} of {self._where} could not be read to its end: the file is damaged, or a value "
                f"has more than {ROW_BYTES} bytes."
            )
        if not batches:
            raise SpecError(f"The table {table} has no records.")
        return pl.concat(batches)

    def write(self, frame: pl.DataFrame, table: str, *, replace: bool = False) -> None:
        """Store the records in batches."""
        self._write(frame, table, kinds_of(frame), replace=replace)

    def _write(self, frame: pl.DataFrame, table: str, kinds: Mapping[str, TextKind], *, replace: bool) -> None:
        """Store the records; SQLite's own messages are not passed on, since they could show a value."""
        failed = False
        try:
            self._store(frame, table, kinds, replace=replace)
        except sqlite3.Error:
            failed = True
        if failed:
            raise SpecError(f"The table {table} could not be written to {self._where}: is the disk full?")

    def types(self, table: str, names: Collection[str]) -> Types:
        """Return the declared types; whether the values are such is found out later."""
        found = ((name, _DECLARED.get(kind.partition("(")[0].strip())) for name, kind in self._described(table))
        return {name: ColumnType.of(dtype) for name, dtype in found if dtype is not None and name in names}

    def write_typed(self, frame: pl.DataFrame, table: str, types: Types, *, replace: bool = False) -> None:
        """Store the records as `write` does, with texts as texts even if they look like numbers."""
        texts = [name for name, one in types.items() if one.is_text]
        self._write(frame, table, Codebook().with_texts(texts).kinds(frame), replace=replace)

    def _store(self, frame: pl.DataFrame, table: str, kinds: Mapping[str, TextKind], *, replace: bool) -> None:
        if replace and self.exists(table):
            self.drop(table)
        fields = ", ".join(f"{quoted(name)} {_TYPES[kinds[name]]}" for name in frame.columns)
        self._connection.execute(f"CREATE TABLE {_quoted(table)} ({fields})")
        marks = ", ".join("?" * frame.width)
        insert = f"INSERT INTO {_quoted(table)} VALUES ({marks})"  # noqa: S608  (names are quoted)
        for start in range(0, frame.height, _BATCH):
            part = frame.slice(start, _BATCH)
            typed = pl.DataFrame([_typed(part.get_column(name), kinds[name]) for name in part.columns])
            self._connection.executemany(insert, typed.iter_rows())

    def drop(self, table: str) -> None:
        """Drop a table."""
        self._connection.execute(f"DROP TABLE {_quoted(table)}")

    def commit(self) -> None:
        """Make all of it last."""
        self._connection.execute("COMMIT")
        self.committed = True


def _fetched(cursor: sqlite3.Cursor, meter: Meter) -> Iterator[list[tuple[object, ...]]]:
    """Fetch the records in batches, and a few at a time: each may be large."""
    batch: list[tuple[object, ...]] = []
    while rows := cursor.fetchmany(_AT_ONCE):
        meter.take(len(rows), sum(len(value) for row in rows for value in row if isinstance(value, str | bytes)))
        batch += rows
        if len(batch) >= _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _quoted(table: str) -> str:
    return ".".join(map(quoted, table_parts(table)))


def _frame(
    rows: list[tuple[object, ...]], names: list[str], truths: set[str], text: Collection[str], where: str
) -> pl.DataFrame:
    columns = []
    for name, values in zip(names, zip(*rows, strict=True), strict=True):
        shown = [bool(value) if value in (0, 1) else value for value in values] if name in truths else values
        columns.append(texts_of(shown, name, where).cast(pl.String if name in text else pl.Categorical))
    return pl.DataFrame(columns)


def _typed(column: pl.Series, kind: TextKind) -> pl.Series:
    text = column.cast(pl.String).replace("", None)
    if kind is TextKind.INTEGER:
        return text.cast(pl.Int64)
    if kind is TextKind.NUMBER:
        return text.cast(pl.Float64)
    return (text == "true").cast(pl.Int64) if kind is TextKind.BOOLEAN else text
