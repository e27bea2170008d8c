"""Dialect: the delimiter of a delimited file, and the names in its header."""

import csv
import io
from dataclasses import dataclass
from itertools import islice

from shoal.foundation.errors import SpecError
from shoal.tables.formats.format import names_of_header

CANDIDATES = (",", ";", "\t", "|")
SAMPLE = 100
WORDS = {"\t": "a tab"}


@dataclass(frozen=True, slots=True)
class Dialect:
    """The delimiter and the header of a file.

    Args:
        delimiter: One ASCII character.
        header: The names of the columns, all different.
    """

    delimiter: str
    header: tuple[str, ...]

    @classmethod
    def of(cls, head: str, delimiter: str | None, where: str) -> "Dialect":
        """Read the first lines of a file.

        Args:
            head: The first lines.
            delimiter: The delimiter; None to detect it.
            where: The file, for messages.
        """
        if not head.strip():
            raise SpecError(f"There is nothing but blank space in {where}.")
        _check_lines(head, where)
        if delimiter is not None:
            check_delimiter(delimiter)
        found = delimiter or sniff(head)
        header = _header(head, found, where)
        if delimiter is not None and len(header) == 1:
            _check_guess(head, delimiter, where)
        return cls(found, tuple(names_of_header(header, where)))


def sniff(head: str) -> str:
    """Return the delimiter for which most of the first records have as many fields as the header.

    Of several, the one with more fields is chosen. If none splits the header, there is one column, and the delimiter is
    the first that splits no record either.
    """
    best, rank = "", (0.0, 1)
    whole = ""
    for candidate in CANDIDATES:
        counts = [len(record) for record in _records(head, candidate, SAMPLE)]
        alike = sum(count == counts[0] for count in counts) / len(counts)
        if counts[0] > 1 and (not best or (alike, counts[0]) > rank):
            best, rank = candidate, (alike, counts[0])
        if not whole and max(counts) == 1:
            whole = candidate
    return best or whole or CANDIDATES[0]


def check_delimiter(delimiter: str) -> None:
    """Raise a SpecError unless `delimiter` is one ASCII character that can separate fields."""
    if len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\r\n\0':
        raise SpecError(
            f"The delimiter {delimiter!r} cannot be used: it must be one ASCII character such as ',', ';', "
            "'|' or a tab, but not a quote or a line end."
        )


def _check_lines(head: str, where: str) -> None:
    first = head.split("\n", 1)[0].rstrip("\r")
    if not first.strip():
        raise SpecError(f"The first line of {where} is blank: it must hold the names of the columns.")
    if "\r" in first and '"' not in first:
        raise SpecError(f"The lines of {where} end in carriage returns alone. Save it with modern line endings.")


def _header(head: str, delimiter: str, where: str) -> list[str]:
    """Split the first record strictly, since an unclosed quote would turn data into column names."""
    try:
        return next(csv.reader(io.StringIO(head, newline=""), delimiter=delimiter, strict=True))
    except (csv.Error, StopIteration):
        pass
    raise SpecError(f"The quotes in the header of {where} do not match: one is open, or in the middle of a name.")


def _check_guess(head: str, delimiter: str, where: str) -> None:
    """Raise a SpecError if another delimiter splits the header and every record into the same number of fields."""
    guess = sniff(head)
    counts = [len(record) for record in _records(head, guess, SAMPLE)]
    if len(counts) > 1 and counts[0] > 1 and len(set(counts)) == 1:
        raise SpecError(
            f"The delimiter {_word(delimiter)} does not occur in the header of {where}. "
            f"With {_word(guess)} it has {counts[0]} columns: is that the delimiter?"
        )


def _word(delimiter: str) -> str:
    return WORDS.get(delimiter, f"'{delimiter}'")


def _records(head: str, delimiter: str, limit: int) -> list[list[str]]:
    """Split the first records, without blank lines; stop at a field that is too long for the csv module."""
    records: list[list[str]] = []
    try:
        for record in islice(csv.reader(io.StringIO(head, newline=""), delimiter=delimiter), limit):
            records.append(record)
    except csv.Error:
        pass
    return [record for record in records if record] or [[""]]
