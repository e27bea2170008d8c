"""The file formats, by name."""

from pathlib import Path

from shoal.foundation.errors import SpecError
from shoal.foundation.shelf import Shelf
from shoal.tables.formats.csv import Csv
from shoal.tables.formats.dta import Dta
from shoal.tables.formats.format import Format
from shoal.tables.formats.parquet import Parquet
from shoal.tables.formats.sas import Sas
from shoal.tables.formats.sav import Sav
from shoal.tables.formats.xlsx import Xlsx

FORMATS: Shelf[Format] = Shelf(
    "format",
    "formats",
    [
        Csv,
        Parquet,
        Xlsx,
        Sav,
        Dta,
        Sas,
    ],
)


def format_of(path: Path, sheet: str | None = None) -> Format:
    """Return the format that the ending of a file's name stands for, at the sheet that is asked for."""
    suffix = path.suffix.lower()
    for member in FORMATS:
        if suffix in member.suffixes:
            if sheet is not None and not issubclass(member, Xlsx):
                raise SpecError(f"'{path}' is no workbook: it has no sheet '{sheet}'.")
            return Xlsx(sheet) if issubclass(member, Xlsx) else member()
    if path.is_dir():
        raise SpecError(f"'{path}' is a folder: the file of a table is needed.")
    known = ", ".join(ending for member in FORMATS for ending in member.suffixes)
    ending = f"the ending '{path.suffix}'" if suffix else "no ending"
    raise SpecError(f"'{path}' has {ending}, so its format is not known. Known endings are: {known}.")
