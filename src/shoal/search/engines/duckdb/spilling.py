"""Spilling: the different rows of a table that has too many of them for memory stay in DuckDB, as short codes."""

import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.foundation.progress import Progress, silent
from shoal.search.engines.duckdb.coding import MOST_VALUES, Dictionary, codes_of, dictionaries, keys_of, packed
from shoal.search.engines.duckdb.counting import (
    COUNTING_STEP,
    check_number,
    checked,
    counting_query,
    decoded,
    plain_names,
)
from shoal.search.engines.duckdb.reading import Scan, scan_of
from shoal.search.engines.duckdb.session import SpillingSession, opened, quoted_name
from shoal.search.engines.duckdb.spilled_records import SpilledRecords
from shoal.search.engines.files import Keep
from shoal.search.engines.kept_rows import Found, KeptRows, RawBlock, RawCodes, SolvedPart, too_many_values
from shoal.tables.location import Location
from shoal.tables.rows import Rows

Keys = Sequence[Sequence[Dictionary]]
_COUNTED = "counted_rows"
_TEXTS = "different_texts"
_BLOCK = 2_000_000  # rows that are in memory at a time


class SpilledRows(KeptRows):
    """The different rows of a table, in a connection to DuckDB that is open for as long as this is known.

    Args:
        session: The connection.
        close: Closes it, and deletes what it spilled.
        scan: The table.
        keys: The values of its columns, by the keys that their codes are packed into.
    """

    def __init__(self, session: SpillingSession, close: Callable[[], None], scan: Scan, keys: Keys) -> None:
        self.session, self.names, self.keys, self.where = session, list(scan.names), keys, scan.where
        self._blanks = scan.blanks
        self._texts = {one.name: one.texts for key in keys for one in key}
        self._end = weakref.finalize(self, close)
        found = session.frame(f"SELECT count(*), sum(n)::BIGINT FROM {_COUNTED}", self.where).row(0)  # noqa: S608
        self.n_rows, self.n_records = int(found[0]), int(found[1])

    @property
    def blanks(self) -> tuple[str, ...]:
        """The texts that mean a missing value."""
        return self._blanks

    def texts(self, name: str) -> Sequence[str | None]:
        """Return the text of each code of a column."""
        return self._texts[name]

    def gathered(self, fold: Callable[[Iterator[RawBlock]], Found]) -> Iterable[Found]:
        """Hand over all rows, block by block."""
        return [fold((codes, block.get_column("n").to_numpy().astype(np.int64)) for block, codes in self.blocks())]

    def solved(
        self,
        part_of: Callable[[RawCodes], NDArray[np.int64]],
        n_parts: int,
        solve: Callable[[int, RawCodes, NDArray[np.int64]], SolvedPart],
        names: Sequence[str],
        seed: int,
        progress: Progress,
    ) -> tuple[SpilledRecords, list[Any]]:
        """Solve one part after another; one of them is in memory at a time."""
        self.split(part_of, n_parts)
        records, told = SpilledRecords(self.session, self.where, names, seed), []
        for part in range(n_parts):
            progress("solving the regions", part / n_parts)
            found = solve(part, *self.take(part))
            if len(found.counts):
                records.add(found.rows, found.counts)
            told.append(found.told)
        records.keep(self)
        return records, told

    def blocks(self, table: str = _COUNTED) -> Iterator[tuple[pl.DataFrame, dict[str, NDArray[np.uint64]]]]:
        """Yield rows as they are kept, with the codes of each column; their number of records is the column `n`."""
        for block in self.session.blocks(f"SELECT * FROM {table}", self.where, _BLOCK):  # noqa: S608
            yield block, self.codes(block)

    def codes(self, block: pl.DataFrame) -> dict[str, NDArray[np.uint64]]:
        """Return the codes of some rows, column by column."""
        found: dict[str, NDArray[np.uint64]] = {}
        for number, key in enumerate(self.keys):
            numbers = block.get_column(f"c{number}").to_numpy()
            found |= zip((one.name for one in key), codes_of(key, numbers), strict=True)
        return found

    def split(self, numbers: Callable[[RawCodes], NDArray[np.int64]], n_parts: int) -> None:
        """Put the rows into parts; a number below 0 is in none. They are kept there alone, each read once."""
        kinds = [*(f"c{number} UBIGINT" for number in range(len(self.keys))), "n BIGINT"]
        for part in range(n_parts):
            self.session.run(f"CREATE TABLE part_{part} ({', '.join(kinds)})", self.where)
        for block, codes in self.blocks():
            own = numbers(codes)
            order = np.argsort(own, kind="stable")
            ends = np.searchsorted(own[order], np.arange(n_parts + 1))
            rows = block[order]
            for part in range(n_parts):
                if ends[part] < ends[part + 1]:
                    self.session.append(f"part_{part}", rows[ends[part] : ends[part + 1]], self.where)
        self.session.run(f"DROP TABLE {_COUNTED}", self.where)

    def take(self, part: int) -> tuple[dict[str, NDArray[np.uint64]], NDArray[np.int64]]:
        """Return the codes and numbers of records of a part, which is then forgotten."""
        rows = self.session.frame(f"SELECT * FROM part_{part}", self.where)  # noqa: S608  (a name of ours)
        self.session.run(f"DROP TABLE part_{part}", self.where)
        return self.codes(rows), rows.get_column("n").to_numpy().astype(np.int64)


