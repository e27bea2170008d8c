"""An upload goes to the private folder as it comes, under its own name, or not at all."""

import asyncio
import shutil
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.requests import ClientDisconnect, Request

from shoal.foundation.errors import SpecError
from shoal.web.uploads import take_form

EDGE = b"xXx"


def _body(*files: tuple[str, str, bytes]) -> bytes:
    parts = [
        b"--%s\r\nContent-Disposition: form-data; %s\r\n\r\n%s\r\n"
        % (EDGE, (f'name="{field}"' + (f'; filename="{name}"' if name else "")).encode(), content)
        for field, name, content in files
    ]
    return b"".join(parts) + b"--%s--\r\n" % EDGE


def _take(folder: Path, body: bytes, *, step: int = 7, told: int | None = None, cut: bool = False) -> Any:
    def messages() -> Iterator[dict[str, Any]]:
        for first in range(0, len(body), step):
            yield {"type": "http.request", "body": body[first : first + step], "more_body": True}
        yield {"type": "http.disconnect"} if cut else {"type": "http.request", "body": b"", "more_body": False}

    sent = messages()

    async def receive() -> dict[str, Any]:
        return next(sent)

    headers = [(b"content-type", b"multipart/form-data; boundary=" + EDGE)]
    headers += [] if told is None else [(b"content-length", str(told).encode())]
    scope = {"type": "http", "method": "POST", "path": "/upload", "query_string": b"", "headers": headers}
    _, path = asyncio.run(take_form(Request(scope, receive), folder))
    return path


@pytest.mark.parametrize("step", [1, 2, 7, 1000])
def test_a_file_comes_whole_and_private(tmp_path: Path, step: int) -> None:
    content = bytes(range(256)) * 3 + b"\r\n--xX\r\n"
    target = _take(tmp_path, _body(("note", "", b"x"), ("file", "Größe 1.csv", content)), step=step)
    assert target == tmp_path / "Größe 1.csv"
    assert target.read_bytes() == content
    assert target.stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize(
    "name", ["../x.csv", "a/x.csv", "/etc/passwd", ".", "..", ".bashrc", "a\x00.csv", "a\x1b.csv", "x" * 201, "ä" * 199]
)
def test_a_name_with_a_path_in_it_is_refused(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "uploads"
    folder.mkdir()
    with pytest.raises(SpecError, match="file name cannot be used"):
        _take(folder, _body(("file", name, b"x")))
    assert list(tmp_path.rglob("*")) == [folder]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"no form",
        _body(("file", "a.csv", b"x"), ("file", "b.csv", b"x")),
        _body(("file", "a.csv", b"x" * 50))[:-20],
    ],
)
def test_what_is_no_file_is_refused(tmp_path: Path, body: bytes) -> None:
    with pytest.raises(SpecError, match="Name a file"):
        _take(tmp_path, body)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("body", [_body(("file", "", b"text")), _body(("other", "a.csv", b"x"))])
def test_a_form_without_a_file_gives_none(tmp_path: Path, body: bytes) -> None:
    assert _take(tmp_path, body) is None
    assert list(tmp_path.iterdir()) == []


def test_a_browser_that_goes_away_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(ClientDisconnect):
        _take(tmp_path, _body(("file", "a.csv", b"x" * 500))[:300], cut=True)
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_the_disk_has_no_room_for_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=64 * 2**20 + 100))
    body = _body(("file", "a.csv", b"x" * 101))
    for told in (len(body), None):  # before its first byte, or when it is too much
        with pytest.raises(SpecError, match="larger than the free space"):
            _take(tmp_path, body, told=told)
        assert list(tmp_path.iterdir()) == []
    assert _take(tmp_path, _body(("file", "a.csv", b"x" * 100))).stat().st_size == 100


def test_an_upload_never_follows_a_link(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_text("precious")
    folder = tmp_path / "uploads"
    folder.mkdir()
    (folder / "a.csv").symlink_to(outside)
    _take(folder, _body(("file", "a.csv", b"new")))
    assert outside.read_text() == "precious"
    assert not (folder / "a.csv").is_symlink()
