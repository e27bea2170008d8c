"""Where records are counted, published, written and read back: one folder for each engine, with the same file names."""

from typing import TYPE_CHECKING, Any

from shoal.foundation.lazy_imports import offer

if TYPE_CHECKING:  # imported when asked for
    from collections.abc import Sequence

    from shoal.foundation.progress import Progress
    from shoal.search.engines.apart import ApartColumns
    from shoal.search.engines.engine import Counted as Counted
    from shoal.search.engines.engine import Engine as Engine
    from shoal.search.engines.files import Keep as Keep
    from shoal.search.engines.kept_rows import KeptRows
    from shoal.search.engines.local import Local as Local
    from shoal.tables.formats.column_type import Types
    from shoal.tables.location import Location
    from shoal.tables.rows import Rows
else:
    __getattr__, __dir__ = offer(
        __name__,
        "COUNTING",
        "ENGINES",
        "counted_apart",
        "counted_by",
        "counted_frame",
        "counted_or_kept",
        "engine_named",
        "spark_frame",
    )

COUNTING = ("duckdb", "spark")
"""The engines that count records where they lie, and have only the different rows in memory."""
ENGINES = ("local", *COUNTING)
"""The names of all engines."""


def engine_named(name: str, *, counted: bool = False) -> Any:
    """Return an engine by its name; `auto` stands for the first.

    Args:
        name: The name.
        counted: Whether the records are counted already, by a database.
    """
    if name == "duckdb":
        from shoal.search.engines.duckdb import DuckDb

        return DuckDb
    if name == "spark":
        from shoal.search.engines.spark import Spark

        return Spark
    if counted:
        from shoal.search.engines.local.counted_local import CountedLocal

        return CountedLocal
    from shoal.search.engines.local import Local

    return Local


def counted_by(name: str, location: "Location", keep: "Keep", progress: "Progress", **settings: str | None) -> "Rows":
    """Let an engine count the records of a table by some columns, with the packages that it needs.

    Args:
        name: The engine, one of those that count.
        location: The table.
        keep: The columns, or who tells them.
        progress: Told how far it is.
        settings: What the engine takes: memory, and for Spark a master.
    """
    from shoal.search.engines.alike import counted_together, parts_alike  # loads with the first table

    parts = parts_alike(location, keep)
    if len(parts) > 1:
        return counted_together(
            location, parts, keep, lambda part, names: counted_by(name, part, names, progress, **settings)
        )
    if name == "spark":
        from shoal.search.engines import spark

        return spark.counted_rows(location, keep, progress=progress, **settings)
    from shoal.search.engines import duckdb

    return duckdb.counted_rows(location, keep, settings.get("memory"), progress)


def counted_apart(
    location: "Location",
    keep: "Keep",
    free: "Sequence[str]",
    memory: str | None,
    limits: tuple[int, int],
    progress: "Progress",
) -> "tuple[Rows, ApartColumns] | None":
    """Let DuckDB count without the columns that are too different to count by; None if there are none."""
    from shoal.search.engines.alike import parts_alike

    if len(parts_alike(location, keep)) > 1:
        return None
    from shoal.search.engines import duckdb

    return duckdb.counted_apart(location, keep, free, memory, limits, progress)


def counted_or_kept(
    name: str, location: "Location", keep: "Keep", most: int, progress: "Progress", **settings: str | None
) -> "Rows | KeptRows":
    """Let an engine count; if there are more than so many different rows, it keeps them. See `counted_by`."""
    from shoal.search.engines.alike import check_few, parts_alike

    if len(parts_alike(location, keep)) > 1:
        return check_few(counted_by(name, location, keep, progress, **settings), location, most)
    if name == "spark":
        from shoal.search.engines import spark

        return spark.counted_or_kept(location, keep, settings.get("memory"), settings.get("master"), most, progress)
    from shoal.search.engines import duckdb

    return duckdb.counted_or_spilled(location, keep, settings.get("memory"), most, progress)


def counted_frame(frame: Any, names: "Sequence[str]", blanks: tuple[str, ...] = ()) -> "Rows":
    """Let the engine that has the records of a frame count them by some columns: Spark's, or a relation of DuckDB."""
    from shoal.tables.formats.frames import FrameKind, frame_kind_of, named_apart

    frame = named_apart(frame)
    if frame_kind_of(frame) is FrameKind.SPARK:
        from shoal.search.engines import spark

        return spark.counted_frame(frame, names, blanks)
    from shoal.search.engines import duckdb

    return duckdb.counted_relation(frame, names, blanks)


def spark_frame(rows: "Rows", types: "Types") -> Any:
    """Return records as a DataFrame of the active Spark session, with columns in their types where these are known."""
    from shoal.search.engines import spark

    return spark.spark_frame(rows, types)
