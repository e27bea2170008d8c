"""PostgreSQL: the only module that imports its driver, which returns columns as Arrow."""

import os
from collections.abc import Collection, Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any, ClassVar

import polars as pl

from shoal.foundation.budgets import Meter, budget
from shoal.foundation.errors import MissingExtraError, SpecError
from shoal.tables.databases.address import Address, quoted, quoted_text, table_parts
from shoal.tables.databases.database import Database, Session
from shoal.tables.databases.postgresql_types import declared_type, stored_type
from shoal.tables.formats.column_type import ColumnType, Types
from shoal.tables.formats.format import check_names, columns_to_load
from shoal.tables.formats.values import TextKind, distinct_values, kinds_of, plain_decimal
from shoal.tables.rows import Rows

_TYPES = {
    TextKind.INTEGER: "bigint",
    TextKind.NUMBER: "numeric",
    TextKind.EXACT: "numeric",
    TextKind.BOOLEAN: "boolean",
    TextKind.DATE: "date",
    TextKind.TIMESTAMP: "timestamp",
    TextKind.TEXT: "text",
}
_SETTINGS = (
    "datestyle = 'ISO, YMD'",
    "intervalstyle = 'iso_8601'",
    "timezone = 'UTC'",
    "extra_float_digits = 1",
    "synchronize_seqscans = off",  # an unchanged table is read in the same order again
    "max_parallel_workers_per_gather = 0",
)
_SECONDS = 10  # default timeout for an answer of the server
_FLOATS = ("real", "double precision")
_CATALOGUE = """
SELECT a.attname::text AS name, format_type(t.oid, NULL)::text AS kind, t.typcategory::text AS category
FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
WHERE a.attrelid = to_regclass({table}) AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum
"""
_DECLARED = """
SELECT a.attname::text AS name, format_type(a.atttypid, a.atttypmod)::text AS kind FROM pg_attribute a
WHERE a.attrelid = to_regclass({table}) AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum
"""


class Postgresql(Database):
    """A PostgreSQL server: `postgresql://user@host:5432/database`.

    Do not put a password into the URL: PGPASSWORD, ~/.pgpass and the other means of libpq work.
    """

    name: ClassVar[str] = "postgresql"
    schemes: ClassVar[tuple[str, ...]] = ("postgresql", "postgres")
    counts: ClassVar[bool] = True
    longest: ClassVar[int | None] = 63

    def keeps(self, kind: ColumnType, values: Sequence[str]) -> bool:
        """Tell whether PostgreSQL has the type, or one for such texts."""
        return stored_type(kind, values) is not None or super().keeps(kind, values)

    @contextmanager
    def session(self, *, writes: bool = False) -> Iterator[Session]:
        """Connect; what was not committed is rolled back."""
        driver = _driver()
        with closing(_connected(driver, self.address)) as connection:
            session = _PostgresqlSession(connection, driver, self.address)
            try:
                yield session
            finally:
                session.end()


def _driver() -> Any:
    try:
        from adbc_driver_postgresql import dbapi
    except ImportError:
        raise MissingExtraError("adbc-driver-postgresql", "postgresql") from None
    return dbapi


def _connected(driver: Any, address: Address) -> Any:
    reason = ""
    try:
        return driver.connect(patient(address).whole)
    except driver.Error as error:  # its message is about the server and the user, not about records
        reason = address.hidden(str(error).partition("failed: ")[2] or str(error)).strip().rstrip(".")
    if "timeout expired" in reason:
        raise SpecError(
            f"The database {address.url} did not answer in time. Are host and port right, and may this machine reach "
            "them? To wait longer, say how many seconds: ?connect_timeout=60 at the end of the URL, or "
            "PGCONNECT_TIMEOUT."
        )
    raise SpecError(
        f"The database {address.url} cannot be reached: {reason}. A password is taken from PGPASSWORD or ~/.pgpass."
    )


def patient(address: Address) -> Address:
    """Return the address with a timeout, unless it or the environment sets one."""
    told = any(address.asked(key) is not None for key in ("connect_timeout", "service"))
    if told or any(key in os.environ for key in ("PGCONNECT_TIMEOUT", "PGSERVICE")):
        return address
    return address.asking("connect_timeout", str(_SECONDS))


