"""Spilled records: what leaves of a table that is solved in parts, kept by DuckDB until it is written."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.search.engines.duckdb.session import SpillingSession
from shoal.search.engines.record_order import key_of, places, record_parts, sign
from shoal.tables.hierarchies.hierarchy import Label
from shoal.tables.published import Published, PublishedRows
from shoal.tables.rows import Rows

_TABLE = "released_rows"
_BLOCK = 1_000_000  # rows that are in memory at a time


class SpilledRecords(Published):
    """The records that leave, as codes in the connection that counted the table.

    Their order is that of a number which is made of a row's texts and the seed. So equal records stand together,
    whichever part they come from, and the order tells nothing of the parts.

    Args:
        session: The connection.
        where: The name of the table, for messages.
        names: The columns.
        seed: What the order is drawn from.
    """

    def __init__(self, session: SpillingSession, where: str, names: Sequence[str], seed: int) -> None:
        self._session, self._where, self._names, self._key = session, where, list(names), key_of(seed)
        self._kept: Any = None
        self._codes: dict[str, dict[Label, int]] = {name: {} for name in names}
        self._signs: dict[str, list[int]] = {name: [] for name in names}
        self.n_rows, self.n_records = 0, 0
        kinds = ["place UBIGINT", *(f"{column} UINTEGER" for column in self._fields()), "n BIGINT"]
        session.run(f"CREATE TABLE {_TABLE} ({', '.join(kinds)})", where)

    def keep(self, owner: Any) -> None:
        """Let the connection be open for as long as this is known: it is closed with its owner."""
        self._kept = owner

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self._names)

    def _fields(self, names: Sequence[str] | None = None) -> list[str]:
        return [f"c{self._names.index(name)}" for name in (self._names if names is None else names)]

    def add(self, made: Mapping[str, tuple[list[Label], NDArray[np.int32]]], counts: NDArray[np.int64]) -> None:
        """Add different rows, given the labels of each column and which of them each row has."""
        columns: dict[str, NDArray[Any]] = {}
        signs = []
        for field, name in zip(self._fields(), self._names, strict=True):
            columns[field] = codes = self._known(name, *made[name])
            signs.append(np.array(self._signs[name], dtype=np.uint64)[codes])
        self.n_rows, self.n_records = self.n_rows + len(counts), self.n_records + int(counts.sum())
        frame = pl.DataFrame({"place": places(signs), **columns, "n": counts})
        self._session.append(_TABLE, frame, self._where)

    def _known(self, name: str, labels: list[Label], codes: NDArray[np.int32]) -> NDArray[np.uint32]:
        """Return the codes of labels among all that were ever added."""
        known, signs = self._codes[name], self._signs[name]
        place = np.zeros(len(labels), dtype=np.uint32)
        for code in np.flatnonzero(np.bincount(codes, minlength=len(labels))).tolist():
            label = labels[code]
            if label not in known:
                known[label] = len(known)
                signs.append(sign(label, self._key))
            place[code] = known[label]
        return place[codes]

    def rows(self, names: Sequence[str] | None = None) -> Rows:
        """Let DuckDB count; all columns in the order of the records."""
        fields = ", ".join(self._fields(names))
        if names is None:
            query = f"SELECT place, {fields}, sum(n)::BIGINT AS n FROM {_TABLE} GROUP BY ALL ORDER BY place, {fields}"  # noqa: S608
        else:
            query = f"SELECT {fields}, sum(n)::BIGINT AS n FROM {_TABLE} GROUP BY ALL"  # noqa: S608
        found = self._session.frame(query, self._where)
        frame = self._shown(found, self._texts(self._names if names is None else names))
        return Rows(frame, found.get_column("n").to_numpy().astype(np.int64))

    def _texts(self, names: Sequence[str]) -> dict[str, pl.Series]:
        return {name: pl.Series(list(self._codes[name]), dtype=pl.String).cast(pl.Categorical) for name in names}

    def _shown(self, found: pl.DataFrame, texts: Mapping[str, pl.Series]) -> pl.DataFrame:
        fields = zip(self._fields(list(texts)), texts.items(), strict=True)
        return pl.DataFrame(
            [
                text.gather(found.get_column(field)).alias(name)  # named last: it may be a pattern to polars
                for field, (name, text) in fields
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
        fields = ", ".join(self._fields())
        query = f"SELECT {fields}, n FROM {_TABLE} ORDER BY place, {fields}, n"  # noqa: S608  (names of ours)
        texts = self._texts(self._names)
        blocks = (
            PublishedRows(self._shown(block, texts), block.get_column("n").to_numpy().astype(np.int64))
            for block in self._session.blocks(query, self._where, _BLOCK)
        )
        yield from record_parts(blocks, size) if self.n_records else [self.rows().frame]

    def __deepcopy__(self, memo: dict[int, Any]) -> "SpilledRecords":
        """Return this one: it does not change."""
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """Leave the process as rows in memory."""
        rows = self.rows()
        return PublishedRows, (rows.frame, rows.counts)
