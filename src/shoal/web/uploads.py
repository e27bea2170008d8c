"""Uploads: a file that a browser sends goes into the private folder byte by byte as it comes, and nowhere else."""

import re
import shutil
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, BinaryIO

from python_multipart import MultipartParser
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import parse_options_header
from starlette.requests import Request

from shoal.web.texts import TextError

if TYPE_CHECKING:
    from python_multipart.multipart import MultipartCallbacks

FIELD = "file"
"""The field of the form that holds the file."""

_NAME = re.compile(r"[^/\\\x00-\x1f\x7f.][^/\\\x00-\x1f\x7f]{0,199}")
_TEXTS = 64 * 2**10  # bytes that all texts of a form may have together
_LEFT = 64 * 2**20  # bytes of the disk that an upload leaves free


async def take_form(request: Request, folder: Path) -> tuple[dict[str, str], Path | None]:
    """Return the texts of a form, and where its file is now, if it has one; a file has its name only when it is whole.

    A name with a path in it is refused, and so is a file that the disk has no room for. What is half there when the
    browser goes away is taken away.

    Raises:
        SpecError: This is no form with a file in it, the name of the file cannot be used, or something is too large.
    """
    kind, options = parse_options_header(request.headers.get("content-type", ""))
    if kind != b"multipart/form-data" or b"boundary" not in options:
        raise TextError("open.nothing")
    free = shutil.disk_usage(folder).free - _LEFT
    told = request.headers.get("content-length", "")
    if told.isdecimal() and int(told) > free:
        raise TextError("open.large")
    draft = folder / f".{token_hex(8)}.part"
    try:
        draft.touch(mode=0o600)
        with draft.open("wb") as out:
            found = await _received(request, options[b"boundary"], _Receiver(out, free))
        target = None if found.name is None else draft.replace(folder / found.name)
    except OSError:
        raise TextError("open.large") from None
    finally:
        draft.unlink(missing_ok=True)
    return {name: value.decode("utf-8", "replace") for name, value in found.texts.items()}, target


async def _received(request: Request, boundary: bytes, receiver: "_Receiver") -> "_Receiver":
    """Read the body of a request to its end."""
    parser = MultipartParser(boundary, receiver.callbacks())
    try:
        async for chunk in request.stream():
            parser.write(chunk)
        parser.finalize()
    except FormParserError:
        raise TextError("open.nothing") from None
    if not receiver.ended:
        raise TextError("open.nothing")
    return receiver


class _Receiver:
    """Hears what the parser finds in the body of a form: keeps its texts, and writes the file in it.

    Args:
        out: Where the file is written to.
        room: How many bytes it may have.
    """

    def __init__(self, out: BinaryIO, room: int) -> None:
        self._out, self._room = out, room
        self.name: str | None = None
        self.texts: dict[str, bytes] = {}
        self.ended = False
        self._header, self._value, self._said = b"", b"", b""
        self._taking, self._asked = False, ""

    def callbacks(self) -> "MultipartCallbacks":
        """Return what the parser calls."""
        return {
            "on_part_begin": self._part,
            "on_header_field": self._field,
            "on_header_value": self._text,
            "on_header_end": self._line,
            "on_headers_finished": self._begin,
            "on_part_data": self._data,
            "on_end": self._end,
        }

    def _part(self) -> None:
        self._header, self._value, self._said, self._taking = b"", b"", b"", False

    def _field(self, data: bytes, start: int, end: int) -> None:
        self._header += data[start:end]

    def _text(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]

    def _line(self) -> None:
        if self._header.lower() == b"content-disposition":
            self._said = self._value
        self._header, self._value = b"", b""

    def _begin(self) -> None:
        """Look at the name, before any byte of the file is kept."""
        _, options = parse_options_header(self._said)
        self._asked = options.get(b"name", b"").decode("utf-8", "replace")
        name = options.get(b"filename", b"").decode("utf-8", "replace")
        if self._asked != FIELD or not name:  # a text, or no file was chosen
            return
        if self.name is not None:
            raise TextError("open.nothing")
        if not _NAME.fullmatch(name) or len(name.encode()) > 250:
            raise TextError("open.name")
        self.name, self._taking = name, True

    def _data(self, data: bytes, start: int, end: int) -> None:
        if not self._taking:
            self._keep_text(data[start:end])
            return
        self._room -= end - start
        if self._room < 0:
            raise TextError("open.large")
        self._out.write(data[start:end])

    def _keep_text(self, data: bytes) -> None:
        if self._asked == FIELD:
            return
        self.texts[self._asked] = self.texts.get(self._asked, b"") + data
        if sum(len(name) + len(value) for name, value in self.texts.items()) > _TEXTS:
            raise TextError("open.large")

    def _end(self) -> None:
        self.ended = True
