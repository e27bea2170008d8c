"""SAS: data sets and transport files, for reading."""

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any, ClassVar

import polars as pl

from shoal.errors import SpecError
from shoal.formats.codebook import Codebook
from shoal.formats.format import Format, kept
from shoal.formats.readstat import codebook_of, frame_of, opened

_WHAT = "a SAS data set (.sas7bdat) or transport file (.xpt)"


class Sas(Format):
    """A SAS data set or transport file. The reasons `.A` to `.Z` and `._` for which a number is missing are texts.

    It is read and not written: a release goes into another format.
    """

    name: ClassVar[str] = "sas"
    suffixes: ClassVar[tuple[str, ...]] = (".sas7bdat", ".xpt", ".xport")
    writes: ClassVar[bool] = False

    def delimiter(self, path: Path) -> None:
        """Return None: there are no delimiters in a data set."""

    def columns(self, path: Path, delimiter: str | None = None) -> list[str]:
        """Return the names of the variables."""
        return list(_read(path, metadataonly=True)[1].column_names)

    def read(
        self,
        path: Path,
        *,
        keep: Collection[str] | None = None,
        text: Collection[str] = (),
        delimiter: str | None = None,
    ) -> pl.DataFrame:
        """Read the columns asked for."""
        names = kept(self.columns(path), keep, f"'{path}'")
        columns, meta = _read(path, usecols=names)
        return frame_of(columns, meta, names, list(text), f"'{path}'")

    def codebook(self, path: Path, frame: pl.DataFrame) -> Codebook:
        """Return the labels of the columns and the reasons for which values are missing."""
        return codebook_of(_read(path, metadataonly=True)[1], frame)

    def check(self, columns: Sequence[str], n_records: int) -> None:
        """Refuse to write."""
        raise SpecError("SAS files are read and not written. Choose another format, such as csv, sav or dta.")

    def write(
        self, frame: pl.DataFrame, path: Path, delimiter: str | None = None, codebook: Codebook | None = None
    ) -> None:
        """Refuse to write."""
        self.check(frame.columns, frame.height)


def _read(path: Path, **options: Any) -> Any:
    if path.suffix.lower() == ".sas7bdat":
        return opened(path, "read_sas7bdat", _WHAT, user_missing=True, **options)
    return opened(path, "read_xport", _WHAT, **options)
