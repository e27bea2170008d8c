"""A small release that was solved in regions, which has no rules and no reports."""

from pathlib import Path
from typing import Any

import polars as pl

import shoal


def released_in_regions(place: Path) -> Path:
    """Write a table and its release below a folder, and return the folder of the release."""
    (place / "raw").mkdir()
    pl.DataFrame({"age": [*"aabbccdd"], "ill": [*"uvuvuvuv"]}).write_csv(place / "raw/part.csv")
    asked: Any = {"algorithm": "mondrian", "engine": {"name": "duckdb", "regions": 2}, "format": "csv"}
    shoal.anonymize(place / "raw", quasi=["age"], sensitive=["ill"], k=2, **asked).write(place / "out")
    return place / "out"