def counted_or_spilled(
    location: Location, keep: Keep, memory: str | None, most: int, progress: Progress = silent
) -> Rows | SpilledRows:
    """Count the records of a table; if it has more than so many different rows, they stay with DuckDB.

    Args:
        location: The table.
        keep: The columns, or who tells them.
        memory: The most memory that DuckDB takes before it spills to disk.
        most: The most different rows that are brought into memory.
        progress: Told how far it is.
    """
    with ExitStack() as stack:
        session = stack.enter_context(opened(memory, progress))
        scan = scan_of(session, location, keep)
        found = _texts(session, scan, most) if scan.delimited else _coded(session, scan, most)
        if isinstance(found, Rows):
            return checked(found, scan)
        rows = SpilledRows(session, stack.pop_all().close, scan, found)
        check_number(rows.n_records, scan.where)
        return rows


def _coded(session: SpillingSession, scan: Scan, most: int) -> Rows | Keys:
    """Count a table that knows its values, by codes."""
    table, names, types, where = scan.table, scan.names, scan.types, scan.where
    coded = keys_of(dictionaries(session, table, names, types, where))
    session.run(f"CREATE TABLE {_COUNTED} AS {counting_query(table, coded, names)}", where, COUNTING_STEP)
    if _n_rows(session, _COUNTED, where) <= most:
        return decoded(session.frame(f"SELECT * FROM {_COUNTED}", where), coded, names, types, where)  # noqa: S608
    _check_coded(coded, names)
    return coded


def _texts(session: SpillingSession, scan: Scan, most: int) -> Rows | Keys:
    """Count delimited text by its texts, in one pass, and code what was counted if that is too much."""
    names, where, columns = scan.names, scan.where, ", ".join(map(quoted_name, scan.names))
    weight = quoted_name("n" + max(names, key=len))  # a name that no column has
    made = f"SELECT {columns}, count(*) AS {weight} FROM {scan.table} GROUP BY ALL"  # noqa: S608
    session.run(f"CREATE TABLE {_TEXTS} AS {made}", where, COUNTING_STEP)
    if _n_rows(session, _TEXTS, where) <= most:
        asked = ", ".join(f"{quoted_name(name)} AS c{number}" for number, name in enumerate(names))
        found = session.frame(f"SELECT {asked}, {weight} AS n FROM {_TEXTS}", where)  # noqa: S608
        return decoded(found, [], names, {}, where)
    coded = keys_of(dictionaries(session, _TEXTS, names, {}, where))
    _check_coded(coded, names)
    by = ", ".join(f"{packed(key)} AS c{number}" for number, key in enumerate(coded))
    session.run(f"CREATE TABLE {_COUNTED} AS SELECT {by}, {weight} AS n FROM {_TEXTS}", where)  # noqa: S608
    session.run(f"DROP TABLE {_TEXTS}", where)
    return coded


def _n_rows(session: SpillingSession, table: str, where: str) -> int:
    return int(session.frame(f"SELECT count(*) AS n FROM {table}", where).item())  # noqa: S608


def _check_coded(coded: Keys, names: Sequence[str]) -> None:
    if plain := plain_names(coded, names):
        raise too_many_values(plain[0], MOST_VALUES)
