"""Store location: Parquet files of an object store as a table that every command reads."""

import os
from collections.abc import Collection, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar

import polars as pl

from shoal.foundation.budgets import budget
from shoal.foundation.errors import SpecError
from shoal.tables.databases.address import quoted
from shoal.tables.databases.duckdb import driver, told_plainly
from shoal.tables.engine_tables import EngineLocation
from shoal.tables.formats.column_type import ColumnType, Types
from shoal.tables.formats.format import columns_to_load
from shoal.tables.formats.text import texts
from shoal.tables.store_files import StoreFiles, find_files
from shoal.tables.table import without_values

_BATCH = 1_000_000  # records that are fetched at once
_SETTINGS = {
    "memory_limit": "2GB",
    "temp_directory": "",  # what is read goes by, and nothing is written to a disk
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
}


@dataclass(frozen=True, slots=True)
class StoreLocation(EngineLocation):
    """Parquet files of an object store: one file, a pattern, or a folder with all below it.

    DuckDB fetches the records, and counts nothing: a table that is checked is counted by code that is none of an
    engine's.

    Args:
        url: Such as `s3://bucket/visits/` or `s3://bucket/visits/2026-*.parquet`.
        blanks: The texts that mean a missing value.
    """

    engines: ClassVar[tuple[str, ...]] = ("duckdb", "spark", "local")

    url: str
    blanks: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"'{self.url}'"

    @property
    def name(self) -> str:
        """The last part of the URL."""
        return self.url.rstrip("/").rpartition("/")[2]

    def there(self) -> bool:
        """Ask the store; False if it cannot be reached."""
        try:
            return bool(self.columns())
        except SpecError:
            return False

    def columns(self) -> list[str]:
        """Return the names of the columns, those of folders last."""
        with self._opened() as (_, files):
            return list(files.types)

    def read(self, *, keep: Collection[str] | None = None, text: Collection[str] = ()) -> pl.DataFrame:
        """Fetch the records, file by file in the order of their names."""
        frame = pl.concat(list(self.parts(keep)), how="vertical")
        return frame.with_columns(frame.get_column(name).cast(pl.String) for name in frame.columns if name in text)

    def parts(self, keep: Collection[str] | None = None) -> Iterator[pl.DataFrame]:
        """Yield a million of records at a time."""
        from shoal.tables.formats.parquet import with_clock  # loads with the first file of its kind

        n_records = n_bytes = 0
        with self._opened() as (connection, files):
            names = columns_to_load(list(files.types), keep, str(self))
            stamps = self._clocked(connection, files, names)
            asked = ", ".join(f"{quoted(name)} AS c{number}" for number, name in enumerate(names))
            for batch in self._batches(connection, f"SELECT {asked} FROM {files.table}"):  # noqa: S608  (quoted)
                n_records, n_bytes = n_records + batch.height, n_bytes + int(batch.estimated_size())
                budget().check_records(n_records, str(self))
                budget().check_bytes(n_bytes, str(self))
                found = [
                    texts(batch.get_column(f"c{n}").alias(name), files.types[name], str(self))
                    for n, name in enumerate(names)
                ]
                columns = [one.cast(pl.Categorical) for one in found]
                columns = [with_clock(one) if name in stamps else one for one, name in zip(columns, names, strict=True)]
                frame = pl.DataFrame([one.alias(name) for one, name in zip(columns, names, strict=True)])
                yield without_values(frame, self.blanks)
        if not n_records:
            raise SpecError(f"{self} has no records.")

    def certified(
        self, keep: Collection[str] | None = None, *, text: bool = False
    ) -> tuple[pl.DataFrame, dict[str, Any]]:
        """Refuse: a certificate binds bytes, and what a store hands out twice need not be the same."""
        raise SpecError(
            f"{self} is in an object store: the files of a certificate are read from a file system. Copy the "
            "files to this machine."
        )

    def types(self, names: Collection[str]) -> Types:
        """Return the types of the files; none of a store that DuckDB does not read, but Spark may."""
        try:
            with self._opened() as (_, files):
                return {name: ColumnType.of(dtype) for name, dtype in files.types.items() if name in names}
        except SpecError:
            return {}

    @contextmanager
    def _opened(self) -> Iterator[tuple[Any, StoreFiles]]:
        """Connect, and find the files."""
        with closing(driver().connect(config={**_SETTINGS, "threads": os.cpu_count() or 1})) as connection:
            yield connection, find_files(connection, self.url)

    def _batches(self, connection: Any, query: str) -> Iterator[pl.DataFrame]:
        with told_plainly(str(self)):
            batches = iter(connection.sql(query).to_arrow_reader(_BATCH))
        while True:
            with told_plainly(str(self)):
                batch = next(batches, None)
            if batch is None:
                return
            yield pl.DataFrame(pl.from_arrow(batch))

    def _clocked(self, connection: Any, files: StoreFiles, names: list[str]) -> set[str]:
        """Return the columns of timestamps that are not all midnight, in any of the files."""
        kinds = {name: files.types[name] for name in names}
        stamps = [name for name, kind in kinds.items() if isinstance(kind, pl.Datetime) and kind.time_zone is None]
        if not stamps:
            return set()
        late = ", ".join(f"bool_or(CAST({quoted(name)} AS TIME) <> TIME '00:00:00')" for name in stamps)
        with told_plainly(str(self)):
            (told,) = connection.execute(f"SELECT {late} FROM {files.table}").fetchall()  # noqa: S608  (quoted)
        return {name for name, one in zip(stamps, told, strict=True) if one}
