"""The file formats, by name."""

from pathlib import Path

from shoal.errors import SpecError
from shoal.formats.csv import Csv
from shoal.formats.format import Format
from shoal.formats.parquet import Parquet
from shoal.shelf import Shelf

FORMATS: Shelf[Format] = Shelf(
    "format",
    "formats",
    [
        Csv,
        Parquet,
    ],
)


def format_of(path: Path) -> Format:
    """Return the format that the ending of a file's name stands for."""
    suffix = path.suffix.lower()
    for member in FORMATS:
        if suffix in member.suffixes:
            return member()
    known = ", ".join(ending for member in FORMATS for ending in member.suffixes)
    ending = f"the ending '{path.suffix}'" if suffix else "no ending"
    raise SpecError(f"'{path}' has {ending}, so its format is not known. Known endings are: {known}.")
