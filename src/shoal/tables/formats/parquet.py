"""Parquet: columns of any plain type are read as text, and written as text or in the type that they came in."""

from collections.abc import Collection, Iterator, Sequence
from datetime import time
from io import BytesIO
from pathlib import Path
from typing import ClassVar, Literal

import polars as pl
from polars.selectors import by_name

from shoal.foundation.budgets import budget
from shoal.foundation.errors import EmptyTableError, SpecError
from shoal.tables.formats.codebook import Codebook
from shoal.tables.formats.column_type import ColumnType, Types
from shoal.tables.formats.format import Format, check_names, check_readable, columns_to_load, write_or_explain
from shoal.tables.formats.text import as_text

COMPRESSION: Literal["zstd"] = "zstd"
BATCH = 4_000_000  # records that are counted at a time
_DAY = len("2000-12-31")


class Parquet(Format):
    """Columns of plain types, turned into text; nested ones are refused.

    A written file contains text, and values of a type where one is given. The dictionary of each row group is built
    from the written values, so it has no unused category, and there are no statistics and no metadata of the input.
    """

    name: ClassVar[str] = "parquet"
    suffixes: ClassVar[tuple[str, ...]] = (".parquet", ".pq")

    def columns(self, path: Path, delimiter: str | None = None) -> list[str]:
        """Return the names in the schema."""
        return list(schema_of(path))

    def read(
        self,
        path: Path,
        *,
        keep: Collection[str] | None = None,
        text: Collection[str] = (),
        delimiter: str | None = None,
    ) -> pl.DataFrame:
        """Read the requested columns as text."""
        return _part(path, keep, text, 0, _records(path))

    def batches(
        self, path: Path, *, keep: Collection[str] | None = None, delimiter: str | None = None
    ) -> Iterator[pl.DataFrame]:
        """Read some millions of records at a time; timestamps have a clock if one of all records needs it."""
        n_records = _records(path)
        stamps = clocked([path]) if n_records > BATCH else set()
        for start in range(0, max(n_records, 1), BATCH):
            frame = _part(path, keep, (), start, min(BATCH, n_records - start))
            yield frame.with_columns(with_clock(frame.get_column(name)) for name in stamps if name in frame.columns)

    def write(
        self, frame: pl.DataFrame, path: Path, delimiter: str | None = None, codebook: Codebook | None = None
    ) -> None:
        """Write the columns as text, of which the whole table is never in memory."""
        write_or_explain(path, lambda: _write(frame, path, pl.Schema(dict.fromkeys(frame.columns, pl.String()))))

    def types(self, path: Path, names: Collection[str]) -> Types:
        """Return the types of the schema."""
        return {name: ColumnType.of(dtype) for name, dtype in schema_of(path).items() if name in names}

    def keeps(self, kind: ColumnType, values: Sequence[str]) -> bool:
        """Tell whether Parquet has the type: it has no numbers of 128 bits, and none for nothing at all."""
        return kind.dtype is not None and kind.dtype not in (pl.Int128, pl.UInt128, pl.Null)

    def write_typed(
        self,
        frame: pl.DataFrame,
        path: Path,
        types: Types,
        delimiter: str | None = None,
        codebook: Codebook | None = None,
    ) -> None:
        """Write columns in their types; categories are those of the release, in an order that it tells."""
        stored = {name: one for name, one in types.items() if self.keeps(one, ()) and not one.is_plain_text}
        columns = [stored[one.name].column(one) if one.name in stored else one for one in frame]
        schema = pl.Schema({one.name: one.dtype if one.name in stored else pl.String() for one in columns})
        write_or_explain(path, lambda: _write(pl.DataFrame(columns), path, schema))


