"""Store files: Parquet files of an object store, as DuckDB finds and reads them. Keys and their places are its own."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from glob import escape, has_magic
from typing import Any
from urllib.parse import unquote, urlsplit

import polars as pl

from shoal.foundation.errors import SpecError
from shoal.tables.databases.address import quoted_text
from shoal.tables.databases.duckdb import check_letters, driver, told_plainly
from shoal.tables.formats.format import check_names
from shoal.tables.hive import told_alone

_EXTENSIONS = {
    **dict.fromkeys(("s3", "s3a", "s3n", "gs", "gcs", "r2"), "httpfs"),
    **dict.fromkeys(("az", "azure", "abfss"), "azure"),
    "file": None,
}
_ENDPOINTS = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL")  # where programs for S3 look for another store than Amazon's
_OWN_ENDPOINT = "DUCKDB_S3_ENDPOINT"
_PATIENCE = {"http_timeout": 8, "http_retries": 1}  # until the store has answered once; then DuckDB's own


@dataclass(frozen=True, slots=True)
class StoreFiles:
    """Files that were found.

    Args:
        table: What stands for them in a query.
        types: The columns with their types, those that folders tell last.
    """

    table: str
    types: Mapping[str, pl.DataType]


def find_files(connection: Any, url: str) -> StoreFiles:
    """List the Parquet files at a URL, and see that all have the same columns.

    The URL is that of a file, of a pattern, or of a folder with all below it. What begins with `_` or `.` is no part
    of the table. A folder `column=value` below the given one adds a column.

    Args:
        connection: A connection of DuckDB, which gets the extension and the settings that the store needs.
        url: The URL, without a key.
    """
    where, asked = f"'{url}'", _Asked(connection, f"'{url}'")
    extension = _extension(url)
    if extension is not None:
        _load(connection, extension, where)
    if extension == "httpfs":
        asked.settings(_endpoint(url) | _PATIENCE)
    root, pattern = _pattern(url)
    wide = pattern.replace("?", "*")  # a question mark begins settings in a URL
    listed = asked.rows(f"SELECT file FROM glob({quoted_text(wide)}) ORDER BY file")  # noqa: S608
    files = [file for (file,) in listed if _is_part(file, root) and fnmatchcase(_path(file), _path(pattern))]
    if not files:
        raise SpecError(f"There is no Parquet file in {where}, or none that you may see.")
    told = [_told(file, root) for file in files]
    paths = ", ".join(quoted_text(escape(file)) for file in files)
    kinds = "(name, duckdb_type)"  # DuckDB would give all files the types of the first
    leaves = f"SELECT file_name, list_sort(list({kinds})) AS names FROM parquet_schema([{paths}])"  # noqa: S608
    leaves = f"{leaves} WHERE coalesce(num_children, 0) = 0 GROUP BY file_name"  # the root has a name of its own
    if any(one != told[0] for one in told) or len(asked.rows(f"SELECT DISTINCT names FROM ({leaves})")) > 1:  # noqa: S608
        raise SpecError(
            f"The files of {where} do not have the same columns: all must have the same, of the same types."
        )
    own = asked.types(f"read_parquet({quoted_text(escape(files[0]))}, hive_partitioning = false)")
    if extension == "httpfs":
        asked.reset(_PATIENCE)
    alone = told_alone(told[0], own, where)
    types = own | {name: pl.String() for name in alone}
    check_names(list(types), where)
    schema = f"parquet_schema({quoted_text(escape(files[0]))})"
    stored = asked.rows(f"SELECT name FROM {schema} WHERE coalesce(num_children, 0) = 0")  # noqa: S608
    check_letters([*(name for (name,) in stored), *alone], where)  # DuckDB gives such columns names of its own
    folders = "hive_partitioning = true, hive_types_autocast = false" if alone else "hive_partitioning = false"
    return StoreFiles(f"read_parquet([{paths}], {folders})", types)


class _Asked:
    """What is asked of a connection, with its errors in our words."""

    def __init__(self, connection: Any, where: str) -> None:
        self._connection, self._where = connection, where

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Return what a query finds."""
        with told_plainly(self._where):
            found: list[tuple[Any, ...]] = self._connection.execute(query).fetchall()
        return found

    def types(self, table: str) -> dict[str, pl.DataType]:
        """Return the types of the columns; moments are of no zone of this machine."""
        with told_plainly(self._where):
            schema = self._connection.sql(f"SELECT * FROM {table} LIMIT 0").pl().schema  # noqa: S608
        zoned = {name: isinstance(kind, pl.Datetime) and kind.time_zone is not None for name, kind in schema.items()}
        return {name: pl.Datetime("us", "UTC") if zoned[name] else kind for name, kind in schema.items()}

    def settings(self, given: Mapping[str, str | int]) -> None:
        """Change settings of DuckDB."""
        for name, value in given.items():
            self.rows(f"SET {name} = {quoted_text(str(value))}")

    def reset(self, names: Mapping[str, object]) -> None:
        """Let settings be what they are without us."""
        for name in names:
            self.rows(f"RESET {name}")