class _PostgresqlSession(Session):
    def __init__(self, connection: Any, driver: Any, address: Address) -> None:
        self._connection, self._driver, self._address = connection, driver, address
        for setting in _SETTINGS:
            self._run(f"SET LOCAL {setting}")

    def _run(self, statement: str, meter: Meter | None = None) -> pl.DataFrame | None:
        """Run a statement; of an error only the code is passed on, since the server's message could show a value."""
        code = ""
        meter = meter or Meter(f"the catalogue of {self._address.url}")
        try:
            with self._connection.cursor() as cursor:
                cursor.execute(statement)
                return _fetched(cursor, meter) if cursor.description else None
        except self._driver.Error as error:
            code = f"{_REASONS.get(error.sqlstate or '', 'the statement failed')} (SQLSTATE {error.sqlstate or 'none'})"
        except OSError:  # of the reader of batches, such as a time-out while they come
            code = "the records did not come to their end"
        meter.check()
        raise SpecError(f"The database {self._address.url} refused: {code}.")

    def exists(self, table: str) -> bool:
        """Ask the catalogue."""
        found = self._run(f"SELECT (to_regclass({quoted_text(_quoted(table))}) IS NOT NULL)::text AS found")
        return found is not None and found.item() == "true"

    def _described(self, table: str) -> dict[str, tuple[str, str]]:
        """Return the type of each column and its category."""
        found = self._run(_CATALOGUE.format(table=quoted_text(_quoted(table)))) if self.exists(table) else None
        if found is None or found.height == 0:
            raise SpecError(f"There is no table {table} in {self._address.url}, or none that you may see.")
        return {name: (kind, category) for name, kind, category in found.rows()}

    def columns(self, table: str) -> list[str]:
        """Return the names of the columns."""
        names = list(self._described(table))
        check_names(names, f"the table {table}")
        return names

    def read(self, table: str, *, keep: Collection[str] | None = None, text: Collection[str] = ()) -> pl.DataFrame:
        """Let the server convert the columns to text, and fetch them in batches."""
        return self._fetched(table, keep, text)[0]

    def rows(self, table: str, *, keep: Collection[str] | None = None) -> Rows:
        """Let the server count."""
        frame, counted = self._fetched(table, keep, (), counted=True)
        counts = counted.cast(pl.String).cast(pl.Int64).to_numpy().copy()
        budget().check_records(int(counts.sum()), f"the table {table}")
        return Rows(frame, counts)

    def _fetched(
        self, table: str, keep: Collection[str] | None, text: Collection[str], *, counted: bool = False
    ) -> tuple[pl.DataFrame, pl.Series]:
        """Return the records as text; or each different one once, and how often it occurs."""
        where = f"the table {table}"
        described = self._described(table)
        names = columns_to_load(list(described), keep, where)
        for name in names:
            _check(name, *described[name], where)
        fields = ", ".join(f"{quoted(name)}::text AS {quoted(str(n))}" for n, name in enumerate(names))
        groups = f" GROUP BY {', '.join(str(n + 1) for n in range(len(names)))}" if counted else ""
        most = budget()
        self._run(f"SET LOCAL statement_timeout = {max(int(most.timeout * 1000), 1)}")
        number = "count(*)::text" if counted else "'1'"
        asked = f"SELECT {fields}, {number} AS n FROM {_quoted(table)}{groups}"  # noqa: S608  (names are quoted)
        frame = self._run(f"{asked} LIMIT {most.max_records + 1}", Meter(where))
        if frame is None or frame.height == 0:
            raise SpecError(f"The table {table} has no records, or none that you may see.")
        texts = [
            _text(frame.get_column(str(n)), described[name][0])
            .cast(pl.String if name in text else pl.Categorical)
            .alias(name)
            for n, name in enumerate(names)
        ]
        return pl.DataFrame(texts), frame.get_column("n")

    def write(self, frame: pl.DataFrame, table: str, *, replace: bool = False) -> None:
        """Copy the columns as text into a new table, then convert them to their types."""
        self.write_typed(frame, table, {}, replace=replace)

    def types(self, table: str, names: Collection[str]) -> Types:
        """Ask the catalogue."""
        found = self._run(_DECLARED.format(table=quoted_text(_quoted(table))))
        rows = [] if found is None else found.rows()
        known = ((name, declared_type(kind)) for name, kind in rows)
        return {name: ColumnType.of(dtype) for name, dtype in known if dtype is not None and name in names}

    def write_typed(self, frame: pl.DataFrame, table: str, types: Types, *, replace: bool = False) -> None:
        """Copy the columns as text into a new table, then convert them to their types, or to what the texts tell."""
        if replace and self.exists(table):
            self.drop(table)
        kinds = {name: _TYPES[kind] for name, kind in kinds_of(frame).items()}
        for name, one in types.items():
            kinds[name] = stored_type(one, distinct_values(frame.get_column(name))) or kinds[name]
        self._run(f"CREATE TABLE {_quoted(table)} ({', '.join(f'{quoted(name)} text' for name in frame.columns)})")
        self._copy(frame, table)
        changes = [
            f"ALTER COLUMN {quoted(name)} TYPE {kind} USING {quoted(name)}::{kind}"
            for name, kind in kinds.items()
            if kind != "text"
        ]
        if changes:
            self._run(f"ALTER TABLE {_quoted(table)} {', '.join(changes)}")

    def drop(self, table: str) -> None:
        """Drop a table."""
        self._run(f"DROP TABLE {_quoted(table)}")

    def _copy(self, frame: pl.DataFrame, table: str) -> None:
        parts = table_parts(table)
        failed = False
        try:
            with self._connection.cursor() as cursor:
                for start in range(0, frame.height, _BATCH):
                    part = frame.slice(start, _BATCH)
                    texts = [part.get_column(name).cast(pl.String).replace("", None) for name in part.columns]
                    cursor.adbc_ingest(
                        parts[-1],
                        pl.DataFrame(texts).to_arrow(),
                        mode="append",
                        db_schema_name=parts[0] if len(parts) > 1 else None,
                    )
        except self._driver.Error:
            failed = True
        if failed:
            raise SpecError(f"The records could not be copied into {self._address.url}.")

    def commit(self) -> None:
        """Make all of it last."""
        failed = False
        try:
            self._connection.commit()
        except self._driver.Error:
            failed = True
        if failed:
            raise SpecError(f"The database {self._address.url} did not accept what was written.")

    def end(self) -> None:
        """Roll back what was not committed; the server may be gone by now."""
        try:
            self._connection.rollback()
        except self._driver.Error:
            return


