"""The file formats, by name."""

from pathlib import Path
from typing import TYPE_CHECKING

from shoal.foundation.errors import SpecError
from shoal.foundation.lazy_imports import offer
from shoal.foundation.shelf import Shelf

if TYPE_CHECKING:  # imported when asked for; the members in the order of the shelf
    # isort: off
    from shoal.tables.formats.format import Format as Format
    from shoal.tables.formats.csv import Csv as Csv
    from shoal.tables.formats.parquet import Parquet as Parquet
    from shoal.tables.formats.xlsx import Xlsx as Xlsx
    from shoal.tables.formats.sav import Sav as Sav
    from shoal.tables.formats.dta import Dta as Dta
    from shoal.tables.formats.sas import Sas as Sas
else:
    __getattr__, __dir__ = offer(__name__, "FORMATS", "format_of")

FORMATS: "Shelf[Format]" = Shelf("format", __name__, "Format")


def format_of(path: Path, sheet: str | None = None) -> "Format":
    """Return the format that the ending of a file's name stands for, at the sheet that is asked for."""
    suffix = path.suffix.lower()
    for member in FORMATS:
        if suffix in member.suffixes:
            if sheet is not None and not member.sheets:
                raise SpecError(f"'{path}' is not a workbook: it has no sheet '{sheet}'.")
            return member.at(sheet)
    if path.is_dir():
        raise SpecError(f"'{path}' is a folder: the file of a table is needed.")
    known = ", ".join(ending for member in FORMATS for ending in member.suffixes)
    ending = f"the ending '{path.suffix}'" if suffix else "no ending"
    raise SpecError(f"'{path}' has {ending}, so its format is not known. Known endings are: {known}.")