def _write(frame: pl.DataFrame, path: Path, schema: pl.Schema) -> None:
    """Write columns with the types of a schema; texts that are categories in memory go into the file by their numbers.

    A file of Parquet has texts as numbers and a dictionary in any case, and polars makes both for each row group, with
    used ones alone: from categories in a third of the time that it takes from texts, and the same bytes. That they were
    categories would stand in the schema of Arrow among the metadata: ours is put in its place. A polars that does not
    take ours writes them as texts.
    """
    by_number = [
        name for name, kind in schema.items() if kind == pl.String and isinstance(frame.schema[name], pl.Categorical)
    ]
    shown = [by_name(name).as_expr().cast(kind) for name, kind in schema.items() if name not in by_number]
    if by_number:
        told = BytesIO()
        pl.DataFrame(schema=schema).write_parquet(told, statistics=False)
        told.seek(0)
        lazy = frame.lazy().with_columns(shown).select(by_name(*schema))
        _sink(lazy, path, {"ARROW:schema": pl.read_parquet_metadata(told)["ARROW:schema"]})
        written = pl.read_parquet_schema(path)
        if all(written[name] == pl.String for name in by_number):
            return
    _sink(frame.lazy().select(by_name(name).as_expr().cast(kind) for name, kind in schema.items()), path)


def _sink(lazy: pl.LazyFrame, path: Path, metadata: dict[str, str] | None = None) -> None:
    """Write some records at a time."""
    lazy.sink_parquet(path, compression=COMPRESSION, statistics=False, metadata=metadata)


def _records(path: Path) -> int:
    """Return the number of records, which may be limited."""
    schema_of(path)
    counted = _collected(pl.scan_parquet(path, glob=False, hive_partitioning=False).select(pl.len()))
    n_records = 0 if counted is None else int(counted.item())
    budget().check_records(n_records, f"'{path}'")
    return n_records


def _part(path: Path, keep: Collection[str] | None, text: Collection[str], start: int, length: int) -> pl.DataFrame:
    """Return some columns of some records as text."""
    schema, where = schema_of(path), f"'{path}'"
    names = columns_to_load(list(schema), keep, where)
    columns = [as_text(name, schema[name], where).cast(pl.String if name in text else pl.Categorical) for name in names]
    lazy = pl.scan_parquet(path, glob=False, hive_partitioning=False)
    frame = _collected((lazy.slice(start, length) if start or length == BATCH else lazy).select(columns))
    if frame is None:
        raise SpecError(f"{where} could not be read to its end: it is damaged, or not quite Parquet.")
    if frame.height == 0:
        raise EmptyTableError(f"{where} has no records.")
    return frame


def with_clock(column: pl.Series) -> pl.Series:
    """Return timestamps with their time, also if all of this part are midnight, and so were written as dates."""
    plain = column.alias("")  # its own name may be a pattern to polars
    values = plain.unique().drop_nulls().cast(pl.String)
    if not len(values) or values.str.len_chars().max() != _DAY:
        return column
    return (plain.cast(pl.String) + "T00:00:00").cast(column.dtype).alias(column.name)


def clocked(paths: Sequence[Path]) -> set[str]:
    """Return the columns of several files, read as one table, with timestamps that are not all midnight."""
    return {name for path in paths for name in _clocked(path)}


def _clocked(path: Path) -> list[str]:
    schema = schema_of(path)
    stamps = [name for name, dtype in schema.items() if isinstance(dtype, pl.Datetime) and dtype.time_zone is None]
    if not stamps:
        return []
    lazy = pl.scan_parquet(path, glob=False, hive_partitioning=False)
    told = _collected(lazy.select((by_name(name).as_expr().dt.time() != time(0)).any() for name in stamps))
    return [] if told is None else [name for name in stamps if told.get_column(name).item()]


def schema_of(path: Path) -> pl.Schema:
    """Return the types of the columns of a file; a SpecError tells that it is not Parquet."""
    check_readable(path)
    try:
        schema = pl.scan_parquet(path, glob=False, hive_partitioning=False).collect_schema()
    except (pl.exceptions.PolarsError, OSError):
        schema = pl.Schema()
    if not schema:
        raise SpecError(f"'{path}' is not a Parquet file, or a damaged one.")
    check_names(list(schema), f"'{path}'")
    return schema


def _collected(lazy: pl.LazyFrame) -> pl.DataFrame | None:
    """Run a query; None if it fails, since its message could show the value that it failed on."""
    try:
        return lazy.collect(engine="streaming")
    except (pl.exceptions.PolarsError, OSError):
        return None
