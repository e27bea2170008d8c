"""Engine choice: which engine handles the records of a job, by the size of its table alone."""

from pathlib import Path
from typing import Any

import polars as pl

from shoal.foundation.errors import SpecError
from shoal.jobs.job import Job
from shoal.tables.engine_tables import EngineLocation
from shoal.tables.folder import FolderLocation
from shoal.tables.formats import format_of
from shoal.tables.formats.frames import FrameKind, frame_kind_of
from shoal.tables.location import FileLocation, Location

LARGE_RECORDS = 20_000_000
"""Of a table of Parquet files: above, `auto` takes the engine duckdb."""
LARGE_BYTES = 2_000_000_000
"""Of a table of CSV files, likewise."""


def chosen(job: Job, data: Any = None) -> tuple[Job, str]:
    """Return the job with its engine, and why it was taken, if nobody asked for it.

    The same job takes the same engine on every machine: neither its memory nor what is installed decides.

    Args:
        job: The request.
        data: A frame, if the table is in memory.
    """
    if job.engine.name != "auto":
        if data is not None and job.engine.name not in ("local", _held_by(data)):
            raise SpecError(
                f"The table is in memory: the engine '{job.engine.name}' reads files. Leave the engine out."
            )
        if data is not None and job.engine.regions is not None:
            raise SpecError("Regions are cut from files, and the table is a frame or a relation. Leave 'regions' out.")
        return job, ""
    if job.local_only:
        return job, ""
    if data is not None:
        return (job if _held_by(data) == "local" else job.with_engine(_held_by(data))), ""
    location = job.location
    if isinstance(location, EngineLocation):
        first = location.engines[0]
        return job.with_engine(first), f"engine {first}, since the table is in no file or database of its own"
    reason = _large(location)
    if not reason:
        return job, ""
    return job.with_engine("duckdb"), f"engine duckdb, since the table has {reason}"


def _held_by(data: Any) -> str:
    """Return the engine that has the records of a frame."""
    return {FrameKind.SPARK: "spark", FrameKind.DUCKDB: "duckdb"}.get(frame_kind_of(data), "local")


def _large(location: Location) -> str:
    """Say how large a table is, if it is too large to be read as a whole; else return nothing."""
    if isinstance(location, FolderLocation):
        files = location.files
    elif isinstance(location, FileLocation) and location.path.is_file():
        files = [location.path]
    else:
        return ""
    kind = format_of(files[0]).name
    if kind == "parquet":
        n_records = sum(map(_records, files))
        return f"{n_records:,} records, more than {LARGE_RECORDS:,}" if n_records > LARGE_RECORDS else ""
    size = sum(path.stat().st_size for path in files)
    return f"{size:,} bytes, more than {LARGE_BYTES:,}" if kind == "csv" and size > LARGE_BYTES else ""


def _records(path: Path) -> int:
    """Return the number of records that a Parquet file tells; 0 of one that cannot be read, which is told later."""
    try:
        return int(pl.scan_parquet(path, glob=False, hive_partitioning=False).select(pl.len()).collect().item())
    except (pl.exceptions.PolarsError, OSError):
        return 0
