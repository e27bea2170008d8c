"""Spilled records: what leaves of a table that is solved in parts, kept by DuckDB until it is written."""

from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.search.engines.duckdb.spilling import SpilledRows
from shoal.tables.hierarchies.hierarchy import Label
from shoal.tables.published import Published, PublishedRows
from shoal.tables.rows import Rows

_TABLE = "released_rows"
_BLOCK = 1_000_000  # rows that are in memory at a time
_FACTORS = tuple(np.uint64(number) for number in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))
_SHIFTS = tuple(np.uint64(number) for number in (30, 27, 31))


class SpilledRecords(Published):
    """The records that leave, as codes in the connection that counted the table.

    Their order is that of a number which is made of a row's texts and the seed. So equal records stand together,
    whichever part they come from, and the order tells nothing of the parts.

    Args:
        rows: Who keeps them.
        names: The columns.
        seed: What the order is drawn from.
    """

    def __init__(self, rows: SpilledRows, names: Sequence[str], seed: int) -> None:
        self._rows, self._names = rows, list(names)
        self._key = seed.to_bytes(max((seed.bit_length() + 7) // 8, 1), "big")[-64:]
        self._codes: dict[str, dict[Label, int]] = {name: {} for name in names}
        self._signs: dict[str, list[int]] = {name: [] for name in names}
        self.n_rows, self.n_records = 0, 0
        kinds = ["place UBIGINT", *(f"{column} UINTEGER" for column in self._fields()), "n BIGINT"]
        rows.session.run(f"CREATE TABLE {_TABLE} ({', '.join(kinds)})", rows.where)

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self._names)

    def _fields(self, names: Sequence[str] | None = None) -> list[str]:
        return [f"c{self._names.index(name)}" for name in (self._names if names is None else names)]

    def add(self, made: Mapping[str, tuple[list[Label], NDArray[np.int32]]], counts: NDArray[np.int64]) -> None:
        """Add different rows, given the labels of each column and which of them each row has."""
        places = np.zeros(len(counts), dtype=np.uint64)
        columns: dict[str, NDArray[Any]] = {}
        for field, name in zip(self._fields(), self._names, strict=True):
            codes = self._known(name, *made[name])
            signs = np.array(self._signs[name], dtype=np.uint64)[codes]
            places = _mixed(places + signs)
            columns[field] = codes
        self.n_rows, self.n_records = self.n_rows + len(counts), self.n_records + int(counts.sum())
        frame = pl.DataFrame({"place": places, **columns, "n": counts})
        self._rows.session.append(_TABLE, frame, self._rows.where)

    def _known(self, name: str, labels: list[Label], codes: NDArray[np.int32]) -> NDArray[np.uint32]:
        """Return the codes of labels among all that were ever added."""
        known, signs = self._codes[name], self._signs[name]
        place = np.zeros(len(labels), dtype=np.uint32)
        for code in np.flatnonzero(np.bincount(codes, minlength=len(labels))).tolist():
            label = labels[code]
            if label not in known:
                known[label] = len(known)
                text = b"" if label is None else b"." + label.encode()
                signs.append(int.from_bytes(blake2b(text, digest_size=8, key=self._key).digest(), "big"))
            place[code] = known[label]
        return place[codes]

    def rows(self, names: Sequence[str] | None = None) -> Rows:
        """Let DuckDB count; all columns in the order of the records."""
        fields = ", ".join(self._fields(names))
        if names is None:
            query = f"SELECT place, {fields}, sum(n)::BIGINT AS n FROM {_TABLE} GROUP BY ALL ORDER BY place, {fields}"  # noqa: S608
        else:
            query = f"SELECT {fields}, sum(n)::BIGINT AS n FROM {_TABLE} GROUP BY ALL"  # noqa: S608
        found = self._rows.session.frame(query, self._rows.where)
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
        held: list[pl.DataFrame] = []
        wanted, empty, texts = size, True, self._texts(self._names)
        for block in self._rows.session.blocks(query, self._rows.where, _BLOCK):
            rows = PublishedRows(self._shown(block, texts), block.get_column("n").to_numpy().astype(np.int64))
            start, stop = 0, rows.n_records
            while start < stop:
                end = min(start + wanted, stop)
                held.append(rows.part(start, end))
                start, wanted = end, wanted - (end - start)
                if wanted == 0:
                    yield pl.concat(held, how="vertical")
                    held, wanted, empty = [], size, False
        if held or empty:
            yield pl.concat(held, how="vertical") if held else self.rows().frame

    def __deepcopy__(self, memo: dict[int, Any]) -> "SpilledRecords":
        """Return this one: it does not change."""
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """Leave the process as rows in memory."""
        rows = self.rows()
        return PublishedRows, (rows.frame, rows.counts)


def _mixed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return numbers that look random (SplitMix64), equal ones for equal ones."""
    first, second, third = _FACTORS
    with np.errstate(over="ignore"):
        found = numbers + first
        found = (found ^ (found >> _SHIFTS[0])) * second
        found = (found ^ (found >> _SHIFTS[1])) * third
        return found ^ (found >> _SHIFTS[2])
