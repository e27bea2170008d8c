"""DuckDB: a database in a file."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Timer
from typing import Any, ClassVar

import polars as pl

from shoal.foundation.budgets import Meter, budget
from shoal.foundation.errors import MissingExtraError, SpecError
from shoal.tables.databases.address import quoted, quoted_text, table_name, table_parts
from shoal.tables.databases.file_database import FileDatabase, FileSession
from shoal.tables.formats.column_type import ColumnType, Types, in_utc
from shoal.tables.formats.format import check_names, check_readable, columns_to_load
from shoal.tables.formats.text import as_text, texts
from shoal.tables.formats.values import TextKind, kinds_of
from shoal.tables.rows import Rows

_BATCH = 200_000  # records that are fetched at once
_TYPES = {
    TextKind.INTEGER: "BIGINT",
    TextKind.NUMBER: "DOUBLE",
    TextKind.BOOLEAN: "BOOLEAN",
    TextKind.DATE: "DATE",
    TextKind.TIMESTAMP: "TIMESTAMP",
    TextKind.TEXT: "VARCHAR",
    TextKind.EXACT: "VARCHAR",  # a decimal has as many digits as its column, and not as it was written with
}
_STORED: dict[pl.DataType, str] = {
    pl.Int8(): "TINYINT",
    pl.Int16(): "SMALLINT",
    pl.Int32(): "INTEGER",
    pl.Int64(): "BIGINT",
    pl.UInt8(): "UTINYINT",
    pl.UInt16(): "USMALLINT",
    pl.UInt32(): "UINTEGER",
    pl.UInt64(): "UBIGINT",
    pl.Float32(): "FLOAT",
    pl.Float64(): "DOUBLE",
    pl.Boolean(): "BOOLEAN",
    pl.Date(): "DATE",
    pl.String(): "VARCHAR",
}
_STAMPS = {"ms": "TIMESTAMP_MS", "us": "TIMESTAMP", "ns": "TIMESTAMP_NS"}
_SETTINGS: dict[str, str | int | float | bool | list[str]] = {
    "enable_external_access": False,  # a view could read any other file
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
}
_PLAIN = re.compile(
    r"BOOLEAN|U?(TINY|SMALL|BIG)INT|U?INTEGER|FLOAT|DOUBLE|DECIMAL\(.*\)|VARCHAR|ENUM\(.*\)|DATE|TIME|"
    r"TIMESTAMP(_S|_MS|_NS)?|TIMESTAMP WITH TIME ZONE",
    re.DOTALL,
)
_AS_TEXT = re.compile(r"U?HUGEINT|UUID|BIT|BIGNUM|VARINT|TIME WITH TIME ZONE")


class Duckdb(FileDatabase):
    """A DuckDB file: `duckdb:///patients.duckdb` is a relative path, `duckdb:////data/patients.duckdb` an absolute one.

    DuckDB counts the records itself, so that only the different ones are fetched.
    """

    name: ClassVar[str] = "duckdb"
    schemes: ClassVar[tuple[str, ...]] = ("duckdb",)
    counts: ClassVar[bool] = True
    capitals: ClassVar[bool] = False
    ending: ClassVar[str] = "duckdb"
    companions: ClassVar[tuple[str, ...]] = (".wal",)

    def tables(self) -> list[str]:
        """Return the names of the tables and views."""
        check_readable(self.file)
        with closing(_connected(driver(), self.file, writes=False)) as connection:
            asked = "SELECT table_name FROM information_schema.tables WHERE table_schema = 'main' ORDER BY table_name"
            return [table_name(name) for (name,) in connection.execute(asked).fetchall()]

    @contextmanager
    def connected(self, path: Path, *, writes: bool) -> Iterator[FileSession]:
        """Open the file; what is written is put into it at the end, and not into one beside it."""
        package = driver()
        with closing(_connected(package, path, writes=writes)) as connection:
            session = _DuckdbSession(connection, package, f"'{path}'")
            yield session
            session.end()

    def keeps(self, kind: ColumnType, values: Sequence[str]) -> bool:
        """Tell whether DuckDB has the type, or one for such texts."""
        return _stored(kind) is not None or super().keeps(kind, values)

    def query(self, table: str, keep: Collection[str] | None, catalog: str) -> str:
        """Return a query for some columns of a table, for a connection that has attached the file as `catalog`."""
        with self.session() as session:
            assert isinstance(session, _DuckdbSession)  # noqa: S101  (its own)
            fields = session.fields(table, keep)
        asked = ", ".join(f"{field} AS {quoted(name)}" for name, field in fields.items())
        return f"SELECT {asked} FROM {quoted(catalog)}.{_quoted(table)}"  # noqa: S608  (names are quoted)


def driver() -> Any:
    """Return the package; a MissingExtraError tells how it is installed."""
    try:
        import duckdb
        import pyarrow as pa  # noqa: F401  (DuckDB hands over its results by it)
    except ImportError:
        raise MissingExtraError("duckdb", "duckdb") from None
    return duckdb


def check_letters(names: Iterable[str], where: str) -> None:
    """Raise a SpecError if names differ by the case of plain letters alone: DuckDB would take the one for the other."""
    seen: dict[bytes, str] = {}
    for name in names:
        other = seen.setdefault(name.encode().lower(), name)
        if other != name:
            raise SpecError(
                f"The columns '{other}' and '{name}' of {where} differ in capitals alone, and DuckDB does not tell "
                "them apart. Rename one of them, or take another engine."
            )


@contextmanager
def told_plainly(where: str) -> Iterator[None]:
    """Tell an error of DuckDB without its own text, which may hold values.

    Args:
        where: The name of the table.
    """
    errors = driver()
    try:
        yield
    except (errors.Error, OSError) as error:  # readers of batches raise the latter
        raise SpecError(f"DuckDB could not read {where} ({_reason(error, errors)}).") from None


def _reason(error: Exception, errors: Any) -> str:
    """Say in our words what failed."""
    status = getattr(error, "status_code", None)
    if isinstance(error, errors.OutOfMemoryException):
        return "its memory or the disk is full: allow more (memory of the engine), or free space for spilled files"
    if status in (401, 403):
        return (
            f"the store refuses it, {status}: the key is missing or wrong, or may not read this. Set "
            "AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_REGION, or store a secret in DuckDB"
        )
    if status == 404:
        return "the store says that there is no such bucket, or no such file in it"
    if status is not None and status >= 500:
        return f"the store answers {status}, which is an error of its own: try again later"
    if status is not None:
        return f"the store answers {status}: are its region (AWS_REGION) and its address (AWS_ENDPOINT_URL) right?"
    if " error for http " in str(error).lower():
        return (
            "the store does not answer: may this machine reach it, and is its address right (AWS_ENDPOINT_URL, or the "
            "endpoint of a secret of DuckDB)?"
        )
    return f"{type(error).__name__}: the files are damaged, may not be read, or do not have the same columns and types"


def _connected(driver: Any, path: Path, *, writes: bool) -> Any:
    reason = ""
    try:
        connection = driver.connect(str(path), read_only=not writes, config=_SETTINGS)
        connection.execute("BEGIN TRANSACTION")
    except driver.Error as error:
        told = str(error).lower()
        if "lock" in told:
            reason = "another program has it open for writing"
        elif "configuration" in told:
            reason = "this program has it open already, with other settings: close that connection"
        else:
            reason = "it is no DuckDB database, a damaged one, one of a newer DuckDB, or may not be written"
    if reason:
        raise SpecError(f"The database '{path}' cannot be used: {reason}.")
    return connection


class _DuckdbSession(FileSession):
    def __init__(self, connection: Any, driver: Any, where: str) -> None:
        self._connection, self._driver, self._where = connection, driver, where
        self.committed = False

    def _run(self, statement: str, given: list[Any] | None = None) -> list[tuple[Any, ...]]:
        """Run a statement; DuckDB's own messages are not passed on, since they could show a value."""
        kind = ""
        try:
            found: list[tuple[Any, ...]] = self._connection.execute(statement, given).fetchall()
        except self._driver.Error as error:
            kind = type(error).__name__
        if kind:
            raise SpecError(f"The database {self._where} refused a statement ({kind}): is the disk full?")
        return found

    def _described(self, table: str) -> dict[str, str]:
        """Return the type of each column; nothing if there is no such table."""
        parts = table_parts(table)
        rows = self._run(
            "SELECT column_name, data_type FROM duckdb_columns() WHERE database_name = current_database() "
            "AND lower(schema_name) = lower(?) AND lower(table_name) = lower(?) ORDER BY column_index",
            [parts[0] if len(parts) > 1 else "main", parts[-1]],
        )
        return {str(name): str(kind) for name, kind in rows}

    def exists(self, table: str) -> bool:
        """Ask the catalogue."""
        return bool(self._described(table))

    def columns(self, table: str) -> list[str]:
        """Return the names of the columns."""
        names = list(self._described(table))
        if not names:
            raise SpecError(f"There is no table {table} in {self._where}.")
        check_names(names, f"the table {table}")
        return names

    def fields(self, table: str, keep: Collection[str] | None) -> dict[str, str]:
        """Return some columns as they stand in a query: what Arrow does not know as plain values is text."""
        names = columns_to_load(self.columns(table), keep, f"the table {table}")
        described = self._described(table)
        return {name: _field(name, described[name], f"the table {table}") for name in names}

    def read(self, table: str, *, keep: Collection[str] | None = None, text: Collection[str] = ()) -> pl.DataFrame:
        """Fetch the records in batches."""
        return self._fetched(table, keep, text)[0]

    def rows(self, table: str, *, keep: Collection[str] | None = None) -> Rows:
        """Let DuckDB count."""
        frame, counted = self._fetched(table, keep, (), counted=True)
        counts = counted.to_numpy().copy()
        budget().check_records(int(counts.sum()), f"the table {table}")
        return Rows(frame, counts)

    def _fetched(
        self, table: str, keep: Collection[str] | None, text: Collection[str], *, counted: bool = False
    ) -> tuple[pl.DataFrame, pl.Series]:
        """Return the records as text; or each different one once, and how often it occurs."""
        where, fields = f"the table {table}", self.fields(table, keep)
        asked = ", ".join(f"{field} AS {quoted(str(n))}" for n, field in enumerate(fields.values()))
        number = "count(*)" if counted else "1::BIGINT"
        groups = " GROUP BY ALL" if counted else ""
        query = f"SELECT {asked}, {number} AS n FROM {_quoted(table)}{groups}"  # noqa: S608  (names are quoted)
        found = self._batches(f"{query} LIMIT {budget().max_records + 1}", where, [name in text for name in fields])
        if found.height == 0:
            raise SpecError(f"The table {table} has no records.")
        made = []
        for n, name in enumerate(fields):
            column = found.get_column(str(n))
            shown = texts(column, None, where)  # DuckDB gives moments in the zone of the machine
            made.append(shown.cast(pl.String if name in text else pl.Categorical).alias(name))
        return pl.DataFrame(made), found.get_column("n")

    def _batches(self, query: str, where: str, plain: list[bool]) -> pl.DataFrame:
        """Fetch what a query finds in the time that is given, with texts as categories where they need not be plain."""
        meter, parts, failed = Meter(where), list[pl.DataFrame](), False
        timer = Timer(budget().timeout, self._connection.interrupt)
        timer.daemon = True
        timer.start()
        try:
            for batch in self._connection.sql(query).to_arrow_reader(_BATCH):
                meter.take(batch.num_rows, batch.nbytes)
                frame = pl.DataFrame(pl.from_arrow(batch))
                small = [str(n) for n, text in enumerate(plain) if not text and frame[str(n)].dtype == pl.String]
                parts.append(frame.with_columns(frame[name].cast(pl.Categorical) for name in small))
        except (self._driver.Error, OSError):  # the reader of batches raises the latter
            failed = True
        finally:
            timer.cancel()
        meter.check()
        if failed:
            raise SpecError(
                f"{where[0].upper()}{where[1:]} of {self._where} could not be read to its end: the file is "
                "damaged, or it is a view of something that is not in this database."
            )
        return pl.concat(parts) if parts else pl.DataFrame({"n": pl.Series([], dtype=pl.Int64)})

    def write(self, frame: pl.DataFrame, table: str, *, replace: bool = False) -> None:
        """Store the records; a number is a text where DuckDB would show it otherwise."""
        self.write_typed(frame, table, {}, replace=replace)

    def types(self, table: str, names: Collection[str]) -> Types:
        """Return the types of the columns as they come from DuckDB, but for those that come as text."""
        fields = self.fields(table, names)
        asked = ", ".join(f"{field} AS {quoted(str(n))}" for n, field in enumerate(fields.values()))
        query = f"SELECT {asked} FROM {_quoted(table)} LIMIT 0"  # noqa: S608  (names are quoted)
        with told_plainly(f"the table {table}"):
            schema = in_utc(self._connection.sql(query).pl().schema)
        kept = {name: schema[str(n)] for n, (name, field) in enumerate(fields.items()) if field == quoted(name)}
        return {name: ColumnType.of(dtype) for name, dtype in kept.items()}

    def write_typed(self, frame: pl.DataFrame, table: str, types: Types, *, replace: bool = False) -> None:
        """Store columns in the types of DuckDB that theirs are, and the others as the texts tell."""
        if replace and self.exists(table):
            self.drop(table)
        stored = {name: kind for name in frame.columns if (kind := _stored(types.get(name))) is not None}
        kinds, columns = [], []
        for name, kind in kinds_of(frame).items():
            text = frame.get_column(name).cast(pl.String).replace("", None)
            kinds.append(stored.get(name) or _reproducing(_TYPES[kind], text))
            columns.append(types[name].column(text) if name in stored else text)
        made = ", ".join(f"{quoted(name)} {kind}" for name, kind in zip(frame.columns, kinds, strict=True))
        self._run(f"CREATE TABLE {_quoted(table)} ({made})")
        added = pl.DataFrame([column.alias(str(n)) for n, column in enumerate(columns)]).to_arrow()
        self._connection.register("added_records", added)
        asked = ", ".join(f"CAST({quoted(str(n))} AS {kind})" for n, kind in enumerate(kinds))
        try:
            self._run(f"INSERT INTO {_quoted(table)} SELECT {asked} FROM added_records")  # noqa: S608  (quoted)
        finally:
            self._connection.unregister("added_records")

    def drop(self, table: str) -> None:
        """Drop a table."""
        self._run(f"DROP TABLE {_quoted(table)}")

    def commit(self) -> None:
        """Make all of it last."""
        self._run("COMMIT")
        self.committed = True

    def end(self) -> None:
        """Forget what was not committed."""
        if not self.committed:
            self._run("ROLLBACK")


