"""Apart in DuckDB: columns that are too different to count by stay in their files, until they are joined."""

import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from typing import Any

import numpy as np
import polars as pl

from shoal.foundation.errors import SpecError
from shoal.foundation.progress import Progress, silent
from shoal.search.engines.apart import ApartColumns, PlacedRows
from shoal.search.engines.duckdb.coding import Dictionary, dictionaries, keys_of, packed
from shoal.search.engines.duckdb.counting import COUNTING_STEP, checked, counting_query, decoded, plain_names
from shoal.search.engines.duckdb.reading import Scan, scan_of
from shoal.search.engines.duckdb.session import SpillingSession, opened, quoted_name
from shoal.search.engines.files import Keep
from shoal.search.engines.record_order import record_parts
from shoal.tables.databases.address import quoted_text
from shoal.tables.formats.text import texts
from shoal.tables.location import Location
from shoal.tables.published import Published, PublishedRows
from shoal.tables.rows import Rows
from shoal.tables.table import totals, without_values

Keys = Sequence[Sequence[Dictionary]]
_COUNTED, _PLACED, _JOINED = "counted_rows", "placed_rows", "joined_records"
_BLOCK = 1_000_000  # records that are in memory at a time


class DuckDbApart(ApartColumns):
    """Columns that stay in their files, in a connection to DuckDB that is open for as long as this is known.

    Args:
        session: The connection; it has the counted rows with their numbers.
        close: Closes it, and deletes what it spilled.
        scan: The table.
        keys: The values of the columns that were counted by.
        names: The other columns.
    """

    def __init__(
        self, session: SpillingSession, close: Callable[[], None], scan: Scan, keys: Keys, names: list[str]
    ) -> None:
        self.session, self.scan, self.names, self._keys = session, scan, names, keys
        self._end = weakref.finalize(self, close)

    def joined(self, placed: PlacedRows, key: str) -> "JoinedRecords":
        """Join the records with what becomes of their counted row.

        Of most rows all records become the same. Those of the others, of which some may not leave at all, are numbered
        in an order that looks random.
        """
        where, count = self.scan.where, range(len(self.names))
        order = np.lexsort((placed.published, placed.rows))
        rows, counts = placed.rows[order], placed.counts[order]
        ends = np.cumsum(counts)
        first = np.append(True, rows[1:] != rows[:-1])
        begins = (ends - counts)[first][np.cumsum(first) - 1]
        frame = {"r": rows, "low": ends - counts - begins, "high": ends - begins, "p": placed.published[order]}
        kinds = "r BIGINT, low BIGINT, high BIGINT, p INTEGER"
        self.session.run(f"CREATE OR REPLACE TABLE {_PLACED} ({kinds})", where)
        self.session.append(_PLACED, pl.DataFrame(frame), where)
        coded = ", ".join(f"c{number}" for number in range(len(self._keys)))
        by = [f"{packed(one)} AS c{number}" for number, one in enumerate(self._keys)]
        own = [f"{_value(self.scan, name)} AS a{number}" for name, number in zip(self.names, count, strict=True)]
        values = ", ".join(f"a{number}" for number in count)
        known = f"(SELECT {', '.join([*by, *own])} FROM {self.scan.table}) JOIN {_COUNTED} USING ({coded})"  # noqa: S608
        whole = f"SELECT p, {values} FROM {known} JOIN {_PLACED} USING (r) WHERE high - low = n"  # noqa: S608
        drawn, placed_at = (_drawn(key, number, len(self.names)) for number in ("'-'", "p"))
        split = f"SELECT r FROM {_PLACED} JOIN {_COUNTED} USING (r) WHERE high - low < n"  # noqa: S608
        some = f"{known} WHERE r IN ({split})"
        number = f"row_number() OVER (PARTITION BY r ORDER BY {drawn}, {values}) - 1"
        numbered = f"(SELECT r, {number} AS i, {values} FROM {some})"  # noqa: S608
        parts = f"SELECT p, {values} FROM {numbered} JOIN {_PLACED} USING (r) WHERE i >= low AND i < high"  # noqa: S608
        made = f"SELECT p, {values}, {placed_at} AS place"
        self.session.run(
            f"CREATE OR REPLACE TABLE {_JOINED} AS {made} FROM ({whole} UNION ALL {parts})", where, "publishing"
        )
        n_published = totals(placed.published, placed.counts, placed.different.height)
        return JoinedRecords(self, PublishedRows(placed.different, n_published))


