"""Encoding: a text file as UTF-8, whatever its encoding."""

import codecs
import io
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np

from shoal.foundation.budgets import ROW_BYTES
from shoal.foundation.errors import SpecError

TextSource = Path | bytes
"""UTF-8 text: a file, or its content in memory if it had to be converted."""

CHUNK = 1 << 20
MARKS = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
UNDEFINED_IN_CP1252 = b"\x81\x8d\x8f\x90\x9d"


def utf8(path: Path) -> TextSource:
    """Return the file itself if it is UTF-8, else its content converted in memory; nothing is written to disk.

    Bytes that are not UTF-8 are read as Windows-1252, or as Latin-1 if Windows-1252 does not define them. A file in
    which some lines are UTF-8 and others are not is refused, since either encoding would garble it.
    """
    if is_utf8(path):
        return path
    with path.open("rb") as handle:
        encoding = _wide(handle.read(CHUNK))
    return _converted(path, encoding or _narrow(path))


def is_utf8(path: Path) -> bool:
    """Tell whether a file is UTF-8; one in which some lines are and others are not is refused."""
    with path.open("rb") as handle:
        encoding = _wide(handle.read(CHUNK))
    return encoding is None and _all_utf8(path)


def encoding_of(path: Path) -> str:
    """Return the encoding that a file is read in, by its usual name."""
    if is_utf8(path):
        return "UTF-8"
    with path.open("rb") as handle:
        wide = _wide(handle.read(CHUNK))
    return "UTF-16" if wide else {"cp1252": "Windows-1252", "latin-1": "Latin-1"}[_narrow(path)]


def head(source: TextSource) -> str:
    """Return the first lines as text, about a megabyte of them, without converting the rest."""
    with _binary(source) as handle:
        raw = handle.read(CHUNK)
        cut = bool(handle.read(1))
    text = _decoded(raw)
    if cut and "\n" in text:
        text = text[: text.rindex("\n") + 1]
    return text.removeprefix("\ufeff")


def chunks(source: TextSource) -> Iterator[bytes]:
    """Yield UTF-8 text in chunks of about a megabyte, each of complete lines with a line end.

    Raises:
        SpecError: A line is too long for a record.
    """
    with _binary(source) as handle:
        if handle.read(len(codecs.BOM_UTF8)) != codecs.BOM_UTF8:
            handle.seek(0)
        while chunk := handle.read(CHUNK):
            if not chunk.endswith(b"\n"):
                chunk += handle.readline(ROW_BYTES)
                if len(chunk) > ROW_BYTES:
                    raise SpecError(_too_long(source))
            yield chunk if chunk.endswith(b"\n") else chunk + b"\n"


def _too_long(source: TextSource) -> str:
    named = "the file" if isinstance(source, bytes) else f"'{source}'"
    return f"A line of {named} has more than {ROW_BYTES} bytes: this is no table of records, or a damaged one."


def _binary(source: TextSource) -> BinaryIO:
    return io.BytesIO(source) if isinstance(source, bytes) else source.open("rb")


def _decoded(raw: bytes) -> str:
    """Decode the beginning of a file, which may end in the middle of a character."""
    encoding = _wide(raw) or "utf-8"
    try:
        return codecs.getincrementaldecoder(encoding)().decode(raw)
    except UnicodeDecodeError:
        return raw.decode("latin-1" if _has_undefined(raw) else "cp1252")


def _wide(raw: bytes) -> str | None:
    """Detect UTF-16 by its byte order mark, or by the zero in every second byte of ASCII letters."""
    for mark, encoding in MARKS.items():
        if raw.startswith(mark):
            return None if encoding == "utf-8" else encoding
    first, second = raw[0::2].count(0), raw[1::2].count(0)
    if second > len(raw) / 4 and first == 0:
        return "utf-16-le"
    if first > len(raw) / 4 and second == 0:
        return "utf-16-be"
    return None


def _all_utf8(path: Path) -> bool:
    """Check every byte: pure ASCII is skipped quickly, the rest is decoded."""
    offset, first_bad, some_good = 0, -1, False
    for chunk in chunks(path):
        if b"\0" in chunk:
            line = _line(path, offset + chunk.index(b"\0"))
            raise SpecError(f"A zero byte on line {line} of '{path}': this is not a text file, or a damaged one.")
        if not chunk.isascii():
            good, bad = _judge(chunk)
            some_good = some_good or good
            if bad >= 0 and first_bad < 0:
                first_bad = offset + bad
        offset += len(chunk)
    if some_good and first_bad >= 0:
        raise SpecError(
            f"'{path}' mixes encodings: line {_line(path, first_bad)} is not UTF-8, while other lines are. "
            "Save the file as UTF-8."
        )
    return first_bad < 0


def _judge(chunk: bytes) -> tuple[bool, int]:
    """Return whether some line has UTF-8 beyond ASCII, and the position of the first byte that is not UTF-8, or -1."""
    bad = _first_bad(chunk)
    if bad < 0:
        return True, -1
    beyond = np.frombuffer(chunk, dtype=np.uint8) > 127
    if not np.any(beyond[1:] & beyond[:-1]):  # a character of UTF-8 beyond ASCII has at least two such bytes
        return False, bad
    return any(_first_bad(line) < 0 for line in chunk.split(b"\n") if not line.isascii()), bad


def _line(path: Path, offset: int) -> int:
    """Return the number of the line that contains a byte of the text."""
    n_lines = seen = 0
    for chunk in chunks(path):
        n_lines += chunk[: max(offset - seen, 0)].count(b"\n")
        seen += len(chunk)
    return n_lines + 1


def _first_bad(raw: bytes) -> int:
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start
    return -1


def _narrow(path: Path) -> str:
    return "latin-1" if any(_has_undefined(chunk) for chunk in chunks(path)) else "cp1252"


def _has_undefined(raw: bytes) -> bool:
    return any(byte in raw for byte in UNDEFINED_IN_CP1252)


def _converted(path: Path, encoding: str) -> bytes:
    decoder = codecs.getincrementaldecoder(encoding)()
    text = io.BytesIO()
    failed = False
    try:
        with path.open("rb") as handle:
            while block := handle.read(CHUNK):
                text.write(decoder.decode(block).encode())
        decoder.decode(b"", final=True)
    except UnicodeError:
        failed = True
    if failed:
        raise SpecError(f"'{path}' looks like {encoding.upper()}, but is damaged. Save the file as UTF-8.")
    content = text.getvalue()
    if b"\0" in content:
        raise SpecError(f"A zero character in '{path}': this is not a text file, or a damaged one.")
    return content