def _quoted(table: str) -> str:
    parts = table_parts(table)
    return ".".join(map(quoted, parts if len(parts) > 1 else ["main", *parts]))


def _field(name: str, kind: str, where: str) -> str:
    """Return a column as it stands in a query; raise a SpecError if it has no plain value for each record."""
    if _AS_TEXT.fullmatch(kind):
        return f"CAST({quoted(name)} AS VARCHAR)"
    if kind.endswith("]") or not _PLAIN.fullmatch(kind):
        raise SpecError(
            f"Column '{name}' of {where} is of the type {kind.partition('(')[0]}: one plain value per record is "
            "needed. Turn it into text, or leave it out (role 'omitted')."
        )
    return quoted(name)


def _stored(kind: ColumnType | None) -> str | None:
    """Return the type of DuckDB for one of polars; None if there is none, or it is read otherwise."""
    dtype = None if kind is None else kind.dtype
    if kind is not None and kind.categories and kind.ordered and kind.is_text:
        return f"ENUM({', '.join(map(quoted_text, kind.categories))})"
    if isinstance(dtype, pl.Decimal):
        return f"DECIMAL({dtype.precision}, {dtype.scale})"
    if isinstance(dtype, pl.Datetime):
        return None if dtype.time_zone is not None else _STAMPS[dtype.time_unit]
    return None if dtype is None else _STORED.get(dtype)


def _reproducing(kind: str, texts: pl.Series) -> str:
    """Return a type, or that of texts if the numbers of a column are not shown as they are written here."""
    if kind != "DOUBLE":
        return kind
    plain = texts.alias("v")
    shown = plain.cast(pl.Float64).to_frame().select(as_text("v", pl.Float64(), "")).to_series()
    return kind if shown.equals(plain) else "VARCHAR"
