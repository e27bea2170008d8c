"""Default format: Parquet gives Parquet unless another is asked for; all else gives CSV."""

from pathlib import Path
from typing import Any

from shoal.foundation.errors import SpecError
from shoal.tables.folder import FolderLocation, is_folder
from shoal.tables.formats import FORMATS
from shoal.tables.stores import is_store

_PARQUET = "parquet"


def with_format(content: Any) -> Any:
    """Return the content of a job with the format of its release, if its table is Parquet and none is named.

    A release into a database has no format, and one for spreadsheet programs is not Parquet. What is not of the right
    kind stays, to be refused.
    """
    if not isinstance(content, dict) or not isinstance(content.get("input"), dict):
        return content
    release = content.get("release", {})
    if not isinstance(release, dict) or any(release.get(key) for key in ("format", "url", "escape_formulas")):
        return content
    if not _is_parquet(content["input"], Path(content.get("folder", ""))):
        return content
    return {**content, "release": {**release, "format": _PARQUET}}


def _is_parquet(given: dict[str, Any], folder: Path) -> bool:
    """Tell whether a table is Parquet, by the ending of its file or of the first of its files."""
    url, path = given.get("url"), given.get("path")
    if isinstance(url, str):
        return is_store(url)
    if not isinstance(path, str | Path):
        return False
    where = folder / path
    if not is_folder(where):
        return _ends_so(where)
    try:
        return _ends_so(FolderLocation(where).files[0])
    except SpecError:  # it is told when the table is read
        return False


def _ends_so(path: Path) -> bool:
    """Tell whether the name of a file ends as one of Parquet, of which nothing is loaded for that."""
    return path.suffix.lower() in FORMATS.declared(_PARQUET, "suffixes")
