"""Correcting: a copy of a table in another encoding, or with other names of columns; the file itself stays as it is."""

import codecs
import csv
import io
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TextIO

from shoal.foundation.errors import SpecError
from shoal.foundation.progress import Progress
from shoal.jobs.given_table import names_of, parts_of, table
from shoal.tables.formats import format_of
from shoal.tables.formats.csv import Csv
from shoal.tables.formats.dialect import Dialect
from shoal.tables.formats.encoding import encoding_of
from shoal.tables.location import Location

ENCODINGS = {
    "UTF-8": "utf-8-sig",
    "UTF-16": "utf-16",
    "Windows-1252": "cp1252",
    "Latin-1": "latin-1",
    "Latin-9": "iso8859-15",
    "Windows-1250": "cp1250",
    "Latin-2": "iso8859-2",
    "Windows-1251": "cp1251",
    "Windows-1253": "cp1253",
    "Windows-1254": "cp1254",
    "DOS 850": "cp850",
    "DOS 437": "cp437",
    "Mac Roman": "mac-roman",
    "GB 18030": "gb18030",
    "Big5": "big5hkscs",
    "Shift JIS": "cp932",
    "EUC-KR": "cp949",
}
"""The encodings that can be chosen, each with Python's name of it."""

_BLOCK = 1 << 20


def corrected(
    path: Path,
    folder: Path,
    progress: Progress,
    *,
    encoding: str | None = None,
    names: Mapping[str, str] | None = None,
    sheet: str | None = None,
    delimiter: str | None = None,
) -> Path:
    """Write a copy of a table as CSV in UTF-8; return its path. The records are those of the file, sign by sign.

    Args:
        path: The file.
        folder: Where the copy goes.
        progress: Where to tell how far it is.
        encoding: The encoding of a text file, by its usual name; found out if not given.
        names: New names, by the number of the column, from 0.
        sheet: The sheet of a workbook.
        delimiter: What separates the fields of a text file; found out if not given.
    """
    progress("making a corrected copy")
    target = folder / f"{path.stem}.csv"
    if isinstance(format_of(path), Csv):
        _of_text(path, target, _codec(path, encoding), names or {}, delimiter)
    elif encoding:
        raise SpecError(f"'{path.name}' is no text file, so that no encoding can be chosen.")
    else:
        _of_table(table(path, sheet=sheet), target, names or {})
    target.chmod(0o600)
    return target


def _of_table(given: Location, target: Path, names: Mapping[str, str]) -> None:
    own = names_of(given)
    new = renamed(own, names)
    with target.open("wb") as out:
        for number, part in enumerate(parts_of(given, own)):
            part.rename(dict(zip(own, new, strict=True))).write_csv(out, include_header=number == 0)


def _codec(path: Path, encoding: str | None) -> str:
    name = encoding or encoding_of(path)
    if name not in ENCODINGS:
        raise SpecError(f"Unknown encoding '{name}'. Known are: {', '.join(ENCODINGS)}.")
    return ENCODINGS[name]


def _of_text(path: Path, target: Path, codec: str, names: Mapping[str, str], delimiter: str | None) -> None:
    decoder = codecs.getincrementaldecoder(codec)()
    try:
        with path.open("rb") as source, target.open("w", encoding="utf-8", newline="") as out:
            head = _with_names(decoder.decode(source.read(_BLOCK)), names, delimiter, f"'{path.name}'")
            out.write(head.removeprefix("\ufeff"))
            _copy(source, decoder, out)
    except UnicodeDecodeError as error:
        damaged = error.reason
    else:
        return
    raise SpecError(f"'{path.name}' cannot be read in this encoding ({damaged}). Choose another one.")


def _copy(source: io.BufferedReader, decoder: codecs.IncrementalDecoder, out: TextIO) -> None:
    while block := source.read(_BLOCK):
        out.write(decoder.decode(block))
    out.write(decoder.decode(b"", final=True))


def _with_names(head: str, names: Mapping[str, str], delimiter: str | None, where: str) -> str:
    """Return the beginning of a text with other names in its header, which may have several lines."""
    if not names:
        return head
    known = Dialect.of(head.removeprefix("\ufeff"), delimiter, where)
    lines = io.StringIO(head, newline="")
    reader = csv.reader(lines, delimiter=known.delimiter)
    next(reader)
    new = io.StringIO(newline="")
    csv.writer(new, delimiter=known.delimiter, lineterminator="\n").writerow(renamed(known.header, names))
    return new.getvalue() + lines.read()


def renamed(columns: Sequence[str], names: Mapping[str, str]) -> list[str]:
    """Return the names of columns after some got others, by their numbers."""
    found = [names.get(str(number), name).strip() for number, name in enumerate(columns)]
    wrong = _twice(found)
    if wrong or not all(found):
        raise SpecError(f"Two columns would be called '{wrong}'." if wrong else "A column needs a name.")
    return found


def _twice(names: Collection[str]) -> str:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return ""
