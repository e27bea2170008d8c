"""The file formats, by name."""

from pathlib import Path

from shoal.errors import SpecError
from shoal.formats.csv import Csv
from shoal.formats.dta import Dta
from shoal.formats.format import Format
from shoal.formats.parquet import Parquet
from shoal.formats.sas import Sas
from shoal.formats.sav import Sav
from shoal.formats.xlsx import Xlsx
from shoal.shelf import Shelf

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
