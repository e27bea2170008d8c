"""Paths: file names for columns of any name."""

import re
import unicodedata
from collections.abc import Sequence

_LONGEST = 60


def file_names(columns: Sequence[str], ending: str = ".csv") -> dict[str, str]:
    """Return a file name for each column: its letters and digits, and a number if two would be equal."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    for column in columns:
        plain = re.sub(r"[^\w-]+", "_", unicodedata.normalize("NFKC", column)).strip("_")[:_LONGEST] or "column"
        name, number = plain, 1
        while name.casefold() in taken:
            number += 1
            name = f"{plain}-{number}"
        taken.add(name.casefold())
        found[column] = name + ending
    return found
