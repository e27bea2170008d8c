"""Location: a file, or a table of a database, that can be read as a table."""

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from shoal.foundation.budgets import budget, check_regular
from shoal.foundation.errors import SpecError
from shoal.tables.databases.address import table_parts
from shoal.tables.databases.database import Database, Session
from shoal.tables.databases.database import records_digest as digest_of_records
from shoal.tables.formats import format_of
from shoal.tables.formats.codebook import Codebook
from shoal.tables.formats.column_type import Types
from shoal.tables.formulas import quoted, unquoted, unquoted_frame
from shoal.tables.rows import Rows, joined
from shoal.tables.table import without_values


class Location(ABC):
    """A table that can be read; `str` gives its name for messages."""

    @property
    @abstractmethod
    def name(self) -> str:
        """Its name: that of the file or table."""

    @property
    def delimiter(self) -> str | None:
        """The delimiter; None if there is none."""
        return None

    @abstractmethod
    def there(self) -> bool:
        """Tell whether it exists."""

    @abstractmethod
    def columns(self) -> list[str]:
        """Return the names of the columns."""

    @abstractmethod
    def read(self, *, keep: Collection[str] | None = None, text: Collection[str] = ()) -> pl.DataFrame:
        """Return the records, each column as a categorical one, or as plain text if requested."""

    @abstractmethod
    def certified(
        self, keep: Collection[str] | None = None, *, text: bool = False
    ) -> tuple[pl.DataFrame, dict[str, Any]]:
        """Return the records, and what a certificate states about the table: its name, its digest and its columns.

        Args:
            keep: The columns to return, if they exist; None is all.
            text: Whether to return them as plain text.
        """

    def parts(self, keep: Collection[str] | None = None) -> Iterator[pl.DataFrame]:
        """Yield the records in parts, in their order, where not all need to be in memory at once; see `read`."""
        yield self.read(keep=keep)

    def rows(self, keep: Collection[str] | None = None) -> Rows:
        """Count the records by their values in some columns; None is all."""
        return joined(Rows.of(frame, frame.columns) for frame in self.parts(keep))

    def counted(self, keep: Collection[str] | None = None) -> tuple[Rows, dict[str, Any]]:
        """Count the records by their values in some columns; return also what `certified` states.

        Args:
            keep: The columns to count by, if they exist; None is all.
        """
        frame, said = self.certified(keep)
        return Rows.of(frame, frame.columns), said

    def codebook(self, frame: pl.DataFrame) -> Codebook:
        """Return the codebook for the columns and values of a frame that was read from here."""
        return Codebook()

    def types(self, names: Collection[str]) -> Types:
        """Return the types of some columns, as far as they are declared here."""
        return {}


@dataclass(frozen=True, slots=True)
class FileLocation(Location):
    """A file.

    Args:
        path: The file.
        given: The delimiter; None to detect it.
        sheet: The sheet of a workbook; None is the first.
        blanks: The texts that mean a missing value, like an empty field.
        quoted: Whether formulas are quoted in the file, in names too; they are read as they were.
    """

    path: Path
    given: str | None = None
    sheet: str | None = None
    blanks: tuple[str, ...] = ()
    quoted: bool = False

    def __str__(self) -> str:
        return f"'{self.path}'"

    @property
    def name(self) -> str:
        """The name of the file."""
        return self.path.name

    @property
    def delimiter(self) -> str | None:
        """The delimiter, as given or detected."""
        return self.given or format_of(self.path, self.sheet).delimiter(self.path)

    def there(self) -> bool:
        """Tell whether the file exists."""
        return self.path.is_file()

    def columns(self) -> list[str]:
        """Return the names of the columns."""
        names = format_of(self.path, self.sheet).columns(self.path, self.given)
        return [unquoted(name) for name in names] if self.quoted else names

    def read(self, *, keep: Collection[str] | None = None, text: Collection[str] = ()) -> pl.DataFrame:
        """Read the file."""
        if self.quoted:
            keep, text = None if keep is None else list(map(quoted, keep)), list(map(quoted, text))
        frame = format_of(self.path, self.sheet).read(self.path, keep=keep, text=text, delimiter=self.given)
        frame = unquoted_frame(frame) if self.quoted else frame
        return without_values(frame, self.blanks)

    def certified(
        self, keep: Collection[str] | None = None, *, text: bool = False
    ) -> tuple[pl.DataFrame, dict[str, Any]]:
        """Read the requested columns, and compute the digest of the bytes."""
        columns = self.columns()
        names = _among(columns, keep)
        with self._digested(columns) as said:
            frame = self.read(keep=names, text=names if text else ())
        return frame, said

    def parts(self, keep: Collection[str] | None = None) -> Iterator[pl.DataFrame]:
        """Yield some millions of records at a time, where the format can be read in parts."""
        if self.quoted:
            keep = None if keep is None else list(map(quoted, keep))
        for frame in format_of(self.path, self.sheet).batches(self.path, keep=keep, delimiter=self.given):
            yield without_values(unquoted_frame(frame) if self.quoted else frame, self.blanks)

    def counted(self, keep: Collection[str] | None = None) -> tuple[Rows, dict[str, Any]]:
        """Count the records, and compute the digest of the bytes."""
        columns = self.columns()
        with self._digested(columns) as said:
            rows = self.rows(_among(columns, keep))
        return rows, said

    @contextmanager
    def _digested(self, columns: list[str]) -> Iterator[dict[str, Any]]:
        """Compute the digest of the bytes while something else is done; what is stated is complete at the end."""
        said = {"name": self.name, "sha256": "", "columns": columns}
        with ThreadPoolExecutor(max_workers=1) as other:
            digest = other.submit(file_digest, self.path)
            yield said
        said["sha256"] = digest.result()

    def codebook(self, frame: pl.DataFrame) -> Codebook:
        """Return the labels and the missing codes."""
        return format_of(self.path, self.sheet).codebook(self.path, frame)

    def types(self, names: Collection[str]) -> Types:
        """Return the types that the format declares."""
        return format_of(self.path, self.sheet).types(self.path, names)


