"""Stata: columns with labels, and up to 27 kinds of missing values."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import polars as pl

from shoal.tables.formats.codebook import Codebook
from shoal.tables.formats.readstat import StatisticsFile, check_names_fit, package, saved
from shoal.tables.formats.values import TextKind, distinct_values, text_kind_of

_LONGEST = 32  # characters of a name
_WORDS = re.compile(
    r"_all|_b|byte|_coef|_cons|double|float|if|in|int|long|_n|_N|_pi|_pred|_rc|_se|_skip|str\d+|strL|using|with"
)
_RULE = "a name starts with a letter or _, has letters, digits and _, at most 32 of them, and is no word of Stata."
_REASON = re.compile(r"\.[A-Za-z]")
_STAMP = re.compile(rb"<timestamp>\x11.{17}</timestamp>", re.DOTALL)
_NO_TIME = b"<timestamp>\x1101 Jan 1960 00:00</timestamp>"
_LARGEST = 2_147_483_620  # the largest `long` of Stata
_VERSION = 14  # the newest version that every edition of Stata reads
_LABEL = 80  # characters of a column's label
_HEAD = 400  # bytes that contain the header


class Dta(StatisticsFile):
    """A Stata file. Values are read as codes, and whole numbers keep their labels when they are written.

    The missing codes `.a` to `.z` of numbers are read as these texts, and written as missing codes again.
    """

    name: ClassVar[str] = "dta"
    suffixes: ClassVar[tuple[str, ...]] = (".dta",)
    what: ClassVar[str] = "a Stata file (.dta)"

    def reader(self, path: Path) -> str:
        """Return the only reader."""
        return "read_dta"

    def check(self, columns: Sequence[str], n_records: int) -> None:
        """Raise a SpecError for column names that Stata does not allow."""
        package()  # raises now, not after the search
        check_names_fit(columns, _fits, "A Stata file", _RULE)

    def kept_labels(self, frame: pl.DataFrame, codebook: Codebook) -> list[str]:
        """Return the columns of whole numbers: Stata has no labels for texts."""
        known = codebook.of(frame)
        return [name for name in known.labelled if _Column(frame.get_column(name), known).labels()]

    def write(
        self, frame: pl.DataFrame, path: Path, delimiter: str | None = None, codebook: Codebook | None = None
    ) -> None:
        """Write numbers, dates and texts, with the labels of the values that occur."""
        self.check(frame.columns, frame.height)
        known = (codebook or Codebook()).of(frame)
        columns = [_Column(frame.get_column(name), known) for name in frame.columns]
        saved(
            "write_dta",
            pl.DataFrame([column.series() for column in columns]),
            path,
            version=_VERSION,
            column_labels={name: entry.label[:_LABEL] for name, entry in known.entries.items() if entry.label},
            variable_value_labels={column.name: labels for column in columns if (labels := column.labels())},
            missing_user_values={column.name: column.letters for column in columns if column.letters},
        )
        _without_time(path)


class _Column:
    """A column as it will be written."""

    def __init__(self, column: pl.Series, known: Codebook) -> None:
        self.name, self._texts = column.name, column.cast(pl.String)
        self._entry = known[column.name]
        self._letter = {code: code[1:].lower() for code in self._entry.codes if _REASON.fullmatch(code)}
        values = distinct_values(column)
        self.kind = (
            TextKind.TEXT if self._entry.text else text_kind_of(value for value in values if value not in self._letter)
        )
        moment = self.kind in (TextKind.DATE, TextKind.TIMESTAMP)
        if self.kind not in (TextKind.INTEGER, TextKind.NUMBER) and (not moment or self._letter):
            self.kind, self._letter = TextKind.TEXT, {}
        self._whole = self.kind is TextKind.INTEGER and all(
            abs(int(value)) <= _LARGEST for value in values if value not in self._letter
        )

    @property
    def letters(self) -> list[str]:
        """The missing codes that occur."""
        return sorted(set(self._letter.values()))

    def series(self) -> pl.Series:
        """Return the values in their type."""
        if self.kind is TextKind.TEXT:
            return self._texts.fill_null("")
        texts = self._texts.replace("", None)
        if self.kind is TextKind.DATE:
            return texts.str.to_date("%Y-%m-%d")
        if self.kind is TextKind.TIMESTAMP:
            return texts.str.to_datetime("%Y-%m-%dT%H:%M:%S")
        number = int if self._whole else float
        if self._letter:
            known = {text: self._letter.get(text) or number(text) for text in texts.unique().drop_nulls()}
            return pl.Series(self.name, [known.get(text) for text in texts], dtype=pl.Object)
        return texts.cast(pl.Int32 if self._whole else pl.Float64)

    def labels(self) -> dict[Any, str]:
        """Return the labels of whole numbers and of missing codes."""
        if not self._whole:
            return {}
        return {self._letter.get(code) or int(code): label for code, label in self._entry.values.items()}


def _fits(name: str) -> bool:
    letters = name.replace("_", "x")
    return 0 < len(name) <= _LONGEST and letters[0].isalpha() and letters.isalnum() and not _WORDS.fullmatch(name)


def _without_time(path: Path) -> None:
    """Overwrite the time of writing, so that equal tables give equal files."""
    with path.open("r+b") as stream:
        head = stream.read(_HEAD)
        stream.seek(0)
        stream.write(_STAMP.sub(_NO_TIME, head, count=1))
