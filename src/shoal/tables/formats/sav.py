"""SPSS: columns with labels, and values declared as missing."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import polars as pl

from shoal.foundation.errors import SpecError
from shoal.tables.formats.codebook import Codebook, Entry
from shoal.tables.formats.readstat import StatisticsFile, check_names_fit, package, saved
from shoal.tables.formats.values import TextKind, distinct_values

_SIGNS = re.compile(r"[_.$#@]")  # allowed in a name besides letters and digits
_LONGEST = 64  # bytes of a name
_WORDS = {"all", "and", "by", "eq", "ge", "gt", "le", "lt", "ne", "not", "or", "to", "with"}
_RULE = (
    "a name starts with a letter, has letters, digits and . _ $ # @ and at most 64 bytes, is no word of SPSS, and "
    "differs from the others in more than capitals."
)
_STAMP = b"01 Jan 0000:00:00"  # written instead of the time of writing
_STAMP_AT = 92
_LENGTH = 32_767  # bytes of a text
_DISCRETE = 3  # most values that can be declared as missing one by one


class Sav(StatisticsFile):
    """An SPSS system file. Values are read as codes, and keep their labels when they are written.

    A value declared as missing is read as its missing code, so that different codes and empty fields stay distinct.
    Trailing spaces of a text are not significant in SPSS, and are not read.
    """

    name: ClassVar[str] = "sav"
    suffixes: ClassVar[tuple[str, ...]] = (".sav", ".zsav")
    padded: ClassVar[bool] = True
    what: ClassVar[str] = "an SPSS file (.sav)"

    def reader(self, path: Path) -> str:
        """Return the only reader."""
        return "read_sav"

    def check(self, columns: Sequence[str], n_records: int) -> None:
        """Raise a SpecError for column names that SPSS does not allow."""
        package()  # raises now, not after the search
        check_names_fit(columns, _fits, "An SPSS file", _RULE)

    def kept_labels(self, frame: pl.DataFrame, codebook: Codebook) -> list[str]:
        """Return all columns with labels, since texts can have labels too."""
        return codebook.of(frame).labelled

    def write(
        self, frame: pl.DataFrame, path: Path, delimiter: str | None = None, codebook: Codebook | None = None
    ) -> None:
        """Write numbers, dates and texts, with the labels of the values that occur."""
        self.check(frame.columns, frame.height)
        known = (codebook or Codebook()).of(frame)
        kinds = known.kinds(frame)
        for column in frame:
            _check_length(column)
        columns = [_series(frame.get_column(name), kinds[name]) for name in frame.columns]
        saved(
            "write_sav",
            pl.DataFrame(columns),
            path,
            column_labels={name: entry.label for name, entry in known.entries.items() if entry.label},
            variable_value_labels={
                name: {_typed(value, kinds[name]): label for value, label in known[name].values.items()}
                for name in known.labelled
                if kinds[name] not in _MOMENTS
            },
            missing_ranges={name: ranges for name in frame.columns if (ranges := _ranges(known[name], kinds[name]))},
            variable_format={
                name: _format(frame.get_column(name), kinds[name]) for name in frame.columns if kinds[name] in _NUMBERS
            },
            row_compress=True,
        )
        _without_time(path)


_NUMBERS = (TextKind.INTEGER, TextKind.NUMBER)
_MOMENTS = (TextKind.DATE, TextKind.TIMESTAMP)  # they have no labels


def _fits(name: str) -> bool:
    letters = _SIGNS.sub("x", name)
    return (
        letters.isalnum()
        and name[0].isalpha()
        and name[-1] != "."
        and len(name.encode()) <= _LONGEST
        and name.lower() not in _WORDS
    )


def _series(column: pl.Series, kind: TextKind) -> pl.Series:
    text = column.cast(pl.String)
    if kind in _NUMBERS:
        return text.replace("", None).cast(pl.Float64)
    if kind is TextKind.DATE:
        return text.replace("", None).str.to_date("%Y-%m-%d")
    if kind is TextKind.TIMESTAMP:
        return text.replace("", None).str.to_datetime("%Y-%m-%dT%H:%M:%S")
    return text.fill_null("")


def _check_length(column: pl.Series) -> None:
    longest = column.unique().cast(pl.String).str.len_bytes().max()
    if isinstance(longest, int) and longest > _LENGTH:
        raise SpecError(f"Column '{column.name}' has a text of {longest} bytes: an SPSS file holds {_LENGTH} at most.")


def _typed(value: str, kind: TextKind) -> Any:
    return float(value) if kind in _NUMBERS else value


def _ranges(entry: Entry, kind: TextKind) -> list[Any]:
    """Return the missing codes: a range for each group of numbers, each text separately."""
    if kind in _NUMBERS:
        numbers = [[float(code) for code in group] for group in entry.missing]
        return [{"lo": min(group), "hi": max(group)} for group in numbers]
    codes = sorted(entry.codes)
    return codes if kind is TextKind.TEXT and len(codes) <= _DISCRETE else []


def _format(column: pl.Series, kind: TextKind) -> str:
    """Return the display format of a column of numbers, wide enough for all."""
    texts = distinct_values(column)
    places = max((len(text.partition(".")[2]) for text in texts), default=0) if kind is TextKind.NUMBER else 0
    whole = max((len(text.partition(".")[0]) for text in texts), default=1)
    return f"F{min(max(whole + places + 1, 8), 40)}.{min(places, 16)}"


def _without_time(path: Path) -> None:
    """Overwrite the time of writing, so that equal tables give equal files."""
    with path.open("r+b") as stream:
        stream.seek(_STAMP_AT)
        stream.write(_STAMP)
