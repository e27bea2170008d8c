"""SAS: data sets and transport files, read only."""

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

import polars as pl

from shoal.foundation.errors import SpecError
from shoal.tables.formats.codebook import Codebook
from shoal.tables.formats.readstat import StatisticsFile


class Sas(StatisticsFile):
    """A SAS data set or transport file. The missing codes `.A` to `.Z` and `._` of numbers are read as texts.

    It can only be read; a release needs another format.
    """

    name: ClassVar[str] = "sas"
    suffixes: ClassVar[tuple[str, ...]] = (".sas7bdat", ".xpt", ".xport")
    writes: ClassVar[bool] = False
    what: ClassVar[str] = "a SAS data set (.sas7bdat) or transport file (.xpt)"

    def reader(self, path: Path) -> str:
        """Return the reader of data sets or that of transport files."""
        return "read_sas7bdat" if path.suffix.lower() == ".sas7bdat" else "read_xport"

    def check(self, columns: Sequence[str], n_records: int) -> None:
        """Refuse to write."""
        raise SpecError("SAS files are read and not written. Choose another format, such as csv, sav or dta.")

    def write(
        self, frame: pl.DataFrame, path: Path, delimiter: str | None = None, codebook: Codebook | None = None
    ) -> None:
        """Refuse to write."""
        self.check(frame.columns, frame.height)
