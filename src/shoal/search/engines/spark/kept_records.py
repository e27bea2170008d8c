"""Kept records: what leaves of a table that is solved in parts, kept by Spark until it is written."""

import pickle
from collections.abc import Iterable, Iterator, Sequence
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from shoal.search.engines.kept_rows import SolvedPart
from shoal.search.engines.record_order import key_of, places, record_parts, sign
from shoal.search.engines.spark.session import told_plainly
from shoal.tables.published import Published, PublishedRows
from shoal.tables.rows import Rows

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_TOP = np.uint64(2**63)  # Spark has no numbers without a sign: turning this bit keeps the order


def released_fields(n_columns: int) -> str:
    """Return the columns of `released_rows`, as Spark names types."""
    columns = ", ".join(f"c{number} string" for number in range(n_columns))
    return f"part int, told binary, place long, {columns}, n long"


def released_rows(part: int, found: SolvedPart, names: Sequence[str], seed: int) -> Any:
    """Return what leaves of a part as a table of Arrow, with one row more, which tells what was found.

    Args:
        part: Its number.
        found: What was found for it.
        names: The columns, in their order.
        seed: What the order of all records is drawn from.
    """
    import pyarrow as pa

    key, shown, signs = key_of(seed), [], []
    for number, name in enumerate(names):
        labels, codes = found.rows[name]
        used = np.flatnonzero(np.bincount(codes, minlength=len(labels)))
        own = np.zeros(len(labels), dtype=np.uint64)
        own[used] = [sign(labels[code], key) for code in used.tolist()]
        signs.append(own[codes])
        texts = pl.Series(labels, dtype=pl.String).gather(pl.Series(codes.astype(np.uint32)))
        shown.append(texts.append(pl.Series([None], dtype=pl.String)).alias(f"c{number}"))
    n_rows = len(found.counts)
    order = np.append((places(signs) ^ _TOP).view(np.int64), 0)
    columns = {
        "part": pa.array(np.full(n_rows + 1, part, dtype=np.int32)),
        "told": pa.array([None] * n_rows + [pickle.dumps(found.told)], pa.binary()),
        "place": pa.array(order),
        **{column.name: column.to_arrow(compat_level=pl.CompatLevel.oldest()).cast(pa.string()) for column in shown},
        "n": pa.array(np.append(found.counts, 0)),
    }
    return pa.table(columns)


class SparkRecords(Published):
    """The records that leave, as rows in Spark. Their order is that of `record_order`.

    Args:
        session: Spark.
        rows: The rows, by `released_fields`.
        names: The columns.
        where: The name of the table, for messages.
    """

    def __init__(self, session: "SparkSession", rows: "DataFrame", names: Sequence[str], where: str) -> None:
        self._session, self._released, self._names, self._where = session, rows, list(names), where
        self._kept: Any = None
        with told_plainly(where):
            found = rows.selectExpr("count(*)", "coalesce(sum(n), 0)").collect()[0]
        self.n_rows, self.n_records = int(found[0]), int(found[1])

    def keep(self, owner: Any) -> None:
        """Let Spark run for as long as this is known: it ends with its owner."""
        self._kept = owner

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self._names)

    def _fields(self, names: Sequence[str] | None = None) -> list[str]:
        return [f"c{self._names.index(name)}" for name in (self._names if names is None else names)]

    def rows(self, names: Sequence[str] | None = None) -> Rows:
        """Let Spark count; all columns in the order of the records."""
        asked = self._names if names is None else list(names)
        fields = [*(["place"] if names is None else []), *self._fields(names)]
        with told_plainly(self._where):
            counted = self._released.groupBy(*fields).agg({"n": "sum"}).withColumnRenamed("sum(n)", "n")
            found = pl.DataFrame(counted.toArrow())
        if names is None:
            found = found.sort(fields)
        return Rows(self._shown(found, asked), found.get_column("n").to_numpy().astype(np.int64))

    def _shown(self, found: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
        columns = zip(self._fields(names), names, strict=True)
        return pl.DataFrame([found.get_column(field).cast(pl.Categorical).alias(name) for field, name in columns])

    def head(self, n_records: int) -> pl.DataFrame:
        """Bring the first records into memory."""
        ordered = self._released.orderBy("place", *self._fields()).limit(n_records)
        with told_plainly(self._where):
            found = pl.DataFrame(ordered.toArrow())
        return self._published(found).head(n_records) if found.height else self.rows().frame

    def _published(self, found: pl.DataFrame) -> PublishedRows:
        return PublishedRows(self._shown(found, self._names), found.get_column("n").to_numpy().astype(np.int64))

    def frame(self) -> pl.DataFrame:
        """Bring all records into memory, in their order."""
        return next(self.parts(max(self.n_records, 1)))

    def parts(self, size: int) -> Iterator[pl.DataFrame]:
        """Yield all records, so many at a time; a block of those that Spark has sorted is in memory."""
        if not self.n_records:
            yield self.rows().frame
            return
        fields = self._fields()
        blocks = self._blocks(self._released.orderBy("place", *fields, "n").select(*fields, "n"))
        yield from record_parts(map(self._published, blocks), size)

    def _blocks(self, ordered: "DataFrame") -> Iterator[pl.DataFrame]:
        """Yield what Spark has sorted, as many rows at a time as are in one of its blocks."""
        with told_plainly(self._where):
            packed = ordered.mapInArrow(_packed, "block binary").persist()
            packed.count()  # all at once, before they are fetched one by one
            rows = packed.toLocalIterator()
        while True:
            with told_plainly(self._where):
                row = next(rows, None)
            if row is None:
                break
            yield pl.read_ipc(bytes(row.block))
        packed.unpersist()

    def __deepcopy__(self, memo: dict[int, Any]) -> "SparkRecords":
        """Return this one: it does not change."""
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """Leave the process as rows in memory."""
        rows = self.rows()
        return PublishedRows, (rows.frame, rows.counts)


def _packed(batches: Iterable[Any]) -> Iterator[Any]:
    """Run in an executor: put batches into files of Arrow, in memory."""
    import pyarrow as pa

    for batch in batches:
        if batch.num_rows:
            stream = BytesIO()
            pl.DataFrame(pl.from_arrow(batch)).write_ipc(stream)
            yield pa.RecordBatch.from_pydict({"block": pa.array([stream.getvalue()], pa.binary())})
