"""Database: tables as columns of text, read and written in one transaction."""

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager
from io import BytesIO
from pathlib import Path
from typing import ClassVar

import numpy as np
import polars as pl

from shoal.foundation.errors import SpecError
from shoal.tables.databases.address import Address, quoted, table_parts
from shoal.tables.formats.column_type import ColumnType, Types
from shoal.tables.formats.values import TextKind, text_kind_of
from shoal.tables.rows import Rows

_BATCH = 200_000  # records that are turned into CSV at once


class Session(ABC):
    """A connection within one transaction: writes take effect on commit, or not at all."""

    @abstractmethod
    def exists(self, table: str) -> bool:
        """Tell whether there is a table or view of that name."""

    @abstractmethod
    def columns(self, table: str) -> list[str]:
        """Return the names of the columns, or raise a SpecError if there is no such table."""

    @abstractmethod
    def read(self, table: str, *, keep: Collection[str] | None = None, text: Collection[str] = ()) -> pl.DataFrame:
        """Return the records, each column as categories.

        Args:
            table: The table or view.
            keep: The columns to load; the others are not fetched. None is all.
            text: The columns to return as plain text.
        """

    def rows(self, table: str, *, keep: Collection[str] | None = None) -> Rows:
        """Count the records by their values in some columns; where the server can count, only the result is fetched."""
        frame = self.read(table, keep=keep)
        return Rows.of(frame, frame.columns)

    @abstractmethod
    def write(self, frame: pl.DataFrame, table: str, *, replace: bool = False) -> None:
        """Create a table of the columns, each of the narrowest type that reproduces its texts.

        Args:
            frame: The columns as text.
            table: The table.
            replace: Whether an existing table of that name may be dropped.
        """

    def types(self, table: str, names: Collection[str]) -> Types:
        """Return the types of some columns of a table, as far as they can be had back from texts."""
        return {}

    def write_typed(self, frame: pl.DataFrame, table: str, types: Types, *, replace: bool = False) -> None:
        """Create a table of the columns, those with a type in it, as far as reading gives the same texts; see `write`.

        Args:
            frame: The columns as text.
            table: The table.
            types: The types of some columns, each known to give back all values of the release.
            replace: Whether an existing table of that name may be dropped.
        """
        self.write(frame, table, replace=replace)

    @abstractmethod
    def drop(self, table: str) -> None:
        """Drop a table."""

    @abstractmethod
    def commit(self) -> None:
        """Commit the transaction."""


class Database(ABC):
    """A database at a URL.

    Args:
        address: Its address.
        folder: The folder that a relative path in the URL refers to.
    """

    name: ClassVar[str]
    schemes: ClassVar[tuple[str, ...]]
    longest: ClassVar[int | None] = None  # bytes of a name, if there is a limit
    capitals: ClassVar[bool] = True  # whether column names are case-sensitive
    counts: ClassVar[bool] = False  # whether it counts records itself, so that only the different ones are fetched

    def __init__(self, address: Address, folder: Path = Path()) -> None:
        self.address = address
        self.folder = folder

    @abstractmethod
    def session(self, *, writes: bool = False) -> AbstractContextManager[Session]:
        """Open a connection; what is not committed is rolled back at the end."""

    def tables(self) -> list[str]:
        """Return the names of the tables and views of a database in a file; none of any other."""
        return []

    def check(self, table: str, columns: Collection[str]) -> None:
        """Raise a SpecError if a table of that name with these columns cannot be made."""
        long = [name for name in (*table_parts(table), *columns) if self.longest and len(name.encode()) > self.longest]
        if long:
            raise SpecError(
                f"{self.name} takes {self.longest} bytes of a name at most, so {', '.join(map(quoted, long))} is too "
                "long. Choose a shorter one."
            )
        small = [name.lower() for name in columns]
        alike = [name for name in columns if small.count(name.lower()) > 1 and not self.capitals]
        if alike:
            raise SpecError(f"{self.name} cannot tell the columns {', '.join(map(quoted, alike))} apart. Rename them.")

    def keeps(self, kind: ColumnType, values: Sequence[str]) -> bool:
        """Tell whether a column is stored in its type, and not as text for want of one that gives its values back.

        Args:
            kind: The type of the column.
            values: Its different values, as texts.
        """
        return kind.is_text or not values or text_kind_of(values) not in (TextKind.TEXT, TextKind.EXACT)

    @property
    def file(self) -> Path | None:
        """The file of the database; None if it is not in a file."""
        return None

    def moved(self, folder: Path) -> str:
        """Return the URL, without a password, as it is written in a job file in `folder`."""
        return self.address.url


def records_digest(frame: pl.DataFrame) -> str:
    """Return the SHA-256 of a table's records in sorted order, as CSV; so the order of the records does not matter.

    The CSV has a header, commas, line feeds, quotes where needed, and an empty field for a missing value. The
    records are sorted by the bytes of their columns, from the first to the last, missing values first.
    """
    named = dict(zip((str(place) for place in range(frame.width)), frame.columns, strict=True))
    plain = pl.DataFrame([frame.get_column(name).alias(place) for place, name in named.items()])
    different = plain.group_by(list(named)).len("count").cast(dict.fromkeys(named, pl.String)).sort(list(named))
    counts = different["count"].to_numpy()
    rows = pl.Series(np.repeat(np.arange(len(counts)), counts))  # equal records are adjacent
    text = different.select(list(named)).rename(named)
    digest = hashlib.sha256()
    for start in range(0, max(frame.height, 1), _BATCH):
        part = BytesIO()
        text[rows.slice(start, _BATCH)].write_csv(part, include_header=start == 0)
        digest.update(part.getvalue())
    return digest.hexdigest()