def _value(scan: Scan, name: str) -> str:
    """Return a column in a query, with one value for all that is published alike: missing ones, and both zeros."""
    column, kind = quoted_name(name), scan.types.get(name)
    blanks = ["", *scan.blanks]
    if kind is not None and kind.is_float():
        column = f"CASE WHEN isnan({column}) THEN NULL WHEN {column} = 0 THEN 0 ELSE {column} END"
        blanks += [f"{text}.0" for text in scan.blanks]
    listed = ", ".join(map(quoted_text, blanks))
    return f"CASE WHEN CAST({column} AS VARCHAR) IN ({listed}) THEN NULL ELSE {column} END"


def _drawn(key: str, number: str, n_values: int) -> str:
    """Return what looks random and is the same for equal records, by a key, a number and their values, in a query."""
    texts = ", ".join(f"coalesce('.' || CAST(a{value} AS VARCHAR), ''), chr(31)" for value in range(n_values))
    return f"md5_number_lower(concat('{key}', {number}, chr(31), {texts}))"


class JoinedRecords(Published):
    """The records that leave, in the connection that joined them.

    They stand in the order of a number that is made of what is published and of a key.

    Args:
        apart: Who joined them.
        counted: What is published in the columns that were counted by.

    Raises:
        SpecError: The table has other records than were counted.
    """

    def __init__(self, apart: DuckDbApart, counted: PublishedRows) -> None:
        self._apart, self._counted, self.n_records = apart, counted, counted.n_records
        found = apart.session.frame(f"SELECT p, count(*) AS n FROM {_JOINED} GROUP BY p", apart.scan.where)  # noqa: S608
        numbers = np.zeros(len(counted.counts), dtype=np.int64)
        numbers[found.get_column("p").to_numpy()] = found.get_column("n").to_numpy()
        if not np.array_equal(numbers, counted.counts):
            raise SpecError(f"{apart.scan.where} changed while it was read. Run the job again.")

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self._apart.scan.names)

    def counted(self) -> Rows:
        """Count the records by their values in the columns that were counted by before."""
        return self._counted.rows()

    def rows(self, names: Sequence[str] | None = None) -> Rows:
        """Count the records by their values in some columns; others than those that were counted by in DuckDB."""
        asked = self.columns if names is None else list(names)
        if not set(asked) & set(self._apart.names):
            return self._counted.rows(asked)
        values = ", ".join(f"a{number}" for number in range(len(self._apart.names)))
        query = f"SELECT p, {values}, count(*) AS n FROM {_JOINED} GROUP BY p, {values}"  # noqa: S608
        found = self._apart.session.frame(query, self._apart.scan.where)
        return Rows.of(self._shown(found), asked, found.get_column("n").to_numpy().astype(np.int64))

    def uncounted(self) -> Iterator[pl.DataFrame]:
        """Yield the columns that stayed apart, of some records at a time."""
        for block in self._apart.session.blocks(f"SELECT * FROM {_JOINED}", self._apart.scan.where, _BLOCK):  # noqa: S608
            yield pl.DataFrame([self._texts(block, name) for name in self._apart.names])

    def values(self, name: str) -> Iterator[Sequence[str]]:
        """Yield the different values of a column, some at a time; one may come again."""
        if name not in self._apart.names:
            yield from super().values(name)
            return
        for block in self.uncounted():
            yield block.get_column(name).drop_nulls().to_list()

    def _texts(self, found: pl.DataFrame, name: str) -> pl.Series:
        """Return the values of a column that was not counted by, as text."""
        scan, field = self._apart.scan, f"a{self._apart.names.index(name)}"
        shown = texts(found.get_column(field).alias("v"), scan.types.get(name), scan.where)
        return without_values(shown.to_frame(), scan.blanks).to_series().alias(name)

    def _shown(self, found: pl.DataFrame) -> pl.DataFrame:
        places = pl.Series(found.get_column("p").to_numpy().astype(np.uint32))
        made = {column.name: column for column in self._counted.different}
        return pl.DataFrame(
            [
                self._texts(found, name)
                if name in self._apart.names
                else made[name].alias("").gather(places).alias(name)  # a name may be a pattern to polars
                for name in self.columns
            ]
        )

    def head(self, n_records: int) -> pl.DataFrame:
        """Bring the first records into memory."""
        return next(self.parts(n_records)).head(n_records)

    def frame(self) -> pl.DataFrame:
        """Bring all records into memory, in their order."""
        return next(self.parts(max(self.n_records, 1)))

    def parts(self, size: int) -> Iterator[pl.DataFrame]:
        """Yield all records, so many at a time."""
        values = ", ".join(f"a{number}" for number in range(len(self._apart.names)))
        query = f"SELECT p, {values} FROM {_JOINED} ORDER BY place, p, {values}"  # noqa: S608  (names of ours)
        blocks = (
            PublishedRows(self._shown(block), np.ones(block.height, dtype=np.int64))
            for block in self._apart.session.blocks(query, self._apart.scan.where, _BLOCK)
        )
        yield from record_parts(blocks, size) if self.n_records else [self.rows().frame]

    def __deepcopy__(self, memo: dict[int, Any]) -> "JoinedRecords":
        """Return this one: it does not change."""
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """Leave the process as rows in memory."""
        frame = self.frame()
        return PublishedRows, (frame, np.ones(frame.height, dtype=np.int64))