@dataclass(frozen=True, slots=True)
class OpenTable(Location):
    """A table as seen within an open transaction."""

    session: Session
    database: Database
    table: str

    def __str__(self) -> str:
        return f"the table {self.table}"

    @property
    def name(self) -> str:
        """The name of the table."""
        return self.table

    def there(self) -> bool:
        """Ask the database."""
        return self.session.exists(self.table)

    def columns(self) -> list[str]:
        """Ask the database."""
        return self.session.columns(self.table)

    def read(self, *, keep: Collection[str] | None = None, text: Collection[str] = ()) -> pl.DataFrame:
        """Fetch the records."""
        return self.session.read(self.table, keep=keep, text=text)

    def certified(
        self, keep: Collection[str] | None = None, *, text: bool = False
    ) -> tuple[pl.DataFrame, dict[str, Any]]:
        """Fetch all records; the digest is that of the sorted records, since a table has no bytes of its own."""
        frame = self.read(text=self.columns() if text else ())
        said = {
            "name": self.table,
            "database": self.database.name,
            "sha256": digest_of_records(frame),
            "columns": frame.columns,
        }
        return pl.DataFrame([frame[name] for name in _among(frame.columns, keep)]), said


@dataclass(frozen=True, slots=True)
class TableLocation(Location):
    """A table of a database; each access is a transaction of its own.

    Args:
        database: The database.
        table: The table.
        blanks: The texts that mean a missing value, like NULL.
    """

    database: Database
    table: str
    blanks: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"the table {self.table}"

    @property
    def name(self) -> str:
        """The name of the table."""
        return self.table

    @contextmanager
    def opened(self) -> Iterator[OpenTable]:
        """Open a transaction."""
        with self.database.session() as session:
            yield OpenTable(session, self.database, self.table)

    def there(self) -> bool:
        """Ask the database; False if it cannot be reached."""
        try:
            with self.opened() as table:
                return table.there()
        except SpecError:
            return False

    def columns(self) -> list[str]:
        """Ask the database."""
        with self.opened() as table:
            return table.columns()

    def read(self, *, keep: Collection[str] | None = None, text: Collection[str] = ()) -> pl.DataFrame:
        """Fetch the records."""
        with self.opened() as table:
            return without_values(table.read(keep=keep, text=text), self.blanks)

    def rows(self, keep: Collection[str] | None = None) -> Rows:
        """Let the database count, if it can."""
        with self.opened() as table:
            rows = table.session.rows(table.table, keep=keep)
        return Rows(without_values(rows.frame, self.blanks), rows.counts)

    def certified(
        self, keep: Collection[str] | None = None, *, text: bool = False
    ) -> tuple[pl.DataFrame, dict[str, Any]]:
        """Fetch the records, and compute their digest."""
        with self.opened() as table:
            return table.certified(keep, text=text)

    def types(self, names: Collection[str]) -> Types:
        """Ask the database."""
        with self.opened() as table:
            return table.session.types(self.table, names)

    def same(self, other: "TableLocation") -> bool:
        """Tell whether two locations are the same table, judged by their names."""
        mine, others = (table_parts(one.table.casefold()) for one in (self, other))  # SQLite ignores case
        schemas = {*mine[:-1], *others[:-1]}
        there = self.database.moved(Path()) == other.database.moved(Path())
        return there and mine[-1] == others[-1] and (len(mine) != len(others) or len(schemas) < 2)

    def check_free(self, columns: Collection[str], *, force: bool = False) -> None:
        """Raise a SpecError if the table cannot be created, before any work is done for it.

        Args:
            columns: The columns of the release; a table with other columns is not an earlier release, and is not
                replaced.
            force: Whether an earlier release may be replaced.
        """
        self.database.check(self.table, columns)
        file = self.database.file
        if file is not None and not file.exists():
            return
        with self.database.session(writes=True) as session:
            if not session.exists(self.table):
                return
            if not force:
                raise SpecError(
                    f"The table {self.table} exists already. Choose another name, or allow replacing it (--force)."
                )
            if not set(session.columns(self.table)) <= set(columns):
                raise SpecError(
                    f"The table {self.table} has columns that the release does not have, so it is not replaced: it "
                    "may contain other data. Choose another name, or drop it yourself."
                )


@dataclass(frozen=True, slots=True, eq=False)
class Target:
    """Where a table is to be put.

    Args:
        location: The location, which can be read once the table is there.
        put: Puts a table there, which comes in parts.
    """

    location: Location
    put: Callable[[Iterator[pl.DataFrame]], None]


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a plain file within the budget of tables."""
    check_regular(path)
    budget().check_bytes(path.stat().st_size, f"'{path}'")
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _among(columns: list[str], keep: Collection[str] | None) -> list[str]:
    return columns if keep is None else [name for name in columns if name in keep]
