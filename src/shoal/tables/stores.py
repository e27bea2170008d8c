"""Stores: URLs of files that are in an object store, or in another file system."""

import re

from shoal.foundation.errors import SpecError

STORES = (
    *("s3", "s3a", "s3n", "gs", "gcs", "r2"),
    *("az", "azure", "abfs", "abfss", "wasb", "wasbs"),
    *("hdfs", "viewfs", "file"),
)
"""The schemes of URLs that name files of an object store or of another file system."""
_PORTS = ("hdfs:", "viewfs:")
_PORTED = re.compile(r"://[^/@]*:[^/@]*@")
_USER = re.compile(r"://[^/@]*:[^@]*@")  # no bucket has a colon or a port, and a key may hold a slash
_SECRET = re.compile(r"[?&](sig|sv|token|x-amz-[a-z-]+|[a-z_]*(key|secret|password)[a-z_]*)=", re.IGNORECASE)


def is_store(url: str) -> bool:
    """Tell the URL of an object store from that of a database."""
    return url.partition("://")[0].lower() in STORES and "://" in url


def check_store(url: str) -> None:
    """Raise a SpecError if a URL holds a secret, or names what is no Parquet; it is not shown then."""
    if (_PORTED if url.lower().startswith(_PORTS) else _USER).search(url) or _SECRET.search(url):
        raise SpecError(
            "The URL of the object store holds what looks like a key, and so is not shown. Leave it out: engines find "
            "keys by their own means, in variables of the environment, stored secrets or settings of Spark."
        )
    ending = url.rstrip("/").rpartition("/")[2].lower()
    if ending.endswith((".csv", ".tsv", ".txt", ".gz", ".json", ".xlsx", ".orc", ".avro")):
        raise SpecError(
            f"'{url}' is not a Parquet file, and only Parquet files can be read from an object store. Convert "
            "it, or copy it."
        )
