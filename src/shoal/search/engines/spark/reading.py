"""Reading: files as a DataFrame of Spark, with the values that are in them and no guesses."""

import re
from pathlib import Path
from typing import TYPE_CHECKING

from shoal.foundation.errors import SpecError
from shoal.search.engines.files import Files, header_of, is_delimited, paths_of
from shoal.search.engines.spark.session import reading_session
from shoal.tables.engine_tables import CatalogLocation
from shoal.tables.folder import FolderLocation
from shoal.tables.store_location import StoreLocation

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def frame_at(session: "SparkSession", location: Files) -> "DataFrame":
    """Return the records of a file, or of a folder of files.

    Args:
        session: Spark; see `reading_session`.
        location: The table.
    """
    reader = session.read
    if isinstance(location, FolderLocation) and location.told:
        reader = reader.option("basePath", _url(location.root))
    paths = [_pattern(path) for path in paths_of(location)]
    if not is_delimited(location):
        return reader.parquet(*paths)
    header = header_of(location, "spark")
    if len(header) == 1:
        raise SpecError(
            f"{location} has one column, and Spark leaves out lines that are empty, which are records with a "
            "missing value. Use the engine 'local' or 'duckdb', or write it as Parquet."
        )
    schema = ", ".join(f"`{name.replace('`', '``')}` STRING" for name in header)
    settings: dict[str, str] = {
        "sep": location.delimiter or ",",
        "quote": '"',
        "escape": '"',
        "header": "true",
        "multiLine": "true",  # a text may have several lines, so a file is read by one executor
        "mode": "FAILFAST",
        "maxCharsPerColumn": "-1",
        "maxColumns": str(len(header) + 1),
    }
    return reader.schema(schema).options(**settings).csv(paths)


def frame_of(session: "SparkSession", location: StoreLocation | CatalogLocation) -> "DataFrame":
    """Return the records of a table that Spark knows by a name, or of Parquet files at a URL.

    A name means what it means in the session that is active, whose current catalog and database it may need.
    """
    if isinstance(location, CatalogLocation):
        return session.table(location.table)
    return reading_session(session).read.parquet(location.url)


def _url(path: Path) -> str:
    return f"file://{path.absolute()}"


def _pattern(path: Path) -> str:
    """Return the path of a file as a pattern that stands for it alone."""
    return re.sub(r"([\\*?\[\]{}])", r"\\\1", _url(path))
