"""Spilling: the different rows of a table that has too many of them for the driver stay in Spark, as codes."""

import pickle
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.foundation.budgets import budget
from shoal.foundation.progress import Progress, silent
from shoal.search.engines.files import Keep, as_files, check_types, kept_names, types_of
from shoal.search.engines.kept_rows import Found, KeptRows, RawBlock, RawCodes, SolvedPart, too_many_values
from shoal.search.engines.spark.counting import rows_of
from shoal.search.engines.spark.kept_records import SparkRecords, released_fields, released_rows
from shoal.search.engines.spark.reading import frame_at, frame_of
from shoal.search.engines.spark.session import check_workers, opened, reading_session, stages_told, told_plainly
from shoal.tables.engine_tables import CatalogLocation
from shoal.tables.formats.format import check_names
from shoal.tables.formats.text import texts
from shoal.tables.location import Location
from shoal.tables.rows import Rows
from shoal.tables.store_location import StoreLocation
from shoal.tables.table import without_values

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

MOST_VALUES = 1_000_000
"""The most values of a column: all of them are known to the driver and to each executor."""
_ROWS = 2_000_000  # that a block holds at most


class SparkRows(KeptRows):
    """The different rows of a table, kept by the executors of a Spark that runs for as long as this is known.

    Args:
        session: Spark.
        close: Ends it, if it was started for this.
        coded: The rows as codes, a column for each of the table and their number of records.
        dictionary: The texts of each column by their codes.
        where: The name of the table.
        blanks: The texts that mean a missing value.
    """

    def __init__(
        self,
        session: "SparkSession",
        close: Callable[[], None],
        coded: "DataFrame",
        dictionary: Mapping[str, list[str | None]],
        where: str,
        blanks: tuple[str, ...],
    ) -> None:
        self.names, self.where = list(dictionary), where
        self._session, self._coded, self._dictionary, self._blanks = session, coded, dictionary, blanks
        self._end = weakref.finalize(self, close)
        with told_plainly(where):
            found = coded.selectExpr("count(*)", "sum(n)").collect()[0]
        self.n_rows, self.n_records = int(found[0]), int(found[1])

    @property
    def blanks(self) -> tuple[str, ...]:
        """The texts that mean a missing value."""
        return self._blanks

    def texts(self, name: str) -> Sequence[str | None]:
        """Return the text of each code of a column."""
        return self._dictionary[name]

    def gathered(self, fold: Callable[[Iterator[RawBlock]], Found]) -> Iterable[Found]:
        """Let the executors fold their rows; only what they find comes to the driver, one after another."""
        with told_plainly(self.where):
            found = self._coded.mapInArrow(partial(_folded, self.names, fold), "found binary").persist()
            try:
                found.count()  # all at once, before they are fetched one by one
                for row in found.toLocalIterator():
                    yield pickle.loads(row.found)  # noqa: S301  (of our own executors)
            finally:
                found.unpersist()

    def solved(
        self,
        part_of: Callable[[RawCodes], NDArray[np.int64]],
        n_parts: int,
        solve: Callable[[int, RawCodes, NDArray[np.int64]], SolvedPart],
        names: Sequence[str],
        seed: int,
        progress: Progress,
    ) -> tuple[SparkRecords, list[Any]]:
        """Let the executors solve the parts, each as a whole in one of them.

        A part is put into the order of its rows first, so that a task which runs again finds the same.
        """
        kinds = ", ".join(f"c{number} int" for number in range(len(self.names)))
        with told_plainly(self.where), stages_told(self._session, progress, "solving the regions"):
            parted = self._coded.mapInArrow(partial(_parted, self.names, part_of), f"part int, {kinds}, n long")
            parts = parted.where("part >= 0").repartition(n_parts, "part").groupBy("part")
            columns = self.names  # Spark looks at how a function is annotated, and takes plain ones alone
            solving = parts.applyInArrow(
                lambda table: _solved(columns, solve, names, seed, table), released_fields(len(names))
            )
            found = solving.persist(_on_disk())
            told = found.where("told is not null").select("part", "told").collect()
        self._coded.unpersist()
        order = sorted(told, key=lambda row: row.part)
        records = SparkRecords(self._session, found.where("told is null"), names, self.where)
        records.keep(self)
        return records, [pickle.loads(row.told) for row in order]  # noqa: S301  (of our own executors)


def _blocks(names: Sequence[str], batches: Iterable[Any]) -> Iterator[RawBlock]:
    """Yield batches of Arrow as codes, some together."""
    held: list[pl.DataFrame] = []
    for batch in batches:
        held.append(pl.DataFrame(pl.from_arrow(batch)))
        if sum(one.height for one in held) >= _ROWS:
            yield _raw(names, pl.concat(held))
            held = []
    if held:
        yield _raw(names, pl.concat(held))


def _raw(names: Sequence[str], frame: pl.DataFrame) -> RawBlock:
    codes = {name: frame.get_column(f"c{number}").to_numpy().astype(np.uint32) for number, name in enumerate(names)}
    return codes, frame.get_column("n").to_numpy().astype(np.int64)


def _folded(names: Sequence[str], fold: Callable[[Iterator[RawBlock]], Any], batches: Iterable[Any]) -> Iterator[Any]:
    """Run in an executor: fold its rows, and send what was found."""
    import pyarrow as pa

    found = pickle.dumps(fold(_blocks(names, batches)))
    yield pa.RecordBatch.from_pydict({"found": pa.array([found], pa.binary())})