def _extension(url: str) -> str | None:
    """Return the extension of DuckDB that reads a kind of store."""
    scheme = url.partition("://")[0].lower()
    if scheme not in _EXTENSIONS:
        known = ", ".join(f"{scheme}://" for scheme in _EXTENSIONS)
        raise SpecError(f"DuckDB does not read {scheme}://, but {known}. Use the engine 'spark'.")
    return _EXTENSIONS[scheme]


def _load(connection: Any, extension: str, where: str) -> None:
    """Load an extension that is installed; none is ever fetched."""
    package = driver()
    try:
        connection.execute(f"LOAD {extension}").fetchall()
    except package.Error:
        raise SpecError(
            f"To read {where} DuckDB needs its extension {extension}, which is not installed for DuckDB "
            f"{package.__version__}, and shoal does not download anything. Install it once, on a machine that "
            f"may reach the internet: python -c \"import duckdb; duckdb.sql('INSTALL {extension}')\". Or use "
            "the engine 'spark'."
        ) from None


def _endpoint(url: str) -> dict[str, str | int]:
    """Return the settings for another store than Amazon's, if the environment names one; a secret goes before it."""
    name = next((name for name in _ENDPOINTS if os.environ.get(name)), None)
    if name is None or os.environ.get(_OWN_ENDPOINT) or not url.lower().startswith("s3"):
        return {}
    try:
        parts = urlsplit(os.environ[name])
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.netloc or "@" in parts.netloc or parts.path.strip("/"):
        raise SpecError(
            f"The variable {name} is not shown, since it is not a plain address of a store: https://host:port "
            "is needed, without a user, a path or a key."
        )
    secure = "true" if parts.scheme == "https" else "false"
    return {"s3_endpoint": parts.netloc, "s3_use_ssl": secure, "s3_url_style": "path"}


def _pattern(url: str) -> tuple[str, str]:
    """Return the folder that a URL names or is below of, and the pattern of its files."""
    parts = url.rstrip("/").split("/")
    plain = next((number for number, part in enumerate(parts) if has_magic(part)), len(parts))
    if plain < len(parts):
        return "/".join(parts[:plain]), url
    if parts[-1].lower().endswith((".parquet", ".pq")):
        return "/".join(parts[:-1]), url
    return "/".join(parts), f"{'/'.join(parts)}/**"


def _below(file: str, root: str) -> list[str]:
    """Return the parts of a path below its root."""
    return _path(file).removeprefix(_path(root)).strip("/").split("/")


def _path(url: str) -> str:
    """Return what follows the scheme, without which DuckDB lists files of a file system."""
    return url.rpartition("://")[2]


def _is_part(file: str, root: str) -> bool:
    return file.lower().endswith((".parquet", ".pq")) and not any(part[:1] in ("_", ".") for part in _below(file, root))


def _told(file: str, root: str) -> list[str]:
    """Return the columns that the folders of a file tell."""
    return [unquote(part.partition("=")[0]) for part in _below(file, root)[:-1] if "=" in part]
