"""Place: where a table lies, be it a file or a table of a database."""

from abc import ABC, abstractmethod
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from shoal.databases import database_of
from shoal.databases.address import Address, is_url, table_parts
from shoal.databases.database import Database
from shoal.errors import SpecError
from shoal.formats import format_of
from shoal.formats.codebook import Codebook


class Place(ABC):
    """A table that can be read."""

    @property
    @abstractmethod
    def delimiter(self) -> str | None:
        """What separates the fields, if there is such a thing."""

    @abstractmethod
    def columns(self) -> list[str]:
        """Return the names of the columns."""

    @abstractmethod
    def read(self, *, keep: Collection[str] | None = None, text: Collection[str] = ()) -> pl.DataFrame:
        """Return the records, each column as categories, or as plain text where it is asked for."""

    def codebook(self, frame: pl.DataFrame) -> Codebook:
        """Return what is said here about the columns and values of a frame that was read from here."""
        return Codebook()


@dataclass(frozen=True, slots=True)
class FilePlace(Place):
    """A file.

    Args:
        path: The file.
        given: What separates its fields; None is to find out.
        sheet: The sheet of a workbook; None is the first.
    """

    path: Path
    given: str | None = None
    sheet: str | None = None

    @property
    def delimiter(self) -> str | None:
        """What separates the fields, as given or found out."""
        return self.given or format_of(self.path, self.sheet).delimiter(self.path)

    def columns(self) -> list[str]:
        """Return the names of the columns."""
        return format_of(self.path, self.sheet).columns(self.path, self.given)

    def read(self, *, keep: Collection[str] | None = None, text: Collection[str] = ()) -> pl.DataFrame:
        """Read the file."""
        return format_of(self.path, self.sheet).read(self.path, keep=keep, text=text, delimiter=self.given)

    def codebook(self, frame: pl.DataFrame) -> Codebook:
        """Return the labels and the values declared as missing."""
        return format_of(self.path, self.sheet).codebook(self.path, frame)


@dataclass(frozen=True, slots=True)
class TablePlace(Place):
    """A table of a database."""

    database: Database
    table: str

    @property
    def delimiter(self) -> None:
        """None: there are no delimiters in a database."""

    def columns(self) -> list[str]:
        """Ask the database."""
        with self.database.session() as session:
            return session.columns(self.table)

    def read(self, *, keep: Collection[str] | None = None, text: Collection[str] = ()) -> pl.DataFrame:
        """Fetch the records."""
        with self.database.session() as session:
            return session.read(self.table, keep=keep, text=text)

    def same(self, other: "TablePlace") -> bool:
        """Tell whether two are one table, as far as their names tell."""
        mine, others = table_parts(self.table), table_parts(other.table)
        schemas = {*mine[:-1], *others[:-1]}
        there = self.database.moved(Path()) == other.database.moved(Path())
        return there and mine[-1] == others[-1] and (len(mine) != len(others) or len(schemas) < 2)

    def check_free(self, columns: Collection[str], *, force: bool = False) -> None:
        """Raise a SpecError if the table cannot be made, before any work is done for it.

        Args:
            columns: Those of the release; a table with others is no earlier release, and is not replaced.
            force: Whether an earlier release may be replaced.
        """
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
                    f"The table {self.table} has columns that the release has not, so it is not replaced: it may hold "
                    "what must not be lost. Choose another name, or drop it yourself."
                )


def place_of(
    data: str | Path, *, table: str | None = None, sheet: str | None = None, delimiter: str | None = None
) -> Place:
    """Return the place that a path or URL stands for."""
    if isinstance(data, str) and is_url(data):
        if table is None:
            raise SpecError("The URL of a database needs the name of a table (--table).")
        return TablePlace(database_of(Address.of(data)), table)
    if table is not None:
        raise SpecError(f"'{data}' is a file: a table is named for the URL of a database alone.")
    return FilePlace(Path(data), delimiter, sheet)