_BATCH = 200_000  # records that are copied at once
_REASONS = {
    "42501": "you have no right to do this",
    "42P07": "there is a table of that name",
    "3F000": "there is no such schema",
    "42P01": "there is no such table",
    "25006": "it may only be read",
    "2BP01": "other things in the database depend on the table",
    "42809": "it is a view, and not a table",
    "53100": "its disk is full",
}


def _fetched(cursor: Any, meter: Meter) -> pl.DataFrame:
    """Fetch everything in batches, so that the whole table is never in memory as text."""
    batches = cursor.fetch_record_batch()
    empty = pl.DataFrame(schema=dict.fromkeys(batches.schema.names, pl.Categorical))
    parts = []
    for batch in batches:
        meter.take(batch.num_rows, batch.nbytes)
        parts.append(pl.DataFrame(batch).cast(pl.Categorical))
    return pl.concat([empty, *parts])


def _quoted(table: str) -> str:
    return ".".join(map(quoted, table_parts(table)))


def _check(name: str, kind: str, category: str, where: str) -> None:
    """Raise a SpecError for arrays, rows and bytes."""
    if category in "AC" or kind == "bytea":
        raise SpecError(
            f"Column '{name}' of {where} is of the type {kind}: one plain value per record is needed. Turn it into "
            "text, or leave it out (role 'omitted')."
        )


def _text(column: pl.Series, kind: str) -> pl.Series:
    """Return the texts of the server in the usual form: plain numbers, ISO timestamps, null for an empty text."""
    plain = column.alias("")  # its own name may be a pattern to polars
    different = plain.unique().drop_nulls().cast(pl.String)
    if kind in _FLOATS:
        changed = pl.Series([_number(text) for text in different], dtype=pl.String)
    elif kind.startswith("timestamp"):
        changed = _timestamps(different)
    else:
        changed = different.replace("", None)
    if changed.equals(different):
        return column
    texts = plain.cast(pl.String).replace_strict(different, changed, default=None, return_dtype=pl.String)
    return texts.alias(column.name)


def _number(text: str) -> str | None:
    if text in ("NaN", "Infinity", "-Infinity"):
        return None if text == "NaN" else text.replace("Infinity", "inf")
    return plain_decimal(float(text))


def _timestamps(column: pl.Series) -> pl.Series:
    """Return timestamps as ISO 8601, or as dates if all are midnight."""
    if column.str.ends_with(" 00:00:00").all():
        return column.str.strip_suffix(" 00:00:00")
    return column.str.replace(" ", "T").str.replace(r"\+00$", "+00:00")