def counted_apart(
    location: Location,
    keep: Keep,
    free: Sequence[str],
    memory: str | None,
    limits: tuple[int, int],
    progress: Progress = silent,
) -> tuple[Rows, DuckDbApart] | None:
    """Count the records of a table without the columns that are too different; None if there are none.

    Args:
        location: The table.
        keep: The columns that leave, or who tells them.
        free: Those that nobody looks at. Timestamps are counted by: their text depends on all of them.
        memory: The most memory that DuckDB takes before it spills to disk.
        limits: The most different values of a column that is counted by, and the most different rows; a table with more
            of these is not counted here.
        progress: Told how far it is.
    """
    with ExitStack() as stack:
        session = stack.enter_context(opened(memory, progress))
        scan = scan_of(session, location, keep)
        moments = [name for name, kind in scan.types.items() if isinstance(kind, pl.Datetime)]  # see `as_text`
        own = [name for name in scan.names if name in free and name not in moments]
        apart = _different(session, scan, own, limits[0])
        names, where = [name for name in scan.names if name not in apart], scan.where
        keys = keys_of(dictionaries(session, scan.table, names, scan.types, where)) if apart else []
        if not apart or plain_names(keys, names):
            return None
        counted, by = counting_query(scan.table, keys, names), ", ".join(f"c{number}" for number in range(len(keys)))
        numbered = f"SELECT *, row_number() OVER (ORDER BY {by}) - 1 AS r FROM ({counted})"  # noqa: S608
        session.run(f"CREATE TABLE {_COUNTED} AS {numbered}", where, COUNTING_STEP)
        if int(session.frame(f"SELECT count(*) FROM {_COUNTED}", where).item()) > limits[1]:  # noqa: S608
            return None
        found = session.frame(f"SELECT * FROM {_COUNTED} ORDER BY r", where)  # noqa: S608
        rows = checked(decoded(found, keys, names, scan.types, where), scan)
        return rows, DuckDbApart(session, stack.pop_all().close, scan, keys, apart)


def _different(session: SpillingSession, scan: Scan, names: Sequence[str], most: int) -> list[str]:
    """Return the columns with more different values than so many: counted exactly where an estimate is near that."""
    if not names:
        return []
    step = "listing the values"
    asked = ", ".join(f"approx_count_distinct({quoted_name(name)})" for name in names)
    sizes = session.frame(f"SELECT {asked} FROM {scan.table}", scan.where, step).row(0)  # noqa: S608
    found = []
    for name, size in zip(names, sizes, strict=True):
        if size > most // 2:
            query = f"SELECT count(DISTINCT {quoted_name(name)}) FROM {scan.table}"  # noqa: S608  (names are quoted)
            found += [name] if int(session.frame(query, scan.where, step).item()) > most else []
    return found
