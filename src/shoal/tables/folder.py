"""Folder: a table in several files of one folder, or of one pattern."""

import hashlib
from collections.abc import Callable, Collection, Hashable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from glob import has_magic
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import polars as pl

from shoal.foundation.atomic_write import files_in
from shoal.foundation.budgets import budget
from shoal.foundation.errors import EmptyTableError, SpecError
from shoal.tables.databases import database_of, url_of_file
from shoal.tables.databases.address import Address, is_url
from shoal.tables.formats import FORMATS, format_of
from shoal.tables.formats.column_type import Types
from shoal.tables.formats.format import Format, columns_to_load
from shoal.tables.formulas import quoted_frame
from shoal.tables.hive import told_alone
from shoal.tables.location import FileLocation, Location, TableLocation, Target, file_digest
from shoal.tables.rows import Rows
from shoal.tables.store_location import StoreLocation
from shoal.tables.stores import check_store, is_store

PART_RECORDS = 4_000_000  # of each file that is written
SEVERAL = ("csv", "parquet")
"""The formats of which a table may be several files."""
_NOBODY = "__HIVE_DEFAULT_PARTITION__"  # how Hive writes a missing value


def is_folder(path: Path) -> bool:
    """Tell whether a path stands for several files: it is a folder, or a pattern that is no file."""
    return path.is_dir() or (has_magic(str(path)) and not path.exists())


@dataclass(frozen=True)
class FolderLocation(Location):
    """A table in several files of one format, CSV or Parquet, with the same columns in each.

    A folder named `column=value` between the given one and a file adds a column to the records of that file.

    Args:
        path: The folder, or a pattern such as `data/*/part-*.parquet`.
        given: The delimiter; None to detect it in the first file.
        blanks: The texts that mean a missing value, like an empty field.
        quoted: Whether formulas are quoted in the files; they are read as they were.
        some: The files, if these are not all that are found.
    """

    path: Path
    given: str | None = None
    blanks: tuple[str, ...] = ()
    quoted: bool = False
    some: tuple[Path, ...] = ()

    def __str__(self) -> str:
        return f"'{self.path}'"

    @property
    def name(self) -> str:
        """The name of the folder."""
        return self.path.name

    @property
    def root(self) -> Path:
        """The folder, or the part of the pattern before its first sign that stands for others."""
        parts = self.path.parts
        plain = next((number for number, part in enumerate(parts) if has_magic(part)), len(parts))
        return self.path if self.path.is_dir() else Path(*parts[:plain])

    @cached_property
    def files(self) -> list[Path]:
        """The files, in the order of their names; those that begin with a dot or an underscore are no part of it."""
        if self.some:
            return list(self.some)
        if self.path.is_dir():
            found = _all_files(self.path)
        else:
            pattern = str(self.path.relative_to(self.root))
            found = [path for path in self.root.glob(pattern) if path.is_file()]
        found = sorted(path for path in found if not any(part[0] in "._" for part in path.relative_to(self.root).parts))
        if not found:
            raise SpecError(f"There is no file in {self}: a folder, or a pattern, of CSV or Parquet files is needed.")
        return found

    @property
    def told(self) -> list[str]:
        """The columns that folders tell, and files do not have; see `told_alone`."""
        return told_alone(list(self._told(self.files[0])), self._part(self.files[0]).columns(), str(self))

    @property
    def format(self) -> Format:
        """The format of all files."""
        kinds = {format_of(path).name for path in self.files}
        if len(kinds) > 1 or not kinds <= set(SEVERAL):
            raise SpecError(f"The files of {self} are {', '.join(sorted(kinds))}: all must be CSV, or all Parquet.")
        return FORMATS[kinds.pop()]()

    @property
    def delimiter(self) -> str | None:
        """The delimiter, as given or detected."""
        return self.given or self.format.delimiter(self.files[0])

    def there(self) -> bool:
        """Tell whether there are files."""
        return is_folder(self.path) and bool(self.path.is_dir() or any(self.root.glob("*")))

    def columns(self) -> list[str]:
        """Return the names of the columns, those of folders last."""
        own = self._part(self.files[0]).columns()
        return [*own, *(name for name in self._told(self.files[0]) if name not in own)]

    def read(self, *, keep: Collection[str] | None = None, text: Collection[str] = ()) -> pl.DataFrame:
        """Read all files, one after another."""
        names = columns_to_load(self.columns(), keep, str(self))
        frames = [rows for _, rows in self._frames(names, text)]
        return pl.concat(frames, how="vertical")

    def certified(
        self, keep: Collection[str] | None = None, *, text: bool = False
    ) -> tuple[pl.DataFrame, dict[str, Any]]:
        """Read the requested columns, and compute the digest of all files."""
        columns = self.columns()
        names = columns if keep is None else [name for name in columns if name in keep]
        return self.read(keep=names, text=names if text else ()), self.said(columns)

    def parts(self, keep: Collection[str] | None = None) -> Iterator[pl.DataFrame]:
        """Yield file after file, so that one of them is in memory at a time."""
        names = columns_to_load(self.columns(), keep, str(self))
        for _, frame in self._frames(names, ()):
            yield frame

    def counted(self, keep: Collection[str] | None = None) -> tuple[Rows, dict[str, Any]]:
        """Count the records, and compute the digest of all files."""
        columns = self.columns()
        return self.rows(columns if keep is None else [name for name in columns if name in keep]), self.said(columns)

    def types(self, names: Collection[str]) -> Types:
        """Return the types that all files declare alike."""
        first, *others = [self._part(path).types(names) for path in self.files]
        return {name: one for name, one in first.items() if all(other.get(name) == one for other in others)}

    def check_columns(self) -> None:
        """Raise a SpecError unless all files have the same columns."""
        wanted = set(self.columns())
        for path in self.files:
            if {*self._part(path).columns(), *self._told(path)} != wanted:
                raise SpecError(f"The file '{path}' has other columns than '{self.files[0]}': all must have the same.")

    def alike(self, names: Collection[str]) -> list["FolderLocation"]:
        """Return tables of files that are read alike: with columns in one order, or of the same types in Parquet."""
        found: dict[Hashable, list[Path]] = {}
        for path in self.files:
            found.setdefault(self._layout(path, names), []).append(path)
        return [self] if len(found) == 1 else [replace(self, some=tuple(paths)) for paths in found.values()]

    def said(self, columns: list[str]) -> dict[str, Any]:
        """Return what a certificate states of the table."""
        return {"name": self.name, "sha256": folder_digest(self.root, self.files), "columns": columns}

    def _part(self, path: Path) -> FileLocation:
        return FileLocation(path, self.given, blanks=self.blanks, quoted=self.quoted)

    def _layout(self, path: Path, names: Collection[str]) -> Hashable:
        """Return what must be alike in files that an engine reads as one."""
        if self.format.name != "parquet":
            return tuple(self._part(path).columns())
        from shoal.tables.formats.parquet import schema_of  # loads with the first file of its kind

        return frozenset((name, kind) for name, kind in schema_of(path).items() if name in names)

    def _told(self, path: Path) -> dict[str, str | None]:
        """Return the columns that the folders of a file tell, with their value."""
        pairs = [part.partition("=") for part in path.relative_to(self.root).parts[:-1] if "=" in part]
        return {unquote(name): None if value == _NOBODY else unquote(value) for name, _, value in pairs}

    def stamps(self) -> tuple[set[str], Callable[[pl.Series], pl.Series]]:
        """Return the columns of timestamps that are not all midnight, over all files, and what gives them a clock."""
        if self.format.name != "parquet":
            return set(), lambda column: column
        from shoal.tables.formats.parquet import clocked, with_clock  # loads with the first file of its kind

        return clocked(self.files), with_clock

    def _frames(self, names: list[str], text: Collection[str]) -> Iterator[tuple[Path, pl.DataFrame]]:
        """Yield the records of each file that has some, all with the same columns."""
        self.check_columns()
        n_records = 0
        stamps, clock = self.stamps()
        held = budget()
        held.check_bytes(sum(path.stat().st_size for path in self.files), str(self))
        for path in self.files:
            part, told = self._part(path), self._told(path)
            try:
                frame = part.read(keep=[name for name in part.columns() if name in names] or None, text=text)
            except EmptyTableError:
                continue
            n_records += frame.height
            held.check_records(n_records, str(self))
            frame = frame.with_columns(clock(frame.get_column(name)) for name in stamps if name in frame.columns)
            yield path, _completed(frame, told, names, text)
        if not n_records:
            raise EmptyTableError(f"{self} has no records.")


