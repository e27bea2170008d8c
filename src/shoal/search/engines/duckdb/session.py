"""Session: a connection to DuckDB with limits; what it spills to disk is encrypted, private, and gone at its end."""

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from typing import Any

import polars as pl

from shoal.foundation.progress import Progress, silent
from shoal.foundation.watching import watched
from shoal.search.engines.spill_folder import spill_folder
from shoal.tables.databases.duckdb import driver, told_plainly
from shoal.tables.store_files import StoreFiles, find_files
from shoal.tables.store_location import StoreLocation

MEMORY = "2GB"


class SpillingSession:
    """An open connection.

    Args:
        connection: The connection of the package.
        progress: Told how far long queries are.
    """

    def __init__(self, connection: Any, progress: Progress = silent) -> None:
        self._connection, self._progress = connection, progress

    def frame(self, query: str, where: str, step: str | None = None) -> pl.DataFrame:
        """Return what a query finds.

        Args:
            query: The query.
            where: The name of the table, for messages.
            step: What it does, if that may take long.
        """
        with told_plainly(where), self._watched(step):
            found: pl.DataFrame = self._connection.sql(query).pl()
        return found

    def run(self, statement: str, where: str, step: str | None = None) -> None:
        """Run a statement that finds nothing; see `frame`."""
        with told_plainly(where), self._watched(step):
            self._connection.execute(statement).fetchall()

    def _watched(self, step: str | None) -> AbstractContextManager[None]:
        """Tell how far DuckDB is with a step."""
        return nullcontext() if step is None else watched(self._progress, step, self._share)

    def _share(self) -> float | None:
        percent = float(self._connection.query_progress())
        return percent / 100 if 0 <= percent <= 100 else None  # below 0 it is not known

    def found(self, location: StoreLocation) -> StoreFiles:
        """Return the files of an object store."""
        return find_files(self._connection, location.url)

    def blocks(self, query: str, where: str, size: int) -> Iterator[pl.DataFrame]:
        """Yield what a query finds, about so many rows at a time; other statements may run in between.

        It has a connection of its own: tables that it looks at are no temporary ones.
        """
        with closing(self._connection.cursor()) as cursor:
            with told_plainly(where):
                batches = iter(cursor.sql(query).to_arrow_reader(size))
            held: list[pl.DataFrame] = []
            while True:
                with told_plainly(where):
                    batch = next(batches, None)
                if batch is not None:
                    held.append(pl.DataFrame(pl.from_arrow(batch)))
                if held and (batch is None or sum(one.height for one in held) >= size):
                    yield pl.concat(held, how="vertical")
                    held = []
                if batch is None:
                    return

    def append(self, table: str, rows: pl.DataFrame, where: str) -> None:
        """Add rows to a table, whose columns they have in its order."""
        with told_plainly(where):
            self._connection.register("added_rows", rows.to_arrow())
            try:
                self._connection.execute(f"INSERT INTO {table} SELECT * FROM added_rows").fetchall()  # noqa: S608
            finally:
                self._connection.unregister("added_rows")


def quoted_name(name: str) -> str:
    """Return the name of a column as it stands in a query."""
    return '"' + name.replace('"', '""') + '"'


@contextmanager
def opened(memory: str | None = None, progress: Progress = silent) -> Iterator[SpillingSession]:
    """Open DuckDB without a file of its own.

    Args:
        memory: The most memory that it takes before it spills to disk, such as `4GB`.
        progress: Told how far long queries are.
    """
    duckdb = driver()
    with spill_folder() as folder:
        settings: dict[str, str | int | float | list[str]] = {
            "memory_limit": memory or MEMORY,
            "threads": os.cpu_count() or 1,
            "temp_directory": str(folder),
            "temp_file_encryption": True,
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
            "preserve_insertion_order": False,
        }
        connection = duckdb.connect(config=settings)
        try:
            _encrypt(connection, duckdb.Error)
            if progress is not silent:
                connection.execute("SET enable_progress_bar = true; SET enable_progress_bar_print = false").fetchall()
            yield SpillingSession(connection, progress)
        finally:
            connection.close()


def _encrypt(connection: Any, errors: type[Exception]) -> None:
    """Let DuckDB encrypt by OpenSSL, if the extension that brings it is installed; else by what it has itself.

    Its own random numbers are not those of the system, so that whoever can guess them could read spilled files.
    """
    try:
        connection.execute("LOAD httpfs").fetchall()
    except errors:
        connection.execute("SET force_mbedtls_unsafe = 'true'").fetchall()
