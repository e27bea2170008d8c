"""Plain files: no quotes, no returns but in line ends, and in every record the fields that the header promises.

Nearly all files are plain, and for them the fields lie between delimiters and line ends, so that our own loops
turn them into categories, several times faster than a parser of everything, and check the layout on the way.
"""

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Lock

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.formats.encoding import Source, chunks
from shoal.kernels.fields import NEWLINE, PADDING, Words, make_words, mark_fields, move_words, number_fields

_LONGEST = 1 << 30  # bytes of a piece; a single line may be that long
_WORDS = 1024  # room for so many texts of a column to begin with


def read_plain(source: Source, delimiter: str, header: Sequence[str], names: Sequence[str]) -> pl.DataFrame | None:
    """Return columns of a plain file as categories, an empty field as missing.

    None is returned if the file is not plain or has no record. A file of one column is not taken either: there a
    blank line is a record.

    Args:
        source: The text.
        delimiter: What separates the fields.
        header: The names of all columns.
        names: The columns to return.
    """
    if len(header) == 1:
        return None
    places = [header.index(name) for name in names]
    pieces = _Pieces(enumerate(chunks(source)))
    workers = [_Worker(pieces, ord(delimiter), len(header), places) for _ in range(os.cpu_count() or 1)]
    with ThreadPoolExecutor(len(workers)) as pool:
        plain = all(list(pool.map(_Worker.work, workers)))
    if not plain:
        return None
    frame = pl.DataFrame([_column(workers, number, name) for number, name in enumerate(names)])
    return frame if frame.height else None


def _column(workers: Sequence["_Worker"], number: int, name: str) -> pl.Series:
    """Join what the workers found in one column, the pieces in their order; each worker numbered texts for itself."""
    texts: list[str | None] = []
    pieces: dict[int, NDArray[np.int32]] = {}
    for worker in workers:
        found = worker.columns[number]
        for piece, codes in found.pieces.items():
            pieces[piece] = np.add(codes, np.int32(len(texts)), out=codes)
        texts += found.texts()
        found.pieces.clear()
    codes = np.concatenate([pieces[piece] for piece in sorted(pieces)])
    return pl.Series(name, texts, dtype=pl.String).cast(pl.Categorical).gather(codes)


@dataclass(slots=True)
class _Pieces:
    """The pieces of a file, numbered, for several threads; and whether all were plain so far."""

    left: Iterator[tuple[int, bytes]]
    plain: bool = True
    lock: Lock = field(default_factory=Lock)

    def take(self) -> tuple[int, bytes] | None:
        """Return the next piece and its number, or None at the end, or if the file turned out not to be plain."""
        with self.lock:
            return next(self.left, None) if self.plain else None


class _Found:
    """The different texts of one column, and which of them the records of each piece have."""

    def __init__(self) -> None:
        self.words: Words = make_words(_WORDS, 16 * _WORDS)
        self.state = np.zeros(2, dtype=np.int64)
        self.pieces: dict[int, NDArray[np.int32]] = {}

    def add(self, piece: int, data: NDArray[np.uint8], ends: NDArray[np.int32], n_fields: int, place: int) -> None:
        """Number the texts of one field in a piece."""
        numbers = np.empty(len(ends) // n_fields, dtype=np.int32)
        done = first = int(piece == 0)  # the header is no record
        while True:
            done = number_fields(data, ends, n_fields, place, numbers, done, self.words, self.state)
            if done == len(numbers):
                break
            larger = make_words(len(self.words.slots), 2 * len(self.words.text))
            move_words(self.words, larger)
            self.words = larger
        self.pieces[piece] = numbers[first:]

    def texts(self) -> list[str | None]:
        """Return the texts by their numbers; the empty one is missing."""
        used = self.words.text[: self.state[1]]
        return [None, *used.tobytes().decode().split("\n")[:-1]]


class _Worker:
    """A thread's share of a file: the columns of its pieces."""

    def __init__(self, pieces: _Pieces, delimiter: int, n_fields: int, places: Sequence[int]) -> None:
        self.pieces = pieces
        self.delimiter = delimiter
        self.n_fields = n_fields
        self.places = places
        self.columns = [_Found() for _ in places]

    def work(self) -> bool:
        """Take pieces until there are none; return whether all were plain."""
        while (taken := self.pieces.take()) is not None:
            piece, text = taken
            data = np.frombuffer(text + bytes(PADDING), dtype=np.uint8)
            odd = len(text) > _LONGEST or b'"' in text or text.count(b"\r") != text.count(b"\r\n")
            ends = None if odd else self._ends(data, len(text))
            if ends is None:
                self.pieces.plain = False
                return False
            for place, found in zip(self.places, self.columns, strict=True):
                found.add(piece, data, ends, self.n_fields, place)
        return True

    def _ends(self, data: NDArray[np.uint8], length: int) -> NDArray[np.int32] | None:
        """Return where the fields of a piece end, or None unless every record has all of them and no more."""
        ends = np.empty(length + 1, dtype=np.int32)
        ends = ends[: mark_fields(data, length, self.delimiter, ends)]
        last = data[ends[self.n_fields - 1 :: self.n_fields]]
        n_lines = np.count_nonzero(data[:length] == NEWLINE)
        return ends if len(ends) == n_lines * self.n_fields and np.all(last == NEWLINE) else None
