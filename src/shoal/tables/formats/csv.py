"""CSV: delimited text; encoding and delimiter are detected."""

from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import ClassVar

import polars as pl
from polars.selectors import by_name

from shoal.foundation.budgets import budget
from shoal.foundation.errors import EmptyTableError, SpecError
from shoal.tables.formats.codebook import Codebook
from shoal.tables.formats.dialect import Dialect, check_delimiter
from shoal.tables.formats.encoding import TextSource, head, utf8
from shoal.tables.formats.format import Format, check_readable, columns_to_load, write_or_explain
from shoal.tables.formats.layout import FileLayout


class Csv(Format):
    """Delimited text with a header; an empty field is a missing value, quoted or not.

    Every record is checked to have as many fields as the header, since a parser would silently fill a short one with
    missing values.
    """

    name: ClassVar[str] = "csv"
    suffixes: ClassVar[tuple[str, ...]] = (".csv", ".txt", ".tsv")
    delimited: ClassVar[bool] = True

    def delimiter(self, path: Path) -> str:
        """Return the delimiter, detected from the header and the first records."""
        check_readable(path)
        return Dialect.of(head(path), None, f"'{path}'").delimiter

    def columns(self, path: Path, delimiter: str | None = None) -> list[str]:
        """Return the names in the header."""
        check_readable(path)
        return list(Dialect.of(head(path), delimiter, f"'{path}'").header)

    def read(
        self,
        path: Path,
        *,
        keep: Collection[str] | None = None,
        text: Collection[str] = (),
        delimiter: str | None = None,
    ) -> pl.DataFrame:
        """Parse the requested columns, and check the layout of the whole file."""
        check_readable(path)
        where = f"'{path}'"
        source = utf8(path)
        dialect = Dialect.of(head(source), delimiter, where)
        names = columns_to_load(dialect.header, keep, where)
        with ThreadPoolExecutor(max_workers=1) as other:
            most = budget()
            checked = other.submit(FileLayout.of, source, dialect.delimiter, len(dialect.header), where, most)
            frame = _parsed(source, dialect, names, text, most.max_records + 1)
            layout = checked.result()
        if layout.n_records == 0:
            raise EmptyTableError(f"{where} has no records: there is nothing after the header.")
        if frame is None or frame.height != layout.n_records + layout.n_blank:
            raise SpecError(
                f"{where} could not be parsed as {len(dialect.header)} columns and {layout.n_records} records."
            )
        return _without_empty(frame.head(layout.n_records)) if layout.quoted else frame.head(layout.n_records)

    def write(
        self, frame: pl.DataFrame, path: Path, delimiter: str | None = None, codebook: Codebook | None = None
    ) -> None:
        """Write UTF-8 with line feeds, and quotes where needed; the delimiter is a comma unless given."""
        separator = "," if delimiter is None else delimiter
        check_delimiter(separator)
        write_or_explain(path, lambda: frame.write_csv(path, separator=separator, check_extension=False))


def _parsed(
    source: TextSource, dialect: Dialect, names: list[str], text: Collection[str], most: int
) -> pl.DataFrame | None:
    """Parse with polars; None if that fails, since its message would show the value that it failed on."""
    schema = {name: pl.String if name in text else pl.Categorical for name in dialect.header}
    columns = [by_name(name).as_expr() for name in names]  # `pl.col` would take a name such as `*` as a pattern
    lazy = pl.scan_csv(
        source, separator=dialect.delimiter, has_header=False, skip_rows=1, schema=schema, glob=False, n_rows=most
    ).select(columns)
    try:
        return lazy.collect(engine="streaming")
    except pl.exceptions.PolarsError:
        return None


def _without_empty(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the records with quoted empty fields as missing values."""
    columns = [by_name(name).as_expr() for name in frame.columns]
    return frame.select(pl.when(column != "").then(column) for column in columns)
