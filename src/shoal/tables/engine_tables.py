"""Engine tables: tables that engines alone read, in an object store or by a name that Spark knows."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, ClassVar

import polars as pl

from shoal.foundation.errors import SpecError
from shoal.tables.location import Location


class EngineLocation(Location):
    """A table of which nothing is known here; an engine tells its columns and counts its records."""

    engines: ClassVar[tuple[str, ...]]

    @property
    def refusal(self) -> SpecError:
        """What is said where an engine would be needed."""
        raise NotImplementedError

    def there(self) -> bool:
        """Say no: it is not at hand."""
        return False

    def columns(self) -> list[str]:
        """Refuse."""
        raise self.refusal

    def read(self, *, keep: Collection[str] | None = None, text: Collection[str] = ()) -> pl.DataFrame:
        """Refuse."""
        raise self.refusal

    def certified(
        self, keep: Collection[str] | None = None, *, text: bool = False
    ) -> tuple[pl.DataFrame, dict[str, Any]]:
        """Refuse."""
        raise self.refusal


@dataclass(frozen=True, slots=True)
class StoreLocation(EngineLocation):
    """Parquet files of an object store: one file, a pattern, or a folder with all below it.

    Args:
        url: Such as `s3://bucket/visits/` or `s3://bucket/visits/2026-*.parquet`.
        blanks: The texts that mean a missing value.
    """

    engines: ClassVar[tuple[str, ...]] = ("duckdb", "spark")

    url: str
    blanks: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"'{self.url}'"

    @property
    def name(self) -> str:
        """The last part of the URL."""
        return self.url.rstrip("/").rpartition("/")[2]

    @property
    def scheme(self) -> str:
        """The scheme of the URL."""
        return self.url.partition("://")[0].lower()

    @property
    def is_folder(self) -> bool:
        """Whether all files below are meant: it ends like none."""
        return not self.url.lower().endswith((".parquet", ".pq"))

    @property
    def refusal(self) -> SpecError:
        """Name the engines."""
        return SpecError(
            f"{self} is in an object store, which the engines duckdb and spark read, and nobody else: take one of them "
            "to anonymize it (engine = 'duckdb'), or copy the files to this machine."
        )


@dataclass(frozen=True, slots=True)
class CatalogLocation(EngineLocation):
    """A table by a name that Spark knows: of one of its catalogs, or such as ``parquet.`/data/visits` ``.

    Args:
        table: The name.
        blanks: The texts that mean a missing value.
    """

    engines: ClassVar[tuple[str, ...]] = ("spark",)

    table: str
    blanks: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"the table {self.table}"

    @property
    def name(self) -> str:
        """The name of the table."""
        return self.table

    @property
    def refusal(self) -> SpecError:
        """Name the engine."""
        return SpecError(
            f"{self} has no 'url': it is read by the engine spark alone, which knows tables by their names. Give the "
            "URL of a database, or take engine = 'spark'."
        )
