"""Formulas: texts that a spreadsheet program takes for a formula and runs, and how they are quoted.

Such a program runs what begins with `=`, `+`, `-` or `@`, also after a tab or a line end. A plain number such as `-5`
is none. A quoted text begins with one more apostrophe. A text that begins with apostrophes before a formula is
quoted, too. So no two texts are quoted alike, and taking one apostrophe away gives each text back.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import polars as pl

from shoal.tables.formats.values import distinct_values
from shoal.tables.rows import Rows

QUOTE = "'"
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_BEGINS = "=+-@\t\r\n\uff1d\uff0b\uff0d\uff20"  # the last four are the same signs in full width


def is_formula(text: str) -> bool:
    """Tell whether a spreadsheet program may take a text for a formula."""
    return text[:1] != "" and text[0] in _BEGINS and _NUMBER.fullmatch(text) is None


def quoted(text: str) -> str:
    """Return a text with an apostrophe before it, if it is a formula behind any apostrophes that it begins with."""
    return f"{QUOTE}{text}" if is_formula(text.lstrip(QUOTE)) else text


def unquoted(text: str) -> str:
    """Return the text that `quoted` made this of."""
    return text[1:] if text[:1] == QUOTE and is_formula(text.lstrip(QUOTE)) else text


def quoted_frame(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a table with all formulas quoted, those among its names included."""
    return _changed(frame, quoted)


def unquoted_frame(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the table that `quoted_frame` made this of."""
    return _changed(frame, unquoted)


def _changed(frame: pl.DataFrame, change: Callable[[str], str]) -> pl.DataFrame:
    return pl.DataFrame([_changed_column(column, change).alias(change(column.name)) for column in frame])


def _changed_column(column: pl.Series, change: Callable[[str], str]) -> pl.Series:
    known = {value: change(value) for value in distinct_values(column)}
    known = {value: new for value, new in known.items() if value != new}
    if not known:
        return column
    plain = column.alias("").cast(pl.String)  # its own name may be a pattern to polars
    return plain.replace(list(known), list(known.values())).cast(column.dtype)


@dataclass(frozen=True, slots=True)
class FormulaColumn:
    """A column with formulas.

    Args:
        name: Its name.
        in_name: Whether its name is one.
        cells: How many of its cells are.
    """

    name: str
    in_name: bool
    cells: int


def formulas_in(tables: Iterable[Rows]) -> tuple[FormulaColumn, ...]:
    """Return the columns of some tables whose names or cells are formulas; columns of one name count together."""
    cells: dict[str, int] = {}
    for rows in tables:
        for column in rows.frame:
            found = [value for value in distinct_values(column) if is_formula(value)]
            there = column.alias("").cast(pl.String).is_in(found).fill_null(False) if found else None
            n_cells = 0 if there is None else int(rows.counts[there.to_numpy()].sum())
            cells[column.name] = cells.get(column.name, 0) + n_cells
    counted = (FormulaColumn(name, is_formula(name), count) for name, count in cells.items())
    return tuple(one for one in counted if one.in_name or one.cells)