def _parted(
    names: Sequence[str], part_of: Callable[[RawCodes], NDArray[np.int64]], batches: Iterable[Any]
) -> Iterator[Any]:
    """Run in an executor: put the part of each row before it."""
    for batch in batches:
        frame = pl.DataFrame(pl.from_arrow(batch))
        part = pl.Series("part", part_of(_raw(names, frame)[0]).astype(np.int32))
        yield from frame.insert_column(0, part).to_arrow().to_batches()


def _solved(
    names: Sequence[str],
    solve: Callable[[int, RawCodes, NDArray[np.int64]], SolvedPart],
    released: Sequence[str],
    seed: int,
    table: Any,
) -> Any:
    """Run in an executor: solve a part."""
    frame = pl.DataFrame(pl.from_arrow(table))
    part = int(frame.item(0, "part"))
    ordered = frame.sort([f"c{number}" for number in range(len(names))])
    found = solve(part, *_raw(names, ordered))
    return released_rows(part, found, released, seed)


def counted_or_kept(
    location: Location,
    keep: Keep,
    memory: str | None,
    master: str | None,
    most: int,
    progress: Progress = silent,
) -> Rows | SparkRows:
    """Count the records of a table; if it has more than so many different rows, they stay with Spark.

    Args:
        location: The table.
        keep: The columns, or who tells them.
        memory: The memory of Spark's driver, if Spark is started for this.
        master: The master of Spark, likewise.
        most: The most different rows that come to the driver.
        progress: Told how far it is.
    """
    with ExitStack() as stack:
        session, where = stack.enter_context(opened(master, memory)), str(location)
        with told_plainly(where), stages_told(session, progress):
            frame, names, types, blanks = _opened(session, location, keep)
            places = [f"c{number}" for number in range(len(frame.columns))]
            asked = [places[frame.columns.index(name)] for name in names]
            counted = frame.toDF(*places).groupBy(*asked).count().withColumnRenamed("count", "n").persist(_on_disk())
            n_rows = counted.count()
            if n_rows <= most:
                found = rows_of(pl.DataFrame(counted.toArrow()), names, asked, types, where)
                counted.unpersist()
                return Rows(without_values(found.frame, blanks), found.counts)
            check_workers(session)
            dictionaries = [
                _dictionary(counted, place, name, types.get(name), where)
                for name, place in zip(names, asked, strict=True)
            ]
            kinds = ", ".join(f"c{number} int" for number in range(len(names)))
            codes = partial(_coded, asked, [values for values, _ in dictionaries])
            coded = counted.mapInArrow(codes, f"{kinds}, n long").persist(_on_disk())
            coded.count()
            counted.unpersist()
        texts = {name: shown for name, (_, shown) in zip(names, dictionaries, strict=True)}
        rows = SparkRows(session, stack.pop_all().close, coded, texts, where, blanks)
        budget().check_records(rows.n_records, where)
        return rows


def _opened(
    session: "SparkSession", location: Location, keep: Keep
) -> "tuple[DataFrame, list[str], dict[str, pl.DataType], tuple[str, ...]]":
    """Return a table as a DataFrame, the columns to count by, their types if files tell them, and what is missing."""
    where = str(location)
    if isinstance(location, StoreLocation | CatalogLocation):
        frame = frame_of(session, location)
        check_names(frame.columns, where)
        return frame, kept_names(frame.columns, keep), {}, location.blanks
    files = as_files(location, "spark")
    names, types = kept_names(files.columns(), keep), types_of(files)
    check_types(types, where, "spark")
    return frame_at(reading_session(session), files), names, types, files.blanks


def _dictionary(
    counted: "DataFrame", place: str, name: str, kind: pl.DataType | None, where: str
) -> tuple[pl.DataFrame, list[str | None]]:
    """List the values of a column, with their codes, and the text of each code; missing is last."""
    found = pl.DataFrame(counted.select(place).distinct().limit(MOST_VALUES + 2).toArrow()).get_column(place)
    values = found.drop_nulls()
    if len(values) > MOST_VALUES:
        raise too_many_values(name, MOST_VALUES)
    values = values.sort()  # codes do not depend on the order in which Spark finds them
    coded = pl.DataFrame({"v": values.to_physical(), "code": np.arange(len(values), dtype=np.int32)})
    return coded, [*texts(values.alias(name), kind, where).to_list(), None]


def _coded(asked: Sequence[str], dictionaries: Sequence[pl.DataFrame], batches: Iterable[Any]) -> Iterator[Any]:
    """Run in an executor: put codes in the place of values."""
    for batch in batches:
        frame = pl.DataFrame(pl.from_arrow(batch))
        made = []
        for number, (place, known) in enumerate(zip(asked, dictionaries, strict=True)):
            values = pl.DataFrame({"v": frame.get_column(place).to_physical()})
            codes = values.join(known, on="v", how="left", maintain_order="left").get_column("code")
            made.append(codes.fill_null(known.height).alias(f"c{number}"))
        yield from pl.DataFrame([*made, frame.get_column("n")]).to_arrow().to_batches()


def _on_disk() -> Any:
    from pyspark import StorageLevel

    return StorageLevel.DISK_ONLY
