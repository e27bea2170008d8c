"""Workbook size: what a packed workbook becomes once it is unpacked, found out before a reader unpacks it.

A workbook is a ZIP file of XML files. A few kilobytes of it can unpack to gigabytes, and one value in the last cell of
a sheet lets a reader make a grid of 17 billion cells. So each part is unpacked here piece by piece, and the places of
its cells are compared with how many there are.
"""

import re
import sys
import zipfile
import zlib
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from shoal.foundation.budgets import CELLS, EMPTY_CELLS, INFLATION, budget
from shoal.foundation.errors import SpecError

_CHUNK = 1 << 20
_OVERLAP = 64  # bytes of a chunk that are looked at again with the next: the name of a cell may be cut in two
_CELL = re.compile(rb"\sr\s*=\s*[\"']\s*([A-Za-z]+)([0-9]+)\s*[\"'](?![^>]*/>)")
_NAMELESS = re.compile(rb"<(?:\w+:)?c(?:\s(?![^>]*\br\s*=)[^>]*)?(?<!/)>")
_ROW = re.compile(rb"<(?:\w+:)?row\s(?:[^>]*\s)?r\s*=\s*[\"']\s*([0-9]+)")


@dataclass(slots=True)
class _Extent:
    """The cells of a sheet that hold something, as far as they are known."""

    count: int = 0
    low: tuple[int, int] = (sys.maxsize, sys.maxsize)
    high: tuple[int, int] = (0, 0)

    def take(self, chunk: bytes) -> None:
        """Look at the names of cells, such as `B12`, in a piece of XML; formatted empty cells do not count.

        A cell without a name stands beside the one before; so its row, which may have a number, counts.
        """
        found = _CELL.findall(chunk)
        nameless = len(_NAMELESS.findall(chunk))
        if not found and not nameless:
            return
        self.count += len(found) + nameless
        columns = [1, *(_number(name) for name in {name for name, _ in found})]
        rows = [*map(int, {row for _, row in found}), *(map(int, _ROW.findall(chunk)) if nameless else ())]
        self.low = (min(self.low[0], *rows, 2**60), min(self.low[1], *columns))
        self.high = (max(self.high[0], *rows, 0), max(self.high[1], *columns))

    @property
    def cells(self) -> int:
        """The cells of the smallest rectangle that holds them all."""
        if self.high[0] < self.low[0]:
            return 0
        return (self.high[0] - self.low[0] + 1) * (self.high[1] - self.low[1] + 1)


def check_workbook(path: Path) -> None:
    """Raise a SpecError if a workbook is too large once it is unpacked, or cannot be unpacked."""
    damaged = False
    try:
        with zipfile.ZipFile(path) as packed:
            _check_parts(path, packed)
    except (zipfile.BadZipFile, zlib.error, OSError, EOFError, NotImplementedError, RuntimeError, ValueError):
        damaged = True
    if damaged:
        raise SpecError(f"'{path}' is not an Excel workbook (.xlsx), or a damaged one.")


def _check_parts(path: Path, packed: zipfile.ZipFile) -> None:
    inflated = budget().unpacked_bytes(path.stat().st_size)
    claimed = sum(one.file_size for one in packed.infolist())
    _check_unpacked(path, claimed, inflated)
    total = 0
    for one in packed.infolist():
        true = copy(one)
        true.file_size = sys.maxsize  # unpack all there is, whatever is claimed
        with packed.open(true) as stream:
            total = _check_part(path, stream, total, inflated)


def _check_part(path: Path, stream: IO[bytes], total: int, inflated: int) -> int:
    """Unpack one part of a workbook; return the bytes unpacked so far."""
    extent, kept = _Extent(), b""
    while chunk := stream.read(_CHUNK):
        total += len(chunk)
        _check_unpacked(path, total, inflated)
        text = kept + chunk
        cut = text.rfind(b">") + 1
        extent.take(text[:cut])
        kept = text[cut:] if len(text) - cut < _CHUNK else text[-_OVERLAP:]
    if extent.cells > max(CELLS, EMPTY_CELLS * extent.count):
        raise SpecError(
            f"A sheet of '{path}' has values so far apart that it would have {extent.cells} cells, of which "
            f"at most {extent.count} are not empty. Delete the cells that are far from the table."
        )
    return total


def _check_unpacked(path: Path, count: int, inflated: int) -> None:
    budget().check_bytes(count, f"the unpacked parts of '{path}'")
    if count > inflated:
        raise SpecError(
            f"'{path}' unpacks to more than {INFLATION} times its size, which a workbook hardly does. If it is one, "
            "say how many bytes may be read (--max-bytes)."
        )


def _number(name: bytes) -> int:
    """Return the number of a column, from `A`, which is 1."""
    number = 0
    for letter in name.upper():
        number = number * 26 + letter - 64
    return number
