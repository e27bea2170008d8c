"""Engine tables: tables of which an engine must be asked, and what is known by a name of Spark alone."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, ClassVar

import polars as pl

from shoal.foundation.errors import SpecError
from shoal.tables.location import Location


class EngineLocation(Location):
    """A table in no file or database of its own; `engines` read it, and the first of them does if nobody asks."""

    engines: ClassVar[tuple[str, ...]]


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

    def there(self) -> bool:
        """Say no: it is not at hand."""
        return False

    def columns(self) -> list[str]:
        """Refuse."""
        raise self._refusal

    def read(self, *, keep: Collection[str] | None = None, text: Collection[str] = ()) -> pl.DataFrame:
        """Refuse."""
        raise self._refusal

    def certified(
        self, keep: Collection[str] | None = None, *, text: bool = False
    ) -> tuple[pl.DataFrame, dict[str, Any]]:
        """Refuse."""
        raise self._refusal

    @property
    def _refusal(self) -> SpecError:
        return SpecError(
            f"{self} has no 'url': it is read by the engine spark alone, which knows tables by their names. Give the "
            "URL of a database, or take engine = 'spark'."
        )
