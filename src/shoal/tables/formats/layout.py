"""Layout: does every record of a delimited file have the fields that the header promises?

Parsers fill short records with nulls, drop what follows a closing quote, and skip columns that are not requested. So
the file is checked separately. Only delimiters, line ends and quotes matter for this, and NumPy finds them quickly.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from shoal.foundation.budgets import ROW_BYTES, Budget
from shoal.foundation.errors import SpecError
from shoal.tables.formats.encoding import TextSource, chunks

NEWLINE, RETURN, QUOTE = b'\n\r"'


@dataclass(slots=True)
class FileLayout:
    """The state of the check of a file; complete after `of`.

    Args:
        delimiter: The delimiter.
        n_fields: The number of names in the header.
        where: The file, for messages.
    """

    delimiter: str
    n_fields: int
    where: str
    n_records: int = field(default=-1, init=False)  # without the header
    n_blank: int = field(default=0, init=False)  # blank lines at the end, which are not records
    quoted: bool = field(default=False, init=False)
    _n_lines: int = field(default=0, init=False)
    _begun: int = field(default=0, init=False)  # delimiters so far of a record that continues in the next chunk
    _inside: int = field(default=0, init=False)  # 1 while a quote is open
    _opened: int = field(default=0, init=False)  # the line on which it was opened
    _blank: int = field(default=0, init=False)  # the first of the blank lines
    _length: int = field(default=0, init=False)  # the bytes of chunks in which no record ended

    @classmethod
    def of(
        cls, source: TextSource, delimiter: str, n_fields: int, where: str, most: Budget | None = None
    ) -> "FileLayout":
        """Check a whole file; a SpecError names the first faulty line, or the limit that it is above."""
        layout = cls(delimiter, n_fields, where)
        most = most or Budget()
        for chunk in chunks(source):
            before = layout.n_records
            layout._take(np.frombuffer(chunk, dtype=np.uint8), quoted=b'"' in chunk)
            most.check_records(layout.n_records, where)
            layout._length = layout._length + len(chunk) if layout.n_records == before else 0
            if layout._length > ROW_BYTES:
                raise SpecError(
                    f"A record of {where} has more than {ROW_BYTES} bytes, up to line {layout._n_lines}. Is the quote "
                    f"that opens on line {layout._opened} closed?"
                )
        if layout._inside:
            raise SpecError(f"The quote that opens on line {layout._opened} of {where} is never closed.")
        return layout

    def _take(self, data: NDArray[np.uint8], *, quoted: bool) -> None:
        newlines = data == NEWLINE
        n_lines = int(np.count_nonzero(newlines))
        marks = np.flatnonzero(newlines | (data == ord(self.delimiter)))
        if quoted or self._inside:
            marks = self._outside(data, marks)
        if not (quoted or self._begun or self._blank) and self._is_regular(newlines, marks, n_lines):
            self.n_records += n_lines
        else:
            self._count(data, newlines, marks)
        self._n_lines += n_lines

    def _is_regular(self, newlines: NDArray[np.bool_], marks: NDArray[np.intp], n_lines: int) -> bool:
        """Check the usual case at once: as many line ends as records, each after the same number of delimiters."""
        if len(marks) != n_lines * self.n_fields:
            return False
        return bool(newlines[marks[self.n_fields - 1 :: self.n_fields]].all())

    def _count(self, data: NDArray[np.uint8], newlines: NDArray[np.bool_], marks: NDArray[np.intp]) -> None:
        """Count the fields of each record that ends in this chunk."""
        ends = np.flatnonzero(newlines[marks])
        if len(ends):
            counts = np.diff(ends, prepend=-1)
            counts[0] += self._begun
            self._check(data, counts, marks[ends])
            self._begun = len(marks) - 1 - int(ends[-1])
        else:
            self._begun += len(marks)

    def _outside(self, data: NDArray[np.uint8], marks: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return the marks outside quotes: those with an even number of quotes before them."""
        quotes = np.flatnonzero(data == QUOTE)
        before = np.searchsorted(quotes, marks) + self._inside
        opening, closing = quotes[self._inside :: 2], quotes[1 - self._inside :: 2]
        stray = np.concatenate([opening[~self._may_open(data, opening)], closing[~self._may_close(data, closing)]])
        if len(stray):
            raise SpecError(
                f"A quote in the middle of a field on line {self._line(data, int(stray.min()))} of {self.where}. "
                "Put the whole field in quotes and double the quotes inside it."
            )
        if len(opening):
            self._opened = self._line(data, int(opening[-1]))
        self.quoted = self.quoted or len(quotes) > 0
        self._inside = (self._inside + len(quotes)) % 2
        return marks[before % 2 == 0]

    def _may_open(self, data: NDArray[np.uint8], quotes: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Check that a field begins here, or that this is the second of a doubled quote."""
        before = np.where(quotes > 0, data[quotes - 1], NEWLINE)
        return (before == ord(self.delimiter)) | (before == NEWLINE) | (before == QUOTE)

    def _may_close(self, data: NDArray[np.uint8], quotes: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Check that the field ends here, or that this is the first of a doubled quote."""
        last = len(data) - 1
        after, second = data[np.minimum(quotes + 1, last)], data[np.minimum(quotes + 2, last)]
        ended = (after == ord(self.delimiter)) | (after == NEWLINE) | (after == QUOTE)
        return ended | ((after == RETURN) & (second == NEWLINE))

    def _check(self, data: NDArray[np.uint8], counts: NDArray[np.intp], ends: NDArray[np.intp]) -> None:
        """Compare the fields of each record that ends in this chunk with the header."""
        n_blank = self._trailing_blank(data, counts, ends)
        n_full = len(counts) - n_blank
        if self._blank and n_full:
            raise self._blank_error(self._blank)
        wrong = np.flatnonzero(counts[:n_full] != self.n_fields)
        if len(wrong):
            end, count = int(ends[wrong[0]]), int(counts[wrong[0]])
            line = self._line(data, end)
            raise self._blank_error(line) if _is_blank(data, end) else self._count_error(line, count)
        if n_blank and not self._blank:
            self._blank = self._line(data, int(ends[n_full]))
        self.n_records += n_full
        self.n_blank += n_blank

    def _trailing_blank(self, data: NDArray[np.uint8], counts: NDArray[np.intp], ends: NDArray[np.intp]) -> int:
        """Count the blank lines at the end; in a file of one column, each is a record with a missing value."""
        if self.n_fields == 1:
            return 0
        last = data[np.maximum(ends - 1, 0)]  # what stands before each line end
        start = np.where(last == RETURN, ends - 1, ends)
        filled = np.flatnonzero((counts != 1) | ((start > 0) & (data[np.maximum(start - 1, 0)] != NEWLINE)))
        return len(ends) if not len(filled) else len(ends) - 1 - int(filled[-1])

    def _line(self, data: NDArray[np.uint8], position: int) -> int:
        return self._n_lines + int(np.count_nonzero(data[:position] == NEWLINE)) + 1

    def _blank_error(self, line: int) -> SpecError:
        return SpecError(f"Line {line} of {self.where} is blank, with records after it. Remove the line.")

    def _count_error(self, line: int, count: int) -> SpecError:
        fields = "1 field" if count == 1 else f"{count} fields"
        return SpecError(
            f"Line {line} of {self.where} has {fields}, but the header has {self.n_fields}. A field that contains "
            f"the delimiter must be in quotes."
        )


def _is_blank(data: NDArray[np.uint8], end: int) -> bool:
    if end > 0 and data[end - 1] == RETURN:
        end -= 1
    return end == 0 or bool(data[end - 1] == NEWLINE)