def _completed(
    frame: pl.DataFrame, told: dict[str, str | None], names: list[str], text: Collection[str]
) -> pl.DataFrame:
    """Return the named columns, with those that folders tell."""
    made = []
    for name in names:
        if name in frame.columns:
            made.append(frame.get_column(name))
        else:
            kind = pl.String if name in text else pl.Categorical
            made.append(pl.repeat(told[name], frame.height, dtype=pl.String, eager=True).cast(kind).alias(name))
    return pl.DataFrame(made)


def _all_files(folder: Path) -> list[Path]:
    """Return the files of a folder; one that may not be listed is told, since its records would be missing."""
    try:
        return list(files_in(folder))
    except OSError:
        raise SpecError(f"'{folder}', or a folder in it, cannot be listed: its permissions forbid it.") from None


def folder_digest(root: Path, files: Collection[Path]) -> str:
    """Return the SHA-256 of the names and the digests of some files, by their names."""
    lines = [f"{file_digest(path)}  {path.relative_to(root).as_posix()}\n" for path in sorted(files)]
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def folder_target(location: FolderLocation, format_name: str, types: Types) -> Target:
    """Return where a table is to be put as a new folder of parts, with columns in their types where these are known."""
    writer = FORMATS[format_name]()

    def put(parts: Iterator[pl.DataFrame]) -> None:
        location.path.mkdir()
        for number, frame in enumerate(parts):
            path = location.path / f"part-{number:05d}{writer.suffixes[0]}"
            writer.write_typed(quoted_frame(frame) if location.quoted else frame, path, types, location.given)

    return Target(location, put)


def location_of(
    data: str | Path, *, table: str | None = None, sheet: str | None = None, delimiter: str | None = None
) -> Location:
    """Return the location of a path, a pattern or a URL."""
    if isinstance(data, str) and is_store(data):
        check_store(data)
        return StoreLocation(data)
    file = url_of_file(data)
    data = data if file is None else file
    if isinstance(data, str) and is_url(data):
        if table is None:
            raise SpecError("A database needs the name of a table: shoal.table(url, table=...), or --table.")
        return TableLocation(database_of(Address.of(data)), table)
    if table is not None:
        raise SpecError(f"'{data}' is a file: a table is named for the URL of a database alone.")
    if is_folder(Path(data)) and sheet is None:
        return FolderLocation(Path(data), delimiter)
    return FileLocation(Path(data), delimiter, sheet)
